"""The search of alternatives, and the method that starts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from dpdtree._numbers import is_int, is_list, shown
from dpdtree._tree_search import search_actions
from dpdtree.alternatives import Alternatives

#: Actions of a state at depth 0, 1, ..., by default; 1 beyond.
DEFAULT_K = (6, 4, 3, 2)


class AlternativesMixin:
    """The method that gives an estimator its alternatives."""

    def alternatives(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        k: Sequence[int] = DEFAULT_K,
        *,
        k_elsewhere: Sequence[int] | None = None,
    ) -> Alternatives:
        """Search the best splits of each state, with the best tree below each.

        The estimator itself is left as it is; it need not be fitted. With
        `forced_splits`, these are the first actions.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        k : sequence of int, default=(6, 4, 3, 2)
            How many splits of a state are kept, at depth 0, 1 and so on; beyond its
            end it is one, that of the strategy.
        k_elsewhere : sequence of int, default=None
            The same for states that the tree itself does not have, which only other
            splits lead to; None keeps `k` of them, too. The search takes less time
            with fewer.

        Returns
        -------
        Alternatives
            Its first actions are the tree that `fit` finds.
        """
        return search_alternatives(clone(self), (X, y, sample_weight), k, k_elsewhere)


def search_alternatives(
    estimator: Any,
    data: tuple[Any, Any, Any],
    k: Sequence[int],
    k_elsewhere: Sequence[int] | None = None,
    known: Any = None,
) -> Alternatives:
    """Search the alternatives of an estimator, which is theirs alone from now on.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    data : tuple of X, y and sample_weight
        As in `fit`.
    k, k_elsewhere
        As in `alternatives`.
    known : estimator, default=None
        The same one, fitted to these data: spares the search of its tree.
    """
    elsewhere = [] if k_elsewhere is None else _counts("k_elsewhere", k_elsewhere)
    counts = _counts("k", k)
    found = search_actions(estimator, data, counts, elsewhere, known)
    result, report, fitted, alpha = found
    return Alternatives(estimator, result, fitted, report, k, alpha)


def _counts(name: str, k: Any) -> list[int]:
    valid = is_list(k) and all(is_int(n) and n >= 1 for n in k)
    if not valid or len(list(k)) == 0:
        raise ValueError(
            f"{name} must be a non-empty sequence of ints >= 1, got {shown(k)}."
        )
    return [min(int(n), 2**31 - 1) for n in k]
