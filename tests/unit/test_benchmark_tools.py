"""The tools behind the benchmarks: timing, tables, result files."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from benchmarks import _quality, _timing, blocks, near_optimal, speed
from benchmarks._equal_time import Run
from benchmarks.paper import store


def test_calls_take_turns() -> None:
    order: list[str] = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = _timing.best_of(calls, repeat=2)
    assert "".join(order) == "ab" * 3  # one round to warm up
    assert set(seconds) == {"a", "b"}
    assert all(0 <= value < 1 for value in seconds.values())


def test_ratios_and_geometric_mean() -> None:
    assert _timing.ratios({"base": 2.0, "x": 1.0}, "base") == {"x": 0.5}
    assert _timing.geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert math.isnan(_timing.geometric_mean([]))


def test_table_is_aligned() -> None:
    table = _timing.format_table(["set", "x"], [["a", 1.0], ["long", None]])
    assert table == "set       x\n----  -----\na     1.000\nlong"


def test_results_name_the_machine_but_no_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_timing, "RESULTS", tmp_path)
    _timing.write_json("example", {"value": 1 / 3, "list": [1, 2.0]})
    text = (tmp_path / "example.json").read_text(encoding="utf-8")
    content = json.loads(text)
    assert content["value"] == 0.3333
    assert content["machine"]["cores"] >= 1
    for folder in (Path.home(), Path(__file__).parents[2], tmp_path):
        assert str(folder) not in text


def test_a_run_goes_on_only_with_the_same_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_timing, "WORK", tmp_path)
    store = _quality.Store("example", {"trees": (1, 2)})
    store.part("sets")["a"] = 1
    store.save()
    assert _quality.Store("example", {"trees": (1, 2)}).part("sets") == {"a": 1}
    assert _quality.Store("example", {"trees": (1, 3)}).part("sets") == {}


def test_the_best_model_within_a_limit_of_time() -> None:
    run = Run(model=None, curve=[3.0, 2.0, 1.0, 2.0], made=8, seconds=8.0)
    assert run.best(float("inf")) == (1.0, 3)
    assert run.best(2.5) == (2.0, 2)
    assert run.best(0.5) == (float("inf"), 0)
    assert run.seconds_until(3) == 3.0


def test_fits_of_blocks_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `benchmarks.blocks` does with ten million rows, with a few."""
    monkeypatch.setattr(blocks, "TEST_ROWS", 500)
    path = str(tmp_path / "table.parquet")
    blocks.write(path, 2000)
    found = [
        blocks.measure(name, path, str(tmp_path), 0) for name in ("memory", "blocks")
    ]
    assert found[0]["model"] == found[1]["model"]
    assert found[0]["log_loss"] == found[1]["log_loss"] < 0.69


def test_tasks_of_speed_are_fitted_and_rendered() -> None:
    iris = speed.TASKS["small"]
    found = speed.measure(iris, iris.load("iris"), repeat=1)
    assert set(found["ratio"]) == set(iris.variants)
    lines = speed.rendered({"small": speed.summary(iris, {"iris": found})}).splitlines()
    assert [line.split(" | ")[1] for line in lines[2:]] == ["greedy", "default"]


@pytest.mark.parametrize("name", sorted(speed.TASKS))
def test_variants_of_speed_are_parameters(name: str) -> None:
    task = speed.TASKS[name]
    for variant in task.variants:
        task.ours(**speed.arguments(variant, task.depth))
    assert speed.arguments("default", 5) == {}  # as users run it


def test_trees_with_prices_are_compared_set_by_set():
    fits = [
        {"balanced": [10.0, 1.0], near_optimal.PEER: [12.5, 4.0]},
        {"balanced": [10.0, 1.0], near_optimal.PEER: [10.0 + 1e-9, 1.0]},
        {"balanced": [11.0, 1.0], near_optimal.PEER: [10.0, 1.0]},
    ]
    better, worse, apart, ratio = near_optimal.compared(fits)
    assert (better, worse) == (1, 1)
    assert apart == pytest.approx(-1.5)
    assert ratio == pytest.approx(0.25 ** (1 / 3))
    text = near_optimal.rendered_prices([[4, 0.01, better, worse, apart, ratio]])
    assert "| 4 | 0.01 | 1 | 1 | -1.5 | 0.63 |" in text
    assert near_optimal.rendered_prices([]) == ""


def test_what_is_measured_roughly_is_stored_with_fewer_digits():
    value = {"objective": 0.123456, "seconds": 0.123456, "low": [0.98765]}
    wanted = {"objective": 0.1235, "seconds": 0.123, "low": [0.988]}
    assert store._rounded(value) == wanted
