"""The parameters of DPDTAdaBoostClassifier: those of its trees, and its own."""

from __future__ import annotations

from dataclasses import replace

from dpdtree._losses import tree_losses
from dpdtree._params.kinds import (
    ClassWeights,
    Flag,
    IntRange,
    NonzeroInt,
    OneOf,
    Parameter,
    RandomState,
    RealRange,
)
from dpdtree._params.tree import (
    ALPHA_DOC,
    CLASSIFIER,
    FEATURE_CONSTRAINTS,
    NONE,
    STRATEGIES,
)

# Weights that change from round to round go with no matrix of costs.
_LOSSES = tuple(n for n in tree_losses("classification") if n != "cost_matrix")
_LEFT_OUT = ("leaf_smoothing", "shrinkage", "cost_matrix", "forced_splits")
_BY_NAME = {p.name: p for p in CLASSIFIER}

_ADABOOST_ONLY = {
    "max_depth": Parameter(
        "max_depth",
        3,
        (IntRange(1), NONE),
        "Largest number of splits between the root and a leaf of each tree; None as"
        " for a single tree.",
    ),
    "alpha": Parameter("alpha", 0.0, (RealRange(0.0), OneOf(("mdl",))), ALPHA_DOC),
    "strategy": Parameter(
        "strategy",
        "paper",
        (OneOf(STRATEGIES[1:]),),
        "How each tree is searched, as in DPDTreeClassifier. The default looks"
        ' ahead from the root; "balanced" takes much longer on weighted rows and gains'
        " nothing over it in boosting.",
    ),
    "n_candidates": replace(_BY_NAME["n_candidates"], default=(4, 1)),
    "loss": Parameter(
        "loss",
        "zero_one",
        (OneOf(_LOSSES),),
        "What each tree minimises: the training error, the mean Gini impurity of the"
        ' leaves or their mean log-loss. strategy="optimal" takes "zero_one" only.',
    ),
    "class_weight": Parameter(
        "class_weight",
        None,
        (OneOf(("balanced",)), ClassWeights(), NONE),
        'Factors of the weights that boosting starts with: a dict, "balanced" for'
        " factors inversely proportional to the class counts, or None. Errors gain"
        " weight in every round, so that with many rounds these factors fade.",
    ),
    "time_limit": Parameter(
        "time_limit",
        None,
        (RealRange(0.0), NONE),
        "Seconds for the whole ensemble. The tree that is not done by then is left"
        " out, unless it is the first; stop_reason_ says so. None waits for the end.",
    ),
    "n_jobs": Parameter(
        "n_jobs",
        None,
        (NonzeroInt(), NONE),
        "Number of threads within a tree: None means 1 outside a joblib context, -1"
        " all cores. The trees do not depend on it.",
    ),
    "max_bins": Parameter(
        "max_bins",
        None,
        (IntRange(2, 255), NONE),
        "Merge the values of each feature into this many quantile bins, once: those"
        " of the weights given to fit, for all trees. None searches every distinct"
        " value.",
    ),
    "random_state": Parameter(
        "random_state",
        None,
        (IntRange(0, 2**32 - 1), RandomState(), NONE),
        "Seed of the trees' feature draws. Without max_features nothing is random.",
    ),
    "verbose": Parameter(
        "verbose",
        0,
        (IntRange(0), Flag()),
        "1 shows the number of trees and the error of the last one now and then.",
    ),
}

ADABOOST = (
    Parameter(
        "n_estimators",
        50,
        (IntRange(1),),
        "Number of trees at most; a tree without errors is the last one.",
    ),
    Parameter(
        "learning_rate",
        1.0,
        (RealRange(0.0, open_low=True),),
        "Factor of the weight of each tree.",
    ),
    *(
        _ADABOOST_ONLY.get(p.name, p)
        for p in CLASSIFIER
        if p.name not in (*_LEFT_OUT, *FEATURE_CONSTRAINTS)
    ),
)
