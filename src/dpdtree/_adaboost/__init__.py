"""AdaBoost: from one round to the next, and the votes of its trees."""
