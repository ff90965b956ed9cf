"""The targets of a tree, checked and encoded as the core takes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._core import EncodedColumns
from dpdtree._input.labels import (
    check_counts,
    check_range,
    encode_costs,
    encode_labels,
    encode_outputs,
    encode_targets,
    weigh_classes,
    weigh_outputs,
    without_weightless,
)
from dpdtree._input.parameter_checks import check_costs, check_one_output
from dpdtree._input.validation import (
    check_sample_weight,
    check_weight_span,
    check_y_shape,
)
from dpdtree._params.estimators import record_of, resolved

Weights = NDArray[np.float64] | None


class Problem(NamedTuple):
    """Encoded training data, as the core takes it, and what encoding has found."""

    y: NDArray[Any]
    n_classes: int | list[int]
    sample_weight: Weights
    fitted: dict[str, Any]
    encoded: EncodedColumns | None = None  # X, where that is done already

    def with_columns(self, encoded: EncodedColumns | None) -> Problem:
        """Return the same problem with X encoded."""
        return self._replace(encoded=encoded)


def takes_several(estimator: Any) -> bool:
    """Whether y may have several columns."""
    return record_of(estimator).several_outputs and estimator.strategy != "optimal"


def prepare_targets(
    estimator: Any, y: Any, sample_weight: Any, n_samples: int
) -> Problem:
    """Check and encode y and weights as they were passed."""
    y = check_y_shape(estimator, y, n_samples, several=takes_several(estimator))
    check_one_output(estimator, y.shape[1] if y.ndim == 2 else 1)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, n_samples)
    problem = encode_problem(estimator, y, sample_weight)
    if problem.sample_weight is not None:
        check_weight_span(problem.sample_weight)
    return problem


def encode_problem(estimator: Any, y: NDArray[Any], sample_weight: Weights) -> Problem:
    """Encode labels or targets; the estimator itself stays as it is."""
    if not record_of(estimator).classifies:
        return _numbers(estimator, y, sample_weight)
    check_costs(estimator)
    encode = _classes if y.ndim == 1 else _classes_of_outputs
    return encode(estimator, y, sample_weight)


def _numbers(estimator: Any, y: NDArray[Any], sample_weight: Weights) -> Problem:
    y = without_weightless(encode_targets(y), sample_weight)
    check_range(y, {estimator.loss, estimator.criterion})
    if "poisson" in (estimator.loss, estimator.criterion):
        check_counts(y, sample_weight)
    return Problem(y, 0, sample_weight, {})


def _classes(estimator: Any, y: NDArray[Any], sample_weight: Weights) -> Problem:
    classes, codes = encode_labels(y)
    wanted = estimator.class_weight
    if wanted is not None:
        sample_weight = weigh_classes(wanted, classes, codes, sample_weight)
    fitted = {"classes_": classes, "n_classes_": len(classes)}
    if resolved(estimator, "loss") == "cost_matrix":
        fitted["cost_matrix_"] = encode_costs(estimator.cost_matrix, classes)
    return Problem(codes, len(classes), sample_weight, fitted)


def _classes_of_outputs(
    estimator: Any, y: NDArray[Any], sample_weight: Weights
) -> Problem:
    classes, codes = encode_outputs(y)
    if estimator.class_weight is not None:
        sample_weight = weigh_outputs(estimator.class_weight, y, sample_weight)
    sizes = [len(labels) for labels in classes]
    fitted = {"classes_": classes, "n_classes_": sizes}
    return Problem(codes, sizes, sample_weight, fitted)
