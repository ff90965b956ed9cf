"""The same random search for several boosting libraries, judged at equal time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks._contestants import LEAFWISE, loss
from benchmarks._quality import Split

#: The first one sets the limit of time. With so few rows "strong" is what "light" is.
TUNED = ("LightGBM", "light", "None")
#: Takes as long as all of them, so it runs on the first split only. CatBoost and
#: HistGradientBoosting are left out: they take several times as long.
SLOW = "XGBoost"
TRIALS, MAX_ITER, PATIENCE = 20, 400, 20
#: Parts of the time that LightGBM's best model took.
LIMITS = {"half": 0.5, "same": 1.0, "free": float("inf")}


class Run(NamedTuple):
    """One trial: validation losses by iteration, processor seconds of all `made`."""

    model: Any
    curve: list[float]
    made: int
    seconds: float

    def seconds_until(self, k: int) -> float:
        """What the first k iterations took, and what comes before them."""
        return self.seconds * k / self.made

    def best(self, limit: float) -> tuple[float, int]:
        """The lowest validation loss within the limit, and its iteration (0: none)."""
        affordable = len(self.curve)
        if np.isfinite(limit):
            affordable = min(affordable, int(limit / self.seconds_until(1)))
        if affordable == 0:
            return float("inf"), 0
        k = int(np.argmin(self.curve[:affordable]))
        return self.curve[k], k + 1


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


def search(
    names: Sequence[str], split: Split, classifies: bool, found: Mapping[str, Any]
) -> dict[str, Any]:
    """Test losses of each contestant's best model under every limit of time.

    The contestants take turns, trial by trial: whatever else the machine has to do
    slows all of them down. The limit is LightGBM's, measured here or found before.
    """
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for trial in trials(0):
        for name in names:
            runs[name].append(_fit(name, trial, split, classifies))
    if TUNED[0] in names:
        limit = _time_of_best(runs[TUNED[0]])
    else:
        limit = found[TUNED[0]]["limit"]
    return {name: _judged(name, runs[name], limit, split, classifies) for name in names}


def _time_of_best(runs: Sequence[Run]) -> float:
    """Until its best iteration, not until early stopping noticed."""
    best = min(runs, key=lambda run: run.best(float("inf")))
    return best.seconds_until(best.best(float("inf"))[1])


def _judged(
    name: str, runs: Sequence[Run], limit: float, split: Split, classifies: bool
) -> dict[str, Any]:
    """By limit: test loss, trial and number of trees of the model chosen."""
    facts: dict[str, Any] = {"limit": limit, "loss": [], "trial": [], "trees": []}
    for share in LIMITS.values():
        chosen = min(range(len(runs)), key=lambda i: runs[i].best(share * limit))
        trees = max(1, runs[chosen].best(share * limit)[1])
        predicted = LEAFWISE[name].predict(
            runs[chosen].model, split.X_test, trees, classifies
        )
        facts["loss"].append(loss(split.y_test, predicted, classifies))
        facts["trial"].append(chosen)
        facts["trees"].append(trees)
    return facts | {"seconds": sum(run.seconds for run in runs)}


def _fit(name: str, trial: dict[str, float], split: Split, classifies: bool) -> Run:
    """One trial with early stopping on a fifth of the rows."""
    kept, held = train_test_split(
        np.arange(len(split.y)),
        test_size=0.2,
        stratify=split.y if classifies else None,
        random_state=0,
    )
    data = (split.X[kept], split.y[kept], split.X[held], split.y[held])
    own = _own_names(name, trial, len(np.unique(split.y)) if classifies else 0)
    model = LEAFWISE[name].make(classifies, MAX_ITER, **own)
    start = process_time()
    curve = _fit_with_validation(name, model, *data)
    seconds = process_time() - start
    # Ours forgets the iterations that early stopping takes back; they took time, too.
    taken_back = 0 if name in ("LightGBM", "XGBoost") else PATIENCE
    return Run(model, curve, min(MAX_ITER, len(curve) + taken_back), seconds)


def _own_names(name: str, trial: dict[str, float], n_classes: int) -> dict[str, Any]:
    """The settings of a trial as one library calls them."""
    rate, leaves, l2 = trial["learning_rate"], trial["leaves"], trial["l2"]
    if name == "LightGBM":
        own: dict[str, Any] = {"num_leaves": leaves, "reg_lambda": l2}
        own |= {"min_child_samples": trial["min_leaf"]}
    elif name == "XGBoost":
        own = {"max_leaves": leaves, "reg_lambda": l2}
        own |= {"min_child_weight": trial["min_leaf"] / 4}
        metric = {0: "rmse", 2: "logloss"}.get(n_classes, "mlogloss")
        own |= {"early_stopping_rounds": PATIENCE, "eval_metric": metric}
    else:
        own = {"max_leaf_nodes": leaves, "l2_regularization": l2}
        own |= {"min_samples_leaf": trial["min_leaf"], "early_stopping": True}
        own |= {"n_iter_no_change": PATIENCE, "tol": 0.0}
    return {"learning_rate": rate, **own}


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
