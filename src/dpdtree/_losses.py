"""The core's table of losses: names, tasks, domains, links, labels and scorers.

A loss is described once, in its own file of the core; whatever depends on the loss in
Python asks this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dpdtree._core import LossInfo, losses

LOSSES: Mapping[str, LossInfo] = MappingProxyType(
    {info.name: info for info in losses()}
)


def tree_losses(task: str) -> tuple[str, ...]:
    """Return the losses that trees of this task can minimise."""
    return _names(task, "minimised_by_trees")


def criteria(task: str) -> tuple[str, ...]:
    """Return what can propose the splits of trees of this task."""
    return _names(task, "proposes_splits")


def boosted_losses(task: str) -> tuple[str, ...]:
    """Return the losses that gradient boosting of this task can minimise."""
    return _names(task, "boosted")


def _names(task: str, use: str) -> tuple[str, ...]:
    return tuple(
        name
        for name, info in LOSSES.items()
        if info.task == task and getattr(info, use)
    )


def link_of(loss: object) -> str:
    """Return the link of a loss; a callable has none."""
    return LOSSES[loss].link if isinstance(loss, str) else "identity"


def domain_of(loss: object) -> str:
    """Return what targets the loss takes; a callable takes any."""
    return LOSSES[loss].domain if isinstance(loss, str) else "any"
