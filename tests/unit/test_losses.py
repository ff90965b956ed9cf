"""The table of losses, and what is built from it."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree import _core
from dpdtree._losses import LOSSES, boosted_losses, criteria, tree_losses
from dpdtree.export.xgboost import _OBJECTIVES


def test_uses():
    assert tree_losses("classification") == (
        "zero_one",
        "gini",
        "log_loss",
        "cost_matrix",
    )
    assert criteria("classification") == ("gini", "entropy", "log_loss")
    numbers = ("squared_error", "absolute_error", "poisson", "quantile")
    assert tree_losses("regression") == criteria("regression") == numbers
    assert boosted_losses("classification") == ("log_loss",)
    assert boosted_losses("regression") == (*numbers, "gamma")


def test_every_loss_of_trees_has_a_label():
    for info in LOSSES.values():
        assert bool(info.label) == info.minimised_by_trees, info.name


def test_links_and_domains():
    log_links = {n for n, info in LOSSES.items() if info.link == "log"}
    assert log_links == {"poisson", "gamma"}
    assert LOSSES["poisson"].domain == "non_negative"
    assert LOSSES["gamma"].domain == "positive"


def test_xgboost_knows_every_boosted_loss():
    assert set(_OBJECTIVES) == set(boosted_losses("regression"))


@pytest.mark.native
@pytest.mark.parametrize("name", ["", "hinge", "gamma", "custom"])
@pytest.mark.parametrize("argument", ["loss", "criterion"])
def test_trees_refuse_losses_they_do_not_know(name, argument):
    """None of them turns into squared error."""
    params = _core.TreeParams()
    params.loss = params.criterion = "squared_error"
    setattr(params, argument, name)
    X = np.arange(8.0)[:, None]
    with pytest.raises(ValueError, match="unknown criterion or loss"):
        _core.fit_tree(X, X[:, 0].copy(), None, 0, params)


@pytest.mark.native
@pytest.mark.parametrize("name", ["", "hinge", "gini", "zero_one"])
def test_boosting_refuses_losses_it_does_not_know(name):
    params = _core.BoostingParams()
    params.loss = name
    X = np.arange(8.0)[:, None]
    with pytest.raises(ValueError, match="unknown loss"):
        _core.BoostingSession(X, X[:, 0].copy(), None, 0, params)
