"""What `explore` is given, checked and encoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from dpdtree._alternatives.search import search_alternatives
from dpdtree._core import encode_columns
from dpdtree._fitted import fitted_attributes, set_attributes
from dpdtree._input.prepared import PreparedRows
from dpdtree._input.problem import encode_problem
from dpdtree._input.validation import check_sample_weight, check_X, check_y_shape
from dpdtree._model_selection.tuning import tuned_by
from dpdtree._numbers import is_list, shown
from dpdtree._operations import plain_estimator
from dpdtree._tree_params import core_params
from dpdtree.explorer.rows import EncodedRows

#: Attributes that cross-validation adds to a tree.
_OF_FOLDS = {"n_leaves_", "alpha_", "best_params_", "best_score_", "best_index_"}
_OF_FOLDS |= {"cv_results_", "path_", "n_splits_"}


@dataclass(frozen=True)
class Given:
    """Training rows and other rows, as they were passed."""

    X: Any
    y: Any
    sample_weight: Any
    X_test: Any
    y_test: Any

    @property
    def training(self) -> tuple[Any, Any, Any]:
        """What `fit` takes."""
        return self.X, self.y, self.sample_weight

    def prepared(self, estimator: Any) -> PreparedRows | None:
        """Return the training rows; refuse others than those of the fit."""
        check_is_fitted(estimator)
        if estimator.n_outputs_ > 1:
            raise ValueError(
                "explore shows trees of one output, and this one has"
                f" {estimator.n_outputs_}."
            )
        if not _both("X", self.X, "y", self.y):
            return None
        encoded = check_X(estimator, self.X, reset=False)
        n, fitted = encoded.shape[0], int(estimator.tree_.n_node_samples[0])
        y = check_y_shape(estimator, self.y, n)
        weight = self.sample_weight
        if weight is not None:
            weight = check_sample_weight(weight, n)
        elif n != fitted:
            raise ValueError(
                f"X has {n} rows, but the tree was fitted on {fitted}: explore needs"
                " the training data; other rows are X_test and y_test."
            )
        problem = encode_problem(estimator, y, weight)
        labels = problem.fitted.get("classes_")
        if labels is not None and not np.array_equal(labels, estimator.classes_):
            raise ValueError(
                "y has labels that differ from those of the fit: explore needs the"
                " training data."
            )
        params = core_params(estimator, encoded.shape, problem.sample_weight)
        params.time_limit = -1.0
        columns = encode_columns(encoded, problem.sample_weight, params)
        return PreparedRows(estimator, encoded, problem, columns)

    def other_rows(self, estimator: Any) -> EncodedRows | None:
        """Return rows that the search has not seen, if there are any."""
        if not _both("X_test", self.X_test, "y_test", self.y_test):
            return None
        encoded = check_X(estimator, self.X_test, reset=False)
        y = check_y_shape(estimator, self.y_test, encoded.shape[0])
        if not hasattr(estimator, "classes_"):
            return EncodedRows(encoded, y.astype(float), None)
        known = np.asarray(estimator.classes_)
        codes = np.minimum(np.searchsorted(known, y), len(known) - 1)
        strange = known[codes] != y
        if strange.any():
            label = shown(y[strange].tolist()[0])
            raise ValueError(
                f"y_test has the label {label}, which the fit has not seen."
            )
        return EncodedRows(encoded, codes, None)


def path_of(estimator: Any, rows: PreparedRows | None) -> Any:
    """Return the trees of the front."""
    if hasattr(estimator, "path_"):
        return estimator.path_
    owner = plain_estimator(estimator).set_params(max_leaf_nodes=None)
    if owner.strategy == "optimal":  # it has no paths
        owner.set_params(strategy="balanced")
    return owner.leaf_path(rows, None)


def alternatives_of(plain: Any, rows: PreparedRows, k: Sequence[int]) -> Any:
    """Search the alternatives near a fitted tree, at its own nodes above all."""
    owner = clone(plain)
    if owner.max_depth is None:
        owner.set_params(max_depth=max(1, plain.tree_.max_depth))
    elsewhere = [max(1, (n + 1) // 2) for n in k] if is_list(k) else k
    return search_alternatives(owner, (rows, None, None), k, elsewhere, plain)


def _both(first: str, one: Any, second: str, other: Any) -> bool:
    if (one is None) != (other is None):
        given, absent = (second, first) if one is None else (first, second)
        raise ValueError(f"{given} is given, but {absent} is not.")
    return one is not None


def plain_tree(estimator: Any) -> Any:
    """Return a plain tree with what a cross-validated one has learnt."""
    if not hasattr(estimator, "cv_results_"):
        return estimator
    plain = plain_estimator(estimator)
    known = plain.get_params()
    chosen = estimator.best_params_
    plain.set_params(**{name: chosen[name] for name in chosen if name in known})
    if tuned_by(estimator) == "n_leaves":
        plain.set_params(max_leaf_nodes=max(2, int(chosen["n_leaves"])))
    fitted = fitted_attributes(estimator)
    set_attributes(plain, **{n: v for n, v in fitted.items() if n not in _OF_FOLDS})
    return plain
