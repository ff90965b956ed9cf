"""Random learning problems for the property tests."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import settings
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

Array = npt.NDArray[Any]
COMPLEXITIES = ("path_length", "n_leaves")
LOSSES = ("zero_one", "gini", "log_loss", "squared_error")


def examples(count: int) -> settings:
    """So many examples; twenty times as many when exploring (see conftest)."""
    return settings(max_examples=count * (20 if "DPDTREE_EXPLORE" in os.environ else 1))


@dataclass(frozen=True)
class Sample:
    """Data of one example; `w` is None or one weight per row."""

    X: Array
    y: Array
    w: Array | None
    loss: str

    @property
    def regression(self) -> bool:
        """Whether the target is continuous."""
        return self.loss == "squared_error"

    @property
    def rounding(self) -> float:
        """What rounding may add to a loss: squared errors grow with the target."""
        return 1e-12 * max(1.0, float(np.square(self.y).max())) * len(self.y)

    @property
    def weights(self) -> Array:
        """The weights, ones where there are none."""
        return np.ones(len(self.y)) if self.w is None else self.w

    def model(self, **parameters: Any) -> Any:
        """An estimator with this sample's loss; nothing is priced unless asked for."""
        plain = {"loss": self.loss, "max_depth": 3, "alpha": 0.0}
        plain["strategy"] = "balanced"
        if self.regression:
            return DPDTreeRegressor(**{**plain, "min_samples_leaf": 1, **parameters})
        return DPDTreeClassifier(**{**plain, "leaf_smoothing": None, **parameters})

    def fit(self, **parameters: Any) -> Any:
        """An estimator with this sample's loss, fitted to it."""
        model = self.model(**parameters)
        return model.fit(self.X, self.y, sample_weight=self.w)


@dataclass(frozen=True)
class Case:
    """A sample with the parameters of a fit."""

    sample: Sample
    parameters: dict[str, Any] = field(default_factory=dict)

    def for_strategy(self, strategy: str) -> Case:
        """This case, changed where `strategy` would refuse it or take too long."""
        if strategy != "optimal":
            return self
        loss = "squared_error" if self.sample.regression else "zero_one"
        depth = min(self.parameters["max_depth"], 2)
        provable = {"max_depth": depth, "min_impurity_decrease": 0.0}
        return Case(replace(self.sample, loss=loss), {**self.parameters, **provable})


def make_sample(
    seed: int,
    *,
    loss: str,
    n: int,
    p: int = 3,
    levels: int = 8,
    classes: int = 3,
    missing: float = 0.0,
    weighting: str = "none",
) -> Sample:
    """Features with `levels` values each and a target that depends on some of them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, p)) / 4.0
    score = X[:, 0] * (X[:, -1] > levels / 8) + rng.normal(scale=levels / 8, size=n)
    X[rng.random((n, p)) < missing] = np.nan
    y: Array = np.round(8 * score) / 8  # multiples of 1/8: sums are exact
    if loss != "squared_error":
        y = np.floor(np.abs(score) * 2).astype(int) % classes
    return Sample(X, y, make_weights(rng, weighting, n), loss)


def make_weights(rng: np.random.Generator, weighting: str, n: int) -> Array | None:
    """No weights, small integers, positive reals, or multiples of 1/64 and zeros."""
    if weighting == "none":
        return None
    if weighting == "integer":
        return rng.integers(1, 4, n).astype(float)
    if weighting == "real":
        return rng.random(n) + 0.1
    w = rng.integers(1, 128, n) / 64  # exact sums: a tie stays a tie in any order
    w[1:][rng.random(n - 1) < 0.3] = 0.0
    return w


@st.composite
def samples(
    draw: st.DrawFn,
    *,
    losses: tuple[str, ...] = LOSSES,
    max_rows: int = 60,
    weightings: tuple[str, ...] = ("none", "integer", "real", "zeros"),
) -> Sample:
    """A random sample of one of these losses."""
    return make_sample(
        draw(st.integers(0, 2**32 - 1)),
        loss=draw(st.sampled_from(losses)),
        n=draw(st.integers(2, max_rows)),
        p=draw(st.integers(1, 4)),
        levels=draw(st.sampled_from([2, 5, 12, 1000])),
        classes=draw(st.integers(1, 5)),
        missing=draw(st.sampled_from([0.0, 0.0, 0.2])),
        weighting=draw(st.sampled_from(weightings)),
    )


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Growth limits, most of them at their defaults."""
    choices: dict[str, list[Any]] = {
        "min_samples_split": [2, 2, 5, 0.3],
        "min_samples_leaf": [1, 1, 3, 0.1],
        "min_weight_fraction_leaf": [0.0, 0.0, 0.1],
        "min_impurity_decrease": [0.0, 0.0, 0.01, 0.05],
    }
    return {name: draw(st.sampled_from(values)) for name, values in choices.items()}


@st.composite
def cases(
    draw: st.DrawFn, *, losses: tuple[str, ...] = LOSSES, max_rows: int = 60
) -> Case:
    """A sample, an objective, candidates and limits."""
    sample = draw(samples(losses=losses, max_rows=max_rows))
    parameters: dict[str, Any] = {
        "max_depth": draw(st.integers(1, 4)),
        "alpha": draw(st.sampled_from([0.0, 0.001, 0.01, 0.03, 0.1, 0.5])),
        "complexity": draw(st.sampled_from(COMPLEXITIES)),
        "max_bins": draw(st.sampled_from([None, None, 4])),
        **draw(limits()),
    }
    if not sample.regression:
        parameters["criterion"] = draw(st.sampled_from(["gini", "entropy"]))
    return Case(sample, parameters)


@st.composite
def tiny_cases(
    draw: st.DrawFn, *, losses: tuple[str, ...], max_rows: int, depths: tuple[int, ...]
) -> Case:
    """Data small enough to know the best tree, an objective and limits.

    No min_impurity_decrease: what a split gains is no limit of a tree.
    """
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)  # many small choices: cheaper than draws
    sample = make_sample(
        seed,
        loss=draw(st.sampled_from(losses)),
        n=draw(st.integers(1, max_rows)),
        p=draw(st.integers(1, 3)),
        levels=int(rng.choice([2, 4, 8, 100])),
        classes=draw(st.integers(1, 4)),
        missing=float(rng.choice([0.0, 0.0, 0.3])),
        weighting=str(rng.choice(["none", "none", "integer", "real", "zeros"])),
    )
    if rng.random() < 0.5:  # targets that have nothing to do with the features
        sample = replace(sample, y=rng.permutation(sample.y))
    parameters: dict[str, Any] = {
        "max_depth": draw(st.sampled_from(depths)),
        "alpha": float(rng.choice([0.0, 0.0, 0.001, 0.01, 0.05, 0.1])),
        "complexity": str(rng.choice(COMPLEXITIES)),
        "min_samples_split": int(rng.choice([2, 2, 4, 6])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 1, 2, 3])),
        "min_weight_fraction_leaf": float(rng.choice([0.0, 0.0, 0.15])),
    }
    return Case(sample, parameters)


candidate_counts = st.one_of(
    st.integers(1, 6), st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)
)
generators = st.sampled_from(["cart", "top_b", "top_b_per_feature"])
