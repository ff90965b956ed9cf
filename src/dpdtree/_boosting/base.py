"""What both gradient boosting estimators share."""

from __future__ import annotations

import copy
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dpdtree._blocks.sources import RowBlocks
from dpdtree._boosting.blocks import open_blocks
from dpdtree._boosting.core_params import core_params
from dpdtree._boosting.defaults import resolved
from dpdtree._boosting.loop import Array, Loop, Opened, Rules, Sample, Scores, Target
from dpdtree._boosting.scoring import (
    rows_aside,
    rows_of_least_hash,
    takes_weights,
)
from dpdtree._clock import Clock
from dpdtree._core import BoostingModel, BoostingParams, BoostingSession
from dpdtree._input.categories import EncodesCategories
from dpdtree._input.validation import (
    check_parameters,
    check_sample_weight,
    check_X,
    check_y_shape,
)
from dpdtree._params.hints import HelpfulNames
from dpdtree._params.kinds import Parameter
from dpdtree._progress import StatusLine
from dpdtree._threads import n_threads
from dpdtree.export.card import model_card
from dpdtree.export.explain import Explanation, explain
from dpdtree.io.mixin import ModelFileMixin

Self = TypeVar("Self", bound="BaseBoosting")

# early_stopping="auto" stops early from this many rows on.
_MANY_ROWS = 10_000
# Rows that a scorer sees of the training data at most.
_SCORED_ROWS = 10_000


class BaseBoosting(
    HelpfulNames, EncodesCategories, ModelFileMixin, BaseEstimator, metaclass=ABCMeta
):
    """Fit and raw predictions of the gradient boosting estimators."""

    _parameters: ClassVar[tuple[Parameter, ...]]
    # Of a feature: a bin each.
    _most_categories: ClassVar[int] = 255

    @abstractmethod
    def _encode(self, y: NDArray[Any], weight: Array | None) -> Target:
        """Check and encode labels or targets; the estimator stays as it is."""

    @abstractmethod
    def _encode_more(
        self, y: NDArray[Any], weight: Array | None, target: Target
    ) -> Array:
        """Encode labels or targets of validation rows like those of the fit."""

    @abstractmethod
    def _decode(self, y: Array) -> NDArray[Any]:
        """Turn encoded targets back into what scorers compare with."""

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        callbacks: Iterable[Callable[..., object]] | None = None,
    ) -> Self:
        """Add one tree after the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers of any real type, and categories; NaN is a missing value. Or a
            `dpdtree.RowBlocks`, which brings y and weights with it.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; None weighs each row 1. A weight of 2 counts like two
            equal rows, except where rows are counted or drawn: `min_samples_leaf`,
            `subsample`, the ten rows a category needs, and `lookahead="light"`, which
            draws a sample from more than 10000 rows.
        X_val, y_val, sample_weight_val : array-likes, default=None
            Rows to watch, and to stop by unless `early_stopping=False`; without them a
            part of X is set aside for early stopping.
        callbacks : iterable of callables, default=None
            Each is called after every iteration with a `BoostingProgress`; one that
            returns True ends the fit with the iterations made so far.

        Returns
        -------
        self
            A fit that fails or is interrupted leaves the estimator unfitted; with
            `warm_start` as it was before.
        """
        before = self._fitted() if self.warm_start else {}
        if not before:
            self._forget()
        validation = (X_val, y_val, sample_weight_val)
        try:
            fitted = self._fit((X, y, sample_weight), validation, callbacks, before)
        except BaseException:
            self._forget()
            self._set(**before)
            raise
        self._set(**fitted)
        return self

    def _fit(
        self,
        training: tuple[Any, Any, Any],
        validation: tuple[Any, Any, Any],
        callbacks: Iterable[Callable[..., object]] | None,
        before: dict[str, Any],
    ) -> dict[str, Any]:
        """Return the fitted attributes."""
        clock = Clock(self.time_limit)
        check_parameters(self, self._parameters)
        in_blocks = isinstance(training[0], RowBlocks)
        opening = open_blocks if in_blocks else type(self)._open
        opened = opening(self, training, validation, before, clock)
        return self._run(opened, callbacks, before, clock)

    def _run(
        self,
        opened: Opened,
        callbacks: Iterable[Callable[..., object]] | None,
        before: dict[str, Any],
        clock: Clock,
    ) -> dict[str, Any]:
        """Make the iterations; return the fitted attributes."""
        session, train, held_out, target = opened[:4]
        stops_early, seed, settings = opened[4:]
        self._set(**target.fitted)
        with StatusLine(type(self).__name__, shown=bool(self.verbose)) as line:
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
            score = (
                None
                if self._has_no_score()
                else self._scorer(session, train, held_out, seed)
            )
            loop = Loop(session, rules, scores, score, clock)
            model = loop.run(self.loss if callable(self.loss) else None, train)
        return {
            **target.fitted,
            **{f"{name}_": value for name, value in settings.items()},
            "booster_": model,
            "n_iter_": model.n_iterations,
            "n_trees_per_iteration_": model.n_outputs,
            "do_early_stopping_": stops_early,
            "train_score_": np.array(loop.scores.train),
            "validation_score_": np.array(loop.scores.validation),
            "stop_reason_": loop.stop_reason,
            "random_seed_": seed,
        }

    def _check_training(
        self, X: Any, y: Any, sample_weight: Any, *, before: dict[str, Any]
    ) -> tuple[Sample, Target]:
        X = self._check_more(X) if before else check_X(self, X, reset=True)
        y = check_y_shape(self, y, X.shape[0])
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, X.shape[0])
        target = self._encode(y, weight)
        if before:
            self._check_warm_start(target, before)
        return Sample(X, target.y, target.weight), target

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

    def _stops_early(self, n_samples: int, *, given: bool) -> bool:
        if self._has_no_score() and (given or self.early_stopping is True):
            raise ValueError(
                "A callable loss has no score to watch or to stop by: set scoring to"
                " the name of a scorer or to a callable."
            )
        if self.early_stopping == "auto":
            # A loss of one's own has no value to compare: silently go without.
            return given or (n_samples > _MANY_ROWS and not self._has_no_score())
        return bool(self.early_stopping)

    def _has_no_score(self) -> bool:
        return callable(self.loss) and self.scoring == "loss"

    def _check_validation(
        self, validation: tuple[Any, Any, Any], target: Target
    ) -> Sample | None:
        X, y, weight = validation
        if (X is None) != (y is None):
            missing, given = ("y_val", "X_val") if y is None else ("X_val", "y_val")
            raise ValueError(f"{given} is given, but {missing} is not.")
        if X is None:
            if weight is not None:
                raise ValueError("sample_weight_val is given, but X_val is not.")
            return None
        X = check_X(self, X, reset=False)
        y = check_y_shape(self, y, X.shape[0])
        if weight is not None:
            weight = check_sample_weight(weight, X.shape[0])
        return Sample(X, self._encode_more(y, weight, target), weight)

    def _set_aside(self, train: Sample, seed: int) -> tuple[Sample, Sample]:
        labels = train.y if hasattr(self, "predict_proba") else np.zeros(len(train.y))
        chosen = rows_aside(self.validation_fraction, labels, train.weight, seed)
        return _rows(train, ~chosen), _rows(train, chosen)

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

    def _open(
        self,
        training: tuple[Any, Any, Any],
        validation: tuple[Any, Any, Any],
        before: dict[str, Any],
        clock: Clock,
    ) -> Opened:
        """Check and encode the data; return the session of the fit."""
        train, target = self._check_training(*training, before=before)
        settings = resolved(
            self, train.n_rows(), before, classes="classes_" in target.fitted
        )
        stops_early = self._stops_early(len(train.y), given=validation[0] is not None)
        seed = self._seed(before)
        held_out = self._check_validation(validation, target)
        if stops_early and held_out is None and self.validation_fraction is not None:
            train, held_out = self._set_aside(train, seed)
        params = self._checked_params(settings, target, seed)
        session = self._open_session(train, held_out, target, params, before, clock)
        return Opened(session, train, held_out, target, stops_early, seed, settings)

    def _open_session(
        self,
        train: Sample,
        held_out: Sample | None,
        target: Target,
        params: BoostingParams,
        before: dict[str, Any],
        clock: Clock,
    ) -> BoostingSession:
        params.time_limit = clock.left()
        X_val, y_val, weight_val = held_out or (None, None, None)
        return BoostingSession(
            train.X,
            train.y,
            train.weight,
            target.n_classes,
            params,
            X_val,
            y_val,
            weight_val,
            before.get("booster_"),
        )

    def _scorer(
        self,
        session: BoostingSession,
        train: Sample,
        held_out: Sample | None,
        seed: int,
    ) -> Callable[[], tuple[float, float | None]]:
        """Return what gives the scores of the latest iteration: train, validation."""
        if self.scoring == "loss":
            return lambda: (
                -session.train_loss(),
                None if held_out is None else -session.val_loss(),
            )
        scorer = check_scoring(self, self.scoring)
        weighs = takes_weights(scorer)
        seen = _some_rows(train, seed)
        small = _rows(train, seen)

        def score(sample: Sample, raw: Array) -> float:
            # The scorer asks an estimator that knows the raw predictions of these rows
            # already; of others, it takes X as encoded as theirs.
            def raw_of(X: Any) -> Array:
                return raw if X is sample.X else model.predict_raw(np.asarray(X))

            model = session.model
            fitted = copy.copy(self)
            fitted._set(booster_=model, _raw=raw_of)
            weighted = weighs and sample.weight is not None
            weight = {"sample_weight": sample.weight} if weighted else {}
            return float(scorer(fitted, sample.X, self._decode(sample.y), **weight))

        return lambda: (
            score(small, session.raw_train[seen]),
            None if held_out is None else score(held_out, np.asarray(session.raw_val)),
        )

    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def _raw(self, X: Any) -> Array:
        """Return raw predictions of shape (n_samples, n_trees_per_iteration_)."""
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        return self.booster_.predict_raw(X, self._n_threads())

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        stages: Iterable[Array] = self.booster_.staged(X, self._n_threads())  # type: ignore[assignment]
        yield from stages

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree.

        Of shape (n_samples, n_iter_, n_trees_per_iteration_).
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        return self.booster_.apply(X, self._n_threads())

    def explain(self, X: Any) -> list[Explanation]:
        """Return what each feature contributes to the raw score of each row.

        See `dpdtree.explain`.
        """
        return explain(self, X)

    def model_card(self, X: Any = None, y: Any = None) -> str:
        """Return a description in Markdown: see `dpdtree.model_card`."""
        return model_card(self, X, y)

    def compute_feature_importances(
        self, importance_type: str = "gain", normalize: bool = True
    ) -> Array:
        """Return what each feature contributes.

        Parameters
        ----------
        importance_type : {"gain", "split"}, default="gain"
            The total gain of the splits of each feature, or their number.
        normalize : bool, default=True
            Whether they are divided by their sum, unless it is zero.
        """
        check_is_fitted(self)
        if importance_type not in ("gain", "split"):
            raise ValueError(
                f"importance_type must be 'gain' or 'split', got {importance_type!r}."
            )
        importances: Array = self.booster_.feature_importances(importance_type)
        if normalize and (total := importances.sum()) > 0.0:
            importances = importances / total
        return importances

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in the total gain."""
        return self.compute_feature_importances()

    def to_xgboost(self) -> Any:
        """Return the model as a genuine `xgboost.Booster`.

        Its predictions are those of the model up to the rounding of single precision:
        probabilities for a classifier, of the second class if there are two. XGBoost
        reads X as float32. No training value changes sides by that, but one that the
        fit has not seen may, if it is within rounding of a threshold. XGBoost refuses
        values beyond 3.4e38, which are infinite for it.

        The names of categories are in the model: give it a frame with categorical
        columns, as `DMatrix(X, enable_categorical=True)`. XGBoost looks them up and
        refuses those that the fit has not seen; `DMatrix(model.encode_categories(X))`
        takes any. Categories must be strings or whole numbers from 0 to 65535.
        """
        check_is_fitted(self)
        from dpdtree.export.xgboost import to_xgboost

        return to_xgboost(self)

    def to_onnx(self, dtype: Any = np.float64) -> Any:
        """Return the model as an `onnx.ModelProto`.

        Its input "X" has shape (n_samples, n_features_in_) and this dtype, float64 or
        float32. If there are categories that are strings, each feature is an input of
        its own instead, of shape (n_samples, 1), named as in `feature_names_in_` (else
        "feature_0", "feature_1", ...; one named like an output gets "_" behind it).
        Strings go in as strings and numbers as numbers, also those that are
        categories. A category that the fit has not seen, the empty string for example,
        is treated like a missing one. The outputs are "label" and "probabilities", or
        "variable" for a regressor.
        """
        check_is_fitted(self)
        from dpdtree.export.onnx import to_onnx

        return to_onnx(self, dtype)

    def __sklearn_is_fitted__(self) -> bool:
        return "booster_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    booster_: BoostingModel


def _rows(sample: Sample, rows: NDArray[Any]) -> Sample:
    weight = None if sample.weight is None else sample.weight[rows]
    return Sample(sample.X[rows], sample.y[rows], weight)


def _some_rows(train: Sample, seed: int) -> NDArray[np.intp]:
    n = len(train.y)
    if n <= _SCORED_ROWS:
        return np.arange(n)
    return rows_of_least_hash(n, _SCORED_ROWS, seed)
