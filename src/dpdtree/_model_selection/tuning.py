"""Choosing the size of a tree by cross-validation: candidates, folds, the rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import make_scorer, mean_pinball_loss

from dpdtree._input.rows import Rows
from dpdtree._losses import LOSSES
from dpdtree._numbers import is_real
from dpdtree._params.cv import (
    LEAF_SIZES,
    RULES,
    SHRUNK_BY,
    SMALLER_LEAF,
    SMALLER_PRICE,
)
from dpdtree._params.estimators import record_of, resolved
from dpdtree._tree_params import fix_price_scale
from dpdtree.path import RegularizationPath

Floats = NDArray[np.float64]

#: Scores this close are a tie: sums over folds differ by rounding.
TIE = 1e-12


class Candidates(Protocol):
    """Trees of one training set by the value of a parameter."""

    def values(self) -> list[Any]:
        """Return the values worth trying."""

    def key(self, value: Any) -> Any:
        """Return a key that values with the same tree share."""

    def tree(self, value: Any) -> Any:
        """Return the fitted tree of a value."""

    def constant(self) -> Any:
        """Return the fitted tree of one leaf."""


@dataclass(frozen=True)
class ByLeaves:
    """All trees of a path by the number of leaves."""

    path: RegularizationPath

    def values(self) -> list[int]:
        return [int(n) for n in self.path.n_leaves]

    def key(self, value: int) -> int:
        return self.path.index_of(n_leaves=value)

    def tree(self, value: int) -> Any:
        return self.path.select(n_leaves=value)

    def constant(self) -> Any:
        return self.path[0]


@dataclass(frozen=True)
class ByAlpha:
    """All trees of a path over alpha."""

    path: RegularizationPath

    def values(self) -> list[float]:
        """Geometric means of neighbouring breakpoints, as for pruning CART."""
        breaks = [float(alpha) for alpha in self.path.alphas]
        return [breaks[0], *(float(np.sqrt(a * b)) for a, b in pairwise(breaks))]

    def key(self, value: float) -> int:
        return self.path.index_of(alpha=value)

    def tree(self, value: float) -> Any:
        return self.path.select(alpha=value)

    def constant(self) -> Any:
        return self.path[0]


@dataclass(frozen=True)
class ByLeafSize:
    """A tree for each least leaf size, fitted when asked for."""

    estimator: Any
    data: Rows

    def values(self) -> list[float]:
        return list(LEAF_SIZES)

    def key(self, value: float) -> float:
        return value

    def tree(self, value: float) -> Any:
        return self._fit(min_samples_leaf=value)

    def constant(self) -> Any:
        return self._fit(
            strategy="greedy", min_samples_split=2**31 - 1, forced_splits=None
        )

    def _fit(self, **limits: Any) -> Any:
        model = clone(self.estimator).set_params(**limits)
        return model.fit(self.data.X, self.data.y, self.data.weight)


class Setting(NamedTuple):
    """What the default choice of parameters comes to, or a variant of it."""

    min_samples_leaf: Any
    price_scale: float
    shrinkage: float


@dataclass(frozen=True)
class ByRecipe:
    """Trees as strategy="auto" makes them, and variants of them."""

    estimator: Any
    data: Rows
    known: dict[tuple[Any, float], Any] = field(default_factory=dict)

    def values(self) -> list[Setting]:
        """Return what the estimator chooses itself, first, and variants of it.

        A smaller tree has twenty rows in a leaf at least and pays double for splits.
        """
        own = _with(self.estimator)
        own.fit(self.data.X, self.data.y, self.data.weight)
        rows, scale = self.estimator.min_samples_leaf, own.price_scale_
        self.known[rows, scale] = own
        if math.isinf(scale):  # one leaf, unless the folds say otherwise
            return [Setting(rows, scale, 0.0), *self._shrunk(rows, 1.0, 30.0)]
        larger = rows if is_real(rows) and rows != 1 else SMALLER_LEAF
        return [
            *self._shrunk(rows, scale, own.shrinkage_),
            *self._shrunk(larger, SMALLER_PRICE * max(scale, 0.5), own.shrinkage_),
        ]

    def _shrunk(self, rows: Any, scale: float, strength: float) -> list[Setting]:
        if self.estimator.shrinkage != "auto" or strength == 0.0:
            return [Setting(rows, scale, strength)]
        strengths = (strength, strength / SHRUNK_BY, strength * SHRUNK_BY)
        return [Setting(rows, scale, each) for each in strengths]

    def key(self, value: Setting) -> Setting:
        return value

    def tree(self, value: Setting) -> Any:
        place = value.min_samples_leaf, value.price_scale
        if place not in self.known:
            model = _with(
                self.estimator,
                min_samples_leaf=value.min_samples_leaf,
                shrinkage=value.shrinkage,
            )
            fix_price_scale(model, value.price_scale)
            model.fit(self.data.X, self.data.y, self.data.weight)
            self.known[place] = model
        return _with(self.known[place], shrinkage_=value.shrinkage)

    def constant(self) -> Any:
        return self.tree(Setting(self.estimator.min_samples_leaf, math.inf, 0.0))


def _with(estimator: Any, **changed: Any) -> Any:
    """Return a shallow copy with other parameters or attributes.

    Not copy.copy, which goes through the checked state of pickles, nor clone, which
    takes longer than the search of a small tree.
    """
    copy = object.__new__(type(estimator))
    vars(copy).update(vars(estimator) | changed)
    return copy


def candidates(by: str, estimator: Any, data: Rows) -> Candidates:
    """Search the trees among which one is to be chosen."""
    if by == "auto":
        return ByRecipe(estimator, data)
    if by == "n_leaves":
        return ByLeaves(estimator.leaf_path(data.X, data.y, data.weight))
    if by == "alpha":
        path = estimator.regularization_path(data.X, data.y, data.weight)
        return ByAlpha(path)
    return ByLeafSize(estimator, data)


class FoldScores(NamedTuple):
    """Scores and sizes of the candidates in one fold, and the score of one leaf."""

    scores: list[float]
    n_leaves: list[int]
    constant: float


def score_fold(
    by: str,
    estimators: Sequence[Any],
    values: Sequence[Sequence[Any]],
    train: Rows,
    test: Rows,
    score: Any,
) -> FoldScores:
    """Score each value of each estimator (one per depth); equal trees only once."""
    scores, sizes = [], []
    constant = math.nan
    for estimator, wanted in zip(estimators, values, strict=True):
        trees = candidates(by, estimator, train)
        if math.isnan(constant):
            constant = float(score(trees.constant(), test.X, test.y))
        known: dict[Any, tuple[float, int]] = {}
        for value in wanted:
            key = trees.key(value)
            if key not in known:
                tree = trees.tree(value)
                known[key] = float(score(tree, test.X, test.y)), tree.get_n_leaves()
            scores.append(known[key][0])
            sizes.append(known[key][1])
    return FoldScores(scores, sizes, constant)


def tuned_by(estimator: Any) -> str:
    """Return what `by` stands for; "auto" is itself with strategy="auto" alone."""
    plain = estimator.strategy == "auto" and estimator.grid is None
    if estimator.by != "auto" or (plain and not estimator.max_depths):
        return str(estimator.by)
    return record_of(estimator).tuned


def chosen_by(estimator: Any, labels: NDArray[Any] | None = None) -> Any:
    """Return the scorer, or its name, by which a cross-validated tree is chosen.

    Without `scoring` it is minus the loss, if it is a special one: accuracy and R² say
    little about trees that predict by costs, medians or quantiles. `labels` are those
    of the rows and columns of a cost matrix.
    """
    if estimator.scoring:
        return estimator.scoring
    scorer = LOSSES[resolved(estimator, "loss")].scorer
    if scorer == "mean_pinball_loss":
        level = estimator.quantile
        return make_scorer(mean_pinball_loss, greater_is_better=False, alpha=level)
    if scorer == "mean_cost":
        costs = estimator.cost_matrix
        return make_scorer(
            mean_cost, greater_is_better=False, labels=labels, costs=costs
        )
    return scorer or record_of(estimator).scorer


def mean_cost(
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
    *,
    labels: NDArray[Any],
    costs: Any,
    sample_weight: Floats | None = None,
) -> float:
    """Return the mean cost of predictions; `labels` are those of rows and columns."""
    true, said = np.searchsorted(labels, y_true), np.searchsorted(labels, y_pred)
    return float(np.average(np.asarray(costs)[true, said], weights=sample_weight))


def choose(scores: Floats, n_leaves: Floats, rule: str) -> int:
    """Return the candidate the rule chooses.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates, n_folds)
        Larger is better.
    n_leaves : ndarray of shape (n_candidates,)
        Mean sizes; among the admitted candidates the smallest wins, then the better.
    rule : {"best", "half_se", "1se"}
        How many standard errors of the best mean a candidate may stay below it.
    """
    means = scores.mean(axis=1)
    if not np.isfinite(means).any():
        raise ValueError("scoring gave no finite score for any candidate.")
    means = np.where(np.isfinite(means), means, -np.inf)
    top = _smallest(means >= means.max() - tie(means.max()), n_leaves, means)
    margin = RULES[rule] * standard_errors(scores)[top]
    return _smallest(means >= means[top] - margin - tie(means[top]), n_leaves, means)


def choose_variant(scores: Floats) -> int:
    """Return the first candidate, or one that is clearly better.

    By more than one standard error of the mean difference: on few
    rows the best of several scores is best by chance more often than not.
    """
    gains = scores - scores[0]
    means = np.where(np.isfinite(gains.mean(axis=1)), gains.mean(axis=1), -np.inf)
    means[0] = 0.0
    clear = means > standard_errors(gains) + tie(float(scores[0].mean()))
    best = int(np.argmax(np.where(clear, means, -np.inf)))
    return best if clear[best] else 0


def standard_errors(scores: Floats) -> Floats:
    """Return the standard error of each mean over folds; zero for a single fold."""
    folds = scores.shape[1]
    if folds < 2:
        return np.zeros(len(scores))
    errors: Floats = scores.std(axis=1, ddof=1) / np.sqrt(folds)
    return errors


def tie(score: float) -> float:
    """Return how far scores are apart that differ by rounding alone."""
    return TIE * max(1.0, abs(float(score)))


def _smallest(admitted: NDArray[np.bool_], n_leaves: Floats, means: Floats) -> int:
    order = np.lexsort((-means, n_leaves))
    return int(order[admitted[order]][0])
