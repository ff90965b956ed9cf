"""What the parameters that constrain features may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from dpdtree._numbers import as_float, is_int, is_list, is_real


def _is_feature(value: object) -> bool:
    return isinstance(value, str) or (is_int(value) and value >= 0)


def _are_features(value: object) -> bool:
    if not isinstance(value, set | frozenset) and not is_list(value):
        return False
    return all(map(_is_feature, value))


@dataclass(frozen=True)
class Directions:
    """-1, 0 or 1 per feature, in order or by name."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, Mapping):
            value = list(value.values())
        return is_list(value) and all(is_real(v) and v in (-1, 0, 1) for v in value)

    def __str__(self) -> str:
        return "a sequence of -1, 0 and 1, one per feature, a dict of name: direction"


@dataclass(frozen=True)
class Groups:
    """Groups of features by index or name."""

    def accepts(self, value: object) -> bool:
        return is_list(value) and all(map(_are_features, value))

    def __str__(self) -> str:
        return "a sequence of groups of feature indices or names"


@dataclass(frozen=True)
class Costs:
    """A price >= 0 per feature, in order or by name."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, Mapping):
            if not all(map(_is_feature, value)):
                return False
            value = list(value.values())
        return is_list(value) and all(
            is_real(v) and 0 <= as_float(v) < math.inf for v in value
        )

    def __str__(self) -> str:
        return (
            "a sequence of finite floats >= 0, one per feature, a dict of feature name"
            " (or index): float >= 0"
        )


@dataclass(frozen=True)
class FeaturesByDepth:
    """The features of each depth, in order or by depth; None for all of them."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, Mapping):
            if not all(is_int(depth) and depth >= 0 for depth in value):
                return False
            value = list(value.values())
        return is_list(value) and all(v is None or _are_features(v) for v in value)

    def __str__(self) -> str:
        return (
            "a dict of depth: features, a sequence with one entry per depth (lists of"
            " feature names or indices, None for all)"
        )


_FORCED_KEYS = {"feature", "threshold", "categories", "missing_left", "left", "right"}


@dataclass(frozen=True)
class ForcedSplits:
    """A split as a dict, with the splits that have to follow on its sides."""

    def accepts(self, value: object) -> bool:
        open_splits = [value]
        while open_splits:
            split = open_splits.pop()
            if not _is_forced_split(split):
                return False
            sides = (split.get("left"), split.get("right"))
            open_splits += [side for side in sides if side is not None]
        return True

    def __str__(self) -> str:
        return (
            'a dict with "feature" (a name or an index >= 0), "threshold" (a float;'
            ' inf parts missing values from all others) or "categories" (those that go'
            ' left) and, where wanted, "missing_left" (a bool or None), "left" and'
            ' "right" (dicts of the same kind or None)'
        )


def _is_forced_split(value: object) -> TypeGuard[Mapping[str, Any]]:
    if not isinstance(value, Mapping) or not set(value) <= _FORCED_KEYS:
        return False
    threshold, categories = value.get("threshold"), value.get("categories")
    if (threshold is None) == (categories is None):
        return False
    if threshold is not None and not (
        is_real(threshold) and as_float(threshold) > -math.inf
    ):
        return False
    if categories is not None and not (
        isinstance(categories, set | frozenset) or is_list(categories)
    ):
        return False
    side = value.get("missing_left")
    return _is_feature(value.get("feature")) and (
        side is None or isinstance(side, bool | np.bool_)
    )
