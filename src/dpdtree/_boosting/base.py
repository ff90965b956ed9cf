"""What both gradient boosting estimators share."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dpdtree._boosting.fit import fit_boosting
from dpdtree._boosting.raw import RawScores
from dpdtree._boosting.rows import Arguments
from dpdtree._boosting.sample import Array
from dpdtree._fitted import fitted_attributes, forget, set_attributes
from dpdtree._input.categories import EncodesCategories
from dpdtree._input.validation import check_X
from dpdtree._params.estimators import record_of
from dpdtree._params.hints import HelpfulNames
from dpdtree._threads import n_threads
from dpdtree.export.mixin import BoostingExportMixin
from dpdtree.io.mixin import ModelFileMixin
from dpdtree.plotting.notebook_mixin import NotebookMixin

Self = TypeVar("Self", bound="BaseBoosting")


class BaseBoosting(
    RawScores,
    HelpfulNames,
    BoostingExportMixin,
    EncodesCategories,
    ModelFileMixin,
    NotebookMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Fit and raw predictions of the gradient boosting estimators."""

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        init_score: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        eval_set: Any = None,
        eval_names: Any = None,
        eval_metric: Any = None,
        eval_sample_weight: Any = None,
        eval_init_score: Any = None,
        callbacks: Iterable[Callable[..., object]] | None = None,
    ) -> Self:
        """Add one tree after the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers of any real type, and categories; NaN is a missing value. Or a
            `dpdtree.RowBlocks`, which brings y and weights with it.
        y : array-like of shape (n_samples,), or (n_samples, n_outputs) for a regressor
            Labels or targets. Several outputs have trees of their own.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; None weighs each row 1. A weight of 2 counts like two
            equal rows, except where rows are counted or drawn: `min_samples_leaf`,
            `subsample`, the ten rows a category needs, and `lookahead="light"`, which
            draws a sample from more than 10000 rows.
        init_score : array-like of shape (n_samples,) or (n_samples, n_scores)
            Raw scores that the trees add to, instead of a constant: log-odds, one
            column per class with three or more, or numbers. They are no part of the
            model: give `predict` those of its rows.
        X_val, y_val, sample_weight_val : array-likes, default=None
            Rows to watch, and to stop by unless `early_stopping=False`; without them a
            part of X is set aside for early stopping.
        eval_set : list of tuples (X, y) or (X, y, sample_weight), or dict, default=None
            Sets to watch, `evals_result_` has their metrics. Without X_val, the last of
            them gives `validation_score_`, and decides if early stopping is on.
        eval_names : list of str, default=None
            Their names; None: those of the dict, or "valid_0", "valid_1" and so on.
        eval_metric : str, callable or list of these, default=None
            None: "loss". Names of scikit-learn's scorers, and some of LightGBM's and
            XGBoost's ("auc", "logloss", "error", "rmse", "mae", ...). A callable gets
            (y_true, y_pred), the latter being probabilities (of the second class if
            there are two) or numbers, and returns a number or the tuple (name, value,
            is_higher_better).
        eval_sample_weight, eval_init_score : lists of array-likes, default=None
            Weights and initial scores, an entry for each set of eval_set.
        callbacks : iterable of callables, default=None
            Each is called after every iteration with a `BoostingProgress`; one that
            returns True ends the fit with the iterations made so far.

        Returns
        -------
        self
            A fit that fails or is interrupted leaves the estimator unfitted; with
            `warm_start` as it was before.
        """
        before = fitted_attributes(self) if self.warm_start else {}
        if not before:
            forget(self)
        given = Arguments(
            X,
            y,
            sample_weight,
            init_score,
            (X_val, y_val, sample_weight_val),
            eval_set,
            eval_names,
            eval_metric,
            eval_sample_weight,
            eval_init_score,
            callbacks,
        )
        try:
            fitted = fit_boosting(self, given, before)
        except BaseException:
            forget(self)
            set_attributes(self, **before)
            raise
        set_attributes(self, **fitted)
        return self

    @property
    def best_iteration_(self) -> int:
        """Iterations of the model: with early stopping, those up to the best score."""
        check_is_fitted(self)
        return int(self.n_iter_)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_iter_, n_trees_per_iteration_)
            Numbers of nodes, as in `export_text` and in `booster_.tree(...)`.
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        return self.booster_.apply(X, n_threads(self.n_jobs))

    def compute_feature_importances(
        self, importance_type: str = "gain", normalize: bool = True
    ) -> Array:
        """Return what each feature contributes.

        Parameters
        ----------
        importance_type : {"gain", "split"}, default="gain"
            The total gain of the splits of each feature, or their number.
        normalize : bool, default=True
            Whether they are divided by their sum, unless it is zero.

        Returns
        -------
        ndarray of shape (n_features_in_,)
            The importances.
        """
        check_is_fitted(self)
        if importance_type not in ("gain", "split"):
            raise ValueError(
                f"importance_type must be 'gain' or 'split', got {importance_type!r}."
            )
        importances: Array = self.booster_.feature_importances(importance_type)
        if normalize and (total := importances.sum()) > 0.0:
            importances = importances / total
        return importances

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in the total gain."""
        return self.compute_feature_importances()

    def __sklearn_is_fitted__(self) -> bool:
        return "booster_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = record_of(self).several_outputs
        return tags
