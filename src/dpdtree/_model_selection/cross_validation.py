"""What the cross-validated estimators share: folds, scores, the choice."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import _check_method_params, _num_samples

from dpdtree._base import BaseDPDTree
from dpdtree._fitted import all_or_nothing, fitted_attributes, set_attributes
from dpdtree._input.parameter_checks import check_parameters
from dpdtree._input.rows import Rows
from dpdtree._input.validation import check_sample_weight, check_y_shape
from dpdtree._model_selection.folds import Fold, folds_of, is_number
from dpdtree._model_selection.tuning import (
    ByAlpha,
    ByLeaves,
    Candidates,
    FoldScores,
    Setting,
    candidates,
    choose,
    choose_variant,
    chosen_by,
    score_fold,
    standard_errors,
    tie,
    tuned_by,
)
from dpdtree._numbers import as_float, is_int, is_real, shown
from dpdtree._operations import plain_estimator
from dpdtree._params.estimators import parameters_of, record_of, resolved
from dpdtree._progress import PartsProgress, watched_by
from dpdtree._threads import n_threads

Self = TypeVar("Self", bound="CrossValidated")

#: By what is tuned: which values there are, in words and as a test.
GRIDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "n_leaves": ("ints >= 1", lambda v: is_int(v) and v >= 1),
    "alpha": (
        "finite numbers >= 0",
        lambda v: is_real(v) and 0 <= as_float(v) < np.inf,
    ),
    "min_samples_leaf": (
        "ints >= 1 or floats in (0, 1)",
        lambda v: v >= 1 if is_int(v) else is_real(v) and 0 < v < 1,
    ),
}


class CrossValidated(BaseDPDTree):
    """What the cross-validated estimators add to the plain ones."""

    _tree_class: ClassVar[type[BaseDPDTree]]
    by: str
    grid: Sequence[float] | None
    max_depths: Sequence[int] | None
    cv: Any
    scoring: Any
    rule: str

    def _keep_parameters(self, arguments: Mapping[str, Any]) -> None:
        """Store what the constructor was given, as it is."""
        for parameter in record_of(self).parameters:
            setattr(self, parameter.name, arguments[parameter.name])

    def fit(
        self: Self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any
    ) -> Self:
        """Choose the size of the tree by cross-validation and fit it on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As for the plain estimator.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the searches and for the scores.
        **params : dict
            `groups` for the splitter; with scikit-learn's metadata routing, whatever
            the splitter and the scorer request.

        Returns
        -------
        self
            A fit that fails or is interrupted leaves the estimator unfitted.
        """
        line = PartsProgress(type(self).__name__, shown=bool(self.verbose))
        with all_or_nothing(self), line:
            self._fit_folds(X, y, sample_weight, params, line)
        if self.verbose:
            chosen = ", ".join(
                f"{name}={value}"
                if isinstance(value, str)
                else f"{name}={as_float(value):.4g}"
                for name, value in self.best_params_.items()
            )
            score = f"score {self.best_score_:.4g}, {self.n_leaves_} leaves"
            print(f"[{type(self).__name__}] {chosen}: {score}")
        return self

    def _fit_folds(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        params: dict[str, Any],
        line: PartsProgress,
    ) -> None:
        check_parameters(self)
        by = tuned_by(self)
        self._check_grid(by)
        data = self._check_data(X, y, sample_weight)
        routed = self._route(data.weight, params)
        depths = [self.max_depth] if self.max_depths is None else self.max_depths
        bases = [plain_estimator(self).set_params(max_depth=d) for d in depths]
        if by == "auto":
            bases[0].set_params(alpha="auto")
        with watched_by(line.part("all rows")):
            whole = [candidates(by, base, data) for base in bases]
        values = [self._values(trees) for trees in whole]
        folds = folds_of(self.cv, data, is_classifier(self), routed["splitter"])
        results = self._score_folds(bases, values, data, folds, routed["scorer"], line)
        scores = np.array([fold.scores for fold in results]).T
        sizes = np.array([fold.n_leaves for fold in results], dtype=float).mean(axis=0)
        if by == "auto" and self.rule == "best":
            best = choose_variant(scores)
        else:
            best = choose(scores, sizes, self.rule)
        if sizes.max() > 1.0 and len(np.unique(data.y)) > 1:
            _check_gain(scores, np.array([fold.constant for fold in results]))
        settings = [(i, v) for i, some in enumerate(values) for v in some]
        at, value = settings[best]
        with watched_by(line.part("all rows")):
            self._adopt(whole[at], value)
        self.cv_results_ = self._results(settings, depths, scores, sizes)
        self.best_index_ = best
        self.best_params_ = self.cv_results_["params"][best]
        self.best_score_ = float(scores[best].mean())
        self.n_splits_ = len(folds)

    def _check_grid(self, by: str) -> None:
        """The values must be possible ones of what is tuned."""
        if by == "auto":
            return
        wanted, possible = GRIDS[by]
        for value in () if self.grid is None else self.grid:
            if not possible(value):
                raise ValueError(
                    f'grid must hold {wanted} with by="{by}", got {shown(value)}.'
                )

    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        if y is None:
            check_y_shape(self, y, 0)
        n_samples = _num_samples(X)
        y = check_y_shape(self, y, n_samples)
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, n_samples)
        if resolved(self, "loss") == "cost_matrix":
            self._labels = np.unique(y)  # what rows and columns of the matrix are
        return Rows(indexable(X)[0], _without_objects(y), sample_weight)

    def _values(self, trees: Candidates) -> list[Any]:
        if self.grid is None:
            return trees.values()
        return list(dict.fromkeys(self.grid))

    def _score_folds(
        self,
        bases: Sequence[Any],
        values: Sequence[Sequence[Any]],
        data: Rows,
        folds: Sequence[Fold],
        score_params: Mapping[str, Any],
        line: PartsProgress,
    ) -> list[FoldScores]:
        """One search per fold and depth; the folds share the threads."""
        scorer = self._scorer()
        single = [
            base.__class__(**{**base.get_params(), "n_jobs": 1}) for base in bases
        ]

        def run(number: int, fold: Fold) -> FoldScores:
            with watched_by(line.part(f"fold {number} of {len(folds)}")):
                return score_one(fold)

        def score_one(fold: Fold) -> FoldScores:
            train, test = fold
            own = _check_method_params(data.X, score_params, indices=test)

            def by_scorer(tree: Any, X: Any, y: Any) -> float:
                return float(scorer(tree, X, y, **own))

            score: Callable[[Any, Any, Any], float] = by_scorer
            scoring = self._chosen_by()
            if not own and len(test) > 1 and isinstance(scoring, str):
                # What the scorer says, in a third of its time or less.
                score = _SCORES.get(scoring, by_scorer)
            return score_fold(
                tuned_by(self), single, values, data.take(train), data.take(test), score
            )

        # The core works without the GIL: threads do, and nothing is copied.
        n_jobs = self.n_jobs
        if n_jobs is not None:
            n_jobs = min(n_threads(n_jobs), len(folds))
        jobs = Parallel(n_jobs=n_jobs, prefer="threads")
        results: list[FoldScores] = jobs(
            delayed(run)(i, fold) for i, fold in enumerate(folds, 1)
        )
        return results

    def _adopt(self, trees: Candidates, value: Any) -> None:
        """Take over everything of the chosen tree of all rows."""
        tree = trees.tree(value)
        if isinstance(trees, ByLeaves | ByAlpha):
            self.path_ = trees.path
        self.alpha_ = float(value) if tuned_by(self) == "alpha" else 0.0
        self.n_leaves_ = tree.get_n_leaves()
        set_attributes(self, **fitted_attributes(tree))

    def _results(
        self,
        settings: Sequence[tuple[int, Any]],
        depths: Sequence[Any],
        scores: NDArray[np.float64],
        sizes: NDArray[np.float64],
    ) -> dict[str, Any]:
        """Return the table under GridSearchCV's names."""
        by, chosen = tuned_by(self), [value for _, value in settings]
        columns: dict[str, list[Any]] = {by: chosen}
        if by == "auto":
            listed = zip(*chosen, strict=True)
            columns = {n: list(v) for n, v in zip(Setting._fields, listed, strict=True)}
            own = resolved(self, "min_samples_leaf")
            rows_of = columns["min_samples_leaf"]
            columns["min_samples_leaf"] = [own if r == "auto" else r for r in rows_of]
        if self.max_depths is not None:
            columns["max_depth"] = [int(depths[i]) for i, _ in settings]
        rows = zip(*columns.values(), strict=True)
        means = scores.mean(axis=1)
        splits = {f"split{i}_test_score": s for i, s in enumerate(scores.T)}
        return {
            **{f"param_{name}": np.array(v) for name, v in columns.items()},
            "params": [dict(zip(columns, row, strict=True)) for row in rows],
            **splits,
            "mean_test_score": means,
            "std_test_score": scores.std(axis=1),
            "se_test_score": standard_errors(scores),
            "rank_test_score": 1 + np.array([int((means > m).sum()) for m in means]),
            "mean_n_leaves": sizes,
        }

    def _chosen_by(self) -> Any:
        return chosen_by(self, getattr(self, "_labels", None))

    def _scorer(self) -> Any:
        return check_scoring(self, self._chosen_by())

    def _route(
        self, sample_weight: Any, params: dict[str, Any]
    ) -> dict[str, Mapping[str, Any]]:
        """Return what the splitter's `split` and the scorer get."""
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params, **weight)
            return {"splitter": routed.splitter.split, "scorer": routed.scorer.score}
        unknown = [name for name in params if name != "groups"]
        if unknown:
            raise TypeError(
                f"fit got {unknown}: without metadata routing it takes sample_weight"
                " and groups only. Enable it by"
                " sklearn.set_config(enable_metadata_routing=True)."
            )
        if not _takes_weights(self._scorer()):
            weight = {}
        return {"splitter": params, "scorer": weight}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who takes what of the metadata `fit` is given.

        Returns
        -------
        MetadataRouter
            The routing.
        """
        scorer = self._scorer()
        if self.scoring is None and get_config()["enable_metadata_routing"]:
            scorer = scorer.set_score_request(sample_weight=True)
        splitter = check_cv(self.cv) if is_number(self.cv) else self.cv
        to_score = MethodMapping().add(caller="fit", callee="score")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(scorer=scorer, method_mapping=to_score)
        return router.add(splitter=splitter, method_mapping=to_split)


@plain_estimator.register
def _plain(estimator: CrossValidated) -> Any:
    """The tree that is fitted in each fold; all folds draw the same features."""
    kind = estimator._tree_class
    shared = {p.name for p in parameters_of(kind)} & set(estimator.get_params())
    arguments = {name: getattr(estimator, name) for name in shared}
    if estimator.max_features is not None and not is_int(estimator.random_state):
        draw = check_random_state(estimator.random_state)
        arguments["random_state"] = int(draw.randint(2**31 - 1))
    return kind(**arguments, alpha=0.0)


def _accuracy(tree: Any, X: Any, y: Any) -> float:
    return float(np.mean(tree.predict(X) == y))


def _r2(tree: Any, X: Any, y: Any) -> float:
    left, whole = np.sum((y - tree.predict(X)) ** 2), np.sum((y - np.mean(y)) ** 2)
    if whole == 0.0:
        return 1.0 if left == 0.0 else 0.0
    return float(1.0 - left / whole)


_SCORES: dict[str, Callable[[Any, Any, Any], float]] = {
    "accuracy": _accuracy,
    "r2": _r2,
}


def _without_objects(y: NDArray[Any]) -> NDArray[Any]:
    """Numbers stored as objects become numbers: scikit-learn's scorers ask for it."""
    if y.dtype.kind != "O":
        return y
    numbers = np.array(y.tolist())
    return numbers if numbers.ndim == 1 and numbers.dtype.kind in "iub" else y


def _check_gain(scores: NDArray[np.float64], constant: NDArray[np.float64]) -> None:
    """Warn if no candidate scores better than a single leaf."""
    alone = float(constant.mean())
    if not scores.mean(axis=1).max() <= alone + tie(alone):
        return
    warnings.warn(
        "No tree of the cross-validation scores better than a single leaf, whose mean"
        f" score is {alone:.4g}: either X tells nothing about y, or these folds do not"
        " fit the data, and cv should be another splitter.",
        UserWarning,
        stacklevel=4,
    )


def _takes_weights(scorer: Any) -> bool:
    accepts: Callable[[], bool] | None = getattr(scorer, "_accept_sample_weight", None)
    return accepts is not None and accepts()
