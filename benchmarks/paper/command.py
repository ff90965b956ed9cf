"""The command: which pieces, quick or full, then the page."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks._data import PROJECT_ROOT, data_root
from benchmarks.paper import page
from benchmarks.paper.piece import Cell
from benchmarks.paper.pieces import PIECES
from benchmarks.paper.runner import Progress, duration, run_piece
from benchmarks.paper.store import FOLDER, PieceStore

QUICK = PROJECT_ROOT / "build" / "paper-quick"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then write the page; the exit code tells of failed cells."""
    options = _parser().parse_args(arguments)
    names = _checked(options.only)
    folder = options.into or (QUICK if options.quick else FOLDER)
    if options.list:
        _list(names, folder, options.quick)
        return 0
    if not options.page and not data_root().is_dir():
        print(f"No data at {data_root()}: set DPDTREE_DATA. Nothing was run.")
        return 0
    try:
        failed = 0 if options.page else _run(names, folder, options)
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here")
        return 130
    target = folder / "paper.md" if folder != FOLDER else page.PAGE
    page.write(folder, target, quick=options.quick)
    print(f"written: {os.path.relpath(target)}")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks paper")
    parser.add_argument("--only", nargs="+", metavar="PIECE", help="these pieces")
    parser.add_argument("--quick", action="store_true", help="few small cells")
    parser.add_argument("--list", action="store_true", help="pieces and their state")
    parser.add_argument("--page", action="store_true", help="write the page only")
    parser.add_argument("--redo", action="store_true", help="forget earlier results")
    parser.add_argument("--jobs", type=int, default=2, help="cells at a time")
    parser.add_argument("--most", type=int, help="at most so many cells per piece")
    parser.add_argument(
        "--where", nargs="+", default=[], metavar="NAME=VALUE", help="such cells only"
    )
    parser.add_argument("--into", type=Path, help="folder of the results")
    return parser


def _checked(only: Sequence[str] | None) -> list[str]:
    for name in only or ():
        if name not in PIECES:
            close = difflib.get_close_matches(name, PIECES, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            known = ", ".join(PIECES)
            raise SystemExit(f"There is no piece {name!r}.{hint} Pieces: {known}.")
    return [name for name in PIECES if only is None or name in only]


def _list(names: Sequence[str], folder: Path, quick: bool) -> None:
    total = 0.0
    for name in names:
        piece, store = PIECES[name], PieceStore(name, folder)
        done, cells = store.count(piece.cells(quick))
        total += store.expected(piece.cells(quick))
        print(f"{name:18} {done:4} of {cells:4} cells  {piece.title}")
    print(f"All cells together take about {duration(total)}.")


def _run(names: Sequence[str], folder: Path, options: argparse.Namespace) -> int:
    jobs = []
    for name in names:
        cells = PIECES[name].cells(options.quick)
        store = PieceStore(name, folder)
        store.keep_only(cells)
        chosen = [cell for cell in cells if _matches(cell, options.where)]
        chosen = chosen[: options.most]
        if options.redo:
            store.forget(chosen)
        jobs.append((PIECES[name], chosen, store))
    left = sum(store.expected(store.missing(cells)) for _, cells, store in jobs)
    print(f"what is missing takes about {duration(left)}, if measured before")
    progress = Progress(sum(len(store.missing(cells)) for _, cells, store in jobs))
    failed = 0
    for piece, cells, store in jobs:
        run_piece(piece, cells, store, progress, options.jobs)
        failed += sum(o.status == "failed" for o in store.results(cells).outcomes)
    return failed


def _matches(cell: Cell, wanted: Sequence[str]) -> bool:
    """Whether its arguments are these: several values of one name are alternatives."""
    values: dict[str, set[str]] = {}
    for text in wanted:
        name, _, value = text.partition("=")
        values.setdefault(name, set()).add(value)
    return all(str(cell.get(name)) in own for name, own in values.items())
