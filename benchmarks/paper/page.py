"""docs/paper.md: placed together from the pieces, never edited by hand."""

from __future__ import annotations

from pathlib import Path

from benchmarks._data import PROJECT_ROOT
from benchmarks.paper.piece import Piece, Results, key_of
from benchmarks.paper.pieces import PIECES, anytime, proofs, wild
from benchmarks.paper.runner import duration
from benchmarks.paper.store import FOLDER, PieceStore

PAGE = PROJECT_ROOT / "docs" / "paper.md"
IMAGES = PROJECT_ROOT / "docs" / "images" / "paper"
HEAD = """# The paper, reproduced

Every table and figure of *Breiman meets Bellman: Non-Greedy Decision Trees with MDPs*
(Kohler, Akrour and Preux, KDD 2025), measured with this package beside the published
figures, and what the paper does not measure. Written by `make paper`; a run that was
interrupted goes on where it stopped. `make paper-quick` tries all of it on little data.

Times are processor seconds, or multiples of the time that scikit-learn's CART took in
the same process. Limits are of the clock, and the two cores did other work as well: a
solver that was stopped had fewer processor seconds than its limit.
"""
PICTURES = "images/paper"
NOT_MEASURED = "Not measured yet: `python -m benchmarks paper --only {}`."


def write(folder: Path = FOLDER, target: Path = PAGE, *, quick: bool = False) -> None:
    """Draw the pictures and write the page."""
    images = IMAGES if target == PAGE else target.parent / "images" / "paper"
    images.mkdir(parents=True, exist_ok=True)
    for piece in PIECES.values():
        results = results_of(piece, folder, quick)
        if piece.draw is not None and (results or not _measured(piece, quick)):
            piece.draw(results, images)
    target.write_text(text(folder, quick), "utf-8")


def text(folder: Path = FOLDER, quick: bool = False) -> str:
    """The page, from the stored results alone."""
    sections = [section(piece, folder, quick) for piece in PIECES.values()]
    return "\n".join([HEAD, opening(folder, quick), status(folder, quick), *sections])


def _measured(piece: Piece, quick: bool) -> bool:
    """Whether it has cells, of its own or of another piece."""
    return bool(piece.cells(quick)) or bool(piece.uses)


def opening(folder: Path, quick: bool) -> str:
    """The three pictures that matter, then the anytime curves, in a sentence each."""
    found = {name: results_of(PIECES[name], folder, quick) for name in PIECES}
    parts = []
    if found["near_optimal"]:
        parts.append(f"![Errors above the optimum]({PICTURES}/near_optimal.png)")
        parts.append(
            "*Training errors above the optimum against time, trees of depth 3 on the"
            " 16 sets of Table 1, one point per package.*"
        )
    if wild.SOURCE.is_file():
        parts.append(f"![Wins and losses]({PICTURES}/wild.png)")
        parts.append(
            "*Our default fit against tuned CART on held-out rows: green sets won, grey"
            " tied, red lost.*"
        )
    if proofs.speed_ups(found["proofs"]):
        parts.append(f"![Proofs]({PICTURES}/proofs.png)")
        parts.append(f"*{proofs.verdict(found['proofs'])}*")
    if found["anytime"]:
        means = "; ".join(
            f"depth {depth}: {line}"
            for depth, line in anytime.means(found["anytime"]).items()
        )
        parts.append(
            f"Primal integral of the best tree so far over {anytime.LIMIT:g} s"
            f" (geometric mean, smaller is better): {means}."
        )
    return "\n\n".join(parts) + "\n"


def section(piece: Piece, folder: Path, quick: bool) -> str:
    """One piece: its table or picture, what differs, what is missing."""
    results = results_of(piece, folder, quick)
    if _measured(piece, quick) and not results:
        body = NOT_MEASURED.format(piece.uses or piece.name)
    else:
        body = piece.render(results)
    parts = [f"## {piece.title}", body]
    if piece.differs:
        parts.append(f"*Differences from the paper:* {piece.differs}")
    parts += [_missing(piece, results)] if results.unfinished() else []
    return "\n\n".join(parts) + "\n"


def results_of(piece: Piece, folder: Path, quick: bool) -> Results:
    """The stored results of a piece, or of the one it shows."""
    source = PIECES[piece.uses] if piece.uses else piece
    return PieceStore(source.name, folder).results(source.cells(quick))


def status(folder: Path, quick: bool) -> str:
    """A line per piece: cells done, time."""
    lines = ["| piece | cells done | time |", "|---|--:|--:|"]
    every, finished, whole = 0, 0, 0.0
    for piece in PIECES.values():
        cells = piece.cells(quick)
        if not cells:
            continue
        store = PieceStore(piece.name, folder)
        done, total = store.count(cells)
        spent = duration(store.seconds())
        lines.append(f"| {piece.title} | {done} of {total} | {spent} |")
        every, finished, whole = every + total, finished + done, whole + store.seconds()
    lines.append(f"| **all** | {finished} of {every} | {duration(whole)} |")
    return "\n".join(lines) + "\n"


def _missing(piece: Piece, results: Results) -> str:
    if piece.uses:
        return ""
    late = [f"{key_of(o.cell)} ({o.status})" for o in results.unfinished()]
    shown = "; ".join(late[:12]) + ("; …" if len(late) > 12 else "")
    return f"*Cells without a result:* {shown}."
