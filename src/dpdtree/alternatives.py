"""`Alternatives`: the best splits of each state, with what they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dpdtree._alternatives.chosen_tree import (
    STOP,
    Choices,
    checked_choices,
    chosen_nodes,
    forced_by,
    grown,
)
from dpdtree._alternatives.table import Alternative, Way, table_of
from dpdtree._core import AlternativesResult
from dpdtree._fitted import fitted_attributes
from dpdtree._numbers import is_int, shown
from dpdtree._tree_attributes import keep_point
from dpdtree.report import FitReport

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

_MOST_LISTED = 6  # categories in a text


class Alternatives:
    """The best splits of the states near the best tree, with their completions.

    A state is a set of training rows at a depth; an action is a split of a state. The
    value of an action is what the best tree with this split is worth that the strategy
    finds: the tree that `fit` gives with this split in `forced_splits`. Comes from the
    method `alternatives` of an estimator.

    Losses, complexities and objectives of states and actions are what they add to
    those of a tree: sums over their rows, divided by the weight of all rows. So a
    split is worth the price of the split plus what its two sides are worth, and what
    the root is worth is the `objective_` of the tree.

    Attributes
    ----------
    root : int
        The state of all rows, 0. A state comes before those below it.
    depth, n_rows, weight : ndarray of shape (n_states,)
        Depth of a state, number and weight of its rows.
    value : ndarray of shape (n_states, n_values)
        Class weights of the rows of a state, or their prediction (the mean; median or
        quantile by the loss); nothing is shrunk or smoothed.
    impurity : ndarray of shape (n_states,)
        By the criterion, mean of a row.
    leaf_loss, leaf_complexity, leaf_objective : ndarray of shape (n_states,)
        Of the state as a leaf.
    state_loss, state_complexity, state_feature_cost, state_objective : ndarray
        Of the tree that the strategy finds for the state: its first action, or a leaf
        where `stops` is true.
    state_n_leaves : int ndarray of shape (n_states,)
        Leaves of that tree.
    stops : bool ndarray of shape (n_states,)
        Whether that tree is a leaf. Actions of such a state are what a split would
        cost.
    action_start : int ndarray of shape (n_states + 1,)
        The actions of state s are action_start[s] ... action_start[s + 1] - 1: the
        strategy's own first (unless it stops), the others by their objectives.
    feature, threshold, missing_left : ndarray of shape (n_actions,)
        The split; `threshold` is NaN where it is one of categories.
    categories_left : list of lists, or of None
        Places in the estimator's `categories_` of what goes left; None for numbers.
    left, right : int ndarray of shape (n_actions,)
        The states of the two sides.
    loss, complexity, feature_cost, objective : ndarray of shape (n_actions,)
        Of the best completion of the state with this split.
    n_leaves : int ndarray of shape (n_actions,)
        Its leaves.
    feature_names : list of str
        Names of the features, or "x0", "x1", ...
    classes : ndarray, list of ndarrays, or None
        `classes_` of the estimator.
    task : {"classification", "regression"}
        What the trees are for.
    k : tuple of int
        Actions of a state at most, by depth.
    report : FitReport
        How the search went.
    """

    root = 0

    def __init__(
        self,
        estimator: Any,
        result: AlternativesResult,
        fitted: Mapping[str, Any],
        report: FitReport,
        k: Sequence[int],
        alpha: float,
    ) -> None:
        """Keep the arrays of a search; `estimator` is theirs alone from now on."""
        self._estimator = estimator
        self._fitted = dict(fitted)
        self._alpha = alpha
        self.k = tuple(int(n) for n in k)
        self.report = report
        self._keep_states(result.state_arrays)
        self._keep_actions(result.action_arrays)
        names = getattr(estimator, "feature_names_in_", None)
        if names is None:
            names = [f"x{i}" for i in range(estimator.n_features_in_)]
        self.feature_names = [str(name) for name in names]
        self.classes = self._fitted.get("classes_")
        self.task = "regression" if self.classes is None else "classification"
        if self.task == "classification":  # weights of the classes, not their shares
            self.value *= self.weight[:, None]

    def _keep_states(self, states: Mapping[str, Any]) -> None:
        self.depth = states["depth"]
        self.n_rows = states["n_rows"]
        self.weight = states["weight"]
        self.value = states["value"]
        self.impurity = states["impurity"]
        self.stops = states["stops"].astype(bool)
        self.leaf_loss = states["leaf_loss"]
        self.leaf_objective = states["leaf_objective"]
        self.leaf_complexity = states["leaf_complexity"]
        self.state_loss = states["loss"]
        self.state_complexity = states["complexity"]
        self.state_feature_cost = states["feature_cost"]
        self.state_n_leaves = states["n_leaves"]
        self.state_objective = states["objective"]
        self.action_start = np.concatenate(([0], np.cumsum(states["n_actions"])))

    def _keep_actions(self, actions: Mapping[str, Any]) -> None:
        self.feature = actions["feature"]
        self.threshold = actions["threshold"]
        self.missing_left = actions["missing_left"].astype(bool)
        self.categories_left: list[list[int] | None] = actions["categories_left"]
        self.left = actions["left"]
        self.right = actions["right"]
        self.loss = actions["loss"]
        self.complexity = actions["complexity"]
        self.feature_cost = actions["feature_cost"]
        self.objective = actions["objective"]
        self.n_leaves = actions["n_leaves"]

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.depth)

    @property
    def n_actions(self) -> int:
        """Number of actions of all states."""
        return len(self.feature)

    def actions(self, state: int) -> range:
        """Return the numbers of the actions of a state, the strategy's own first.

        Parameters
        ----------
        state : int
            Index of the state.

        Returns
        -------
        range
            Indices of its actions, best first.
        """
        return range(int(self.action_start[state]), int(self.action_start[state + 1]))

    def split_text(self, action: int) -> str:
        """Return what a split asks of the rows that go left.

        Parameters
        ----------
        action : int
            Index of the action.

        Returns
        -------
        str
            The split in words.
        """
        name = self.feature_names[self.feature[action]]
        left = self.categories_left[action]
        if left is None:
            return f"{name} <= {self.threshold[action]:.6g}"
        names = [str(category) for category in self._categories(action)]
        if len(names) > _MOST_LISTED:
            names = [*names[: _MOST_LISTED - 1], f"... {len(names)} in all"]
        return f"{name} in {{{', '.join(names)}}}"

    def table(self, node: Way = ()) -> list[Alternative]:
        """Return what may be done at a node, best first as the states list it.

        Parameters
        ----------
        node : sequence of (int, str)
            The way down from the root: at each step the rank of the action that is
            taken (0 is the strategy's own) and "left" or "right". () is the root.

        Returns
        -------
        list of Alternative
            One for each action and, with `action` -1, one for a leaf: first if the
            strategy stops there, else last.
        """
        return table_of(self, node)

    def action(self, state: int, rank: int) -> int:
        """Return the index of an action of a state.

        Parameters
        ----------
        state : int
            Index of the state.
        rank : int
            Which of its actions; 0 is the strategy's own.

        Returns
        -------
        int
            Index of the action.
        """
        known = self.actions(state)
        if not is_int(rank) or not 0 <= rank < len(known):
            raise ValueError(
                f"An action must be an int from 0 to {len(known) - 1} there, got"
                f" {shown(rank)}."
                if known
                else f"State {state} has no actions, got {shown(rank)}."
            )
        return known[rank]

    def _categories(self, action: int) -> list[Any]:
        """The categories that go left, by their names."""
        names = self._estimator.categories_[self.feature[action]]
        left = self.categories_left[action] or []
        return [names[place] for place in left]

    def splits(
        self, choices: Choices | None = None, *, whole: bool = False
    ) -> dict[str, Any] | None:
        """Return chosen splits as `forced_splits` takes them.

        Parameters
        ----------
        choices : dict, default=None
            As in `tree`; a choice to stop cannot be forced.
        whole : bool, default=False
            True: all splits of the tree. False: those chosen and those above them.

        Returns
        -------
        dict or None
            None if there is nothing to split.
        """
        wanted = checked_choices(choices)
        if STOP in wanted.values():
            raise ValueError("forced_splits cannot force a leaf: give splits only.")
        return forced_by(self, wanted, whole=whole)

    def split(self, action: int) -> dict[str, Any]:
        """Return the split of an action as `forced_splits` takes it.

        Parameters
        ----------
        action : int
            Index of the action.

        Returns
        -------
        dict
            The split, without what is below it.
        """
        feature = int(self.feature[action])
        named = hasattr(self._estimator, "feature_names_in_")
        split: dict[str, Any] = {
            "feature": self.feature_names[feature] if named else feature,
            "missing_left": bool(self.missing_left[action]),
        }
        if self.categories_left[action] is None:
            split["threshold"] = float(self.threshold[action])
        else:
            split["categories"] = self._categories(action)
        return split

    def tree(self, choices: Choices | None = None) -> Any:
        """Return a fitted estimator with chosen splits, the best ones elsewhere.

        Parameters
        ----------
        choices : dict, default=None
            From a node, given by the sides on the way from the root (() is the root,
            ("left", "right") the right child of its left child), to the rank of the
            action to take there, or -1 to make it a leaf. Where nothing is chosen the
            first action is taken.

        Returns
        -------
        estimator
            What `fit` gives with these splits forced. Its own `forced_splits` are
            those above and at the choices.
        """
        wanted = checked_choices(choices)
        nodes = list(chosen_nodes(self, wanted))
        unused = sorted(set(wanted) - {node.path for node in nodes})
        if unused:
            raise ValueError(
                f"choices names nodes that the tree does not have: {unused}."
            )
        estimator = clone(self._estimator)
        if wanted and STOP not in wanted.values():
            estimator.set_params(forced_splits=self.splits(wanted))
        fitted = {**fitted_attributes(self._estimator), **self._fitted}
        keep_point(estimator, grown(self, nodes), fitted, self.report, self._alpha)
        return estimator

    def class_counts(self) -> NDArray[np.int64]:
        """Return the number of classes of each output; 1 for numbers.

        Returns
        -------
        ndarray of shape (n_outputs,)
            Numbers of classes.
        """
        if self.task == "regression":
            return np.ones(self.value.shape[1], dtype=np.int64)
        return np.atleast_1d(np.asarray(self._fitted["n_classes_"], dtype=np.int64))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with a row for each action of each state.

        Returns
        -------
        pandas.DataFrame
            A row per action.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas, which is not installed: pip install pandas."
            ) from error
        state = np.repeat(np.arange(self.n_states), np.diff(self.action_start))
        columns = {
            "state": state,
            "depth": self.depth[state],
            "n_rows": self.n_rows[state],
            "weight": self.weight[state],
            "action": np.arange(self.n_actions) - self.action_start[state],
            "split": [self.split_text(a) for a in range(self.n_actions)],
            "feature": [self.feature_names[f] for f in self.feature],
            "threshold": self.threshold,
            "missing_left": self.missing_left,
            "left": self.left,
            "right": self.right,
            "loss": self.loss,
            "complexity": self.complexity,
            "n_leaves": self.n_leaves,
            "objective": self.objective,
        }
        return pd.DataFrame(columns)

    def plot(self, *, depth: int = 2, most: int = 3, ax: Any = None) -> Any:
        """Draw states and actions with their values, as the paper draws its MDP.

        Parameters
        ----------
        depth : int, default=2
            Levels of actions below the root.
        most : int, default=3
            Actions of a state at most.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
        """
        from dpdtree.plotting.alternatives import plot_alternatives

        return plot_alternatives(self, depth=depth, most=most, ax=ax)

    def __repr__(self) -> str:
        rows = self.table()[:4]
        title = (
            f"Alternatives of {type(self._estimator).__name__}"
            f" ({self._estimator.strategy}): {self.n_states} states,"
            f" {self.n_actions} actions; at the root"
        )
        lines = [title]
        lines += [
            f"  {row.objective:.6g}  {row.split}"
            f" ({'1 leaf' if row.n_leaves == 1 else f'{row.n_leaves} leaves'})"
            for row in rows
        ]
        left = len(self.table()) - len(rows)
        return "\n".join([*lines, *([f"  ... and {left} more"] if left else [])])
