"""The framework that reproduces the paper: cells, limits, counts, statistics."""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks.paper import operations, page, statistics
from benchmarks.paper.command import main
from benchmarks.paper.lookahead_tree import LookaheadTree
from benchmarks.paper.peers.peer import (
    THRESHOLDS,
    MissingPeerError,
    OnBinaryColumns,
    Peer,
    QuantileColumns,
)
from benchmarks.paper.piece import (
    DONE,
    FAILED,
    NOT_INSTALLED,
    TIMED_OUT,
    Outcome,
    Piece,
    Results,
    key_of,
)
from benchmarks.paper.pieces import PIECES, figure1
from benchmarks.paper.pieces.anytime import improvements, primal_integral
from benchmarks.paper.runner import Progress, run_cell, run_piece
from benchmarks.paper.search_spaces import best_by_time, best_so_far, draw
from benchmarks.paper.store import PieceStore
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from dpdtree import DPDTreeClassifier

ROOT = Path(__file__).parents[2]


def toy(run=lambda **_: None, limit=60.0):
    cells = [{"set": "a", "k": 1}, {"set": "b", "k": 2}]
    return Piece("toy", "Toy", lambda quick: cells, run, lambda r: "text", limit=limit)


def silent(total):
    return Progress(total, write=lambda text: None)


def test_every_piece_has_a_title_and_quick_cells_unlike_none():
    for name, piece in PIECES.items():
        assert piece.name == name
        assert piece.title
        quick, full = piece.cells(True), piece.cells(False)
        assert len(quick) <= len(full)
        assert all(json.loads(json.dumps(cell)) == cell for cell in full)
        assert len({key_of(cell) for cell in full}) == len(full)


def test_a_cell_runs_in_a_process_of_its_own(tmp_path):
    cell = {"drawing": "candidates"}
    outcome = run_cell("schematics", cell, 120.0, tmp_path / "answer.json")
    assert outcome.status == DONE, outcome.reason
    assert len(outcome.value["splits"]) == 3
    assert not (tmp_path / "answer.json").exists()


def test_a_failed_cell_says_why_and_a_late_one_is_ended(tmp_path):
    failed = run_cell("schematics", {"drawing": 1, "x": 2}, 120.0, tmp_path / "a.json")
    assert failed.status == FAILED
    assert "unexpected keyword argument" in failed.reason
    late = run_cell("schematics", {"drawing": "mdp"}, 0.05, tmp_path / "a.json")
    assert late.status == TIMED_OUT
    assert "0.05 s" in late.reason


def test_finished_cells_are_kept_and_failed_ones_tried_again(tmp_path, monkeypatch):
    tried = []

    def fake(name, cell, limit, answer):
        tried.append(cell["set"])
        status = FAILED if cell["set"] == "b" and tried.count("b") == 1 else DONE
        return Outcome(cell, status, 1.0, {"score": 0.5}, "why" * (status == FAILED))

    monkeypatch.setattr("benchmarks.paper.runner.run_cell", fake)
    piece = toy()
    cells = piece.cells(False)
    for _ in range(3):
        run_piece(piece, cells, PieceStore("toy", tmp_path), silent(2), jobs=1)
    assert tried == ["a", "b", "b"]
    again = PieceStore("toy", tmp_path)
    assert again.count(cells) == (2, 2)
    assert again.results(cells).value(set="a") == {"score": 0.5}
    assert again.machine["limit of a cell in seconds"] == 60.0


def test_an_absent_peer_is_reported_and_tried_again(tmp_path):
    absent = Peer(lambda *_: None, "no_such_package", "no-such-package")
    assert not absent.installed()
    with pytest.raises(MissingPeerError, match="no-such-package is not installed"):
        absent.demand()
    store = PieceStore("toy", tmp_path)
    cells = toy().cells(False)
    store.add(Outcome(cells[0], NOT_INSTALLED, 0.1, reason="x is not installed"), 1.0)
    assert store.missing(cells) == cells
    assert store.results(cells).unfinished()


def test_columns_for_packages_that_know_only_zeros_and_ones():
    X = np.column_stack([np.arange(100.0), np.repeat([0.0, 1.0], 50)])
    columns = QuantileColumns().fit(X)
    found = columns.transform(X)
    assert set(np.unique(found)) == {0, 1}
    assert found.shape[1] == sum(map(len, columns.cuts)) <= 2 * THRESHOLDS
    model = OnBinaryColumns(lambda: DecisionTreeClassifier(max_depth=1))
    assert model.fit(X, X[:, 1].astype(int)).score(X, X[:, 1]) == 1.0


def test_only_better_trees_count_in_an_anytime_curve():
    trace = [(2.0, 7), (1.0, 9), (3.0, 8), (4.0, 7), (5.0, 3)]
    assert improvements(trace) == [(1.0, 9), (2.0, 7), (5.0, 3)]


def test_the_page_says_what_the_results_say():
    written = page.PAGE.read_text("utf-8")
    assert page.text() == written, "run `python -m benchmarks paper --page`"


def test_an_interrupted_run_keeps_what_is_done(tmp_path, monkeypatch):
    def fake(name, cell, limit, answer):
        if cell["set"] == "b":
            raise KeyboardInterrupt
        return Outcome(cell, DONE, 1.0, 1)

    monkeypatch.setattr("benchmarks.paper.runner.run_cell", fake)
    piece = toy()
    with pytest.raises(KeyboardInterrupt):
        run_piece(piece, piece.cells(False), PieceStore("toy", tmp_path), silent(2), 1)
    assert PieceStore("toy", tmp_path).count(piece.cells(False)) == (1, 2)


def test_a_run_killed_in_mid_cell_goes_on(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "paper", "--only", "schematics"]
    command += ["--into", str(tmp_path)]
    data = tmp_path / "data"  # never read by this piece, but asked for
    data.mkdir()
    environment = os.environ | {"DPDTREE_DATA": str(data)}
    run = subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    )
    assert "[1/2]" in run.stderr.readline()  # the second cell is under way
    run.send_signal(signal.SIGKILL)
    run.communicate()
    cells = PIECES["schematics"].cells(False)
    assert PieceStore("schematics", tmp_path).count(cells) == (1, 2)
    time.sleep(0.1)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert "[1/1]" in done.stderr
    assert PieceStore("schematics", tmp_path).count(cells) == (2, 2)
    assert [path.name for path in tmp_path.glob("*.json")] == ["schematics.json"]


def test_an_unknown_piece_is_refused_with_the_known_ones():
    with pytest.raises(SystemExit, match=r"no piece 'tabel1'.*'table1'.*kdd"):
        main(["--only", "tabel1"])


def test_a_quick_run_measures_and_writes_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DPDTREE_DATA", str(tmp_path))  # these pieces read nothing
    pieces = ["--only", "figure1", "schematics", "--most", "1"]
    assert main(["--quick", *pieces, "--into", str(tmp_path)]) == 0
    text = (tmp_path / "paper.md").read_text("utf-8")
    assert "| CART | 0.5" in text
    assert "| Figure 1: where greedy trees fail | 1 of 3 |" in text
    assert "Not measured yet: `python -m benchmarks paper --only table1`." in text
    assert (tmp_path / "images" / "paper" / "figure1.png").is_file()
    assert "[2/2]" in capsys.readouterr().err


def test_only_runs_the_named_piece_and_where_some_of_its_cells(tmp_path, monkeypatch):
    tried = []

    def fake(name, cell, limit, answer):
        tried.append((name, *cell.values()))
        return Outcome(cell, DONE, 1.0, {})

    monkeypatch.setattr("benchmarks.paper.runner.run_cell", fake)
    monkeypatch.setattr("benchmarks.paper.page.write", lambda *_, **__: None)
    monkeypatch.setenv("DPDTREE_DATA", str(tmp_path))
    into = ["--into", str(tmp_path / "results")]
    chosen = ["--where", "model=CART", "model=GOSDT", "set=bank"]
    assert main(["--only", "near_optimal", *chosen, *into]) == 0
    bank = [("near_optimal", "bank", model) for model in ("CART", "GOSDT")]
    assert tried == bank
    assert main(["--only", "near_optimal", *chosen, *into]) == 0
    assert tried == bank  # nothing twice
    again = ["--only", "near_optimal", "--where", "set=bank", "model=CART", "--redo"]
    assert main([*again, *into]) == 0
    assert tried == [*bank, bank[0]]


def test_cells_of_a_piece_have_the_same_arguments(tmp_path):
    store = PieceStore("toy", tmp_path)
    store.add(Outcome({"set": "a"}, DONE, 1.0, 1), 60.0)
    with pytest.raises(ValueError, match="different arguments"):
        store.add(Outcome({"name": "a"}, DONE, 1.0, 1), 60.0)


def test_a_limit_is_one_of_processor_time(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.paper.runner.PATIENCE", 1000.0)
    cell = {"model": "CART", "n": 10**9}  # more than a second of drawing numbers
    late = run_cell("figure1", cell, 1.0, tmp_path / "a.json")
    assert late.status == TIMED_OUT
    assert "within 1 s" in late.reason


def test_figure_1_packs_its_rows():
    classes = np.array([[0, 1], [0, 1], [1, 1]])
    rows = figure1.packed(classes)
    assert rows == [[2, "01"], [1, "11"]]
    assert (figure1.unpacked(rows) == classes).all()


def test_list_shows_the_state(capsys, tmp_path):
    assert main(["--list", "--into", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "table1" in out
    assert "0 of" in out


def test_results_tell_finished_from_late():
    done = Outcome({"set": "a"}, DONE, 1.0, 3)
    late = Outcome({"set": "b"}, TIMED_OUT, 1.0, reason="no result")
    results = Results([done, late])
    assert results.value(set="a") == 3
    assert results.value(set="b") is None
    assert results.unfinished() == [late]
    assert Outcome.from_line(["set"], late.as_line()) == late
    assert Outcome.from_line(["set"], done.as_line()) == done


def test_operations_counted_by_hand():
    # Four rows of one feature, classes 0 1 1 0: a CART of depth 2 has a root, one pure
    # leaf and one inner node with two leaves: five nodes.
    X, y = np.arange(4.0).reshape(-1, 1), np.array([0, 1, 1, 0])
    greedy = DPDTreeClassifier(strategy="greedy", max_depth=2, alpha=0.0).fit(X, y)
    assert operations.of_greedy(greedy) == 5
    # CART is done after two cuts (5 nodes), the first and the last; both are
    # candidates. First: {0} pure (1), {1,1,0} split (3). Last: {0,1,1} (3), {0} (1).
    assert operations.of_light_search(X, y, 4, 2) == 5 + (1 + 3) + (3 + 1)
    # The same with two candidates at each of two levels. Root: both cuts, 5 nodes.
    # Its four children: {0} pure, one node; {1,1,0} cut once, 3; {0,1,1}, 3; {0}, 1.
    counted = operations.unshortened(
        DPDTreeClassifier(
            strategy="paper",
            n_candidates=(2, 2),
            max_depth=2,
            alpha=0.0,
            loss="zero_one",
        )
    ).fit(X, y)
    assert counted.report_.candidates == 2 + 1 + 1
    assert operations.of_search(counted) == 5 + (1 + 3) + (3 + 1)


def entropy(y):
    shares = np.bincount(y) / len(y)
    return -len(y) * sum(p * math.log(p) for p in shares if p)


def splits(X, y):
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for low, high in itertools.pairwise(values):
            left = X[:, feature] <= (low + high) / 2
            yield (feature, (low + high) / 2), left


def after_one(X, y):
    found = [entropy(y[s]) + entropy(y[~s]) for _, s in splits(X, y)]
    return min([entropy(y), *found])


@pytest.mark.parametrize("seed", range(8))
def test_lookahead_takes_the_split_with_the_best_next_splits(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, (14, 2)).astype(float), rng.integers(0, 3, 14)
    model = LookaheadTree(2).fit(X, y)
    values = [after_one(X[s], y[s]) + after_one(X[~s], y[~s]) for _, s in splits(X, y)]
    feature, cut, *_ = model.root_
    chosen = X[:, feature] <= cut
    own = after_one(X[chosen], y[chosen]) + after_one(X[~chosen], y[~chosen])
    assert own == pytest.approx(min(values))
    assert model.operations_ == len(values)


def test_lookahead_counts_and_grows_level_by_level():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    model = LookaheadTree(3).fit(X, y)
    feature, cut, left, right = model.root_
    # Two levels look ahead: all 3 * 39 splits of the root, then those of its children,
    # one fewer in each feature; the last level is greedy and counts nothing.
    assert model.operations_ == 3 * 39 + 3 * 38
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    side = X[:, feature] <= cut
    again = LookaheadTree(2).fit(X[side], y[side])
    assert again.classes_.tolist() == [0, 1]
    assert again.root_ == left
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_statistics_against_scipy_and_by_hand():
    values = [0.2, 0.4, 0.9]
    mean, error = statistics.mean_and_error(values)
    assert mean == pytest.approx(0.5)
    assert error == pytest.approx(stats.sem(values))
    assert math.isnan(statistics.mean_and_error([1.0])[1])
    assert statistics.with_error([0.5, 0.7]) == "60.0 ± 10.0"
    won = statistics.win_tie_loss([0.5, 0.5, 0.7], [0.4, 0.5005, 0.8])
    assert won == (1, 1, 1)
    assert statistics.sign_test(5, 0) == pytest.approx(2 / 32)
    assert statistics.sign_test(0, 0) == 1.0
    ours, theirs = np.array([0.5, 0.6, 0.9, 0.7]), np.array([0.4, 0.65, 0.8, 0.55])
    expected = stats.wilcoxon(ours, theirs).pvalue
    assert statistics.paired_test(ours, theirs) == pytest.approx(expected)
    assert statistics.paired_test(ours, ours) == 1.0


def test_ranks_and_critical_difference():
    scores = np.array([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]])
    assert statistics.mean_ranks(scores).tolist() == [2.0, 1.75, 2.25]
    # Demsar (2006), table 5: q for 4 models at 5 % is 2.569.
    expected = 2.569 * math.sqrt(4 * 5 / (6 * 14))
    assert statistics.critical_difference(4, 14) == pytest.approx(expected, rel=1e-3)
    scaled = statistics.normalised(np.array([0.5, 0.75, 1.0, 0.2]), 0.5, 1.0)
    assert scaled.tolist() == [0.0, 0.5, 1.0, 0.0]


def test_random_search_keeps_the_best_on_validation():
    validation, test = np.array([0.5, 0.9, 0.7]), np.array([0.4, 0.6, 0.95])
    curves = best_so_far(validation, test, shuffles=4)
    assert (curves[:, 0] == 0.4).all()  # the default comes first
    assert (curves[:, -1] == 0.6).all()  # the best on validation, not on test
    by_time = best_by_time(
        validation, test, np.array([1.0, 1.0, 1.0]), np.array([0.5, 1.5, 3.0])
    )
    assert np.isnan(by_time[:, 0]).all()
    assert (by_time[:, 1] == 0.4).all()
    assert (by_time[:, 2] == 0.6).all()


def test_settings_are_drawn_alike_and_start_with_the_default():
    drawn = draw("DPDT", 20)
    assert drawn[0] == {}
    assert drawn == draw("DPDT", 20)
    assert all(2 <= s["min_samples_leaf"] <= 51 for s in drawn[1:])


def test_primal_integral_by_hand():
    trace = [(1.0, 0.4), (3.0, 0.2)]
    assert primal_integral(trace, 0.2, 10.0) == pytest.approx(1.0 + 2.0 * 0.5)
    assert primal_integral([], 0.2, 10.0) == 10.0
