"""What is shown while a proof goes on."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from dpdtree import _progress
from dpdtree._progress import (
    Heartbeat,
    Lines,
    Progress,
    RichStatus,
    TqdmLine,
    choose_display,
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
