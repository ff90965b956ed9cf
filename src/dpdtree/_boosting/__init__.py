"""What the two gradient boosting estimators share."""
