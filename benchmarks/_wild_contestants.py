"""Who takes part in `benchmarks.wild`: one line each in `REGISTRY`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

from benchmarks import _cart
from benchmarks._shrinkage import ShrunkTree
from benchmarks._splits import Fitter
from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)

Array = npt.NDArray[Any]

#: What times are divided by, and what the scores are compared with.
CLOCK = "CART depth 5"
TUNED = "CART tuned"
TUNED_LOG_LOSS = "CART tuned log-loss"
SHRUNK = "CART tuned, shrunk"
CONSTANT = "constant"
#: Not a reference of the aims; tells what comes of depth alone.
TUNED_DEEP = "CART tuned to depth 8"
#: The default with other settings.
EIGHT_LEVELS = "DPDT eight levels"
FEWEST_ERRORS = "DPDT balanced, errors"
REFERENCES = (CLOCK, TUNED, TUNED_LOG_LOSS, SHRUNK, CONSTANT)
#: Strength of the shrinkage of the tuned CART.
STRENGTH = 10.0


def plain_cart(task: str, X: Array, y: Array) -> Any:
    return _cart.plain(task, max_depth=5).fit(X, y)


def constant(task: str, X: Array, y: Array) -> Any:
    """The class shares, or the mean, of the training rows."""
    kinds = {"classification": DummyClassifier, "regression": DummyRegressor}
    return kinds[task]().fit(X, y)


def minus_log_loss(model: Any, X: Array, y: Array) -> float:
    """Over the classes that the model knows: folds may lack rare ones."""
    known = np.isin(y, model.classes_)
    shares = model.predict_proba(X[known])
    return -float(log_loss(y[known], shares, labels=model.classes_))


class _Search:
    """The grid search of the last split, kept: three references ask for the same."""

    def __init__(self) -> None:
        self._asked: tuple[Array, Array] | None = None
        self._results: dict[str, Any] = {}

    def best(self, task: str, X: Array, y: Array, by: str) -> Any:
        """A tree with the parameters that are best `by` "score" or "log_loss"."""
        if self._asked is None or self._asked[0] is not X or self._asked[1] is not y:
            self._asked, self._results = (X, y), self._search(task, X, y)
        best = self._results["params"][int(np.argmax(self._results[f"mean_test_{by}"]))]
        return _cart.plain(task, **best).fit(X, y)

    @staticmethod
    def _search(task: str, X: Array, y: Array) -> dict[str, Any]:
        scoring: dict[str, Any] = {"score": "r2"}
        if task == "classification":
            scoring = {"score": "accuracy", "log_loss": minus_log_loss}
        search = GridSearchCV(
            _cart.plain(task), _cart.GRID, cv=_cart.FOLDS, scoring=scoring, refit=False
        )
        results: dict[str, Any] = search.fit(X, y).cv_results_
        return results


_SEARCH = _Search()


def tuned(task: str, X: Array, y: Array) -> Any:
    return _SEARCH.best(task, X, y, "score")


def tuned_log_loss(task: str, X: Array, y: Array) -> Any:
    by = "log_loss" if task == "classification" else "score"
    return _SEARCH.best(task, X, y, by)


def tuned_deep(task: str, X: Array, y: Array) -> Any:
    """As `tuned`, with depths up to 8: for trees that are deeper than 5."""
    grid = _cart.GRID | {"max_depth": [2, 3, 4, 5, 6, 7, 8]}
    search = GridSearchCV(_cart.plain(task), grid, cv=_cart.FOLDS)
    return search.fit(X, y).best_estimator_


def tuned_shrunk(task: str, X: Array, y: Array) -> Any:
    return ShrunkTree(tuned(task, X, y), STRENGTH)


def ours(task: str, X: Array, y: Array) -> Any:
    kinds = {"classification": DPDTreeClassifier, "regression": DPDTreeRegressor}
    return kinds[task]().fit(X, y)


def ours_cv(task: str, X: Array, y: Array) -> Any:
    kinds = {"classification": DPDTreeClassifierCV, "regression": DPDTreeRegressorCV}
    return kinds[task]().fit(X, y)


def eight_levels(task: str, X: Array, y: Array) -> Any:
    """The default, two levels deeper."""
    kinds = {"classification": DPDTreeClassifier, "regression": DPDTreeRegressor}
    return kinds[task](max_depth=8).fit(X, y)


def fewest_errors(task: str, X: Array, y: Array) -> Any:
    """A search for few training errors (or squared ones), priced by description."""
    if task == "classification":
        model = DPDTreeClassifier(
            strategy="balanced", max_depth=5, loss="zero_one", alpha="mdl"
        )
    else:
        model = DPDTreeRegressor(strategy="balanced", max_depth=5, alpha="mdl")
    return model.fit(X, y)


REGISTRY: dict[str, Fitter] = {
    CLOCK: plain_cart,
    TUNED: tuned,
    TUNED_LOG_LOSS: tuned_log_loss,
    SHRUNK: tuned_shrunk,
    CONSTANT: constant,
    TUNED_DEEP: tuned_deep,
    "DPDT default": ours,
    "DPDT CV": ours_cv,
    EIGHT_LEVELS: eight_levels,
    FEWEST_ERRORS: fewest_errors,
}
