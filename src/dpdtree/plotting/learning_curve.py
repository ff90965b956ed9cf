"""`LearningCurveDisplay` and `plot_learning_curve`: scores after each iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpdtree.plotting._pyplot import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = ("#1f6f8b", "#c8553d", "#5b8c5a", "#8d6a9f", "#b8860b", "#4f5d75")


@dataclass(frozen=True)
class Scores:
    """A line of the plot: a value after each number of iterations."""

    label: str
    iterations: NDArray[np.intp]
    values: NDArray[np.float64]


class LearningCurveDisplay:
    """Scores of a boosted model against the number of iterations.

    Made by `from_estimator` or `plot_learning_curve`; `plot` draws it again.

    Parameters
    ----------
    curves : list of Scores
        What is drawn.
    value_name : str
        Label of the vertical axis.
    best_iteration : int, default=None
        The iteration to mark.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of these axes.
    lines_ : list of matplotlib Line2D
        One per curve.
    best_ : matplotlib Line2D or None
        The mark of the best iteration.
    """

    def __init__(
        self,
        curves: list[Scores],
        *,
        value_name: str,
        best_iteration: int | None = None,
    ) -> None:
        self.curves = curves
        self.value_name = value_name
        self.best_iteration = best_iteration

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, metric: str | None = None, ax: Axes | None = None
    ) -> LearningCurveDisplay:
        """Draw the learning curves of a fitted booster.

        Parameters
        ----------
        estimator : DPDTBoostingClassifier or DPDTBoostingRegressor
            A fitted booster.
        metric : str, default=None
            A metric of `evals_result_`, drawn for each set of `eval_set`. None draws
            `train_score_` and `validation_score_`.
        ax : matplotlib Axes, default=None
            Axes to draw in; None makes a figure.

        Returns
        -------
        LearningCurveDisplay
            What was drawn.
        """
        if not hasattr(estimator, "staged_predict"):
            raise TypeError(
                "plot_learning_curve takes a DPDTBoostingClassifier or"
                f" DPDTBoostingRegressor, got a {type(estimator).__name__}."
            )
        check_is_fitted(estimator)
        if metric is None:
            curves, name = _own_curves(estimator)
        else:
            curves, name = _watched_curves(estimator, metric), metric
        best = estimator.n_iter_ if estimator.do_early_stopping_ else None
        return cls(curves, value_name=name, best_iteration=best).plot(ax)

    def plot(self, ax: Axes | None = None) -> LearningCurveDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in; None makes a figure.

        Returns
        -------
        LearningCurveDisplay
            This display.
        """
        plt = pyplot("plot_learning_curve")
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_ = [
            ax.plot(
                curve.iterations,
                curve.values,
                color=_COLORS[i % len(_COLORS)],
                label=curve.label,
            )[0]
            for i, curve in enumerate(self.curves)
        ]
        self.best_ = None
        if self.best_iteration is not None:
            self.best_ = ax.axvline(
                self.best_iteration,
                color="0.5",
                linestyle=":",
                label=f"best: {self.best_iteration}",
            )
        ax.set_xlabel("iterations")
        ax.set_ylabel(self.value_name)
        ax.grid(alpha=0.25)
        ax.legend(frameon=False)
        return self


def plot_learning_curve(
    estimator: Any, *, metric: str | None = None, ax: Axes | None = None
) -> LearningCurveDisplay:
    """Draw scores of a boosted model against the number of iterations.

    Parameters
    ----------
    estimator : DPDTBoostingClassifier or DPDTBoostingRegressor
        A fitted booster.
    metric : str, default=None
        A metric of `evals_result_`, drawn for each set of `eval_set`, also beyond the
        best iteration. None draws `train_score_` and `validation_score_`; where they
        are losses, as losses: lower is better.
    ax : matplotlib Axes, default=None
        Axes to draw in; None makes a figure.

    Returns
    -------
    LearningCurveDisplay
        What was drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_diabetes
    >>> from dpdtree import DPDTBoostingRegressor, plot_learning_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = DPDTBoostingRegressor(max_iter=20).fit(
    ...     X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    >>> len(plot_learning_curve(model).lines_)
    2
    """
    return LearningCurveDisplay.from_estimator(estimator, metric=metric, ax=ax)


def _own_curves(estimator: Any) -> tuple[list[Scores], str]:
    scoring = estimator.scoring
    is_loss = isinstance(scoring, str) and scoring == "loss"
    sign = -1.0 if is_loss else 1.0  # a score is better if higher
    found = (
        ("training rows", estimator.train_score_),
        ("validation rows", estimator.validation_score_),
    )
    curves = [
        Scores(label, np.arange(len(scores)), sign * scores)
        for label, scores in found
        if len(scores)
    ]
    if not curves:
        raise ValueError(
            "This model has no learning curve: its loss is a callable. Fit it with"
            " scoring, or with eval_set and eval_metric."
        )
    if is_loss:
        return curves, f"mean loss ({estimator.loss})"
    return curves, scoring if isinstance(scoring, str) else "score"


def _watched_curves(estimator: Any, metric: str) -> list[Scores]:
    curves = [
        Scores(name, np.arange(1, len(of_set[metric]) + 1), np.array(of_set[metric]))
        for name, of_set in estimator.evals_result_.items()
        if metric in of_set
    ]
    if not curves:
        known = sorted(
            {key for found in estimator.evals_result_.values() for key in found}
        )
        raise ValueError(
            f"metric must be one of evals_result_, {known}, got {metric!r}: give"
            " eval_set and eval_metric to fit."
        )
    return curves
