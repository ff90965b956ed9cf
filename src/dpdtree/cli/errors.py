"""What can go wrong on the command line, and the exit code of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

FAILED, USAGE, UNREADABLE_MODEL, INTERRUPTED = 1, 2, 3, 130
#: What a shell shows of a program that a closed pipe has ended.
CLOSED_PIPE = 141


class CommandError(Exception):
    """Data that cannot be read or fitted: the message is for the user."""

    code = FAILED


class UsageError(CommandError):
    """A command that makes no sense as it was written."""

    code = USAGE


class ModelError(CommandError):
    """A model file that cannot be read."""

    code = UNREADABLE_MODEL


def reason(error: OSError) -> str:
    """Return what an error of the system says, without numbers and file names."""
    return error.strerror or str(error) or type(error).__name__


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'age'?" if a name is close to known ones, else nothing."""
    by_fold = {known_name.casefold(): known_name for known_name in known}
    close = get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.6)
    if not close:
        return ""
    *first, last = [repr(by_fold[match]) for match in close]
    listed = f"{', '.join(first)} or {last}" if first else last
    return f" Did you mean {listed}?"


def unknown_columns(names: Sequence[str], known: Sequence[str], where: str) -> str:
    """Return a message about columns that are not there, and what is."""
    if len(names) == 1:
        hint = did_you_mean(names[0], known)
        message = f"{where} has no column {names[0]!r}.{hint}"
    else:
        message = f"{where} has no columns {', '.join(map(repr, names))}."
    return f"{message} It has: {listed(known)}."


def listed(names: Sequence[str], most: int = 20) -> str:
    """Return names with commas, the first ones of many."""
    shown = ", ".join(name or "''" for name in names[:most])
    more = len(names) - most
    return f"{shown}, ... ({more} more)" if more > 0 else shown
