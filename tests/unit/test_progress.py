"""What is shown while a proof goes on."""

from __future__ import annotations

import io
import sys
import threading

import numpy as np
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeClassifierCV, _progress
from dpdtree._progress import (
    Heartbeat,
    Lines,
    PartsProgress,
    Progress,
    RichStatus,
    TqdmLine,
    choose_display,
    outer_watcher,
    watched_by,
)


class Shown(list):
    """A display that keeps its lines."""

    closed = False

    def show(self, line):
        self.append(line)

    def close(self):
        self.closed = True


def test_lines_are_few():
    shown = Shown()
    progress = Progress("Tree", lambda: shown)
    for step in range(2000):
        progress(step / 1000, 0.5, step / 8000)
    progress.close()
    assert len(shown) == 3
    assert shown[0] == ("[Tree] 0.5 s: objective 0.5, lower bound 0.0625, gap 0.438")
    assert shown.closed


def test_short_fits_show_nothing():
    def unexpected():
        raise AssertionError("no display is needed")

    progress = Progress("Tree", unexpected)
    progress(0.4, 1.0, 0.0)
    progress.close()


def test_plain_lines_without_a_terminal(capsys):
    display = choose_display()
    assert isinstance(display, Lines)
    display.show("one")
    display.show("two")
    display.close()
    assert capsys.readouterr().out == "one\ntwo\n"


class Terminal(io.StringIO):
    """A text stream that takes itself for a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """Call it in the test: pytest exchanges sys.stdout after the fixtures."""

    def open_now():
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        return terminal

    for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return open_now


def test_rich_in_a_terminal(open_terminal):
    pytest.importorskip("rich")
    terminal = open_terminal()
    display = choose_display()
    assert isinstance(display, RichStatus)
    display.show("[Tree] half way")
    display.show("[Tree] nearly there")
    display.close()
    assert "[Tree] nearly there" in terminal.getvalue()


def test_tqdm_without_rich(open_terminal, monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setitem(sys.modules, "rich.console", None)
    terminal = open_terminal()
    display = choose_display()
    assert isinstance(display, TqdmLine)
    display.close()
    display.show("[Tree] half way")
    display.show("[Tree] nearly there")
    display.close()
    assert "[Tree] nearly there" in terminal.getvalue()


def test_lines_without_either(open_terminal, monkeypatch):
    for name in ("rich.console", "tqdm"):
        monkeypatch.setitem(sys.modules, name, None)
    open_terminal()
    assert isinstance(choose_display(), Lines)


def test_interval_is_half_a_second():
    assert _progress.INTERVAL == 0.5


def test_heartbeats_say_stage_and_share():
    shown = Shown()
    progress = Progress("Tree", lambda: shown)
    progress.beat(0.4, "encoding columns", 0.0)
    progress.beat(0.6, "dynamic program", 0.254)
    progress.beat(0.7, "dynamic program", 0.3)
    progress(0.8, 0.5, 0.25)
    progress.beat(1.2, "proving", 0.5)
    assert shown == [
        "[Tree] 0.6 s: dynamic program, 25 % done",
        "[Tree] 1.2 s: proving, 50 % done; objective 0.5, lower bound 0.25, gap 0.25",
    ]


def test_lines_that_stay_get_rarer(capsys):
    progress = Progress("Tree", Lines)
    for tenth in range(6000):
        progress.beat(tenth / 10, "proving", 0.5)
    assert 30 < len(capsys.readouterr().out.splitlines()) < 70


def test_parts_report_to_the_whole(monkeypatch):
    shown = Shown()
    monkeypatch.setattr(_progress, "perf_counter", iter([10.0, 12.5]).__next__)
    line = PartsProgress("CV", lambda: shown)
    assert outer_watcher() is None
    with watched_by(line.part("fold 2 of 5")):
        outer_watcher()(0.1, "refining", 0.75)
    assert outer_watcher() is None
    assert shown == ["[CV] 2.5 s: fold 2 of 5, refining, 75 % done"]


@pytest.fixture
def slow_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=2000) > 0).astype(int)


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "optimal"])
def test_every_strategy_beats(strategy, slow_data, monkeypatch):
    """At every poll, as if half a second had passed since the last."""
    beats = []
    monkeypatch.setattr(Progress, "beat", lambda self, *beat: beats.append(beat))
    model = DPDTreeClassifier(strategy=strategy, max_depth=5, alpha=0.0, verbose=1)
    if strategy == "greedy":
        slow_data = np.repeat(slow_data[0], 40, axis=0), np.repeat(slow_data[1], 40)
        model.set_params(max_depth=None)
    model.set_params(time_limit=1.0).fit(*slow_data)
    assert beats  # a greedy fit may be done before the second one
    assert strategy == "greedy" or len(beats) > 1
    stages = {stage for _, stage, _ in beats}
    expected = {
        "greedy": {"encoding columns", "growing the tree"},
        "paper": {"dynamic program"},
        "balanced": {"dynamic program, looking ahead", "refining"},
        "optimal": {"proving"},
    }[strategy]
    assert stages & expected
    for seconds, _, share in beats:
        assert seconds >= 0.0
        assert 0.0 <= share <= 1.0


def test_folds_report(slow_data, monkeypatch):
    names = []
    part = PartsProgress.part

    def noted(self, name):
        names.append(name)
        return part(self, name)

    monkeypatch.setattr(PartsProgress, "part", noted)
    DPDTreeClassifierCV(max_depth=2, cv=3).fit(*slow_data)
    assert names == [
        "all rows",
        "fold 1 of 3",
        "fold 2 of 3",
        "fold 3 of 3",
        "all rows",
    ]


def test_a_heartbeat_that_fails_ends_the_fit(slow_data, monkeypatch):
    def fail(self, *beat):
        raise OSError("the terminal is gone")

    monkeypatch.setattr(Progress, "beat", fail)
    model = DPDTreeClassifier(max_depth=5, alpha=0.0, verbose=1)
    with pytest.raises(OSError, match="the terminal is gone"):
        model.fit(*slow_data)
    assert not hasattr(model, "tree_")


def test_a_heartbeat_moves_on_by_itself(monkeypatch):
    monkeypatch.setattr(_progress, "INTERVAL", 0.01)
    shown = Shown()
    beats = threading.Event()
    times = iter(range(1, 10**6))

    def seconds():
        if len(shown) >= 3:
            beats.set()
        return float(next(times))

    with Heartbeat("Booster", seconds, "binning", lambda: shown) as line:
        assert beats.wait(20)
        assert {text.split(": ")[1] for text in shown} == {"binning"}
        line.note(lambda: "iteration 1 of 2")
    assert shown[-1].endswith("iteration 1 of 2")
    assert shown.closed
    n = len(shown)
    beats.wait(0.05)
    assert len(shown) == n  # it has stopped


def test_a_heartbeat_that_is_not_shown_has_no_thread():
    before = threading.active_count()
    with Heartbeat("Booster", lambda: 1e9, "binning", shown=False) as line:
        line.note(lambda: 1 / 0)
        assert threading.active_count() == before


def test_a_heartbeat_ends_with_an_error():
    shown = Shown()
    before = threading.active_count()
    with (
        pytest.raises(KeyboardInterrupt),
        Heartbeat("Booster", lambda: 0.0, "binning", lambda: shown),
    ):
        raise KeyboardInterrupt
    assert threading.active_count() == before
