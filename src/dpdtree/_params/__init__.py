"""The parameters of every estimator: names, ranges, defaults and texts."""
