"""From what `fit` of a boosting estimator gets to its fitted attributes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from dpdtree._blocks.sources import RowBlocks
from dpdtree._boosting.blocks import open_blocks
from dpdtree._boosting.core_params import core_params
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.loop import Loop, Rules, Scores
from dpdtree._boosting.sample import Array, Opened, Sample, Target
from dpdtree._boosting.scoring import Judge, rows_aside, rows_of_least_hash
from dpdtree._boosting.sessions import open_session
from dpdtree._boosting.watch import Watch, read_metrics, read_sets
from dpdtree._clock import Clock
from dpdtree._core import BoostingParams
from dpdtree._input.validation import (
    check_parameters,
    check_sample_weight,
    check_X,
    check_y_shape,
)
from dpdtree._params.kinds import Parameter
from dpdtree._progress import Heartbeat

# early_stopping="auto" stops early from this many rows on.
_MANY_ROWS = 10_000
# Rows that a scorer sees of the training data at most.
_SCORED_ROWS = 10_000


class Arguments(NamedTuple):
    """What `fit` was given beside the parameters."""

    X: Any
    y: Any
    sample_weight: Any
    init_score: Any
    validation: tuple[Any, Any, Any]
    eval_set: Any
    eval_names: Any
    eval_metric: Any
    eval_sample_weight: Any
    eval_init_score: Any
    callbacks: Iterable[Callable[..., object]] | None


class BoostedFit:
    """The fit of a boosting estimator.

    What it returns are attributes; until then the estimator gets those only that
    describe X and y.
    """

    _parameters: ClassVar[tuple[Parameter, ...]]
    _several_outputs: ClassVar[bool] = False

    def _fit(self, given: Arguments, before: dict[str, Any]) -> dict[str, Any]:
        """Return the fitted attributes."""
        clock = Clock(self.time_limit)
        check_parameters(self, self._parameters)
        training = (given.X, given.y, given.sample_weight)
        if isinstance(given.X, RowBlocks):
            refuse_in_memory(given)
            opened = open_blocks(self, training, given.validation, before, clock)
            return self._run(opened, given.callbacks, before, clock)
        with self._heartbeat(clock) as line:
            opened = self._open(given, before, clock)
            return self._run(
                opened,
                given.callbacks,
                before,
                clock,
                metric=given.eval_metric,
                line=line,
            )

    def _heartbeat(self, clock: Clock) -> Heartbeat:
        return Heartbeat(
            type(self).__name__,
            clock.seconds,
            "reading and binning the data",
            shown=bool(self.verbose),
        )

    def _open(self, given: Arguments, before: dict[str, Any], clock: Clock) -> Opened:
        """Check and encode the data; return the session of the fit."""
        train, target = self._check_training(given, before)
        n_rows, classes = train.n_rows(), target.are_classes
        settings = resolved(self, n_rows, before, classes=classes)
        seed = self._seed(before)
        sets = self._check_sets(given, target)
        held_out = self._check_validation(given.validation, target)
        stops_early = self._stops_early(len(train.y), given=held_out is not None)
        if held_out is None and sets:
            held_out = list(sets.values())[-1]
        if held_out is None and stops_early and self.validation_fraction is not None:
            train, held_out = self._set_aside(train, seed, target)
        params = self._checked_params(settings, target, seed)
        params.time_limit = clock.left()
        session = open_session(
            train, held_out, target.n_classes, params, before.get("booster_")
        )
        if not before:
            both = n_rows, train.n_rows()
            settings = paced(self, session, settings, both, classes=classes)
        return Opened(
            session, train, held_out, target, stops_early, seed, settings, sets
        )

    def _run(
        self,
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
            with self._heartbeat(clock) as line:
                return self._run(
                    opened, callbacks, before, clock, metric=metric, line=line
                )
        target, stops_early = opened.target, opened.stops_early
        self._set(**target.fitted)
        judge = Judge(self, opened.session)
        rules = Rules(
            self.max_iter,
            self.n_iter_no_change if stops_early else None,
            self.tol,
            list(callbacks or ()),
            line,
        )
        scores = Scores(
            list(before.get("train_score_", ())),
            list(before.get("validation_score_", ())),
        )
        watch = self._watch(opened, metric, judge, before)
        score = self._scorer(opened, judge)
        loop = Loop(opened.session, rules, scores, score, watch, clock)
        model = loop.run(self.loss if callable(self.loss) else None, opened.train)
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

    def _seed(self, before: dict[str, Any]) -> int:
        if "random_seed_" in before:
            return int(before["random_seed_"])
        source = 0 if self.random_state is None else self.random_state
        return int(check_random_state(source).randint(2**31 - 1))

    def _checked_params(
        self, settings: dict[str, Any], target: Target, seed: int
    ) -> BoostingParams:
        params = core_params(self, settings, self.n_features_in_, seed)
        if any(params.monotonic_cst) and target.n_classes > 2:
            raise ValueError(
                "monotonic_cst is not supported with three or more classes."
            )
        return params

    def _check_training(
        self, given: Arguments, before: dict[str, Any]
    ) -> tuple[Sample, Target]:
        X = self._check_more(given.X) if before else check_X(self, given.X, reset=True)
        y, weight = self._check_rows(X, given.y, given.sample_weight)
        target = self._encode(y, weight)
        if before:
            self._check_warm_start(target, before)
        init = given.init_score
        if init is not None:
            init = check_scores("init_score", init, len(y), target.n_scores)
        return Sample(X, target.y, target.weight, init), target

    def _check_rows(
        self, X: NDArray[Any], y: Any, weight: Any
    ) -> tuple[NDArray[Any], Array | None]:
        y = check_y_shape(self, y, X.shape[0], several=self._several_outputs)
        if weight is not None:
            weight = check_sample_weight(weight, X.shape[0])
        return y, weight

    def _check_more(self, X: Any) -> NDArray[Any]:
        try:
            return check_X(self, X, reset=False)
        except ValueError as error:
            raise ValueError(
                f"With warm_start=True, X must be like that of the last fit: {error}"
            ) from error

    def _check_warm_start(self, target: Target, before: dict[str, Any]) -> None:
        if self.max_iter < before["n_iter_"]:
            raise ValueError(
                f"max_iter={self.max_iter} must not be below the"
                f" {before['n_iter_']} iterations made before, with warm_start=True."
            )
        for name, value in target.fitted.items():
            if not np.array_equal(before[name], value):
                raise ValueError(
                    f"With warm_start=True the labels must stay the same: {name} was"
                    f" {before[name]!r} and would be {value!r}."
                )
        if before["n_trees_per_iteration_"] != target.n_scores:
            raise ValueError(
                "With warm_start=True y must have as many outputs as in the last fit:"
                f" {before['n_trees_per_iteration_']}, not {target.n_scores}."
            )

    def _stops_early(self, n_samples: int, *, given: bool) -> bool:
        wanted = self.early_stopping
        if self._has_no_score() and (given or wanted is True):
            raise ValueError(
                "A callable loss has no score to watch or to stop by: set scoring to"
                " the name of a scorer or to a callable."
            )
        if isinstance(wanted, str):  # "auto"
            # A loss of one's own has no value to compare: silently go without.
            return given or (n_samples > _MANY_ROWS and not self._has_no_score())
        return bool(wanted)

    def _has_no_score(self) -> bool:
        return callable(self.loss) and self._scores_by_loss()

    def _scores_by_loss(self) -> bool:
        return isinstance(self.scoring, str) and self.scoring == "loss"

    def _check_validation(
        self, validation: tuple[Any, Any, Any], target: Target
    ) -> Sample | None:
        X, y, weight = validation
        if (X is None) != (y is None):
            missing, given = ("y_val", "X_val") if y is None else ("X_val", "y_val")
            raise ValueError(f"{given} is given, but {missing} is not.")
        if X is not None:
            return self._check_sample((X, y, weight, None), target, "y_val")
        if weight is not None:
            raise ValueError("sample_weight_val is given, but X_val is not.")
        return None

    def _check_sets(self, given: Arguments, target: Target) -> dict[str, Sample]:
        if given.eval_set is None:
            for name in ("names", "metric", "sample_weight", "init_score"):
                if getattr(given, f"eval_{name}") is not None:
                    raise ValueError(f"eval_{name} is given, but eval_set is not.")
            return {}
        sets = read_sets(
            given.eval_set,
            given.eval_names,
            given.eval_sample_weight,
            given.eval_init_score,
        )
        return {
            name: self._check_sample(rows, target, f"y of eval_set {name!r}")
            for name, rows in sets.items()
        }

    def _check_sample(
        self, given: tuple[Any, Any, Any, Any], target: Target, name: str
    ) -> Sample:
        X = check_X(self, given[0], reset=False)
        y, weight = self._check_rows(X, *given[1:3])
        if y.ndim != target.y.ndim or y.shape[1:] != target.y.shape[1:]:
            raise ValueError(f"{name} must have as many outputs as y.")
        init = given[3]
        if init is not None:
            init = check_scores("eval_init_score", init, len(y), target.n_scores)
        return Sample(X, self._encode_more(y, weight, target, name), weight, init)

    def _set_aside(
        self, train: Sample, seed: int, target: Target
    ) -> tuple[Sample, Sample]:
        labels = train.y if target.are_classes else np.zeros(len(train.y))
        chosen = rows_aside(self.validation_fraction, labels, train.weight, seed)
        return train.rows(~chosen), train.rows(chosen)

    def _watch(
        self, opened: Opened, wanted: Any, judge: Judge, before: dict[str, Any]
    ) -> Watch | None:
        if not opened.sets:
            return None
        metrics = read_metrics(
            wanted, classes=opened.target.are_classes, own_loss=callable(self.loss)
        )
        return Watch(opened.sets, metrics, judge, before.get("evals_result_", {}))

    def _scorer(
        self, opened: Opened, judge: Judge
    ) -> Callable[[], tuple[float, float | None]] | None:
        """Return what gives the scores of the latest iteration: train, validation."""
        session, train, held_out = opened[:3]
        if self._has_no_score():
            return None
        if self._scores_by_loss():
            return lambda: (
                -session.train_loss(),
                None if held_out is None else -session.val_loss(),
            )
        scorer = check_scoring(self, self.scoring)
        seen = _some_rows(train, opened.seed)
        small = train.rows(seen)
        return lambda: (
            judge.score(scorer, small, session.raw_train[seen]),
            None
            if held_out is None
            else judge.score(scorer, held_out, np.asarray(session.raw_val)),
        )

    @abstractmethod
    def _encode(self, y: NDArray[Any], weight: Array | None) -> Target:
        """Check and encode labels or targets; the estimator stays as it is."""

    @abstractmethod
    def _encode_more(
        self,
        y: NDArray[Any],
        weight: Array | None,
        target: Target,
        name: str = "y_val",
    ) -> Array:
        """Encode labels or targets of validation rows like those of the fit."""

    # What scikit-learn's base class and the constructors give an estimator.
    _set: Callable[..., None]
    loss: Any
    time_limit: float | None
    verbose: Any
    validation_fraction: Any
    max_iter: int
    n_iter_no_change: int
    tol: float
    random_state: Any
    early_stopping: Any
    scoring: Any
    n_features_in_: int


def refuse_in_memory(given: Arguments) -> None:
    """Raise for what needs X in memory."""
    for name in ("init_score", "eval_set", "eval_metric"):
        if getattr(given, name) is not None:
            raise ValueError(f"{name} needs X in memory: RowBlocks will not do.")


def check_scores(name: str, given: Any, n_rows: int, n_scores: int) -> Array:
    """Return raw scores with a column for each output."""
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}") from error
    if scores.ndim == 1:
        scores = scores[:, np.newaxis]
    if scores.shape != (n_rows, n_scores):
        wanted = (n_rows,) if n_scores == 1 else (n_rows, n_scores)
        raise ValueError(f"{name} must have shape {wanted}, got {np.shape(given)}.")
    if not np.isfinite(scores).all():
        raise ValueError(f"{name} must hold finite numbers.")
    return np.ascontiguousarray(scores)


def _some_rows(train: Sample, seed: int) -> NDArray[np.intp]:
    n = len(train.y)
    if n <= _SCORED_ROWS:
        return np.arange(n)
    return rows_of_least_hash(n, _SCORED_ROWS, seed)
