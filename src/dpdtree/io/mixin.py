"""The methods that estimators have for being stored."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, TypeVar

from dpdtree._core import ModelFormatError
from dpdtree.io.files import load_model, save_model
from dpdtree.io.values import CannotSaveError, encode
from dpdtree.report import FitReport

#: Of the state that pickles hold. Version 1 did not look into lists of trees.
STATE_VERSION = 2

Self = TypeVar("Self", bound="ModelFileMixin")


class ModelFileMixin:
    """Model files, and pickles that know their version and notice damage."""

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file, as JSON: see `dpdtree.save_model`.

        Parameters
        ----------
        path : str or path-like
            Where to; written all at once or not at all.
        """
        save_model(self, path)

    @classmethod
    def load_model(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Return the estimator in a file, which must be of this class.

        Parameters
        ----------
        path : str or path-like
            A file that `save_model` wrote.

        Returns
        -------
        estimator
            Fitted.
        """
        model = load_model(path)
        if not isinstance(model, cls):
            raise TypeError(
                f"{os.fspath(path)!r} holds a {type(model).__name__}, not a"
                f" {cls.__name__}: use dpdtree.load_model."
            )
        return model

    def __getstate__(self) -> dict[str, Any]:
        parent: Any = super()
        state = dict(parent.__getstate__())
        return {**state, "_state": [STATE_VERSION, _digest(state, STATE_VERSION)]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        marks = state.pop("_state", None)
        # Pickles of the first versions have no marks, under any name.
        if marks is not None or any(map(_is_marks, state.values())):
            _check_marks(marks, state)
        parent: Any = super()
        parent.__setstate__(state)


def _is_marks(value: Any) -> bool:
    return isinstance(value, list) and [type(v) for v in value] == [int, str]


def _check_marks(marks: Any, state: dict[str, Any]) -> None:
    if not _is_marks(marks):
        raise ModelFormatError("The pickled model is damaged: it has lost its version.")
    number, digest = marks
    if not 1 <= number <= STATE_VERSION:
        raise ModelFormatError(
            f"The pickled model has version {number!r} and needs a newer dpdtree: this"
            f" one reads up to version {STATE_VERSION}."
        )
    if digest != _digest(state, number):
        raise ModelFormatError(
            "The pickled model is damaged: its checksum does not match its contents."
        )


def _encoded(value: Any, version: int) -> Any:
    try:
        return encode(value)
    except CannotSaveError:
        if isinstance(value, FitReport):
            return encode(value.__getstate__())  # what is pickled: no seconds
        if isinstance(value, list) and version > 1:
            return [_encoded(entry, version) for entry in value]
        return type(value).__name__


def _digest(state: dict[str, Any], version: int) -> str:
    """Return a checksum of what has a form in model files.

    The trees themselves have one of their own.
    """
    parts = {name: _encoded(value, version) for name, value in state.items()}
    text = json.dumps(parts, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
