"""The pieces, in the order of the page."""

from __future__ import annotations

from benchmarks.paper.piece import Piece
from benchmarks.paper.pieces import (
    adaboost,
    anytime,
    boosters,
    candidates,
    causes,
    figure1,
    generalization,
    gradient_boosting,
    importance,
    kdd,
    leaf_price,
    lookahead,
    near_optimal,
    proofs,
    regression,
    schematics,
    small_sets,
    table1,
    wild,
)

PIECES: dict[str, Piece] = {
    piece.name: piece
    for piece in (
        near_optimal.PIECE,
        wild.PIECE,
        proofs.PIECE,
        anytime.PIECE,
        leaf_price.PIECE,
        figure1.PIECE,
        schematics.PIECE,
        table1.PIECE,
        candidates.PIECE,
        lookahead.PIECE,
        generalization.PIECE,
        importance.PIECE,
        kdd.PIECE,
        regression.PIECE,
        small_sets.PIECE,
        adaboost.PIECE,
        gradient_boosting.PIECE,
        boosters.PIECE,
        causes.PIECE,
    )
}
