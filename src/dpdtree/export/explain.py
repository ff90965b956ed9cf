"""Why a model says what it says of a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree.export._boosted import trees
from dpdtree.export._leaves import Condition, Wording, has_missing
from dpdtree.export._program import Boosted, Nodes, SingleTree, named, read_model

Array = NDArray[np.float64]


class Step(NamedTuple):
    """A split on the way of a row; of boosted trees, all splits of a feature."""

    feature: str
    condition: str  # "" for boosted trees
    contribution: Array  # an entry per output or class


@dataclass(frozen=True)
class Explanation:
    """Why a model says what it says of one row.

    Attributes
    ----------
    baseline : ndarray
        What would be said of a row that nothing is known of, an entry per output or
        class: of trees the root's probabilities or mean, of boosted trees a raw score.
    steps : list of Step
        Of a tree the splits on the way of the row, in their order; of boosted trees
        the features, those with the largest contributions first.
    prediction : ndarray
        What is said of the row, as probabilities, numbers or raw scores: the sum of
        the baseline and all contributions, up to rounding.
    outputs : tuple
        What the entries belong to: labels, or the numbers of outputs.
    """

    baseline: Array
    steps: list[Step]
    prediction: Array
    outputs: tuple[Any, ...]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"starts at {self._shown(self.baseline)}"
        for step in self.steps:
            change = self._shown(step.contribution, signed=True)
            yield f"{change} because of {step.condition or step.feature}"
        yield f"ends at {self._shown(self.prediction)}"

    def _shown(self, values: Array, *, signed: bool = False) -> str:
        form = "+.4g" if signed else ".4g"
        if len(values) == 1:
            return f"{values[0]:{form}}"
        pairs = zip(self.outputs, values, strict=True)
        return ", ".join(f"{name}: {value:{form}}" for name, value in pairs)


def explain(estimator: Any, X: Any) -> list[Explanation]:
    """Return for each row its way through the model and what each step contributes.

    A step contributes the difference between the nodes after and before it, so that
    the contributions add up to the prediction.

    Parameters
    ----------
    estimator : tree or boosting estimator
        Fitted.
    X : array-like of shape (n_samples, n_features)
        What `predict` takes.

    Returns
    -------
    list of Explanation
        One per row; `print` shows it in words. Of boosted trees raw scores are
        explained (log-odds, logarithms of a mean), summed up by feature.

    Examples
    --------
    >>> from dpdtree import DPDTreeRegressor, explain
    >>> tree = DPDTreeRegressor(strategy="greedy", max_depth=1)
    >>> tree = tree.fit([[1.0], [2.0], [4.0], [5.0]], [0.0, 0.0, 2.0, 4.0])
    >>> print(explain(tree, [[4.5]])[0])
    starts at 1.5
    +1.5 because of feature_0 > 3
    ends at 3
    """
    program = read_model(estimator, one_output=False)
    if isinstance(program, Boosted):
        return _explain_boosted(estimator, program, X)
    return _explain_tree(estimator, program, X)


def _explain_tree(estimator: Any, program: SingleTree, X: Any) -> list[Explanation]:
    values, outputs = _node_values(program)
    wording = Wording(has_missing(estimator))
    # Nodes in preorder: indices of a row of the matrix are its way from the root.
    paths = estimator.decision_path(X)
    explained: dict[int, Explanation] = {}
    found = []
    for row in range(paths.shape[0]):
        way = paths.indices[paths.indptr[row] : paths.indptr[row + 1]].tolist()
        leaf = way[-1]
        if leaf not in explained:
            steps = _steps(program, wording, way, values)
            explained[leaf] = Explanation(values[0], steps, values[leaf], outputs)
        found.append(explained[leaf])
    return found


def _node_values(program: SingleTree) -> tuple[Array, tuple[Any, ...]]:
    """Return what each node says, side by side, and what the entries belong to."""
    if program.classes is None:
        return program.values, tuple(range(program.n_outputs))
    labels: list[Any] = []
    for output, classes in enumerate(program.classes):
        several = program.n_outputs > 1
        labels += [(output, label) for label in classes] if several else classes
    return np.hstack(program.probabilities), tuple(labels)


def _steps(
    program: SingleTree, wording: Wording, way: Sequence[int], values: Array
) -> list[Step]:
    steps = []
    for node, child in pairwise(way):
        question = program.nodes.questions[node]
        assert question is not None
        feature = program.features[question.feature]
        left = child == program.nodes.left[node]
        condition = Condition(feature).narrowed(question, left=left)
        steps.append(
            Step(
                named(feature),
                wording.condition(condition),
                values[child] - values[node],
            )
        )
    return steps


def _explain_boosted(estimator: Any, program: Boosted, X: Any) -> list[Explanation]:
    leaves = estimator.apply(X)
    n_rows, n_outputs = leaves.shape[0], len(program.baseline)
    sums = np.zeros((n_rows, len(program.features), n_outputs))
    starts = np.array(program.baseline)
    raw = np.tile(starts, (n_rows, 1))
    reached = leaves.reshape(n_rows, -1)
    pairs = zip(program.trees, trees(estimator.booster_), strict=True)
    for number, ((output, nodes, values), (_, tree)) in enumerate(pairs):
        table = _leaf_contributions(nodes, tree.value, len(program.features))
        sums[:, :, output] += table[reached[:, number]]
        raw[:, output] += tree.value[reached[:, number]]
        starts[output] += values[0]
    outputs: tuple[Any, ...] = tuple(range(n_outputs))
    if n_outputs > 1 and program.classes is not None:
        outputs = program.classes
    return [
        Explanation(starts, _ranked(program, of_row), raw[row], outputs)
        for row, of_row in enumerate(sums)
    ]


def _leaf_contributions(nodes: Nodes, values: Array, n_features: int) -> Array:
    """Return what the features contribute on the way to each node."""
    table = np.zeros((len(nodes), n_features))
    for node, question in enumerate(nodes.questions):
        if question is not None:
            for child in (nodes.left[node], nodes.right[node]):
                table[child] = table[node]
                table[child, question.feature] += values[child] - values[node]
    return table


def _ranked(program: Boosted, sums: Array) -> list[Step]:
    sizes = np.abs(sums).sum(axis=1)
    order = [j for j in np.argsort(-sizes, kind="stable").tolist() if sizes[j] > 0.0]
    return [Step(named(program.features[j]), "", sums[j]) for j in order]
