"""Estimators by name, and their parameters as a document has them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dpdtree._numbers import is_list
from dpdtree._params.estimators import parameters_of, record_of
from dpdtree.io.values import (
    CannotSaveError,
    NotSaved,
    as_object,
    decode,
    encode,
    wrong,
)


def class_of(name: str) -> Any:
    """Return a class of estimators."""
    # The classes stand above this module, which they use.
    return getattr(import_module("dpdtree"), name)


def encode_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters of a model by name."""
    encoded = {}
    for parameter in record_of(model).parameters:
        value = getattr(model, parameter.name)
        if not isinstance(value, NotSaved) and not parameter.accepts(value):
            raise ValueError(
                f"The {parameter.name!r} parameter must be {parameter.allowed}, got"
                f" {value!r}: this model cannot be saved."
            )
        encoded[parameter.name] = _encode_parameter(model, parameter.name, value)
    return encoded


def _encode_parameter(model: Any, name: str, value: Any) -> Any:
    try:
        return encode(value)
    except CannotSaveError:
        if _may_be_left_out(type(model).__name__, name):
            return {"$not_saved": repr(value)[:200]}
        if is_list(value):  # an index of pandas, a range
            return encode(list(value))
        raise ValueError(
            f"This model cannot be saved: the {name!r} parameter is a"
            f" {type(value).__name__}."
        ) from None


def _may_be_left_out(estimator: str, parameter: str) -> bool:
    """Whether a model predicts without knowing this parameter."""
    if parameter == "loss":  # one of one's own
        return estimator.startswith("DPDTBoosting")
    return parameter in ("cv", "random_state", "scoring")


def new_estimator(name: str, content: Any, at: str) -> Any:
    """Return an unfitted estimator with checked parameters."""
    cls = class_of(name)
    table = {parameter.name: parameter for parameter in parameters_of(cls)}
    given = {}
    for key, value in as_object(content, at).items():
        if key not in table:
            raise wrong(f"{at}.{key}", f"a parameter of {name}", key)
        decoded = decode(value, f"{at}.{key}")
        left_out = isinstance(decoded, NotSaved) and _may_be_left_out(name, key)
        if not left_out and not _accepts(table[key], decoded):
            raise wrong(f"{at}.{key}", str(table[key].allowed), decoded)
        given[key] = decoded
    return cls(**given)


def _accepts(parameter: Any, value: Any) -> bool:
    try:
        return bool(parameter.accepts(value))
    except (TypeError, ValueError, OverflowError):
        return False
