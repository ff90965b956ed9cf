"""A model card: what a fitted model is, on a page of Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from dpdtree._params.estimators import resolved
from dpdtree.export._program import Boosted, SingleTree, named, read_model
from dpdtree.export.rules import export_rules, markdown_text

_CONSTRAINTS = (
    "monotonic_cst",
    "interaction_cst",
    "feature_costs",
    "allowed_features",
    "cost_matrix",
    "class_weight",
)
_MOST_FEATURES = 20


def model_card(
    estimator: Any, X: Any = None, y: Any = None, *, title: str | None = None
) -> str:
    """Return a description of a fitted model in Markdown.

    Parameters
    ----------
    estimator : tree or boosting estimator
        Fitted.
    X, y : array-likes, default=None
        Held-out rows; their score is part of the card.
    title : str, default=None
        The heading; None takes the name of the class.

    Returns
    -------
    str
        Sections on data, parameters, fit, scores, constraints and rules (of boosted
        trees: the most important features). What the model is for is left blank.
    """
    if (X is None) != (y is None):
        raise ValueError("X and y must be given together.")
    program = read_model(estimator, one_output=False)
    name = type(estimator).__name__
    parts = [
        f"# {markdown_text(title or name)}",
        "",
        f"A fitted `{name}` of dpdtree {version('dpdtree')}.",
        "",
        "## Intended use",
        "",
        "*To be written: who uses the model, for what, and what it must not decide.*",
        "",
        *_data(estimator, program),
        *_parameters(estimator),
        *_fit(estimator, program),
        *_scores(estimator, X, y),
        *_constraints(estimator),
        *_inside(estimator, program),
    ]
    return "\n".join(parts) + "\n"


def _data(estimator: Any, program: SingleTree | Boosted) -> Iterator[str]:
    yield from ("## Data", "")
    if isinstance(program, SingleTree):
        yield f"- {int(estimator.tree_.n_node_samples[0])} training rows"
    yield f"- {len(program.features)} features:"
    for feature in program.features[:_MOST_FEATURES]:
        kind = "number"
        if feature.categories is not None:
            kind = f"{len(feature.categories)} categories"
        missing = ""
        if getattr(estimator, "has_missing_", np.zeros(len(program.features)))[
            feature.place
        ]:
            missing = ", with missing values"
        yield f"  - {markdown_text(named(feature))}: {kind}{missing}"
    more = len(program.features) - _MOST_FEATURES
    if more > 0:
        yield f"  - ... and {more} more"
    classes: Any = program.classes
    if isinstance(program, SingleTree) and classes is not None:
        classes = [label for labels in classes for label in labels]
    if classes is not None:
        listed = ", ".join(markdown_text(str(label)) for label in classes)
        yield f"- {len(classes)} classes: {listed}"
    yield ""


def _parameters(estimator: Any) -> Iterator[str]:
    yield from ("## Parameters", "")
    defaults = inspect.signature(type(estimator)).parameters
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if repr(value) != repr(defaults[name].default)
    }
    if not changed:
        yield "All parameters have their defaults."
    for name, value in changed.items():
        yield f"- `{name}`: {markdown_text(repr(value))}"
    yield ""


def _fit(estimator: Any, program: SingleTree | Boosted) -> Iterator[str]:
    yield from ("## Fit", "")
    if isinstance(program, Boosted):
        yield f"- iterations: {estimator.n_iter_} ({estimator.stop_reason_})"
        yield f"- trees: {len(program.trees)}"
        yield ""
        return
    tree = estimator.tree_
    yield f"- {tree.n_leaves} leaves, depth {tree.max_depth}"
    yield f"- training loss ({resolved(estimator, 'loss')}): {estimator.loss_:.6g}"
    yield f"- complexity ({estimator.complexity}): {estimator.complexity_:.6g}"
    yield f"- objective: {estimator.objective_:.6g}"
    if estimator.is_optimal_:
        yield "- proven to be optimal within its limits"
    elif estimator.strategy == "optimal":
        yield f"- gap to the proven bound: {estimator.gap_:.6g}"
    else:
        yield "- no bound was proven"
    yield f"- search: {markdown_text(repr(estimator.report_))}"
    yield ""


def _scores(estimator: Any, X: Any, y: Any) -> Iterator[str]:
    if X is None:
        return
    yield from ("## Scores on held-out rows", "")
    measure = "accuracy" if hasattr(estimator, "classes_") else "R²"
    yield f"- rows: {len(y)}"
    yield f"- {measure}: {estimator.score(X, y):.4f}"
    yield ""


def _constraints(estimator: Any) -> Iterator[str]:
    given = {name: getattr(estimator, name, None) for name in _CONSTRAINTS}
    given = {name: value for name, value in given.items() if value is not None}
    if given:
        yield from ("## Constraints", "")
        for name, value in given.items():
            yield f"- `{name}`: {markdown_text(repr(value))}"
        yield ""


def _inside(estimator: Any, program: SingleTree | Boosted) -> Sequence[str]:
    if isinstance(program, SingleTree) and program.n_outputs == 1:
        return ["## Rules", "", export_rules(estimator, format="markdown")]
    order = np.argsort(-estimator.feature_importances_, kind="stable")[:_MOST_FEATURES]
    lines = ["## Most important features", ""]
    for j in order.tolist():
        share = float(estimator.feature_importances_[j])
        if share > 0.0:
            name = markdown_text(named(program.features[j]))
            lines.append(f"- {name}: {100 * share:.1f} %")
    return lines
