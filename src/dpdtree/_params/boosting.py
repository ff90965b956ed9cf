"""The table of parameters of the gradient boosting estimators."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sklearn.metrics import get_scorer_names

from dpdtree._losses import boosted_losses
from dpdtree._params.feature_rules import Directions, Groups
from dpdtree._params.kinds import (
    ClassWeights,
    FeatureChoice,
    Flag,
    IntRange,
    IntSequence,
    NonzeroInt,
    Nothing,
    OneOf,
    Parameter,
    RandomState,
    RealRange,
)

LOOKAHEADS = ("light", "strong", "full")

#: Depth of lookahead="full" where max_depth is None.
DEFAULT_DEPTH = 3

_NONE = Nothing()
_AUTO = OneOf(("auto",))


@dataclass(frozen=True)
class Function:
    """Anything that can be called."""

    signature: str

    def accepts(self, value: object) -> bool:
        return callable(value)

    def __str__(self) -> str:
        return f"a callable {self.signature}"


@dataclass(frozen=True)
class ScorerName:
    """The name of a scikit-learn scorer, or that of the loss."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in ("loss", *get_scorer_names())

    def __str__(self) -> str:
        return "'loss', the name of a scorer"


def _loss(options: tuple[str, ...], default: str, doc: str) -> Parameter:
    own = Function("(y, raw) -> (gradient, hessian)")
    text = (
        f"{doc} A callable gets the targets (class codes for a classifier) and the raw"
        " predictions, of shape (n,) or (n, n_classes), and returns the gradient and"
        " the hessian of each row's loss in the same shape."
    )
    return Parameter("loss", default, (OneOf(options), own), text)


_QUANTILE = Parameter(
    "quantile",
    None,
    (RealRange(0.0, 1.0), _NONE),
    'The quantile to predict with loss="quantile".',
)

_CLASS_WEIGHT = Parameter(
    "class_weight",
    None,
    (OneOf(("balanced",)), ClassWeights(), _NONE),
    'Factors of the sample weights: a dict, "balanced" for factors inversely'
    " proportional to the class counts, or None.",
)

_SHARED = (
    Parameter(
        "learning_rate",
        "auto",
        (_AUTO, RealRange(0.0, open_low=True)),
        'Factor of the values of each tree. "auto": 0.05 (n q / 1000)^0.25 for n rows'
        " (integer weights count copies) with q times as much signal as noise, as"
        " far as one tree can tell, from 0.02 to 0.12; times 250 / max_iter (unless"
        " warm_start), from 0.02 to 0.3. learning_rate_ holds the value used.",
    ),
    Parameter(
        "max_iter",
        250,
        (IntRange(1),),
        "Maximum number of iterations, each with one tree (one per class with three"
        " or more classes, one per output with several).",
    ),
    Parameter(
        "lookahead",
        "auto",
        (OneOf(("auto", *LOOKAHEADS)), _NONE),
        'How far a split looks ahead. "auto": "light" with 3000 rows or more, else'
        ' None; lookahead_ holds the value used. None: not at all. "strong": the'
        " large nodes at the top compare several splits two levels deep, on all rows. "
        '"light": the same with up to 10000 rows; with more, the root is chosen on a'
        " sample of them, and only a node of more than half of the rows compares"
        ' splits. "full": trees of max_depth by dynamic programming over n_candidates'
        " splits per state, as published.",
    ),
    Parameter(
        "n_candidates",
        (4, 4, 1),
        (IntRange(1), IntSequence(1)),
        'Candidate splits per depth, for lookahead="full"; beyond the end of the'
        " sequence 1. An int holds for every depth.",
    ),
    Parameter(
        "newton",
        True,
        (Flag(),),
        "True: trees by gradients and hessians, as XGBoost. False: by gradients only"
        " (classic gradient boosting); the values of the leaves are Newton steps.",
    ),
    Parameter(
        "max_leaf_nodes",
        "auto",
        (_AUTO, IntRange(2), _NONE),
        'Maximum number of leaves of a tree, grown best first. "auto": for n rows with'
        " q times as much signal as noise 5 (n / 1000)^0.4 q^0.2 with labels, up to 31,"
        " and 6 (n / 1000)^(1/3) q^0.5 with numbers, up to 48; at least 4 and at most"
        " one per 25 rows. max_leaf_nodes_ holds the value used. None: no limit."
        ' Ignored by lookahead="full".',
    ),
    Parameter(
        "max_depth",
        None,
        (IntRange(1), _NONE),
        "Maximum number of splits between the root and a leaf. None: no limit;"
        f' {DEFAULT_DEPTH} with lookahead="full".',
    ),
    Parameter(
        "min_samples_leaf", 1, (IntRange(1),), "Minimum number of rows in a leaf."
    ),
    Parameter(
        "min_child_weight",
        1e-3,
        (RealRange(0.0),),
        "Minimum sum of hessians in a leaf.",
    ),
    Parameter(
        "l2_regularization",
        5.0,
        (RealRange(0.0),),
        "Penalty of squared leaf values (lambda of XGBoost): as if each leaf had so"
        " much more hessian, at value 0.",
    ),
    Parameter("reg_alpha", 0.0, (RealRange(0.0),), "Penalty of absolute leaf values."),
    Parameter("gamma", 0.0, (RealRange(0.0),), "Minimum gain of a split."),
    Parameter(
        "subsample",
        1.0,
        (RealRange(0.0, 1.0, open_low=True),),
        "Share of the rows drawn for each iteration. The number of a row and the seed"
        " decide, through a hash, so that the share holds on average.",
    ),
    Parameter(
        "max_features",
        0.5,
        (RealRange(0.0, 1.0, open_low=True),),
        "Share of the features drawn for each node.",
    ),
    Parameter(
        "max_bins",
        255,
        (IntRange(2, 255),),
        "Bins per feature; missing values have one more.",
    ),
    Parameter(
        "categorical_features",
        "from_dtype",
        (OneOf(("from_dtype",)), FeatureChoice(), _NONE),
        "Which features are categories, split by sets of them; beyond the 255 most"
        ' frequent ones they are treated as unknown. "from_dtype": the columns of a'
        " categorical dtype or of strings (not of names, which hardly repeat). None:"
        " none.",
    ),
    Parameter(
        "monotonic_cst",
        None,
        (Directions(), _NONE),
        "Features whose effect on the prediction must be increasing (1) or decreasing"
        " (-1); 0 leaves it open. Not for three or more classes.",
    ),
    Parameter(
        "interaction_cst",
        None,
        (OneOf(("pairwise", "no_interactions")), Groups(), _NONE),
        "Groups of features that may meet on a path from the root to a leaf. Features"
        " in no group form one of their own.",
    ),
    Parameter(
        "warm_start",
        False,
        (Flag(),),
        "True: fit continues where the last fit stopped, up to max_iter; on the same"
        " data the result is that of one long fit at the same learning rate.",
    ),
    Parameter(
        "early_stopping",
        "auto",
        (OneOf(("auto",)), Flag()),
        "Stop when the score has not improved for n_iter_no_change iterations and keep"
        ' the best iteration. "auto": with more than 10000 rows, or X_val. False with'
        " X_val: its scores are kept only.",
    ),
    Parameter(
        "scoring",
        "loss",
        (ScorerName(), Function("(estimator, X, y) -> score"), _NONE),
        'Score of the learning curves and of early stopping: "loss", the name of a'
        " scikit-learn scorer, a callable, or None for the estimator's score. A"
        " callable gets categories as"
        " their places in categories_, and weights only if it takes sample_weight.",
    ),
    Parameter(
        "validation_fraction",
        0.1,
        (
            IntRange(1),
            RealRange(0.0, 1.0, open_low=True, open_high=True, fraction=True),
            _NONE,
        ),
        "Share or number of training rows set aside for early stopping, the same share"
        " of each class except for its last row. None scores the training rows."
        " Ignored with X_val.",
    ),
    Parameter(
        "n_iter_no_change",
        10,
        (IntRange(1),),
        "Iterations without improvement after which early stopping stops.",
    ),
    Parameter(
        "tol",
        1e-7,
        (RealRange(0.0),),
        "Minimum gain of a score to count as better.",
    ),
    Parameter(
        "time_limit",
        None,
        (RealRange(0.0), _NONE),
        "Seconds after which no further iteration is added, from the beginning of fit"
        " on; stop_reason_ says so. It may stop before the first one.",
    ),
    Parameter(
        "n_jobs",
        None,
        (NonzeroInt(), _NONE),
        "Number of threads: None means 1 outside a joblib context, -1 all cores. The"
        " trees do not depend on it.",
    ),
    Parameter(
        "random_state",
        None,
        (IntRange(0, 2**32 - 1), RandomState(), _NONE),
        "Seed of the validation rows and of the drawn rows and features, also of those"
        ' that lookahead="light" samples. None stands for 0: nothing is random.',
    ),
    Parameter(
        "verbose",
        0,
        (IntRange(0), Flag()),
        "1 shows the iteration and its scores now and then.",
    ),
)


BOOSTING_CLASSIFIER = (
    _loss(boosted_losses("classification"), "log_loss", "What is minimised."),
    *_SHARED[:-3],
    _CLASS_WEIGHT,
    *_SHARED[-3:],
)
BOOSTING_REGRESSOR = (
    _loss(
        boosted_losses("regression"),
        "squared_error",
        'What is minimised. "poisson" and "gamma" predict the exponential of the'
        " trees' sum.",
    ),
    _QUANTILE,
    *(replace(p, default=0.7) if p.name == "max_features" else p for p in _SHARED),
)
