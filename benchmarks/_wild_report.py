"""What the runs of `benchmarks.wild` say: wins and losses, trimmed means, times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._generalization import sign_test, versus
from benchmarks._markdown import table
from benchmarks._timing import geometric_mean, print_table
from benchmarks._wild_contestants import (
    CLOCK,
    EIGHT_LEVELS,
    FEWEST_ERRORS,
    REFERENCES,
    TUNED,
    TUNED_LOG_LOSS,
)

Floats = npt.NDArray[np.float64]
#: Contestant → seed → scores, of one set.
SetRuns = Mapping[str, Mapping[str, Mapping[str, float]]]

#: By task: each score, the reference it is compared with, and its sign (1: more is
#: better).
COMPARED: dict[str, tuple[tuple[str, str, int], ...]] = {
    "classification": (
        ("accuracy", TUNED, 1),
        ("auc", TUNED_LOG_LOSS, 1),
        ("log_loss", TUNED_LOG_LOSS, -1),
    ),
    "regression": (("r2", TUNED, 1),),
}
#: Share cut off at each end of the sorted gains: a few sets must not decide.
TRIMMED = 0.1


def paired(runs: SetRuns, ours: str, theirs: str, score: str) -> tuple[float, float]:
    """Mean score of both over the seeds that both have; NaN if there are none."""
    own, other = runs.get(ours, {}), runs.get(theirs, {})
    seeds = [s for s in own if score in own[s] and score in other.get(s, {})]
    if not seeds:
        return math.nan, math.nan
    return (
        float(np.mean([own[s][score] for s in seeds])),
        float(np.mean([other[s][score] for s in seeds])),
    )


def trimmed_mean(values: Floats) -> float:
    """Mean without the extreme tenths."""
    cut = int(TRIMMED * len(values))
    kept = np.sort(values)[cut : len(values) - cut]
    return float(kept.mean()) if len(kept) else math.nan


def compare(
    sets: Mapping[str, SetRuns], ours: str, theirs: str, score: str, sign: int
) -> dict[str, Any]:
    """Win, tie, loss, sign test and trimmed mean gain over the sets both ran on."""
    pairs = [paired(runs, ours, theirs, score) for runs in sets.values()]
    known = np.array([p for p in pairs if not math.isnan(p[0])]).reshape(-1, 2)
    found = versus(sign * known[:, 0], sign * known[:, 1])
    found["trimmed"] = trimmed_mean(sign * (known[:, 0] - known[:, 1]))
    return found


def time_ratios(sets: Mapping[str, SetRuns], contestant: str) -> list[float]:
    """Processor seconds ÷ those of CART of depth 5, set by set, the seeds' shortest.

    None for the other references: they share one grid search.
    """
    found: list[float] = []
    if contestant in REFERENCES and contestant != CLOCK:
        return found
    for runs in sets.values():
        if contestant in runs and CLOCK in runs:
            own, clock = (
                min(scores["seconds"] for scores in runs[name].values())
                for name in (contestant, CLOCK)
            )
            found.append(own / clock)
    return found


def mean_leaves(sets: Mapping[str, SetRuns], contestant: str) -> float:
    """Mean number of leaves over sets and seeds; NaN where there are none."""
    counts = [
        np.mean([scores["leaves"] for scores in runs[contestant].values()])
        for runs in sets.values()
        if contestant in runs
        and all("leaves" in scores for scores in runs[contestant].values())
    ]
    return float(np.mean(counts)) if counts else math.nan


def summary(
    sets: Mapping[str, SetRuns], task: str, contestants: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The figures of each contestant on the sets of one group and task."""
    found: dict[str, dict[str, Any]] = {}
    for contestant in contestants:
        own = {name: runs for name, runs in sets.items() if contestant in runs}
        if not own:
            continue
        ratios = time_ratios(own, contestant)
        found[contestant] = {
            "sets": len(own),
            **{
                score: compare(own, contestant, theirs, score, sign)
                for score, theirs, sign in COMPARED[task]
                if theirs != contestant
            },
            "leaves": mean_leaves(own, contestant),
            "time": geometric_mean(ratios),
            "largest_time": max(ratios, default=math.nan),
        }
    return found


def cell(found: Mapping[str, Any] | None) -> str:
    """Counts, shares of wins and losses, and the trimmed mean gain."""
    if found is None:
        return ""
    n = found["win"] + found["tie"] + found["loss"]
    if not n:
        return ""
    shares = f"{100 * found['win'] / n:.0f}/{100 * found['loss'] / n:.0f}%"
    counts = f"{found['win']}/{found['tie']}/{found['loss']}"
    p = sign_test(found["win"], found["loss"])
    return f"{counts} {shares} {found['trimmed']:+.4f} p={p:.2g}"


def print_summary(
    sets: Mapping[str, SetRuns], task: str, title: str, contestants: Sequence[str]
) -> None:
    """One table: a row for each contestant."""
    scores = COMPARED[task]
    header = ["contestant", "sets"]
    header += [f"{score} vs {theirs}" for score, theirs, _ in scores]
    header += ["leaves", "time ÷ CART", "largest"]
    rows: list[list[object]] = [
        [
            name,
            row["sets"],
            *(cell(row.get(score)) for score, _, _ in scores),
            row["leaves"],
            row["time"],
            row["largest_time"],
        ]
        for name, row in summary(sets, task, contestants).items()
    ]
    if rows:
        print_table(f"{task}, {title}: win/tie/loss, gain", header, rows)


def rank_rows(
    sets: Mapping[str, SetRuns], task: str, contestants: Sequence[str]
) -> list[list[object]]:
    """Mean rank by test loss on the sets that all ran on, and time ÷ the slowest's."""
    from scipy.stats import rankdata

    score, sign = ("r2", -1) if task == "regression" else ("log_loss", 1)
    joint = [runs for runs in sets.values() if all(c in runs for c in contestants)]
    if not joint or len(contestants) < 2:
        return []
    losses = [
        [sign * paired(runs, c, contestants[0], score)[0] for c in contestants]
        for runs in joint
    ]
    ranks = np.mean([rankdata(row) for row in np.round(losses, 6)], axis=0)
    seconds = [
        geometric_mean(min(s["seconds"] for s in runs[c].values()) for runs in joint)
        for c in contestants
    ]
    return [
        [c, len(joint), float(rank), time / max(seconds)]
        for c, rank, time in zip(contestants, ranks, seconds, strict=True)
    ]


def ranks_of(
    sets: Mapping[str, SetRuns], task: str, contestants: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Sets, mean rank and time ÷ the slowest's of each booster in its league."""
    found = {}
    for league in dict.fromkeys(name.rsplit(" ", 1)[-1] for name in contestants):
        own = [name for name in contestants if name.endswith(f" {league}")]
        for name, n, rank, time in rank_rows(sets, task, own):
            found[str(name)] = {"sets": n, "rank": rank, "time": time}
    return found


def print_ranks(
    sets: Mapping[str, SetRuns], task: str, title: str, contestants: Sequence[str]
) -> None:
    """One table for each league: the last word of a booster's name."""
    for league in dict.fromkeys(name.rsplit(" ", 1)[-1] for name in contestants):
        own = [name for name in contestants if name.endswith(f" {league}")]
        rows = rank_rows(sets, task, own)
        if rows:
            header = ["booster", "sets", "mean rank", "time ÷ slowest"]
            print_table(f"{task}, {title}, boosters ({league})", header, rows)


def order(contestants: Sequence[str]) -> list[str]:
    """References first, the others as they come."""
    others = [name for name in contestants if name not in REFERENCES]
    return [*(name for name in REFERENCES if name in contestants), *others]


#: Rows of the table: the estimators without arguments, then with other settings.
OURS = ("DPDT default", "DPDT CV", EIGHT_LEVELS, FEWEST_ERRORS)
#: Groups as the pages name them.
TITLES = {
    "choose": "everyday, chosen on",
    "confirm": "everyday, confirmed on",
    "bench": "benchmark",
}


def rendered(content: Mapping[str, Any]) -> str:
    """Our trees against tuned CART, by group of sets."""
    texts = []
    for task, groups in content["trees"].items():
        scores = [score for score, _, _ in COMPARED[task]]
        header = ["sets", "", "number", *scores, "time ÷ CART (largest)", "leaves"]
        rows = [
            [title, model, *_cells(groups[group][model], scores)]
            for group, title in TITLES.items()
            for model in OURS
            if model in groups.get(group, {})
        ]
        texts.append(f"{task.capitalize()}:\n\n{table(header, rows)}")
    return "\n\n".join(texts)


def _cells(row: Mapping[str, Any], scores: Sequence[str]) -> list[str]:
    counts = ["{win}/{tie}/{loss}".format(**row[score]) for score in scores]
    time = f"{row['time']:.1f} ({row['largest_time']:.1f})"
    return [str(row["sets"]), *counts, time, f"{row['leaves']:.0f}"]


def rendered_boosters(content: Mapping[str, Any]) -> str:
    """Mean ranks on the sets held back, each league apart."""
    found = {
        task: groups["confirm"]
        for task, groups in content["boosters"].items()
        if "confirm" in groups
    }
    names = list(dict.fromkeys(name for own in found.values() for name in own))
    header = ["", *(f"{task}, {_sets(own)} sets" for task, own in found.items())]
    rows = [
        [_league(name), *(_rank(own.get(name)) for own in found.values())]
        for name in sorted(names, key=lambda n: not n.endswith(" own"))
    ]
    return table(header, rows)


def _sets(own: Mapping[str, Any]) -> int:
    return int(next(iter(own.values()))["sets"])


def _league(name: str) -> str:
    booster, league = name.rsplit(" ", 1)
    return f"{booster}, own defaults" if league == "own" else f"{booster}, 150 at 0.1"


def _rank(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['rank']:.2f} ({row['time']:.2f})"
