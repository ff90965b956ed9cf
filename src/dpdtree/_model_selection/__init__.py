"""Folds, scores and the choice of a tree by cross-validation."""
