"""What the exporters of boosted trees share."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._category_codes import are_numbers, codes_of

Codes = NDArray[np.float64]


def require(name: str, extra: str = "export") -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{name} is needed for this export: pip install 'dpdtree[{extra}]'."
        ) from error


def check_one_output(model: Any) -> None:
    """Raise if a regressor has several outputs: targets of exports have one."""
    n_outputs = model.booster_.n_outputs
    if not hasattr(model, "classes_") and n_outputs > 1:
        raise ValueError(
            f"The model has {n_outputs} outputs, but this export supports one: fit a"
            " model for each output."
        )


def trees(booster: Any) -> Iterator[tuple[int, Any]]:
    """Yield (output, tree) in the order of the iterations."""
    for iteration in range(booster.n_iterations):
        for output in range(booster.n_outputs):
            yield output, booster.tree(iteration, output)


def largest_float32_below(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the largest float32 not above each value.

    No float32 lies in between: for inputs in single precision a comparison with it is
    the comparison with the value itself.
    """
    with np.errstate(all="ignore"):
        rounded = values.astype(np.float32)
        down = np.nextafter(rounded, np.float32(-np.inf))
    above = rounded.astype(np.float64) > values
    return np.where(above, down, rounded)


def smallest_float32_above(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the smallest normal float32 above each value; the largest one at most.

    For inputs in single precision, x <= value means x < this. Subnormal numbers are
    left out: readers of models flush them to zero.
    """
    limits = np.finfo(np.float32)
    with np.errstate(all="ignore"):
        above = np.nextafter(largest_float32_below(values), np.float32(np.inf))
    tiny = (above > 0) & (above < limits.tiny)
    return np.minimum(np.where(tiny, limits.tiny, above), limits.max)


def check_single_precision(model: Any) -> None:
    """Raise if float32 cannot tell apart what the model does."""
    limits = np.finfo(np.float32)
    for _, tree in trees(model.booster_):
        size = np.abs(tree.threshold)  # infinite: missing values against the rest
        unknown = np.isfinite(size) & (size > limits.max)
        unknown |= (size > 0) & (size < limits.tiny / 2)
        unknown &= (tree.children_left >= 0) & (tree.is_categorical == 0)
        if unknown.any():
            node = int(unknown.argmax())
            raise ValueError(
                f"The model compares X[:, {tree.feature[node]}] with"
                f" {tree.threshold[node]:g}, which float32 cannot: rescale this feature"
                " before the fit."
            )


def parted_categories(tree: Any, node: int, codes: Codes) -> Codes:
    """Return the categories that go where missing values do not go, by their codes.

    Categories unknown to the fit go with missing values. No list can name them; so
    the list is that of the other side, whichever this is.
    """
    if hasattr(tree, "categories_left"):
        left = np.zeros(len(codes), dtype=bool)
        left[tree.categories_left[node]] = True
    else:
        words = np.asarray(tree.left_categories[node], dtype="<u4")
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        left = bits[: len(codes)].astype(bool)
    parted: Codes = codes[~left if tree.missing_go_to_left[node] else left]
    return parted


def category_codes(model: Any) -> list[Codes | None]:
    """Return the codes of the categories of each feature; None for numbers.

    None as well for a feature without any category: no split asks for it.
    """
    known = getattr(model, "categories_", None) or [None] * model.n_features_in_
    for values in known:
        if values is not None and not are_numbers(values):
            _check_strings(values)
    return [codes_of(v) if v is not None and len(v) else None for v in known]


def _check_strings(categories: NDArray[Any]) -> None:
    strange = [value for value in categories.tolist() if not isinstance(value, str)]
    if strange:
        raise ValueError(
            "Categories that are numbers or strings can be exported; categories_"
            f" contains {strange[0]!r}. Make them strings before the fit."
        )


class BoostedStructure:
    """A boosted tree under the names of `TreeStructure`, as far as text needs them."""

    def __init__(self, tree: Any) -> None:
        self.children_left = tree.children_left
        self.children_right = tree.children_right
        self.feature = tree.feature
        self.threshold = tree.threshold
        self.missing_go_to_left = tree.missing_go_to_left
        self.n_node_samples = tree.n_node_samples
        self.weighted_n_node_samples = tree.n_node_samples
        self.node_values = np.asarray(tree.value)[:, np.newaxis]
        words = np.ascontiguousarray(tree.left_categories, dtype="<u4")
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
        self.categories_left = [
            np.flatnonzero(bits[node]) if categorical else None
            for node, categorical in enumerate(tree.is_categorical)
        ]

    @property
    def max_depth(self) -> int:
        """The number of splits on the longest path; children follow their parents."""
        depths = np.zeros(len(self.children_left), int)
        for node in np.flatnonzero(self.children_left >= 0):
            below = depths[node] + 1
            depths[self.children_left[node]] = below
            depths[self.children_right[node]] = below
        return int(depths.max())
