"""What the exporters of boosted trees share."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


def require(name: str, extra: str = "export") -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{name} is needed for this export: pip install 'dpdtree[{extra}]'."
        ) from error


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


def categories_left(tree: Any, node: int, n_categories: int) -> NDArray[np.bool_]:
    """Whether each category goes left at a categorical node."""
    words = np.asarray(tree.left_categories[node], dtype="<u4")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return bits[:n_categories].astype(bool)


def category_counts(model: Any) -> list[int]:
    """Return the number of categories of each feature; 0 for numbers."""
    known = getattr(model, "categories_", None) or [None] * model.n_features_in_
    return [0 if values is None else len(values) for values in known]
