"""Which parameter somebody meant: names that other libraries have for it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any

#: Names of LightGBM, XGBoost, CatBoost and scikit-learn by the one they have here;
#: the first one that the estimator has is suggested.
_MEANT: dict[str, tuple[str, ...]] = {
    name: meant
    for names, meant in (
        (
            "n_estimators num_iterations num_iteration n_iter num_tree num_trees",
            ("max_iter", "n_estimators"),
        ),
        (
            "num_boost_round num_round num_rounds nrounds iterations n_rounds",
            ("max_iter", "n_estimators"),
        ),
        ("num_leaves num_leaf max_leaves max_leaf leaves", ("max_leaf_nodes",)),
        ("eta lr shrinkage shrinkage_rate", ("learning_rate",)),
        (
            "reg_lambda lambda lambda_ lambda_l2 l2 l2_leaf_reg l2_reg",
            ("l2_regularization",),
        ),
        ("alpha lambda_l1 l1_regularization l1", ("reg_alpha",)),
        ("ccp_alpha reg_alpha", ("alpha",)),
        (
            "min_split_loss min_split_gain min_gain_to_split min_impurity_decrease",
            ("gamma", "min_impurity_decrease"),
        ),
        (
            "min_child_samples min_data_in_leaf min_data min_samples min_leaf",
            ("min_samples_leaf",),
        ),
        (
            "min_sum_hessian_in_leaf min_sum_hessian min_hessian",
            ("min_child_weight",),
        ),
        ("bagging_fraction sub_row row_sample_rate max_samples", ("subsample",)),
        (
            "colsample_bynode colsample_bytree colsample_bylevel rsm",
            ("max_features",),
        ),
        ("feature_fraction feature_fraction_bynode", ("max_features",)),
        ("max_bin border_count n_bins", ("max_bins",)),
        ("depth max_depths n_levels", ("max_depth",)),
        ("objective application loss_function", ("loss",)),
        ("criterion", ("loss",)),
        ("splitter", ("strategy",)),
        ("eval_metric metric metrics custom_metric", ("scoring",)),
        (
            "early_stopping_rounds early_stopping_round od_wait",
            ("n_iter_no_change",),
        ),
        (
            "nthread nthreads num_threads num_thread thread_count n_threads",
            ("n_jobs",),
        ),
        ("seed random_seed rng", ("random_state",)),
        ("verbosity silent logging_level verbose_eval", ("verbose",)),
        (
            "monotone_constraints monotonic_constraints monotone_constraint",
            ("monotonic_cst",),
        ),
        ("interaction_constraints", ("interaction_cst",)),
        (
            "categorical_feature cat_features enable_categorical cat_feature",
            ("categorical_features",),
        ),
        (
            "scale_pos_weight is_unbalance auto_class_weights class_weights",
            ("class_weight",),
        ),
        ("quantile_alpha alpha_quantile", ("quantile",)),
        ("max_time timeout train_time", ("time_limit",)),
        ("laplace smoothing", ("leaf_smoothing",)),
        ("min_samples_in_leaf", ("min_samples_leaf",)),
    )
    for name in names.split()
}


def hint(name: str, known: Collection[str]) -> str:
    """Return "Did you mean ...?" for a name that is not among the known ones, or ""."""
    meant = [other for other in _MEANT.get(name, ()) if other in known]
    close = meant[:1] or get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f" Did you mean {close[0]!r}?" if close else ""


class HelpfulNames:
    """An estimator whose constructor and `set_params` know what others call things."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Check the names that the constructor gets; its signature stays as it is."""
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = _checked(cls.__init__)  # type: ignore[method-assign]

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name.

        Parameters
        ----------
        **params : dict
            The parameters; a name that there is not is an error with a suggestion.

        Returns
        -------
        self
        """
        known = self.get_params(deep=True)  # type: ignore[attr-defined]
        for name in params:
            if name not in known and "__" not in name:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator"
                    f" {type(self).__name__}.{hint(name, known)}"
                    f" Valid parameters are: {sorted(known)}."
                )
        return super().set_params(**params)  # type: ignore[misc]


def _checked(init: Callable[..., None]) -> Callable[..., None]:
    parameters = inspect.signature(init).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return init
    known = [name for name in parameters if name != "self"]

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in parameters:
                raise TypeError(
                    f"{type(self).__name__} has no parameter {name!r}."
                    f"{hint(name, known)}"
                )
        init(self, *args, **kwargs)

    return checked
