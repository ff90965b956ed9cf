"""`save_model` and `load_model`."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from dpdtree._core import ModelFormatError
from dpdtree.io.documents import decode_estimator, encode_estimator
from dpdtree.io.values import as_int, as_object, as_text, member, wrong

FORMAT = "dpdtree-model"
FORMAT_VERSION = 1


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file, as JSON.

    The file holds the parameters, what was learnt, the names of columns, categories
    and classes, and the report of the fit; no training data. It is written beside its
    place and moved there, so that a reader finds the old file or the new one, whole.

    Parameters
    ----------
    model : estimator of dpdtree
        Fitted: a tree, a cross-validated tree, boosted trees or AdaBoost. Parameters
        that JSON cannot hold, such as functions and random states, are left out; the
        loaded model predicts all the same.
    path : str or path
        Where to write.

    Examples
    --------
    >>> import os, tempfile
    >>> from dpdtree import DPDTreeClassifier, load_model, save_model
    >>> tree = DPDTreeClassifier(alpha=0.0).fit([[0.0], [1.0]], ["no", "yes"])
    >>> path = os.path.join(tempfile.mkdtemp(), "tree.json")
    >>> save_model(tree, path)
    >>> load_model(path).predict([[1.0]]).tolist()
    ['yes']
    """
    write_atomically(Path(path), model_to_json(model).encode())


def load_model(path: str | os.PathLike[str]) -> Any:
    """Return the estimator that `save_model` wrote to a file.

    Nothing in the file is executed, and all of it is checked: what is not a valid
    model raises ModelFormatError, a ValueError that names the place.

    Parameters
    ----------
    path : str or path
        What to read.

    Returns
    -------
    estimator
        Fitted, of the class that was saved.
    """
    return model_from_json(Path(path).read_bytes())


def model_to_json(model: Any) -> str:
    """Return the text of a model file."""
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "dpdtree_version": version("dpdtree"),
        **encode_estimator(model),
    }
    document["checksum"] = checksum(document)
    lines = ",\n".join(
        f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        for key, value in document.items()
    )
    return f"{{\n{lines}\n}}\n"


def model_from_json(text: str | bytes) -> Any:
    """Return the estimator of the text of a model file."""
    document = as_object(_parsed(text), "$")
    if document.get("format") != FORMAT:
        raise wrong("$.format", f"{FORMAT!r}", document.get("format"))
    number = as_int(member(document, "format_version", "$"), "$.format_version", 1)
    if number > FORMAT_VERSION:
        by = document.get("dpdtree_version", "a newer version")
        raise ModelFormatError(
            f"$.format_version: the file has version {number} and was written by"
            f" dpdtree {by}; this one reads up to version {FORMAT_VERSION}."
        )
    stored = as_text(member(document, "checksum", "$"), "$.checksum")
    if stored != checksum(document):
        raise ModelFormatError(
            "$.checksum: it does not match the contents: the file was damaged or"
            " edited."
        )
    return decode_estimator(document)


def checksum(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document without its checksum, keys sorted."""
    contents = {key: value for key, value in document.items() if key != "checksum"}
    text = json.dumps(contents, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refused, object_pairs_hook=_unique)
    except ModelFormatError:
        raise
    except RecursionError:
        raise ModelFormatError("$: the text is nested too deeply.") from None
    except ValueError as error:  # of JSON, of Unicode, of an endless integer
        raise ModelFormatError(f"$: the text is not JSON: {error}.") from None


def _refused(name: str) -> Any:
    raise ModelFormatError(f"$: {name} is not JSON.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ModelFormatError(f"$: an object has the key {twice!r} twice.")
    return document


def write_atomically(path: Path, contents: bytes) -> None:
    """Write a file all at once: the old contents stay until the new ones are safe."""
    with atomic_file(path) as file:
        file.write(contents)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its place when the block ends, and never if it fails.

    A link is followed. What is no regular file, a device or a pipe, must not be
    replaced: it is written as it is.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:  # the caller asked for `path`, not for what stands in
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(path))
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _mode(path: Path) -> int:
    """Return the rights of the file that is replaced, or those of a new one."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the new name last; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
