"""Model files: a fitted estimator as JSON, and back."""
