"""Test scores of gradient boosting with and without look-ahead, and of its peers.

    python -m benchmarks.boosting_quality --part depth3   # the paper's figure
    python -m benchmarks.boosting_quality --part equal    # equal size, 31 leaves
    python -m benchmarks.boosting_quality --part tuned    # random search, equal time
    python -m benchmarks.boosting_quality --plot

What is measured is kept in a work file: a run that was stopped goes on, --minutes ends
one in time, --models and --splits measure some of it first. Results are published once
every part is complete (--publish: with the splits there are). Times are processor
seconds of one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from time import monotonic, process_time
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks._contestants import DEPTH_3, LEAFWISE, Contestant, loss, peer_versions
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
from benchmarks._timing import print_table, stored_json

TREES, SPLITS = 150, 3
MAX_TRAIN = {"depth3": 10_000, "equal": 10_000, "tuned": 5000}
STAGES = (10, 30, 60, 100, 150)
#: The random search: sets of different kinds, for it takes many fits.
TUNED_SETS = [
    "grinsztajn/california", "grinsztajn/electricity", "grinsztajn/jannis",
    "grinsztajn/credit", "quantbnb/eeg", "quantbnb/magic", "grinsztajn/houses",
    "grinsztajn/wine_quality", "grinsztajn/Ailerons", "grinsztajn/MiamiHousing2016",
    "grinsztajn/bank_marketing", "grinsztajn/abalone", "quantbnb/fault",
    "quantbnb/reg_concrete",
]  # fmt: skip
TUNED = ("LightGBM", "light", "strong", "None", "XGBoost")
TRIALS, MAX_ITER, PATIENCE = 20, 400, 20
PARTS = ("depth3", "equal", "tuned")
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


def trials(seed: int) -> Iterator[dict[str, float]]:
    """The same random settings for every contestant."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIALS):
        yield {
            "learning_rate": float(np.exp(rng.uniform(np.log(0.03), np.log(0.3)))),
            "leaves": int(rng.choice([7, 15, 31, 63])),
            "l2": float(np.exp(rng.uniform(np.log(0.01), np.log(10)))),
            "min_leaf": int(rng.choice([5, 20, 50])),
        }


def tuned_fit(
    name: str, trial: dict[str, float], split: Split, classifies: bool
) -> Any:
    """One trial with early stopping: validation losses by iteration, seconds."""
    rows = np.arange(len(split.y))
    stratify = split.y if classifies else None
    kept, held = train_test_split(
        rows, test_size=0.2, stratify=stratify, random_state=0
    )
    data = (split.X[kept], split.y[kept], split.X[held], split.y[held])
    own = {"learning_rate": trial["learning_rate"]}
    contestant = LEAFWISE[name]
    if name == "LightGBM":
        own |= {"num_leaves": trial["leaves"], "reg_lambda": trial["l2"]}
        own |= {"min_child_samples": trial["min_leaf"]}
    elif name == "XGBoost":
        own |= {"max_leaves": trial["leaves"], "reg_lambda": trial["l2"]}
        own |= {"min_child_weight": trial["min_leaf"] / 4}
        own |= {"early_stopping_rounds": PATIENCE}
        own |= {"eval_metric": "logloss" if classifies else "rmse"}
        if classifies and len(np.unique(split.y)) > 2:
            own["eval_metric"] = "mlogloss"
    else:
        own |= {"max_leaf_nodes": trial["leaves"], "l2_regularization": trial["l2"]}
        own |= {"min_samples_leaf": trial["min_leaf"], "early_stopping": True}
        own |= {"n_iter_no_change": PATIENCE, "tol": 0.0}
    model = contestant.make(classifies, MAX_ITER, **own)
    start = process_time()
    curve = _fit_with_validation(name, model, *data)
    return model, curve, process_time() - start


def _fit_with_validation(
    name: str, model: Any, X: Any, y: Any, X_val: Any, y_val: Any
) -> list[float]:
    if name == "LightGBM":
        import lightgbm

        stop = lightgbm.early_stopping(PATIENCE, verbose=False)
        model.fit(X, y, eval_X=X_val, eval_y=y_val, callbacks=[stop])
        return [float(v) for v in next(iter(model.evals_result_["valid_0"].values()))]
    if name == "XGBoost":
        model.fit(X, y, eval_set=[(X_val, y_val)], verbose=False)
        curve = next(iter(model.evals_result()["validation_0"].values()))
        return [float(v) for v in curve]
    model.fit(X, y, X_val=X_val, y_val=y_val)
    return [-float(v) for v in model.validation_score_[1:]]


def search(
    name: str, split: Split, classifies: bool, limit: float | None
) -> dict[str, Any]:
    """The best test loss of a contestant by time: LightGBM's own, half, no limit.

    LightGBM goes first and sets the limit.
    """
    runs = [tuned_fit(name, t, split, classifies) for t in trials(0)]
    if limit is None:
        best = min(runs, key=lambda run: min(run[1]))
        # Time until its best iteration, not until early stopping noticed.
        limit = best[2] * (int(np.argmin(best[1])) + 1) / len(best[1])
    limits = {"half": limit / 2, "same": limit, "free": float("inf")}
    losses = {
        label: _best_within(name, runs, seconds, split, classifies)
        for label, seconds in limits.items()
    }
    return {"limit": limit, **losses}


def _best_within(
    name: str, runs: list[Any], limit: float, split: Split, classifies: bool
) -> float:
    """Test loss of the iteration with the best validation loss that fits the time."""
    choices = []
    for model, curve, seconds in runs:
        # `seconds` covers the iterations that early stopping took back, too.
        made = len(curve) + (PATIENCE if name not in ("LightGBM", "XGBoost") else 0)
        affordable = len(curve)
        if np.isfinite(limit):
            affordable = min(affordable, int(limit / seconds * min(made, MAX_ITER)))
        if affordable > 0:
            k = int(np.argmin(curve[:affordable])) + 1
            choices.append((curve[k - 1], k, model))
    if not choices:
        choices = [(runs[0][1][0], 1, runs[0][0])]
    _, k, model = min(choices, key=lambda choice: choice[0])
    predicted = LEAFWISE[name].predict(model, split.X_test, k, classifies)
    return loss(split.y_test, predicted, classifies)


def averaged(rounds: list[dict[str, Any]], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Means over the splits that all contestants have been measured on."""
    complete = [r for r in rounds if all(m in r for m in wanted)]
    if not complete:
        return {}
    found: dict[str, Any] = {"splits": len(complete)}
    for model, facts in complete[0].items():
        found[model] = {
            key: np.mean([r[model][key] for r in complete], axis=0).tolist()
            for key in facts
        }
    return found


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


def tuned_summary(sets: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the random search, under each limit of time."""
    sets = {n: found for n, found in sets.items() if all(m in found for m in TUNED)}
    if not sets:
        return {}
    limits = {
        label: _summary(
            [{m: -found[m][label] for m in TUNED} for found in sets.values()],
            "LightGBM",
        )
        for label in ("half", "same", "free")
    }
    return {"sets": dict(sets), "summary": limits}


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
    content = {part: equal_summary(part, store.part(part)) for part in PARTS[:2]}
    content["tuned"] = tuned_summary(store.part("tuned"))
    return {"peers": peer_versions(), **content}


def complete(content: Mapping[str, Any]) -> bool:
    """Whether every set has been measured on every split."""
    equal = [
        found for part in PARTS[:2] for found in content[part].get("sets", {}).values()
    ]
    return (
        len(equal) == 2 * len(CLASSIFICATION + REGRESSION)
        and all(found["splits"] == SPLITS for found in equal)
        and len(content["tuned"].get("sets", ())) == len(TUNED_SETS)
    )


def run(store: Store, part: str, names: list[str], options: argparse.Namespace) -> None:
    """Measure what is missing, split after split."""
    sets = store.part(part)
    deadline = STARTED + 60 * options.minutes
    for seed in range(1 if part == "tuned" else options.splits):
        for name in names:
            if part == "tuned":
                _run_search(store, name, deadline)
            elif monotonic() < deadline and _run_round(
                sets, part, name, seed, options.models
            ):
                store.save()


def _run_search(store: Store, name: str, deadline: float) -> None:
    found = store.part("tuned").setdefault(short(name), {})
    missing = [who for who in TUNED if who not in found]
    if not missing or monotonic() > deadline:
        return
    (split,) = splits(name, 1, MAX_TRAIN["tuned"])
    for who in missing:
        if monotonic() > deadline:
            return
        limit = found[TUNED[0]]["limit"] if who != TUNED[0] else None
        found[who] = search(who, split, name in CLASSIFICATION, limit)
        store.save()


def _run_round(
    sets: dict[str, Any], part: str, name: str, seed: int, models: list[str]
) -> bool:
    """Measure the contestants one split still lacks."""
    rounds = sets.setdefault(short(name), [])
    if len(rounds) <= seed:
        rounds.append({})
    found = rounds[seed]
    wanted = contestants(part)
    missing = {n: c for n, c in wanted.items() if n not in found and n in models}
    if not missing:
        return False
    classifies = name in CLASSIFICATION
    *_, split = splits(name, seed + 1, MAX_TRAIN[part])
    found |= measure(missing, split, classifies)
    if part == "depth3":
        found["cart"] = {"score": cart_score(split, classifies)}
    return True


def contestants(part: str) -> Mapping[str, Contestant]:
    """Who takes part."""
    return DEPTH_3 if part == "depth3" else LEAFWISE


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
    if options.plot:
        from benchmarks._boosting_plots import draw

        draw(stored_json(NAME))
        return
    settings = {"trees": TREES, "rows": MAX_TRAIN, "stages": STAGES, "trials": TRIALS}
    store = Store(NAME, settings)
    with threadpool_limits(1):
        for part in [options.part] if options.part else PARTS:
            every = TUNED_SETS if part == "tuned" else CLASSIFICATION + REGRESSION
            run(store, part, options.sets or every, options)
    content = results(store)
    show(content)
    if options.publish or complete(content):
        store.publish(content)


if __name__ == "__main__":
    main()
