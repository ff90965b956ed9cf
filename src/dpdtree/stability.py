"""`stability_report`: what remains of a tree when the rows are drawn again."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from dpdtree._base import BaseDPDTree
from dpdtree._input.problem import encode_problem
from dpdtree._input.validation import check_sample_weight, check_X
from dpdtree._numbers import is_int, shown
from dpdtree._progress import StatusLine
from dpdtree._structure import TreeStructure
from dpdtree._threads import n_threads
from dpdtree.explorer.front import loss_of
from dpdtree.explorer.graph import splits_of
from dpdtree.explorer.rows import Rows, Split
from dpdtree.export.conditions import describe_split

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

#: A split at another threshold is the same one if it moves so few rows of its node.
SAME_ROWS = 0.1
#: The quantiles that tell the spread of a threshold.
SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)

Floats = NDArray[np.float64]
#: The way to a node: feature and side of each split above it.
Place = tuple[tuple[int, str], ...]


class NodeStability(NamedTuple):
    """How often a split of the given tree comes again."""

    node: int
    depth: int
    split: str
    #: Of all fits, those that come to this node: the same features and sides above.
    reached: float
    #: Of all fits, those that ask the same feature here.
    same_feature: float
    #: Of all fits, those that divide the rows of the node alike, up to a tenth of them.
    same_split: float
    #: Quantiles (5, 25, 50, 75, 95 %) of the thresholds of `same_feature`; NaN where
    #: there are none, as for categories.
    thresholds: tuple[float, ...]


class _Fit(NamedTuple):
    """What is kept of a fit on drawn rows."""

    splits: dict[Place, Split]
    predictions: NDArray[Any]
    loss: float
    kept_loss: float
    n_leaves: int
    depth: int


@dataclass(frozen=True)
class StabilityReport:
    """What remains of a tree when its rows are drawn again, with replacement.

    Made by `stability_report`.

    Attributes
    ----------
    n : int
        Number of fits on drawn rows.
    nodes : list of NodeStability
        For each split of the given tree, how often it comes again at its place.
    share : ndarray of shape (node_count,)
        `same_split` by node of the given tree; NaN at leaves.
    feature_names : list of str
        Names of the features, or "x0", "x1", ...
    feature_share : ndarray of shape (depths, n_features)
        Share of the fits that ask a feature at a depth.
    feature_thresholds : dict of (depth, feature) : ndarray
        All thresholds at which a feature is split there; none of categories.
    prediction_spread : ndarray of shape (n_rows,)
        For each row the share of fits that predict another class than the given tree;
        for regression the standard deviation of their predictions.
    distances : ndarray of shape (n + 1, n + 1)
        Between trees, the given one first: share of rows with different predictions;
        for regression the root mean square difference of predictions, over the
        standard deviation of the targets.
    losses, kept_losses : ndarray of shape (n,)
        Loss of each fit on its own rows, and of the given tree's splits on them (with
        leaf values of these rows): what it costs to keep the tree.
    n_leaves, depths : ndarray of shape (n,)
        Sizes of the fitted trees.
    """

    n: int
    nodes: list[NodeStability]
    share: Floats
    feature_names: list[str]
    feature_share: Floats
    feature_thresholds: dict[tuple[int, int], Floats]
    prediction_spread: Floats
    distances: Floats
    losses: Floats
    kept_losses: Floats
    n_leaves: NDArray[np.int64]
    depths: NDArray[np.int64]
    task: str

    @property
    def cost_of_keeping(self) -> float:
        """Mean of kept_losses - losses: what the old tree loses to a new one."""
        return float(np.mean(self.kept_losses - self.losses))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with a row for each split of the given tree.

        Returns
        -------
        pandas.DataFrame
            A row per node of the tree.
        """
        columns: dict[str, Any] = {
            name: [getattr(node, name) for node in self.nodes]
            for name in NodeStability._fields[:-1]
        }
        for i, level in enumerate(SPREAD):
            name = f"threshold_{round(100 * level)}%"
            columns[name] = [node.thresholds[i] for node in self.nodes]
        return _pandas().DataFrame(columns)

    def features_to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each feature that a depth asks.

        With the share of fits that ask it there and quantiles of its thresholds, the
        most frequent first.

        Returns
        -------
        pandas.DataFrame
            A row per feature and depth.
        """
        rows = []
        for depth, feature in np.argwhere(self.feature_share > 0).tolist():
            thresholds = self.feature_thresholds.get((depth, feature), np.empty(0))
            spread = _quantiles(thresholds)
            named = {
                f"threshold_{round(100 * level)}%": value
                for level, value in zip(SPREAD, spread, strict=True)
            }
            rows.append(
                {
                    "depth": depth,
                    "feature": self.feature_names[feature],
                    "share": self.feature_share[depth, feature],
                    **named,
                }
            )
        frame = _pandas().DataFrame(rows)
        if not rows:
            return frame
        order = ["depth", "share"]
        return frame.sort_values(order, ascending=[True, False], ignore_index=True)

    def plot(self, *, most: int = 12, axes: Any = None) -> Any:
        """Draw the features asked by depth, and how often the tree's splits come again.

        Parameters
        ----------
        most : int, default=12
            Features and splits shown at most.
        axes : sequence of two matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ndarray of two matplotlib Axes
        """
        from dpdtree.plotting.stability import plot_stability

        return plot_stability(self, most=most, axes=axes)

    def __repr__(self) -> str:
        spread = float(np.mean(self.prediction_spread))
        what = (
            f"rows predicted otherwise {spread:.1%}"
            if self.task == "classification"
            else f"standard deviation of predictions {spread:.4g}"
        )
        leaves = f"{self.n_leaves.min()} to {self.n_leaves.max()}"
        title = (
            f"StabilityReport of {self.n} fits: {what}; leaves {leaves}; keeping the"
            f" tree costs {self.cost_of_keeping:.4g} of {self.kept_losses.mean():.4g}"
        )
        lines = [title]
        lines += [
            f"  {node.same_split:4.0%} (feature {node.same_feature:4.0%})"
            f"  {'  ' * node.depth}{node.split}"
            for node in self.nodes[:7]
        ]
        more = len(self.nodes) - 7
        return "\n".join([*lines, *([f"  ... and {more} more"] if more > 0 else [])])


def stability_report(
    estimator: Any,
    X: Any,
    y: Any,
    n: int = 50,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    *,
    sample_weight: Any = None,
) -> StabilityReport:
    """Fit trees to rows drawn with replacement, and compare them with the tree.

    Parameters
    ----------
    estimator : DPDTreeClassifier, DPDTreeRegressor or one of their CV forms
        The tree to look at. If it is not fitted, a copy of it is fitted to all rows;
        the estimator itself is left as it is.
    X, y
        The training data, as in `fit`; one output.
    n : int, default=50
        Number of fits.
    random_state : int, RandomState or None, default=0
        Of the draws.
    n_jobs : int or None, default=None
        Threads that share the fits.
    progress : bool, default=False
        Whether to show how many fits are done.
    sample_weight : array-like of shape (n_samples,), default=None
        As in `fit`. A row that is drawn k times has k times its weight.

    Returns
    -------
    StabilityReport

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifier, stability_report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> report = stability_report(DPDTreeClassifier(max_depth=2), X, y, n=20)
    >>> report.nodes[0].split
    'petal length (cm) <= 2'
    >>> report.n
    20
    """
    if not is_int(n) or n < 1:
        raise ValueError(f"n must be an int >= 1, got {shown(n)}.")
    given = _fitted(estimator, X, y, sample_weight)
    if given.n_outputs_ > 1:
        raise ValueError("stability_report is for one output; y has several.")
    data = _Data.of(given, X, y, sample_weight)
    rng = check_random_state(random_state)
    seeds = rng.randint(2**31, size=n)
    fits = list(_run(given, data, seeds, n_threads(n_jobs), progress))
    return _summed(given, data, fits)


@dataclass(frozen=True)
class _Data:
    """The rows as they were given, and as the tree takes them."""

    X: Any
    y: Any
    rows: Rows
    weight: Floats
    targets: NDArray[Any]
    leaves: NDArray[np.int64]  # of the given tree

    @classmethod
    def of(cls, given: Any, X: Any, y: Any, sample_weight: Any) -> _Data:
        encoded = check_X(given, X, reset=False)
        size = encoded.shape[0]
        weight = np.ones(size)
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, size)
        targets = np.asarray(y).reshape(size)
        if is_classifier(given):
            codes = np.searchsorted(given.classes_, targets)
        else:
            codes = targets = targets.astype(float)
        leaves = given.tree_.apply(encoded)
        return cls(X, y, Rows(encoded, codes, weight), weight, targets, leaves)


def _fitted(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    if not isinstance(estimator, BaseDPDTree):
        raise TypeError(
            "stability_report needs a DPDTreeClassifier or a DPDTreeRegressor, got"
            f" {type(estimator).__name__}."
        )
    if estimator.__sklearn_is_fitted__():
        return estimator
    return clone(estimator).fit(X, y, sample_weight)


def _run(
    given: Any, data: _Data, seeds: Any, threads: int, progress: bool
) -> Iterator[_Fit]:
    begin = perf_counter()
    jobs = Parallel(n_jobs=threads, prefer="threads", return_as="generator")
    with StatusLine("stability_report", shown=progress) as line:
        found = jobs(delayed(_fit)(given, data, int(seed)) for seed in seeds)
        for done, fit in enumerate(found):
            yield fit
            seconds = perf_counter() - begin
            if line.due(seconds):
                line.show(seconds, f"{done + 1} of {len(seeds)} fits")


def _fit(given: Any, data: _Data, seed: int) -> _Fit:
    size = len(data.rows)
    rng = np.random.default_rng(seed)
    weight = data.weight * rng.multinomial(size, np.full(size, 1.0 / size))
    model = clone(given).set_params(verbose=0, n_jobs=1)
    with warnings.catch_warnings():  # a class may not be drawn at all
        warnings.simplefilter("ignore")
        model.fit(data.X, data.y, weight)
    return _Fit(
        splits=dict(_places(model.tree_)),
        predictions=model.predict(data.X),
        loss=float(model.loss_),
        kept_loss=_kept_loss(given, data, weight),
        n_leaves=int(model.get_n_leaves()),
        depth=int(model.get_depth()),
    )


def _kept_loss(given: Any, data: _Data, weight: Floats) -> float:
    """Mean loss of the given tree's splits, its leaves predicting for these rows."""
    loss = loss_of(given)
    # Class weights are in it.
    encoded = encode_problem(given, np.asarray(data.y), weight)
    weight = weight if encoded.sample_weight is None else encoded.sample_weight
    total = float(weight.sum())
    if not loss.from_sums:
        parts = [
            loss.of_rows(data.targets[at], weight[at])
            for at in (data.leaves == leaf for leaf in np.unique(data.leaves))
        ]
        return float(sum(parts)) / total
    columns = loss.columns(Rows(data.rows.X, data.rows.y, weight))
    sums = np.zeros((given.tree_.node_count, columns.shape[1]))
    np.add.at(sums, data.leaves, columns)
    costs = loss.of_sums(sums[np.unique(data.leaves)])
    return float(costs[np.isfinite(costs)].sum()) / total


def _places(tree: TreeStructure) -> Iterator[tuple[Place, Split]]:
    splits = splits_of(tree)
    waiting: list[tuple[int, Place]] = [(0, ())]
    while waiting:
        node, place = waiting.pop()
        split = splits[node]
        if split is None:
            continue
        yield place, split
        for side, child in (
            ("left", tree.children_left[node]),
            ("right", tree.children_right[node]),
        ):
            waiting.append((int(child), (*place, (split.feature, side))))


def _summed(given: Any, data: _Data, fits: list[_Fit]) -> StabilityReport:
    names = getattr(given, "feature_names_in_", None)
    if names is None:
        names = [f"x{i}" for i in range(given.n_features_in_)]
    predictions = np.array([given.predict(data.X), *(fit.predictions for fit in fits)])
    classification = is_classifier(given)
    nodes = _compare_nodes(given, data, fits, list(map(str, names)))
    share = np.full(given.tree_.node_count, np.nan)
    for node in nodes:
        share[node.node] = node.same_split
    feature_share, thresholds = _by_depth(fits, given.n_features_in_)
    return StabilityReport(
        n=len(fits),
        nodes=nodes,
        share=share,
        feature_names=list(map(str, names)),
        feature_share=feature_share,
        feature_thresholds=thresholds,
        prediction_spread=(
            np.mean(predictions[1:] != predictions[0], axis=0)
            if classification
            else np.std(predictions[1:], axis=0)
        ),
        distances=_distances(predictions, data, classification),
        losses=np.array([fit.loss for fit in fits]),
        kept_losses=np.array([fit.kept_loss for fit in fits]),
        n_leaves=np.array([fit.n_leaves for fit in fits]),
        depths=np.array([fit.depth for fit in fits]),
        task="classification" if classification else "regression",
    )


def _compare_nodes(
    given: Any, data: _Data, fits: list[_Fit], names: list[str]
) -> list[NodeStability]:
    tree = given.tree_
    splits = splits_of(tree)
    found = []
    waiting: list[tuple[int, Place, NDArray[Any]]] = [(0, (), data.rows.all())]
    while waiting:
        node, place, rows = waiting.pop()
        split = splits[node]
        if split is None:
            continue
        found.append(_compare(given, node, place, rows, data, fits, names))
        left, right = data.rows.sides(rows, split)
        sides = (
            ("right", tree.children_right[node], right),
            ("left", tree.children_left[node], left),
        )
        for side, child, part in sides:
            waiting.append((int(child), (*place, (split.feature, side)), part))
    return found


def _compare(
    given: Any,
    node: int,
    place: Place,
    rows: NDArray[Any],
    data: _Data,
    fits: list[_Fit],
    names: list[str],
) -> NodeStability:
    own = splits_of(given.tree_)[node]
    assert own is not None
    others = [fit.splits[place] for fit in fits if place in fit.splits]
    reached = sum(_reaches(fit.splits, place) for fit in fits)
    same = [split for split in others if split.feature == own.feature]
    left = data.rows.goes_left(rows, own)
    alike = [
        np.mean(data.rows.goes_left(rows, split) != left) <= SAME_ROWS for split in same
    ]
    thresholds = [s.threshold for s in same if s.threshold is not None]
    categories = given.categories_[own.feature]
    name = names[own.feature]
    text = describe_split(given.tree_, node, name, categories, None).left
    return NodeStability(
        node=node,
        depth=len(place),
        split=text,
        reached=reached / len(fits),
        same_feature=len(same) / len(fits),
        same_split=float(np.sum(alike)) / len(fits),
        thresholds=_quantiles(np.array(thresholds, dtype=float)),
    )


def _reaches(splits: dict[Place, Split], place: Place) -> bool:
    """Whether a tree asks the same features on the way to a place."""
    return all(
        at in splits and splits[at].feature == place[i][0]
        for i, at in enumerate(place[:i] for i in range(len(place)))
    )


def _by_depth(
    fits: list[_Fit], n_features: int
) -> tuple[Floats, dict[tuple[int, int], Floats]]:
    depths = max((fit.depth for fit in fits), default=0)
    used: Counter[tuple[int, int]] = Counter()
    thresholds: dict[tuple[int, int], list[float]] = {}
    for fit in fits:
        asked = {(len(place), split.feature) for place, split in fit.splits.items()}
        used.update(asked)
        for place, split in fit.splits.items():
            if split.threshold is not None:
                at = (len(place), split.feature)
                thresholds.setdefault(at, []).append(split.threshold)
    share = np.zeros((depths, n_features))
    for (depth, feature), count in used.items():
        share[depth, feature] = count / len(fits)
    return share, {at: np.sort(values) for at, values in thresholds.items()}


def _distances(predictions: NDArray[Any], data: _Data, classification: bool) -> Floats:
    n = len(predictions)
    out = np.zeros((n, n))
    scale = 1.0 if classification else float(np.std(data.targets)) or 1.0
    for i in range(n):
        for j in range(i):
            if classification:
                apart = float(np.mean(predictions[i] != predictions[j]))
            else:
                square = np.mean((predictions[i] - predictions[j]) ** 2)
                apart = float(np.sqrt(square)) / scale
            out[i, j] = out[j, i] = apart
    return out


def _quantiles(values: Floats) -> tuple[float, ...]:
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return (np.nan,) * len(SPREAD)
    return tuple(float(q) for q in np.quantile(finite, SPREAD))


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas, which is not installed: pip install pandas."
        ) from error
    return pd
