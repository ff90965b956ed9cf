"""What a picture of a tree shows of each node, whatever it is drawn with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpdtree._structure import TREE_LEAF, node_decisions, node_predictions
from dpdtree.export._boosted import BoostedStructure
from dpdtree.export.colors import LOW_COLOR, class_color, mixed, value_shade
from dpdtree.export.conditions import (
    Reachable,
    categories_of,
    describe_split,
    divided,
    rounded,
)

Array = NDArray[Any]

#: What leaves of a loss predict.
_CENTRES = {"absolute_error": "median", "quantile": "quantile"}


@dataclass(frozen=True)
class NodePicture:
    """A node as it is drawn."""

    node: int
    depth: int
    parent: int | None
    #: What the edge above says: "yes", "no", and if missing values take it.
    branch: str
    #: What the split asks; "" of a leaf and of a node whose subtree is left out.
    question: str
    #: What a row that ends here is predicted.
    prediction: str
    #: Further lines: how many rows, and of which kind.
    facts: tuple[str, ...]
    #: Share of the training weight that gets here.
    support: float
    #: Class shares of the first output; None if there are no classes.
    shares: Array | None
    #: The colour of its class or value, and how much of it is on white.
    base_color: str
    strength: float
    #: Leaves below that are not drawn.
    hidden: int = 0

    @property
    def color(self) -> str:
        """The colour on white."""
        return mixed(self.base_color, self.strength)

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is drawn below."""
        return not self.question


@dataclass(frozen=True)
class TreePicture:
    """All nodes that are drawn, in preorder, and the classes they are coloured by."""

    nodes: dict[int, NodePicture]
    children: dict[int, tuple[int, int]]
    classes: tuple[str, ...]
    title: str = ""

    @property
    def depth(self) -> int:
        """The number of levels below the root."""
        return max(node.depth for node in self.nodes.values())


class Tested(NamedTuple):
    """Rows of a test set that pass each node."""

    passed: Array  # (row, node) -> bool
    y: Array


@dataclass(frozen=True)
class Options:
    """How nodes are described."""

    feature_names: Sequence[str] | None = None
    class_names: Sequence[Any] | None = None
    decimals: int | None = None
    max_depth: int | None = None
    max_categories: int = 6
    show: str = "shares"
    tested: Tested | None = None


@dataclass
class _Reader:
    """Reads the nodes of one tree."""

    estimator: Any
    tree: Any
    options: Options
    boosted: bool
    features: Sequence[str] = field(init=False)
    classes: list[list[str]] = field(init=False)
    decisions: Array = field(init=False)
    has_missing: Sequence[bool] = field(init=False)

    def __post_init__(self) -> None:
        estimator = self.estimator
        n = estimator.n_features_in_
        self.features = feature_names(estimator, self.options.feature_names)
        self.has_missing = getattr(estimator, "has_missing_", [True] * n)
        self.classes = [] if self.boosted else _classes(estimator, self.options)
        self.decisions = np.zeros((0, 0), np.intp)
        if self.classes:
            self.decisions = node_decisions(estimator)
        self.total = float(self.tree.weighted_n_node_samples[0])

    def read(self, title: str) -> TreePicture:
        nodes: dict[int, NodePicture] = {}
        children: dict[int, tuple[int, int]] = {}
        todo: list[tuple[int, int, int | None, str, Reachable]] = [(0, 0, None, "", {})]
        while todo:
            node, depth, parent, branch, reachable = todo.pop()
            left = int(self.tree.children_left[node])
            right = int(self.tree.children_right[node])
            cut = self.options.max_depth is not None and depth >= self.options.max_depth
            if left == TREE_LEAF or cut:
                hidden = 0 if left == TREE_LEAF else self._leaves_below(node)
                nodes[node] = self._picture(node, depth, parent, branch, "", hidden)
                continue
            feature = int(self.tree.feature[node])
            known = self._categories(feature)
            split = describe_split(
                self.tree,
                node,
                clean(self.features[feature]),
                known,
                self.options.decimals,
                self.options.max_categories,
                reachable.get(feature),
            )
            question = f"{_unbroken(split.left)}?"
            nodes[node] = self._picture(node, depth, parent, branch, question)
            children[node] = left, right
            yes, no = self._answers(node, split)
            below = divided(self.tree, node, known, reachable)
            todo.append((right, depth + 1, node, no, below[1]))
            todo.append((left, depth + 1, node, yes, below[0]))
        names = tuple(self.classes[0]) if len(self.classes) == 1 else ()
        return TreePicture(nodes, children, names, title)

    def _categories(self, feature: int) -> list[str] | None:
        known = categories_of(self.estimator, feature)
        return None if known is None else [clean(name, 40) for name in known]

    def _answers(self, node: int, split: Any) -> tuple[str, str]:
        """What the two edges below a node say."""
        seen = bool(self.has_missing[int(self.tree.feature[node])])
        if split.of_missing or not seen:
            return "yes", "no"
        if self.tree.missing_go_to_left[node]:
            return "yes, missing", "no"
        return "yes", "no, missing"

    def _picture(
        self,
        node: int,
        depth: int,
        parent: int | None,
        branch: str,
        question: str,
        hidden: int = 0,
    ) -> NodePicture:
        tree = self.tree
        shares = None
        if len(self.classes) == 1:
            shares = tree.value[node, 0, : len(self.classes[0])]
        return NodePicture(
            node,
            depth,
            parent,
            branch,
            question,
            self._prediction(node),
            tuple(self._facts(node, hidden)),
            float(tree.weighted_n_node_samples[node]) / self.total,
            shares,
            *self._color(node),
            hidden,
        )

    def _prediction(self, node: int) -> str:
        if self.classes:
            said = zip(self.classes, self.decisions[node], strict=True)
            return " / ".join(_as_class(names[code]) for names, code in said)
        if self.boosted:
            return " / ".join(_short(v) for v in self.tree.node_values[node])
        values = [_short(v) for v in node_predictions(self.estimator)[node]]
        shrunk = getattr(self.estimator, "shrinkage_", 0.0) > 0.0
        name = "predicts " if shrunk else f"{self._centre()} "
        return name + " / ".join(values)

    def _centre(self) -> str:
        return _CENTRES.get(getattr(self.estimator, "loss", ""), "mean")

    def _facts(self, node: int, hidden: int) -> Iterator[str]:
        rows = _counted(int(self.tree.n_node_samples[node]), "row")
        if len(self.classes) == 1 and self.options.show == "shares":
            share = self.tree.value[node, 0, self.decisions[node, 0]]
            yield f"{_percent(share)} of {rows}"
        else:
            yield rows
        if len(self.classes) == 1 and self.options.show == "counts":
            weights = self.tree.value[node, 0] * self.tree.weighted_n_node_samples[node]
            counted = zip(self.classes[0], weights, strict=False)
            yield ", ".join(f"{_short(w)} {name}" for name, w in counted if w > 0)
        if self.options.tested is not None:
            yield self._tested(node, self.options.tested)
        if hidden:
            yield f"… {_counted(hidden, 'leaf', 'leaves')} below"

    def _tested(self, node: int, tested: Tested) -> str:
        here = tested.passed[:, node]
        n = int(here.sum())
        rows = f"{n:,}"
        if n == 0 or tested.y.ndim > 1:
            return f"test: {_counted(n, 'row')}"
        if self.classes:
            label = self.estimator.classes_[self.decisions[node, 0]]
            share = float(np.mean(tested.y[here] == label))
            return f"test: {_percent(share)} of {rows}"
        centre = np.median if self._centre() == "median" else np.mean
        if self._centre() == "quantile":
            return f"test: {_counted(n, 'row')}"
        return (
            f"test: {self._centre()} {_short(float(centre(tested.y[here])))} of {rows}"
        )

    def _color(self, node: int) -> tuple[str, float]:
        """Return a colour and how much of it there is on the ground."""
        if len(self.classes) == 1:
            code = int(self.decisions[node, 0])
            share = float(self.tree.value[node, 0, code])
            least = 1.0 / len(self.classes[0])
            sure = (share - least) / (1.0 - least) if least < 1.0 else 1.0
            return class_color(code), 0.12 + 0.5 * min(1.0, max(0.0, sure))
        if self.classes:
            return LOW_COLOR, 0.0
        values = np.asarray(self.tree.node_values)[:, 0]
        low, high = float(values.min()), float(values.max())
        if self.boosted:  # nothing is added in the middle
            high = max(abs(low), abs(high))
            low = -high
        position = (float(values[node]) - low) / (high - low) if high > low else 0.5
        return value_shade(position)

    def _leaves_below(self, node: int) -> int:
        left = self.tree.children_left
        leaves, todo = 0, [node]
        while todo:
            at = todo.pop()
            if left[at] == TREE_LEAF:
                leaves += 1
            else:
                todo += [int(left[at]), int(self.tree.children_right[at])]
        return leaves


def read_tree(
    estimator: Any, options: Options, tree: int | None = None, output: Any = None
) -> TreePicture:
    """Return what is drawn of a fitted model.

    Parameters
    ----------
    estimator : tree, boosting or AdaBoost estimator
        Fitted.
    options : Options
        How nodes are described.
    tree : int, default=None
        Which tree of several: an iteration, -1 is the last; None is the first.
    output : label or int, default=None
        Of boosted trees for several classes, the class whose tree it is.
    """
    check_is_fitted(estimator)
    if hasattr(estimator, "booster_"):
        return _read_boosted(estimator, options, tree, output)
    if output is not None:
        raise ValueError("output must be None unless trees are boosted by class.")
    if hasattr(estimator, "estimators_"):
        which = _place("tree", tree, len(estimator.estimators_))
        title = f"tree {which} of {len(estimator.estimators_)}"
        one = estimator.estimators_[which]
        return _Reader(one, one.tree_, options, boosted=False).read(title)
    if not hasattr(estimator, "tree_"):
        raise TypeError(
            "estimator must be a fitted model of dpdtree, got a"
            f" {type(estimator).__name__}."
        )
    if tree not in (None, 0):
        raise ValueError(f"tree must be None for a single tree, got {tree!r}.")
    return _Reader(estimator, estimator.tree_, options, boosted=False).read("")


def _read_boosted(
    estimator: Any, options: Options, tree: int | None, output: Any
) -> TreePicture:
    if options.class_names is not None:
        raise ValueError("class_names must be None for boosted trees.")
    booster = estimator.booster_
    iteration = _place("tree", tree, booster.n_iterations)
    title = f"tree {iteration} of {booster.n_iterations}"
    which = 0
    if booster.n_outputs > 1:
        labels = list(getattr(estimator, "classes_", range(booster.n_outputs)))
        which = 0 if output is None else _index(labels, output)
        title += f", class {clean(labels[which])}"
    elif output is not None:
        raise ValueError("output must be None: there is one tree per iteration.")
    structure = BoostedStructure(booster.tree(iteration, which))
    return _Reader(estimator, structure, options, boosted=True).read(title)


def _place(name: str, given: int | None, n: int) -> int:
    if given is None:
        given = 0
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or not -n <= given < n:
        raise ValueError(f"{name} must lie in 0 ... {n - 1}, got {given!r}.")
    return int(given) % n


def _index(labels: list[Any], wanted: Any) -> int:
    for place, label in enumerate(labels):
        if label == wanted:
            return place
    shown = [clean(label) for label in labels]
    raise ValueError(f"output must be one of the classes {shown}, got {wanted!r}.")


def feature_names(estimator: Any, given: Sequence[str] | None) -> list[str]:
    """Return the names of the features: those given, of the fit, or made up."""
    n = int(estimator.n_features_in_)
    if given is None:
        default = [f"feature_{j}" for j in range(n)]
        return list(getattr(estimator, "feature_names_in_", default))
    if isinstance(given, str) or len(given) != n:
        raise ValueError(f"feature_names must list {n} names, one per feature.")
    return [str(name) for name in given]


def _classes(estimator: Any, options: Options) -> list[list[str]]:
    """Return the names of the classes of each output; none for a regressor."""
    labels, given = getattr(estimator, "classes_", None), options.class_names
    if labels is None:
        if given is not None:
            raise ValueError("class_names must be None for a regression tree.")
        return []
    each = labels if estimator.n_outputs_ > 1 else [labels]
    if given is not None and estimator.n_outputs_ == 1:
        given = [given]
    names = each if given is None else given
    sizes = [len(of_output) for of_output in each]
    if isinstance(names, str) or [len(of_output) for of_output in names] != sizes:
        raise ValueError(f"class_names must have {sizes} entries, one per class.")
    return [[clean(name) for name in of_output] for of_output in names]


def clean(name: Any, most: int = 60) -> str:
    """Return a name on one line, without characters that do not print, and cut."""
    text = "".join(c if c.isprintable() else " " for c in str(name))
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _as_class(name: str) -> str:
    """Return the name of a class so that nobody takes it for a count."""
    return name if any(c.isalpha() for c in name) else f"class {name}"


def _unbroken(condition: str) -> str:
    """Keep a sign and its number on one line."""
    return condition.replace(" <= ", " <=\N{NO-BREAK SPACE}")


def _short(value: float) -> str:
    text = rounded(float(f"{value:.3g}"))
    return f"{float(text):,.0f}" if abs(value) >= 1000 else text


def _percent(share: float) -> str:
    shown = 100.0 * float(share)
    return (
        f"{shown:.0f} %"
        if shown in (0.0, 100.0) or 1 <= shown <= 99
        else (f"{shown:.1f} %")
    )


def _counted(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
