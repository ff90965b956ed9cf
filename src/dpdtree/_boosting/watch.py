"""Sets that a fit watches (`eval_set`): their metrics after each iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.metrics import get_scorer_names

from dpdtree._boosting.sample import Array, Sample

Results = dict[str, dict[str, list[float]]]
#: (encoded targets, predictions, weights) → value; predictions are probabilities of the
#: second class, of all classes if there are not two, or numbers.
Function = Callable[[Array, Array, Array | None], float]


def _log_loss(y: Array, p: Array, weight: Array | None) -> float:
    codes = y.astype(np.intp)
    if p.ndim == 1:
        p = np.column_stack([1.0 - p, p])
    chosen = p[np.arange(len(codes)), codes]
    least = np.finfo(np.float64).eps
    return float(np.average(-np.log(np.maximum(chosen, least)), weights=weight))


def _auc(y: Array, p: Array, weight: Array | None) -> float:
    """Area under the ROC curve; with several classes the mean, one against the rest."""
    shares = p[:, np.newaxis] if p.ndim == 1 else p
    first = 1 if p.ndim == 1 else 0
    areas = [
        metrics.roc_auc_score(y == first + k, share, sample_weight=weight)
        for k, share in enumerate(shares.T)
        if 0 < np.count_nonzero(y == first + k) < len(y)
    ]
    return float(np.mean(areas)) if areas else np.nan


def _rmse(y: Array, p: Array, weight: Array | None) -> float:
    return float(np.sqrt(_mse(y, p, weight)))


def _mse(y: Array, p: Array, weight: Array | None) -> float:
    return float(metrics.mean_squared_error(y, p, sample_weight=weight))


def _mae(y: Array, p: Array, weight: Array | None) -> float:
    return float(metrics.mean_absolute_error(y, p, sample_weight=weight))


def _mape(y: Array, p: Array, weight: Array | None) -> float:
    return float(metrics.mean_absolute_percentage_error(y, p, sample_weight=weight))


#: Metrics under the names that LightGBM and XGBoost have for them.
_OF_LABELS: dict[str, Function] = {
    **dict.fromkeys(
        ("logloss", "mlogloss", "binary_logloss", "multi_logloss", "cross_entropy"),
        _log_loss,
    ),
    "auc": _auc,
}
_OF_NUMBERS: dict[str, Function] = {
    **dict.fromkeys(("rmse", "l2_root"), _rmse),
    **dict.fromkeys(("mse", "l2"), _mse),
    **dict.fromkeys(("mae", "l1"), _mae),
    "mape": _mape,
}
_ERROR = ("error", "merror", "binary_error", "multi_error")


class Judge(Protocol):
    """What a metric may ask: the estimator with the scores of the latest iteration."""

    def loss(self, sample: Sample, raw: Array) -> float: ...
    def targets(self, sample: Sample) -> NDArray[Any]: ...
    def predictions(self, raw: Array) -> Array: ...
    def labels(self, raw: Array) -> NDArray[Any]: ...
    def score(self, scorer: Any, sample: Sample, raw: Array) -> float: ...


class Metric(NamedTuple):
    """A name, None if its value brings one along, and what it makes of some rows."""

    name: str | None
    value: Callable[[Judge, Sample, Array], Any]


@dataclass
class Watched:
    """One set with the raw scores of its rows so far."""

    name: str
    sample: Sample
    raw: Array


class Watch:
    """All watched sets of a fit."""

    def __init__(
        self,
        sets: Mapping[str, Sample],
        wanted: Sequence[Metric],
        judge: Judge,
        before: Results,
    ) -> None:
        self._samples = sets
        self._metrics = wanted
        self._judge = judge
        self._sets: list[Watched] = []
        same = list(before) == list(sets)  # a fit that goes on
        self.results: Results = {
            name: {key: list(values) for key, values in before[name].items()}
            if same
            else {}
            for name in sets
        }

    def begin(self, model: Any) -> None:
        """Compute the scores of the model so far."""
        for name, sample in self._samples.items():
            raw = model.predict_raw(sample.X)
            if sample.init is not None:
                raw = raw + sample.init
            self._sets.append(Watched(name, sample, raw))

    def after(self, latest: Any) -> dict[str, dict[str, float]]:
        """Add the trees of an iteration; return the new values."""
        found: dict[str, dict[str, float]] = {}
        for one in self._sets:
            one.raw = one.raw + latest.predict_raw(one.sample.X)
            found[one.name] = dict(self._values(one))
            for key, value in found[one.name].items():
                self.results[one.name].setdefault(key, []).append(value)
        return found

    def _values(self, one: Watched) -> Iterator[tuple[str, float]]:
        for name, value_of in self._metrics:
            value = value_of(self._judge, one.sample, one.raw)
            key, number = _named(value) if name is None else (name, value)
            yield key, float(number)


def _named(value: Any) -> tuple[str, Any]:
    """LightGBM's metrics return (name, value, is_higher_better)."""
    if isinstance(value, tuple) and len(value) in (2, 3) and isinstance(value[0], str):
        return value[0], value[1]
    raise TypeError(
        "An eval_metric must return a number, or the tuple (name, value,"
        f" is_higher_better); got {value!r}."
    )


def read_metrics(wanted: Any, *, classes: bool, own_loss: bool) -> list[Metric]:
    """Return the metrics that `eval_metric` names; None is the loss."""
    if wanted is None:
        if own_loss:
            raise ValueError(
                "eval_set with a callable loss needs an eval_metric: a callable loss"
                " has derivatives only."
            )
        wanted = "loss"
    several = isinstance(wanted, list | tuple | set)
    listed = list(wanted) if several else [wanted]
    return [_metric(one, classes=classes, own_loss=own_loss) for one in listed]


def _metric(wanted: Any, *, classes: bool, own_loss: bool) -> Metric:
    if callable(wanted):
        return _own_metric(wanted)
    known = _OF_LABELS if classes else _OF_NUMBERS
    if wanted == "loss" and not own_loss:
        return Metric("loss", lambda judge, sample, raw: judge.loss(sample, raw))
    if isinstance(wanted, str) and wanted in known:
        return Metric(wanted, _of_predictions(known[wanted]))
    if isinstance(wanted, str) and wanted in _ERROR and classes:
        return Metric(wanted, _wrong_labels)
    if isinstance(wanted, str) and wanted in get_scorer_names():
        scorer = metrics.get_scorer(wanted)
        return Metric(
            wanted, lambda judge, sample, raw: judge.score(scorer, sample, raw)
        )
    names = sorted([*known, *(_ERROR if classes else ())])
    raise ValueError(
        f"eval_metric must be 'loss', one of {names}, the name of a scikit-learn"
        f" scorer, a callable (y_true, y_pred) -> value, or a list of these; got"
        f" {wanted!r}."
    )


def _of_predictions(function: Function) -> Callable[[Judge, Sample, Array], float]:
    return lambda judge, sample, raw: function(
        sample.y, judge.predictions(raw), sample.weight
    )


def _wrong_labels(judge: Judge, sample: Sample, raw: Array) -> float:
    wrong = judge.labels(raw) != judge.targets(sample)
    return float(np.average(wrong, weights=sample.weight))


def _own_metric(function: Callable[..., Any]) -> Metric:
    """A function of targets and predictions, such as those of scikit-learn."""
    name = getattr(function, "__name__", type(function).__name__)

    def value(judge: Judge, sample: Sample, raw: Array) -> tuple[str, Any]:
        found = function(judge.targets(sample), judge.predictions(raw))
        return found if isinstance(found, tuple) else (name, found)

    return Metric(None, value)


def read_sets(
    eval_set: Any, names: Sequence[str] | None, weights: Any, scores: Any
) -> dict[str, tuple[Any, Any, Any, Any]]:
    """Return (X, y, weight, init_score) by name."""
    sets = _listed(eval_set)
    if isinstance(eval_set, Mapping):
        if names is not None:
            raise ValueError("eval_names is given, but eval_set has names already.")
        names = [str(name) for name in eval_set]
    elif names is None:
        names = [f"valid_{i}" for i in range(len(sets))]
    names = list(names)
    if len(names) != len(sets) or len(set(names)) < len(names):
        raise ValueError(
            f"eval_names must hold a distinct name for each of the {len(sets)} sets"
            f" of eval_set, got {names}."
        )
    found = {}
    weights = _per_set("eval_sample_weight", weights, len(sets))
    scores = _per_set("eval_init_score", scores, len(sets))
    for name, one, weight, init in zip(names, sets, weights, scores, strict=True):
        X, y, *rest = one
        if rest and weight is not None:
            raise ValueError(
                f"eval_set has weights of {name!r} already; leave out those in"
                " eval_sample_weight."
            )
        found[name] = (X, y, rest[0] if rest else weight, init)
    return found


def _listed(eval_set: Any) -> list[tuple[Any, ...]]:
    if isinstance(eval_set, Mapping):
        sets = list(eval_set.values())
    elif isinstance(eval_set, tuple) and not isinstance(eval_set[0], tuple):
        sets = [eval_set]
    elif isinstance(eval_set, list | tuple):
        sets = list(eval_set)
    else:
        sets = [None]
    for one in sets:
        if not isinstance(one, tuple | list) or len(one) not in (2, 3):
            raise TypeError(
                "eval_set must be a list of tuples (X, y) or (X, y, sample_weight), or"
                f" a dict of them by name; got {type(one).__name__} in"
                f" {type(eval_set).__name__}."
            )
    return [tuple(one) for one in sets]


def _per_set(name: str, given: Any, n_sets: int) -> list[Any]:
    if given is None:
        return [None] * n_sets
    if not isinstance(given, list | tuple) or len(given) != n_sets:
        raise ValueError(
            f"{name} must be a list with an entry (None, or an array) for each of the"
            f" {n_sets} sets of eval_set."
        )
    return list(given)
