"""The iterations of a boosted fit that is open, and the attributes they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring

from dpdtree._boosting.aside import rows_of_least_hash
from dpdtree._boosting.loop import Loop, Rules, Scores
from dpdtree._boosting.sample import Opened, Sample
from dpdtree._boosting.scoring import Judge
from dpdtree._boosting.stopping import has_no_score, scores_by_loss
from dpdtree._boosting.watch import Watch, read_metrics
from dpdtree._clock import Clock
from dpdtree._fitted import set_attributes
from dpdtree._progress import Heartbeat

# Rows that a scorer sees of the training data at most.
_SCORED_ROWS = 10_000


def heartbeat(estimator: Any, clock: Clock) -> Heartbeat:
    """Return the line that shows that a fit goes on."""
    return Heartbeat(
        type(estimator).__name__,
        clock.seconds,
        "reading and binning the data",
        shown=bool(estimator.verbose),
    )


def run_iterations(
    estimator: Any,
    opened: Opened,
    callbacks: Iterable[Callable[..., object]] | None,
    before: dict[str, Any],
    clock: Clock,
    *,
    metric: Any = None,
    line: Heartbeat | None = None,
) -> dict[str, Any]:
    """Make the iterations; return the fitted attributes."""
    if line is None:
        with heartbeat(estimator, clock) as line:
            return run_iterations(
                estimator, opened, callbacks, before, clock, metric=metric, line=line
            )
    target, stops_early = opened.target, opened.stops_early
    set_attributes(estimator, **target.fitted)
    judge = Judge(estimator, opened.session)
    rules = Rules(
        estimator.max_iter,
        estimator.n_iter_no_change if stops_early else None,
        estimator.tol,
        list(callbacks or ()),
        line,
    )
    scores = Scores(
        list(before.get("train_score_", ())),
        list(before.get("validation_score_", ())),
    )
    watch = _watch(estimator, opened, metric, judge, before)
    score = _scorer(estimator, opened, judge)
    loop = Loop(opened.session, rules, scores, score, watch, clock)
    model = loop.run(estimator.loss if callable(estimator.loss) else None, opened.train)
    return {
        **target.fitted,
        **{f"{name}_": value for name, value in opened.settings.items()},
        "booster_": model,
        "n_iter_": model.n_iterations,
        "n_trees_per_iteration_": model.n_outputs,
        "do_early_stopping_": stops_early,
        "train_score_": np.array(loop.scores.train),
        "validation_score_": np.array(loop.scores.validation),
        "evals_result_": {} if watch is None else watch.results,
        "stop_reason_": loop.stop_reason,
        "random_seed_": opened.seed,
    }


def _watch(
    estimator: Any, opened: Opened, wanted: Any, judge: Judge, before: dict[str, Any]
) -> Watch | None:
    if not opened.sets:
        return None
    metrics = read_metrics(
        wanted, classes=opened.target.are_classes, own_loss=callable(estimator.loss)
    )
    return Watch(opened.sets, metrics, judge, before.get("evals_result_", {}))


def _scorer(
    estimator: Any, opened: Opened, judge: Judge
) -> Callable[[], tuple[float, float | None]] | None:
    """Return what gives the scores of the latest iteration: train, validation."""
    session, train, held_out = opened[:3]
    if has_no_score(estimator):
        return None
    if scores_by_loss(estimator):
        return lambda: (
            -session.train_loss(),
            None if held_out is None else -session.val_loss(),
        )
    scorer = check_scoring(estimator, estimator.scoring)
    seen = _some_rows(train, opened.seed)
    small = train.take(seen)
    return lambda: (
        judge.score(scorer, small, session.raw_train[seen]),
        None
        if held_out is None
        else judge.score(scorer, held_out, np.asarray(session.raw_val)),
    )


def _some_rows(train: Sample, seed: int) -> NDArray[np.intp]:
    n = len(train.y)
    if n <= _SCORED_ROWS:
        return np.arange(n)
    return rows_of_least_hash(n, _SCORED_ROWS, seed)
