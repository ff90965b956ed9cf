"""What the parameters that constrain features may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

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
