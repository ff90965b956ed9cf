"""Values of parameters and attributes as JSON, and back.

None, booleans, integers, finite floats, strings, lists and dicts with string keys are
what they are. Everything else is an object with a single key that begins with "$".
Reading builds nothing but what is listed here, and checks it; errors name the place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._core import ModelFormatError

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DTYPES = {
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float32",
    "float64",
    "str",
    "object",
    *(f"datetime64[{unit}]" for unit in ("D", "s", "ms", "us", "ns")),
}


class NotSaved:
    """Stands for a value that a model file does not hold, such as a function.

    A loaded model predicts as it did; to fit it again, set the parameter anew.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"<not saved: {self.text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotSaved) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class CannotSaveError(TypeError):
    """A value cannot be stored in a model file."""


def encode(value: Any) -> Any:
    """Return a value as JSON takes it; raise CannotSaveError for foreign types."""
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64):
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": float_text(value)}
    if isinstance(value, list):
        return [encode(entry) for entry in value]
    if isinstance(value, tuple):
        return {"$tuple": [encode(entry) for entry in value]}
    if isinstance(value, Mapping):
        return _encode_mapping(value)
    return _encode_other(value)


def _encode_other(value: Any) -> dict[str, Any]:
    if isinstance(value, np.ma.MaskedArray):
        parts = np.ma.getdata(value), np.ma.getmaskarray(value)
        return {"$masked": [encode_array(part) for part in parts]}
    if isinstance(value, np.ndarray):
        return {"$array": encode_array(value)}
    if isinstance(value, NotSaved):
        return {"$not_saved": value.text}
    raise CannotSaveError(f"{type(value).__name__} cannot be stored in a model file")


def _encode_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    plain = all(type(key) is str and not key.startswith("$") for key in value)
    if plain:
        return {key: encode(entry) for key, entry in value.items()}
    return {"$dict": [[encode(key), encode(entry)] for key, entry in value.items()]}


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array as its dtype, shape and entries."""
    kind = array.dtype.kind
    dtype = "str" if kind == "U" else array.dtype.name
    if dtype not in _DTYPES:
        raise CannotSaveError(
            f"an array of dtype {dtype} cannot be stored in a model file"
        )
    flat = array.reshape(-1)
    if kind == "f":
        data: list[Any] = encode_floats(flat)
    elif kind == "M":
        data = flat.view(np.int64).tolist()
    elif kind == "O":
        data = [encode(entry) for entry in flat.tolist()]
    else:
        data = flat.tolist()
    return {"dtype": dtype, "shape": list(array.shape), "data": data}


def encode_floats(values: NDArray[Any]) -> list[Any]:
    """Return floats as numbers, those that are not finite as strings."""
    return [x if math.isfinite(x) else float_text(x) for x in values.tolist()]


def float_text(value: float) -> str:
    """Return the name of a float that is no number of JSON."""
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def wrong(at: str, expected: str, got: Any = None) -> ModelFormatError:
    """Return an error that names the place."""
    shown = "" if got is None else f", got {_shown(got)}"
    return ModelFormatError(f"{at}: expected {expected}{shown}.")


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def as_object(value: Any, at: str) -> dict[str, Any]:
    """Return an object of JSON."""
    if not isinstance(value, dict):
        raise wrong(at, "an object", value)
    return value


def as_list(value: Any, at: str, length: int | None = None) -> list[Any]:
    """Return a list, of this length if given."""
    if not isinstance(value, list):
        raise wrong(at, "a list", value)
    if length is not None and len(value) != length:
        raise wrong(at, f"a list of length {length}", len(value))
    return value


def as_text(value: Any, at: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise wrong(at, "a string", value)
    return value


def as_int(value: Any, at: str, low: int = 0, high: int = 2**63 - 1) -> int:
    """Return an integer from low to high; true is none."""
    if type(value) is not int or not low <= value <= high:
        raise wrong(at, f"an integer from {low} to {high}", value)
    return value


def as_float(value: Any, at: str, *, finite: bool = False) -> float:
    """Return a float; one that is not finite comes as a string."""
    if type(value) in (int, float):
        try:
            number = float(value)
        except OverflowError:
            raise wrong(at, "a number that a double holds", value) from None
        if math.isfinite(number):
            return number
    if not finite and isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    raise wrong(at, "a finite number" if finite else "a number", value)


def member(document: dict[str, Any], key: str, at: str) -> Any:
    """Return an entry that must be there."""
    if key not in document:
        raise wrong(at, f"an entry {key!r}")
    return document[key]


def floats(
    value: Any, at: str, length: int | None = None, *, finite: bool = False
) -> NDArray[np.float64]:
    """Return a list of floats as an array."""
    entries = as_list(value, at, length)
    if set(map(type, entries)) <= {float}:  # all is well: no need to look at each
        array = np.array(entries, dtype=np.float64)
        if np.isfinite(array).all():
            return array
    return np.array(
        [as_float(x, f"{at}[{i}]", finite=finite) for i, x in enumerate(entries)],
        dtype=np.float64,
    )


def integers(
    value: Any, at: str, length: int | None, low: int, high: int, dtype: Any = np.int64
) -> NDArray[Any]:
    """Return a list of integers from low to high as an array."""
    entries = as_list(value, at, length)
    if set(map(type, entries)) == {int} and low <= min(entries) <= max(entries) <= high:
        return np.array(entries, dtype=dtype)
    return np.array(
        [as_int(x, f"{at}[{i}]", low, high) for i, x in enumerate(entries)], dtype=dtype
    )


def decode(value: Any, at: str) -> Any:
    """Return the value behind what `encode` made of it."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return as_float(value, at, finite=True)
    if isinstance(value, list):
        return [decode(entry, f"{at}[{i}]") for i, entry in enumerate(value)]
    document = as_object(value, at)
    if not any(key.startswith("$") for key in document):
        return {key: decode(entry, f"{at}.{key}") for key, entry in document.items()}
    if len(document) != 1 or next(iter(document)) not in _TAGS:
        raise wrong(at, f"one of {sorted(_TAGS)} and nothing else")
    ((tag, content),) = document.items()
    return _TAGS[tag](content, f"{at}.{tag}")


def _decode_float(content: Any, at: str) -> float:
    if not isinstance(content, str) or content not in _NOT_FINITE:
        raise wrong(at, f"one of {sorted(_NOT_FINITE)}", content)
    return _NOT_FINITE[content]


def _decode_tuple(content: Any, at: str) -> tuple[Any, ...]:
    entries = as_list(content, at)
    return tuple(decode(entry, f"{at}[{i}]") for i, entry in enumerate(entries))


def _decode_dict(content: Any, at: str) -> dict[Any, Any]:
    pairs = {}
    for i, pair in enumerate(as_list(content, at)):
        key, entry = as_list(pair, f"{at}[{i}]", 2)
        decoded = decode(key, f"{at}[{i}][0]")
        try:
            pairs[decoded] = decode(entry, f"{at}[{i}][1]")
        except TypeError:
            raise wrong(f"{at}[{i}][0]", "a key that has a hash", key) from None
    return pairs


def _decode_masked(content: Any, at: str) -> Any:
    data, mask = as_list(content, at, 2)
    values, masked = decode_array(data, f"{at}[0]"), decode_array(mask, f"{at}[1]")
    if masked.dtype != bool or masked.shape != values.shape:
        raise wrong(f"{at}[1]", f"a mask of shape {values.shape}")
    return np.ma.MaskedArray(values, masked)


def decode_array(content: Any, at: str) -> NDArray[Any]:
    """Return an array from its dtype, shape and entries."""
    document = as_object(content, at)
    dtype = member(document, "dtype", at)
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise wrong(f"{at}.dtype", f"one of {sorted(_DTYPES)}", dtype)
    sizes = as_list(member(document, "shape", at), f"{at}.shape")
    shape = [as_int(size, f"{at}.shape[{i}]") for i, size in enumerate(sizes)]
    if len(shape) > 8:
        raise wrong(f"{at}.shape", "at most 8 dimensions", len(shape))
    entries = as_list(member(document, "data", at), f"{at}.data", math.prod(shape))
    return _flat_array(entries, dtype, f"{at}.data").reshape(shape)


def _flat_array(entries: list[Any], dtype: str, at: str) -> NDArray[Any]:
    if dtype.startswith("float"):
        return floats(entries, at).astype(dtype)
    if dtype == "bool":
        for i, entry in enumerate(entries):
            if type(entry) is not bool:
                raise wrong(f"{at}[{i}]", "true or false", entry)
        return np.array(entries, dtype=bool)
    if dtype == "str":
        texts = [as_text(entry, f"{at}[{i}]") for i, entry in enumerate(entries)]
        return np.array(texts, dtype=str)
    if dtype == "object":
        array = np.empty(len(entries), dtype=object)
        for i, entry in enumerate(entries):
            array[i] = decode(entry, f"{at}[{i}]")
        return array
    if dtype.startswith("datetime64"):
        lowest = -(2**63) + 1  # what is below stands for no date
        return integers(entries, at, None, lowest, 2**63 - 1).view(dtype)
    info = np.iinfo(dtype)
    return integers(entries, at, None, int(info.min), int(info.max), dtype)


_TAGS: dict[str, Callable[[Any, str], Any]] = {
    "$float": _decode_float,
    "$tuple": _decode_tuple,
    "$dict": _decode_dict,
    "$masked": _decode_masked,
    "$array": decode_array,
    "$not_saved": lambda content, at: NotSaved(as_text(content, at)),
}
