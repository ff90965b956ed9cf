"""Comparisons of test scores: sets, splits, ranks, and results that can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.model_selection import train_test_split

from benchmarks import _timing
from benchmarks._data import load

#: Every classification set of the two collections with 1000 rows or more.
CLASSIFICATION = [
    *(f"grinsztajn/{name}" for name in (
        "Bioresponse", "Diabetes130US", "Higgs7k", "MagicTelescope", "MiniBooNE",
        "bank_marketing", "california", "compas_cat", "covertype20k", "credit",
        "default_credit", "default_credit_cat", "electricity", "electricity_cat",
        "house_16H_clf", "jannis", "pol_clf",
    )),
    *(f"quantbnb/{name}" for name in (
        "avila", "bank", "bean", "bidding", "eeg", "fault", "htru", "magic",
        "occupancy", "page", "rice", "room", "segment", "skin", "wilt",
    )),
]  # fmt: skip

#: Every regression set of the two collections with 1000 rows or more.
REGRESSION = [
    *(f"grinsztajn/{name}" for name in (
        "Ailerons", "Bike_Sharing", "Bike_Sharing_cat", "Brazilian_houses",
        "Brazilian_houses_cat", "Mercedes_cat", "MiamiHousing2016", "abalone",
        "abalone_cat", "analcatdata_supreme_cat", "diamonds", "diamonds_cat",
        "elevators", "house_16H", "house_sales", "house_sales_cat", "houses",
        "particulate_matter_cat", "pol", "visualizing_soil_cat", "wine_quality",
        "yprop_41",
    )),
    *(f"quantbnb/{name}" for name in ("reg_concrete", "reg_grid", "reg_query1")),
]  # fmt: skip

TEST_SHARE = 0.3
MAX_TEST = 10_000
Floats = npt.NDArray[np.float64]


class Split(NamedTuple):
    """One random division of a set."""

    X: Floats
    y: npt.NDArray[Any]
    X_test: Floats
    y_test: npt.NDArray[Any]


def short(name: str) -> str:
    """The name without its folder."""
    return name.rsplit("/", 1)[-1]


def splits(name: str, n_splits: int, max_train: int) -> Iterator[Split]:
    """Random divisions of all rows of a set; at most `max_train` rows to train on,
    `MAX_TEST` to test.

    Labels become codes, the targets of regression have mean 0 and variance 1.
    """
    data = load(name)
    X, y = data.X, data.y
    if data.X_test is not None:
        assert data.y_test is not None
        X, y = np.vstack([X, data.X_test]), np.concatenate([y, data.y_test])
    classes = name in CLASSIFICATION
    y = np.unique(y, return_inverse=True)[1] if classes else (y - y.mean()) / y.std()
    for seed in range(n_splits):
        X_train, X_test, y_train, y_test = train_test_split(
            X,
            y,
            test_size=TEST_SHARE,
            stratify=y if classes else None,
            random_state=seed,
        )
        train, test = slice(max_train), slice(MAX_TEST)
        yield Split(X_train[train], y_train[train], X_test[test], y_test[test])


def mean_ranks(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean rank of each model over the sets, 1 for the highest score."""
    names = list(scores[0])
    values = np.array([[row[name] for name in names] for row in scores])
    ranks = np.array([rankdata(-row) for row in values])
    return dict(zip(names, ranks.mean(axis=0).tolist(), strict=True))


def duel(
    scores: Sequence[Mapping[str, float]], ours: str, theirs: str
) -> dict[str, Any]:
    """Wins, losses and ties of one model against another, and the sign test."""
    gaps = [row[ours] - row[theirs] for row in scores]
    wins, losses = sum(g > 0 for g in gaps), sum(g < 0 for g in gaps)
    return {
        "wins": wins,
        "losses": losses,
        "ties": len(gaps) - wins - losses,
        "p": sign_test(wins, losses),
    }


def sign_test(wins: int, losses: int) -> float:
    """Two-sided probability of a result this uneven between equals."""
    n, k = wins + losses, max(wins, losses)
    tail = sum(comb(n, i) for i in range(k, n + 1)) / 2**n
    return min(1.0, 2 * tail)


class Store:
    """Results by part and set, kept in a work file after each piece.

    A later run with the same settings goes on where the last one stopped. Nobody sees
    the results until they are published.
    """

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self.name = name
        self.path = _timing.WORK / f"{name}.json"
        wanted = json.loads(json.dumps(settings))
        self.content: dict[str, Any] = {}
        if self.path.is_file():
            self.content = json.loads(self.path.read_text(encoding="utf-8"))
        if self.content.get("settings") != wanted:
            self.content = {"settings": wanted}

    def part(self, part: str) -> dict[str, Any]:
        """The results of one part, by set."""
        sets: dict[str, Any] = self.content.setdefault(part, {})
        return sets

    def save(self) -> None:
        """Write what there is to the work file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.content), encoding="utf-8")
        new.replace(self.path)

    def publish(self, content: Mapping[str, Any]) -> None:
        """Write the results that the docs are made from."""
        _timing.write_json(self.name, {"settings": self.content["settings"], **content})
