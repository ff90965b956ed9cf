"""The tools behind `benchmarks.wild`: halves, shrinkage, the store, the report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks import _wild_report, _wild_runs, _wild_sets, wild
from benchmarks._cart import plain
from benchmarks._data import Dataset
from benchmarks._shrinkage import ShrunkTree, shrunk_values
from benchmarks._wild_contestants import CLOCK, REFERENCES, REGISTRY, TUNED
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier


def test_halves_are_fixed() -> None:
    halves = {name: _wild_sets.half(name) for name in ("penguins", "ilpd", "yacht")}
    assert halves == {"penguins": "confirm", "ilpd": "choose", "yacht": "choose"}
    assert _wild_sets.group("wild/ilpd") == "choose"
    assert _wild_sets.group("binary/yeast") == "bench"


def test_no_shrinkage_changes_nothing_and_all_of_it_gives_the_root() -> None:
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y).tree_
    np.testing.assert_allclose(shrunk_values(tree, 0.0), tree.value[:, 0], atol=1e-15)
    far = shrunk_values(tree, 1e12)
    np.testing.assert_allclose(far, np.tile(tree.value[0], (tree.node_count, 1)))


def test_shrinkage_is_the_published_formula() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = plain("regression", max_depth=2).fit(X, y)
    tree, strength = model.tree_, 7.0
    left = tree.children_left[0]
    leaf = tree.children_right[left]
    mean, rows = tree.value[:, 0, 0], tree.n_node_samples
    expected = (
        mean[0]
        + (mean[left] - mean[0]) / (1 + strength / rows[0])
        + (mean[leaf] - mean[left]) / (1 + strength / rows[left])
    )
    assert shrunk_values(tree, strength)[leaf, 0] == pytest.approx(expected)
    reached = model.apply(X) == leaf
    np.testing.assert_allclose(
        ShrunkTree(model, strength).predict(X)[reached], expected
    )


def test_auc_of_several_classes_is_that_of_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[::2], y[::2])
    expected = roc_auc_score(y, model.predict_proba(X), multi_class="ovr")
    assert _wild_runs.auc(model, X, y) == pytest.approx(expected)
    some = y < 2  # a class that the test part lacks
    assert _wild_runs.auc(model, X[some], y[some]) == pytest.approx(1.0)


@pytest.fixture
def small_sets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    known = {
        "wild/a": ("classification", load_iris(return_X_y=True)),
        "wild/b": ("regression", load_diabetes(return_X_y=True)),
    }

    def load(name: str) -> tuple[str, Dataset]:
        task, (X, y) = known[name]
        return task, Dataset(name, X, y)

    monkeypatch.setattr(_wild_runs, "load_set", load)
    return list(known)


def test_a_run_goes_on_where_it_was(small_sets: list[str], tmp_path: Path) -> None:
    asked = []

    def spy(task: str, X: np.ndarray, y: np.ndarray) -> object:
        asked.append(task)
        return REGISTRY["constant"](task, X, y)

    path = tmp_path / "runs.json"
    _wild_runs.Store(path).run(small_sets, {"spy": spy}, seeds=1)
    first = len(asked)
    assert {"classification", "regression"} == set(asked)
    store = _wild_runs.Store(path)
    assert not store.complete("wild/a", {"spy": spy}, seeds=1)
    assert len(asked) == first
    assert store.complete("wild/a", {"spy": spy}, seeds=2)
    assert len(asked) > first
    store.forget(["wild/a"], ["spy"])
    assert store.missing("wild/a", ["spy"], 2) == [(0, "spy"), (1, "spy")]
    scores = json.loads(path.read_text())["sets"]["wild/b"]["runs"]["spy"]["0"]
    assert scores["r2"] == pytest.approx(0.0, abs=0.05)
    assert "leaves" not in scores


def test_tables_of_all_references(
    small_sets: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "runs.json")
    arguments = ["--sets", *small_sets, "--seeds", "1", "--store", path]
    wild.main([*arguments, "--contestants", "DPDT default"])
    printed = capsys.readouterr().out
    for name in (*REFERENCES, "DPDT default"):
        assert name in printed
    assert "accuracy vs CART tuned" in printed
    assert "r2 vs CART tuned" in printed


def test_comparison_pairs_seeds_and_trims() -> None:
    def runs(ours: list[float], theirs: list[float]) -> _wild_report.SetRuns:
        return {
            name: {str(i): {"r2": v} for i, v in enumerate(values)}
            for name, values in (("x", ours), (TUNED, theirs))
        }

    sets = {
        "a": runs([0.5, 0.7], [0.4]),  # the second seed has no partner
        "b": runs([0.5], [0.5004]),
        "c": runs([0.5], [0.6]),
    }
    found = _wild_report.compare(sets, "x", TUNED, "r2", 1)
    assert (found["win"], found["tie"], found["loss"]) == (1, 1, 1)
    assert _wild_report.paired(sets["a"], "x", TUNED, "r2") == (0.5, 0.4)
    assert math.isnan(_wild_report.paired(sets["a"], "x", "none", "r2")[0])
    values = np.array([-100.0, *[1.0] * 8, 100.0])
    assert _wild_report.trimmed_mean(values) == 1.0


def test_quick_takes_small_sets_of_both_tasks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = ["name,task,rows_here", "huge,regression,9000"]
    lines += [f"c{i},classification,100" for i in range(6)]
    lines += [f"r{i},regression,100" for i in range(6)]
    (tmp_path / "wild").mkdir()
    (tmp_path / "wild" / "INDEX.csv").write_text("\n".join(lines))
    monkeypatch.setenv("DPDTREE_DATA", str(tmp_path))
    names = _wild_sets.sets_of(list(_wild_sets.GROUPS))
    assert len(names) == 13
    assert {_wild_sets.group(name) for name in names} == {"choose", "confirm"}
    few = _wild_sets.quick(names, every=3)
    assert few == ["wild/c0", "wild/c3", "wild/r0", "wild/r3"]


def test_ranks_are_over_the_sets_that_all_ran_on() -> None:
    def runs(**losses: float) -> _wild_report.SetRuns:
        return {
            f"{name} own": {"0": {"log_loss": loss, "seconds": 10 * loss}}
            for name, loss in losses.items()
        }

    sets = {"a": runs(x=0.1, y=0.2), "b": runs(x=0.1, y=0.1), "c": runs(x=9.0)}
    rows = _wild_report.rank_rows(sets, "classification", ["x own", "y own"])
    assert [row[:3] for row in rows] == [["x own", 2, 1.25], ["y own", 2, 1.75]]
    assert rows[1][3] == 1.0


def test_times_are_those_of_contestants_not_of_shared_searches() -> None:
    def run(seconds: float) -> dict[str, dict[str, float]]:
        return {"0": {"seconds": seconds}, "1": {"seconds": 9.0}}

    sets = {"a": {CLOCK: run(2.0), TUNED: run(50.0), "x": run(3.0)}}
    assert _wild_report.time_ratios(sets, "x") == [1.5]
    assert _wild_report.time_ratios(sets, CLOCK) == [1.0]
    assert _wild_report.time_ratios(sets, TUNED) == []
