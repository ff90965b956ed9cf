"""Figures the paper and others print: accuracies of Table 1, proven optima."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from benchmarks._data import OPTIMAL_ERRORS

from dpdtree import DPDTreeClassifier

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "cart": {"strategy": "greedy"},
    "dpdt_light": {"strategy": "paper", "n_candidates": (15, 1, 1)},
    "dpdt_full": {"strategy": "paper", "n_candidates": (15, 15, 15)},
}
SMALL_SETS = ("bank", "raisin", "wilt", "rice")


@pytest.fixture(scope="module")
def sets() -> ModuleType:
    """The benchmarks' loader."""
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    return importlib.import_module("benchmarks._data")


def available(load: Any, *arguments: Any) -> Any:
    """What `load` returns, or a skip that says what is missing."""
    try:
        return load(*arguments)
    except SystemExit as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", SMALL_SETS)
@pytest.mark.parametrize("column", CONFIGURATIONS)
def test_table_1(sets: ModuleType, name: str, column: str) -> None:
    data = available(sets.load_table1, name)
    paper = available(sets.paper_tables)["table1_depth3_train_accuracy"][name]
    model = DPDTreeClassifier(max_depth=3, **CONFIGURATIONS[column])
    accuracy = model.fit(data.X, data.y).score(data.X, data.y)
    assert accuracy == pytest.approx(paper["accuracy"][column], abs=0.001)
    assert round((1 - accuracy) * len(data.y)) >= OPTIMAL_ERRORS[name]


@pytest.mark.parametrize("name", OPTIMAL_ERRORS)
def test_optimum(sets: ModuleType, name: str) -> None:
    data = available(sets.load_table1, name)
    model = DPDTreeClassifier(max_depth=3, strategy="optimal").fit(data.X, data.y)
    assert model.is_optimal_
    assert round(model.loss_ * len(data.y)) == OPTIMAL_ERRORS[name]
    balanced = DPDTreeClassifier(strategy="balanced", max_depth=3, alpha=0.0)
    balanced.fit(data.X, data.y)
    assert model.loss_ <= balanced.loss_
    assert not balanced.lower_bound_ > model.loss_


def test_loader_names_the_missing_file(
    sets: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DPDTREE_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"quantbnb/bank\.parquet.*DPDTREE_DATA"):
        sets.load_table1("bank")
