"""Test scores of gradient boosting with and without look-ahead, and of its peers.

    python -m benchmarks.boosting_quality --part depth3   # the paper's figure
    python -m benchmarks.boosting_quality --part equal    # equal size, 31 leaves
    python -m benchmarks.boosting_quality --part many     # the same, more rows
    python -m benchmarks.boosting_quality --part tuned    # random search, equal time
    python -m benchmarks.boosting_quality --plot

What is measured is kept in a work file: a run that was stopped goes on, --minutes ends
one in time, --models and --splits measure some of it first. Results are published once
every part is complete (--publish: with the splits there are). Times are processor
seconds of one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from itertools import zip_longest
from time import monotonic
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks._boosting_plots import draw
from benchmarks._contestants import DEPTH_3, LEAFWISE, Contestant, loss, peer_versions
from benchmarks._equal_time import LIMITS, SLOW, TRIALS, TUNED, search
from benchmarks._markdown import table
from benchmarks._quality import (
    CLASSIFICATION,
    REGRESSION,
    Split,
    Store,
    duel,
    mean_ranks,
    short,
    splits,
)
from benchmarks._timing import print_table

TREES, SPLITS = 150, 3
MAX_TRAIN = {"depth3": 10_000, "equal": 10_000, "many": 30_000, "tuned": 5000}
STAGES = (10, 30, 60, 100, 150)
#: Classification and regression in turn, so that half a run tells something already.
SETS = [s for two in zip_longest(CLASSIFICATION, REGRESSION) for s in two if s]
#: Those of 20 000 rows and more: 14 000 or more to train on.
LARGE_SETS = [
    "grinsztajn/covertype20k", "quantbnb/occupancy", "grinsztajn/california",
    "grinsztajn/houses", "quantbnb/avila", "grinsztajn/house_sales",
    "grinsztajn/house_sales_cat", "grinsztajn/electricity",
    "grinsztajn/electricity_cat", "grinsztajn/Diabetes130US", "grinsztajn/diamonds",
    "grinsztajn/diamonds_cat", "grinsztajn/particulate_matter_cat", "quantbnb/skin",
]  # fmt: skip
PARTS = ("depth3", "equal", "many", "tuned")
NAME = "boosting_quality"
STARTED = monotonic()


def cart_score(split: Split, classifies: bool) -> float:
    """Accuracy or R² of one CART of depth 3."""
    kind = DecisionTreeClassifier if classifies else DecisionTreeRegressor
    tree = kind(max_depth=3, random_state=0).fit(split.X, split.y)
    return float(tree.score(split.X_test, split.y_test))


def measure(
    models: Mapping[str, Contestant], split: Split, classifies: bool
) -> dict[str, Any]:
    """Test loss and score of every contestant by number of trees; its seconds."""
    found = {}
    for name, contestant in models.items():
        model, seconds = contestant.fit(split.X, split.y, classifies, max_iter=TREES)
        losses, scores = [], []
        for k in STAGES:
            predicted = contestant.predict(model, split.X_test, k, classifies)
            losses.append(loss(split.y_test, predicted, classifies))
            scores.append(_score(split.y_test, predicted, classifies))
        found[name] = {"loss": losses, "score": scores, "seconds": seconds}
    return found


def _score(y: Any, predicted: Any, classifies: bool) -> float:
    if classifies:
        return float(accuracy_score(y, predicted.argmax(axis=1)))
    return float(r2_score(y, predicted))


def averaged(rounds: list[dict[str, Any]], wanted: Iterable[str]) -> dict[str, Any]:
    """Means over the splits that all contestants have been measured on."""
    complete = _complete(rounds, wanted)
    if not complete:
        return {}
    found: dict[str, Any] = {"splits": len(complete)}
    for model, facts in complete[0].items():
        if model not in (*wanted, "cart"):
            continue
        found[model] = {
            key: np.mean([r[model][key] for r in complete], axis=0).tolist()
            for key in facts
        }
    return found


def _complete(
    rounds: list[dict[str, Any]], wanted: Iterable[str]
) -> list[dict[str, Any]]:
    return [r for r in rounds if all(m in r for m in wanted)]


def equal_summary(part: str, rounds_of: Mapping[str, Any]) -> dict[str, Any]:
    """Results by set, ranks, wins and losses of one comparison at equal size."""
    wanted = contestants(part)
    sets = {n: f for n, r in rounds_of.items() if (f := averaged(r, wanted))}
    rows = [{m: -found[m]["loss"][-1] for m in wanted} for found in sets.values()]
    if not rows:
        return {}
    base = "greedy" if part == "depth3" else "LightGBM"
    content = {"sets": sets, "summary": _summary(rows, base)}
    if part == "equal":
        content["against XGBoost"] = _summary(rows, "XGBoost")
    return content


def tuned_summary(rounds_of: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the random search, under each limit of time."""
    means = {n: f for n, r in rounds_of.items() if (f := averaged(r, TUNED))}
    if not means:
        return {}
    limits = {
        label: _summary(
            [{m: -found[m]["loss"][i] for m in TUNED} for found in means.values()],
            "LightGBM",
        )
        for i, label in enumerate(LIMITS)
    }
    # Trials and numbers of trees have no mean worth knowing: split by split.
    rounds = {name: _complete(rounds_of[name], TUNED) for name in means}
    sets = {name: {"splits": len(r), "rounds": r} for name, r in rounds.items()}
    slow = {label: _slow_duel(rounds, i) for i, label in enumerate(LIMITS)}
    return {"sets": sets, "summary": limits, SLOW: slow}


def _slow_duel(rounds_of: Mapping[str, Any], limit: int) -> dict[str, Any]:
    both = (SLOW, TUNED[0])
    firsts = [rounds[0] for rounds in rounds_of.values() if SLOW in rounds[0]]
    return duel([{m: -r[m]["loss"][limit] for m in both} for r in firsts], *both)


def _summary(rows: list[dict[str, float]], base: str) -> dict[str, Any]:
    change = {m: float(np.median([r[m] / r[base] for r in rows]) - 1) for m in rows[0]}
    return {
        "sets": len(rows),
        "mean_rank": mean_ranks(rows),
        "median_change": change,
        "duels": {m: duel(rows, m, base) for m in rows[0] if m != base},
    }


def results(store: Store) -> dict[str, Any]:
    """What is to be published of the work file."""
    content = {part: equal_summary(part, store.part(part)) for part in PARTS[:3]}
    content["tuned"] = tuned_summary(store.part("tuned"))
    return {"peers": peer_versions(), **content}


def published(content: Mapping[str, Any]) -> dict[str, Any]:
    """The same without what is known of every single set."""
    found = dict(content)
    for part in PARTS:
        own = dict(content[part])
        sets = own.pop("sets", {})
        own["splits"] = sorted({facts["splits"] for facts in sets.values()})
        found[part] = own
    return found


def complete(content: Mapping[str, Any]) -> bool:
    """Whether every set has been measured: on every split, tuned on one at least."""
    found = {part: content[part].get("sets", {}) for part in PARTS}
    return all(len(found[part]) == len(sets_of(part)) for part in PARTS) and all(
        facts["splits"] == SPLITS
        for part in PARTS[:3]
        for facts in found[part].values()
    )


def sets_of(part: str) -> list[str]:
    """On which sets."""
    return LARGE_SETS if part == "many" else SETS


def run(store: Store, part: str, names: list[str], options: argparse.Namespace) -> None:
    """Measure what is missing, split after split."""
    sets = store.part(part)
    deadline = STARTED + 60 * options.minutes
    for seed in range(options.splits):
        for name in names:
            if monotonic() < deadline and _run_round(
                sets, part, name, seed, options.models
            ):
                store.save()
                print(
                    f"{part} {name} {seed}: {monotonic() - STARTED:.0f} s", flush=True
                )


def _run_round(
    sets: dict[str, Any], part: str, name: str, seed: int, models: list[str]
) -> bool:
    """Measure the contestants one split still lacks."""
    rounds = sets.setdefault(short(name), [])
    if len(rounds) <= seed:
        rounds.append({})
    found = rounds[seed]
    wanted = contestants(part, seed)
    missing = {n: c for n, c in wanted.items() if n not in found and n in models}
    if not missing:
        return False
    classifies = name in CLASSIFICATION
    *_, split = splits(name, seed + 1, MAX_TRAIN[part])
    if part == "tuned":
        found |= search(list(missing), split, classifies, found)
        return True
    found |= measure(missing, split, classifies)
    if part == "depth3":
        found["cart"] = {"score": cart_score(split, classifies)}
    return True


def contestants(part: str, seed: int = 0) -> Mapping[str, Contestant]:
    """Who takes part: all but those that are too slow, or the same as another."""
    if part == "depth3":
        return DEPTH_3
    if part == "tuned":
        names = TUNED if seed > 0 else (*TUNED, SLOW)
        return {name: LEAFWISE[name] for name in names}
    # With few rows "strong" is "light".
    out = "strong" if part == "equal" else "CatBoost"
    return {name: c for name, c in LEAFWISE.items() if name != out}


def rendered(part: Mapping[str, Any]) -> str:
    """Mean ranks, median loss and duels of one comparison."""
    facts = part["summary"]
    base = next(m for m in facts["mean_rank"] if m not in facts["duels"])
    rows = []
    for model, rank in facts["mean_rank"].items():
        d = facts["duels"].get(model)
        cells = [f"{rank:.2f}", f"{100 * facts['median_change'][model]:+.2f}"]
        cells += [f"{d['wins']}:{d['losses']}", f"{d['p']:.2g}"] if d else ["-", "-"]
        rows.append([model, *cells])
    header = ["model", "mean rank", f"median difference of loss to {base}, %"]
    header += [f"wins:losses against {base}", "p (sign test)"]
    splits = part.get("splits")
    each = f", splits per set: {', '.join(map(str, splits))}" if splits else ""
    return f"{facts['sets']} sets{each}.\n\n{table(header, rows)}"


def rendered_equal(part: Mapping[str, Any]) -> str:
    """The same against each of two bases."""
    other = rendered({"summary": part["against XGBoost"]})
    return f"{rendered(part)}\n\nAgainst XGBoost: {other}"


def rendered_tuned(part: Mapping[str, Any]) -> str:
    """The same under each limit of time; XGBoost, on one split, in a sentence."""
    limits = {"half": "Half of LightGBM's time", "same": "LightGBM's time"}
    limits |= {"free": "No limit"}
    tables = [
        f"{text}: {rendered({**part, 'summary': part['summary'][label]})}"
        for label, text in limits.items()
    ]
    slow = ", ".join(
        f"{text} {d['wins']}:{d['losses']}"
        for text, d in zip(
            ("half the time", "its time", "no limit"),
            part["XGBoost"].values(),
            strict=True,
        )
    )
    return "\n\n".join([*tables, f"XGBoost against LightGBM, one split: {slow}."])


RENDERERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "depth3": rendered,
    "equal": rendered_equal,
    "many": rendered,
    "tuned": rendered_tuned,
}


def show(content: Mapping[str, Any]) -> None:
    """Print mean ranks and duels."""
    for part in PARTS:
        summary = content[part].get("summary")
        if not summary:
            continue
        parts = dict(summary) if part == "tuned" else {part: summary}
        if part == "equal":
            parts["against XGBoost"] = content[part]["against XGBoost"]
        for label, facts in parts.items():
            duels = facts["duels"]
            rows = [
                [m, rank, f"{facts['median_change'][m]:+.2%}", str(duels.get(m, ""))]
                for m, rank in facts["mean_rank"].items()
            ]
            title = f"{part} {label}, {facts['sets']} sets"
            print_table(title, ["model", "mean rank", "loss", "duel"], rows)


def main() -> None:
    """Run the chosen part, or draw the plots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--models", nargs="+", default=[*LEAFWISE, *DEPTH_3])
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--plot", action="store_true")
    options = parser.parse_args()
    settings = {"trees": TREES, "rows": MAX_TRAIN, "stages": STAGES, "trials": TRIALS}
    store = Store(NAME, settings)
    if options.plot:
        draw({"settings": settings, **results(store)})
        return
    with threadpool_limits(1):
        for part in [options.part] if options.part else PARTS:
            run(store, part, options.sets or sets_of(part), options)
    content = results(store)
    show(content)
    if options.publish or complete(content):
        draw({"settings": settings, **content})
        store.publish(published(content))


if __name__ == "__main__":
    main()
