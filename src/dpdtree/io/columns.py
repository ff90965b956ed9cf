"""What a document says about the columns of X and about the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree.io.values import (
    CannotSaveError,
    as_list,
    as_object,
    as_text,
    decode_array,
    encode_array,
    member,
    wrong,
)


@dataclass(frozen=True)
class Columns:
    """What a document says about the columns of X and about the labels."""

    names: list[str] | None
    categories: list[NDArray[Any] | None]
    classes: list[NDArray[Any]] | None

    @property
    def n_categories(self) -> list[int]:
        """Categories of each feature; 0 for numbers.

        Also for a feature all of whose values were missing: it has no split.
        """
        return [0 if known is None else len(known) for known in self.categories]

    def attributes(self, *, named: bool = True) -> dict[str, Any]:
        """Return the fitted attributes that describe X."""
        found: dict[str, Any] = {
            "n_features_in_": len(self.categories),
            "is_categorical_": np.array([c is not None for c in self.categories]),
            "categories_": list(self.categories),
        }
        if named and self.names is not None:
            found["feature_names_in_"] = np.array(self.names, dtype=object)
        return found

    def labels(self) -> dict[str, Any]:
        """Return the fitted attributes that describe the labels."""
        if self.classes is None:
            return {}
        if len(self.classes) == 1:
            return {"classes_": self.classes[0], "n_classes_": len(self.classes[0])}
        sizes = [len(labels) for labels in self.classes]
        return {"classes_": list(self.classes), "n_classes_": sizes}


def encode_features(model: Any) -> list[dict[str, Any]]:
    """Return the features of a model: names, and categories where there are any."""
    names = getattr(model, "feature_names_in_", [None] * model.n_features_in_)
    features = []
    for j, (name, known) in enumerate(zip(names, model.categories_, strict=True)):
        feature: dict[str, Any] = {"name": name, "type": "number"}
        if known is not None:
            feature["type"] = "category"
            feature["categories"] = _named(f"categories_[{j}]", known)
        features.append(feature)
    return features


def encode_classes(model: Any) -> list[Any]:
    """Return the labels of each output."""
    several = isinstance(model.classes_, list)
    outputs = model.classes_ if several else [model.classes_]
    return [_named("classes_", labels) for labels in outputs]


def _named(name: str, values: NDArray[Any]) -> dict[str, Any]:
    try:
        return encode_array(values)
    except CannotSaveError as error:
        raise ValueError(
            f"This model cannot be saved: {name} holds more than strings, numbers and"
            f" dates ({error})."
        ) from error


def decode_columns(document: dict[str, Any]) -> Columns:
    """Return the columns and labels of a document."""
    listed = as_list(member(document, "features", "$"), "$.features")
    if not listed:
        raise wrong("$.features", "at least one feature")
    names: list[Any] = []
    categories: list[NDArray[Any] | None] = []
    for j, content in enumerate(listed):
        at = f"$.features[{j}]"
        feature = as_object(content, at)
        names.append(feature.get("name"))
        kind = member(feature, "type", at)
        if kind == "number":
            categories.append(None)
        elif kind == "category":
            known = member(feature, "categories", at)
            categories.append(_distinct(known, f"{at}.categories"))
        else:
            raise wrong(f"{at}.type", "'number' or 'category'", kind)
    return Columns(_column_names(names), categories, _decode_classes(document))


def _column_names(names: list[Any]) -> list[str] | None:
    if all(name is None for name in names):
        return None
    texts = [as_text(name, f"$.features[{j}].name") for j, name in enumerate(names)]
    if len(set(texts)) < len(texts):
        raise wrong("$.features", "different names")
    return texts


def _decode_classes(document: dict[str, Any]) -> list[NDArray[Any]] | None:
    if "classes" not in document:
        return None
    listed = as_list(document["classes"], "$.classes")
    if not listed:
        raise wrong("$.classes", "an entry for each output")
    outputs = [_distinct(c, f"$.classes[{i}]") for i, c in enumerate(listed)]
    for i, labels in enumerate(outputs):
        if not len(labels):
            raise wrong(f"$.classes[{i}]", "at least one label")
    return outputs


def _distinct(content: Any, at: str) -> NDArray[Any]:
    """Return labels or categories: one dimension, plain and different."""
    values = decode_array(content, at)
    if values.ndim != 1:
        raise wrong(f"{at}.shape", "one dimension", values.ndim)
    plain = values.tolist()
    if values.dtype.kind == "O" and not all(_is_plain(value) for value in plain):
        raise wrong(f"{at}.data", "strings, numbers or true and false")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise wrong(f"{at}.data", "no NaN")
    if len(set(plain)) < len(plain):
        raise wrong(f"{at}.data", "different values")
    return values


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bool | int | float) and value == value
