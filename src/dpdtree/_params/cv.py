"""The parameter tables of the cross-validated estimators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpdtree._numbers import is_real
from dpdtree._params.kinds import IntRange, IntSequence, Nothing, OneOf, Parameter
from dpdtree._params.tree import CLASSIFIER, REGRESSOR

TUNED = ("auto", "n_leaves", "alpha", "min_samples_leaf")

#: Variants of the default choice that by="auto" tries: leaves of so many rows at so
#: many times the price, and values shrunk by so much more or less.
SMALLER_LEAF, SMALLER_PRICE, SHRUNK_BY = 20, 2.0, 4.0

#: The least leaf sizes that are tried by default.
LEAF_SIZES = (1, 5, 20, 50)

#: Standard errors a mean score may stay below the best one, by rule.
RULES = {"best": 0.0, "half_se": 0.5, "1se": 1.0}

_NONE = Nothing()


@dataclass(frozen=True)
class NumberSequence:
    """A non-empty list, tuple or 1-D array of numbers >= 0."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        return len(value) > 0 and all(is_real(v) and 0 <= v < math.inf for v in value)

    def __str__(self) -> str:
        return "a non-empty sequence of numbers >= 0"


@dataclass(frozen=True)
class Splits:
    """A cross-validation splitter or an iterable of (train, test) indices."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, str | bytes | type):
            return False
        return hasattr(value, "split") or isinstance(value, Iterable)

    def __str__(self) -> str:
        return "a splitter, an iterable of (train, test) indices"


@dataclass(frozen=True)
class Scorer:
    """The name of a scorer, or a callable (estimator, X, y) that returns a number."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) or callable(value)

    def __str__(self) -> str:
        return "a name, a callable (estimator, X, y)"


def _tuning(by: str, score: str) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "by",
            "auto",
            (OneOf(TUNED),),
            'What is chosen by cross-validation. "auto", with strategy="auto": size,'
            " least leaf size and shrinkage together, by comparing what the plain"
            f" estimator chooses with trees of {SMALLER_LEAF} rows in a leaf and"
            f" {SMALLER_PRICE:g} times the price, and with values shrunk"
            f" {SHRUNK_BY:g} times more or less; a variant is taken if its score is"
            " better by more than one standard error of the difference. "
            '"n_leaves" (the best tree of each'
            ' number of leaves) and "alpha" take one search per fold, whatever the'
            ' number of candidates; "min_samples_leaf" takes one for each value. With'
            f' a named strategy, a grid or max_depths, "auto" is "{by}".',
        ),
        Parameter(
            "grid",
            None,
            (NumberSequence(), _NONE),
            "The values to choose among. None is every number of leaves, or for"
            " alpha the geometric means of neighbouring breakpoints, on the path of"
            f" all rows; for min_samples_leaf, {', '.join(map(str, LEAF_SIZES))}.",
        ),
        Parameter(
            "max_depths",
            None,
            (IntSequence(1), _NONE),
            "Depths to choose among as well, instead of max_depth; each takes a search"
            " of its own. Seldom pays: the other choice limits the tree already.",
        ),
        Parameter(
            "cv",
            5,
            (IntRange(2), Splits(), _NONE),
            "The folds, as scikit-learn takes them: a number of folds (fewer if there"
            " are not enough rows; of rows in a random order that is always the same,"
            " stratified for classification), a splitter or an iterable of"
            " (train, test) indices. None is 5.",
        ),
        Parameter(
            "scoring",
            None,
            (Scorer(), _NONE),
            f"scikit-learn's scorer or its name, larger is better; None is {score},"
            " or minus the loss itself where that is a cost matrix, the absolute error,"
            " a quantile loss or the Poisson deviance.",
        ),
        Parameter(
            "rule",
            "best",
            (OneOf(tuple(RULES)),),
            '"best" takes the best mean score (but see by="auto"), "half_se" and "1se"'
            " the smallest tree that stays within half or one standard error of it."
            " Ties go to fewer leaves.",
        ),
    )


def _changed(parameter: Parameter) -> Parameter:
    """What a shared parameter means here."""
    texts = {
        "min_samples_leaf": ' Ignored with by="min_samples_leaf".',
        "max_leaf_nodes": ' With by="n_leaves" the largest number that is tried.',
        "n_jobs": " The folds share them.",
        "time_limit": " Holds for each search, of which there is one per fold.",
        "complexity": ' Matters with by="alpha" only.',
    }
    extra = texts.get(parameter.name)
    if extra is None:
        return parameter
    doc = f"{parameter.doc.removesuffix('.')}.{extra}"
    default = "n_leaves" if parameter.name == "complexity" else parameter.default
    return replace(parameter, doc=doc, default=default)


def _table(
    shared: tuple[Parameter, ...], own: tuple[Parameter, ...]
) -> tuple[Parameter, ...]:
    return (*own, *(_changed(p) for p in shared if p.name != "alpha"))


CLASSIFIER_CV = _table(CLASSIFIER, _tuning("n_leaves", "accuracy"))
REGRESSOR_CV = _table(REGRESSOR, _tuning("min_samples_leaf", "R²"))
