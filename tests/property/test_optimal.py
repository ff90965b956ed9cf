"""strategy="optimal" finds the best of all trees, and says so only if it is true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, DPDTreeRegressor, _core
from tests.property import native
from tests.property.problems import (
    COMPLEXITIES,
    Case,
    Sample,
    examples,
    make_sample,
    tiny_cases,
)
from tests.property.test_equivalences import limits_of, repeated
from tests.reference.brute_force import Limits, Problem, xor_data
from tests.reference.optimum import optimum

VECTOR_PATHS = ("avx512", "avx2", "sse2", "portable")


def best_of_all(case: Case) -> float:
    """The objective of the best tree; rows of weight 0 are no part of the problem."""
    sample, chosen = case.sample, case.parameters
    seen = sample.weights > 0
    X, y, w = sample.X[seen], sample.y[seen], sample.weights[seen]
    limits = Limits(
        max_depth=chosen["max_depth"],
        min_samples_split=chosen["min_samples_split"],
        min_samples_leaf=chosen["min_samples_leaf"],
        min_weight_leaf=chosen["min_weight_fraction_leaf"] * float(w.sum()),
        max_leaves=chosen.get("max_leaf_nodes", 1 << 30),
    )
    problem = Problem(X, y, w, sample.loss, limits=limits)
    return optimum(problem, chosen["alpha"], chosen["complexity"])


def check_statements(model: Any, best: float, rounding: float = 1e-9) -> None:
    """What any fit may say about itself, given the best objective there is."""
    assert model.objective_ >= best - rounding
    if np.isnan(model.lower_bound_):  # nothing was proven
        assert model.strategy != "optimal"
        assert np.isnan(model.gap_)
        assert not model.is_optimal_
        return
    assert model.lower_bound_ <= best + rounding
    assert model.lower_bound_ <= model.objective_
    assert model.gap_ == pytest.approx(model.objective_ - model.lower_bound_, abs=1e-12)
    if model.is_optimal_:
        assert model.objective_ == pytest.approx(best, rel=1e-9, abs=rounding)
        assert model.gap_ == 0.0


def check_optimal(case: Case) -> None:
    """The best objective, proven, whichever way the thresholds are searched."""
    best = best_of_all(case)
    for use_pair_search in (True, False):
        model = prove(case.sample, use_pair_search, **case.parameters)
        check_statements(model, best)
        assert model.is_optimal_
        assert model.report_.stop_reason == "completed"


@pytest.mark.native
@given(
    case=tiny_cases(losses=("zero_one", "squared_error"), max_rows=12, depths=(1, 2, 3))
)
@examples(300)
def test_with_a_clock(case: Case) -> None:
    """The balanced tree that a proof then starts from keeps the limits as well."""
    model = case.sample.fit(strategy="optimal", time_limit=60.0, **case.parameters)
    check_statements(model, best_of_all(case))
    assert model.is_optimal_


def prove(sample: Sample, use_pair_search: bool, **parameters: Any) -> Any:
    """Fit with one of the two searches."""
    model = sample.model(strategy="optimal", **parameters)
    model._core_switches = {"use_pair_search": use_pair_search}
    return model.fit(sample.X, sample.y, sample_weight=sample.w)


@pytest.mark.native
@given(case=tiny_cases(losses=("zero_one",), max_rows=12, depths=(1, 2, 2, 2)))
@examples(1500)
def test_classification(case: Case) -> None:
    check_optimal(case)


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(("zero_one", "squared_error")),
    n=st.integers(5, 12),
    p=st.integers(4, 7),
    classes=st.integers(2, 4),
    weighting=st.sampled_from(("none", "none", "integer", "real")),
    missing=st.sampled_from((0.0, 0.2)),
    depth=st.sampled_from((2, 2, 3)),
    split_rows=st.sampled_from((2, 2, 5)),
)
@examples(200)
def test_many_features(seed: int, depth: int, split_rows: int, **shape: Any) -> None:
    """Cuts of four features are evaluated at once, of whatever rows."""
    sample = make_sample(seed, levels=100, **shape)
    limits = {"min_samples_split": split_rows, "min_samples_leaf": 1}
    fixed = {"alpha": 0.0, "complexity": "n_leaves", "min_weight_fraction_leaf": 0.0}
    check_optimal(Case(sample, {"max_depth": depth, **fixed, **limits}))


@pytest.mark.native
@given(case=tiny_cases(losses=("zero_one",), max_rows=10, depths=(3, 3, 4)))
@examples(500)
def test_deeper_classification(case: Case) -> None:
    check_optimal(case)


@pytest.mark.native
@given(
    case=tiny_cases(losses=("zero_one",), max_rows=10, depths=(2, 3, 4)),
    leaves=st.integers(2, 7),
)
@examples(500)
def test_limited_leaves(case: Case, leaves: int) -> None:
    """The best of all trees with so few leaves, under every other limit as well."""
    limited = {**case.parameters, "max_leaf_nodes": leaves}
    case = Case(case.sample, limited)
    check_optimal(case)
    model = case.sample.fit(strategy="optimal", **limited)
    assert model.get_n_leaves() <= leaves


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.integers(4, 9),
    depth=st.sampled_from([2, 3, 4]),
    alpha=st.sampled_from([0.0, 0.01, 0.04]),
    complexity=st.sampled_from(COMPLEXITIES),
)
@examples(100)
def test_more_classes_than_leaves(
    seed: int, classes: int, depth: int, alpha: float, complexity: str
) -> None:
    """A level more tells more classes apart."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(11, 2)).round(1), rng.integers(0, classes, 11)
    chosen = {
        "max_depth": depth,
        "alpha": alpha,
        "complexity": complexity,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_weight_fraction_leaf": 0.0,
    }
    check_optimal(Case(Sample(X, y, None, "zero_one"), chosen))


@pytest.mark.native
@given(
    case=st.one_of(
        tiny_cases(losses=("zero_one",), max_rows=9, depths=(9,)),
        tiny_cases(losses=("squared_error",), max_rows=6, depths=(6,)),
    ),
    alpha=st.sampled_from([0.01, 0.04, 0.1, 0.2]),
    leaves=st.sampled_from([None, None, 3, 5]),
)
@examples(200)
def test_no_limit_of_levels(case: Case, alpha: float, leaves: int | None) -> None:
    """A price per leaf makes it a proof for trees of every depth."""
    chosen = {**case.parameters, "alpha": alpha, "complexity": "n_leaves"}
    if leaves is not None:
        chosen["max_leaf_nodes"] = leaves
    best = best_of_all(Case(case.sample, chosen))
    for use_pair_search in (True, False):
        chosen["max_depth"] = None
        model = prove(case.sample, use_pair_search, **chosen)
        check_statements(model, best)
        assert model.is_optimal_


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.02, 0.024, 0.026, 0.05])
def test_alternating_rows_with_no_limit_of_levels(alpha: float) -> None:
    """Only trees of all rows, of one or of two leaves can be best."""
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    model = deep(X, y, max_depth=None, alpha=alpha, complexity="n_leaves")
    assert model.is_optimal_
    best = min(40 * alpha, 0.5 + alpha, 19 / 40 + 2 * alpha)
    assert model.objective_ == pytest.approx(best)


@pytest.mark.native
@given(case=tiny_cases(losses=("squared_error",), max_rows=12, depths=(1, 2, 2)))
@examples(700)
def test_regression(case: Case) -> None:
    check_optimal(case)


@pytest.mark.native
@given(case=tiny_cases(losses=("squared_error",), max_rows=10, depths=(3, 4)))
@examples(200)
def test_deeper_regression(case: Case) -> None:
    """The proof may stay open here; the statements are true all the same."""
    model = case.sample.fit(strategy="optimal", **case.parameters)
    check_statements(model, best_of_all(case))


@pytest.mark.native
@given(
    case=tiny_cases(
        losses=("zero_one", "gini", "log_loss", "squared_error"),
        max_rows=10,
        depths=(1, 2, 3),
    ),
    strategy=st.sampled_from(["greedy", "paper", "balanced"]),
)
@examples(600)
def test_the_other_strategies_state_what_is_true(case: Case, strategy: str) -> None:
    model = case.sample.fit(strategy=strategy, **case.parameters)
    check_statements(model, best_of_all(case))


@pytest.mark.native
@given(
    case=tiny_cases(losses=("zero_one", "squared_error"), max_rows=9, depths=(1, 2, 3)),
    n_candidates=st.sampled_from([None, 1, (3,)]),
)
@examples(300)
def test_exhaustive_generator_is_the_oracle(case: Case, n_candidates: Any) -> None:
    """Whatever n_candidates says."""
    model = case.sample.fit(
        strategy="paper",
        generator="exhaustive",
        n_candidates=n_candidates,
        **case.parameters,
    )
    best = best_of_all(case)
    check_statements(model, best)
    assert model.objective_ == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(20, 300),
    alpha=st.sampled_from([0.0, 0.002, 0.02]),
    complexity=st.sampled_from(COMPLEXITIES),
    classes=st.integers(2, 4),
)
@examples(60)
def test_integer_weights_are_repeated_rows(
    seed: int, n: int, classes: int, **same: Any
) -> None:
    sample = make_sample(
        seed, loss="zero_one", n=n, classes=classes, levels=40, weighting="integer"
    )
    same |= {"strategy": "optimal", "max_depth": 2}
    weighted, plain = sample.fit(**same), repeated(sample).fit(**same)
    assert weighted.is_optimal_
    assert plain.is_optimal_
    assert weighted.objective_ == pytest.approx(plain.objective_, rel=1e-9, abs=1e-12)


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(150, 400),
    levels=st.sampled_from([7, 40, 400]),
    alpha=st.sampled_from([0.0, 0.004]),
    complexity=st.sampled_from(COMPLEXITIES),
    classes=st.sampled_from([3, 7, 12]),
)
@examples(25)
def test_what_cuts_of_neighbours_tell(
    seed: int, n: int, levels: int, classes: int, **same: Any
) -> None:
    """Two kernels, with the cuts of neighbours: sums of weights, and bytes by chunk."""
    sample = make_sample(
        seed, loss="zero_one", n=n, p=3, classes=classes, levels=levels,
        weighting="integer",
    )  # fmt: skip
    same |= {"strategy": "optimal", "max_depth": 3}
    weighted, plain = sample.fit(**same), repeated(sample).fit(**same)
    assert weighted.is_optimal_
    assert plain.is_optimal_
    assert weighted.objective_ == pytest.approx(plain.objective_, rel=1e-9, abs=1e-12)


@pytest.fixture
def any_path() -> Iterator[None]:
    """Puts the machine's own vector instructions back."""
    yield
    _core.stages.force_instruction_set("best")


def middle_sized(seed: int, n: int, classes: int, missing: float) -> Sample:
    """Some hundred rows with ties and, perhaps, missing values."""
    return make_sample(
        seed, loss="zero_one", n=n, p=4, levels=60, classes=classes, missing=missing
    )


@pytest.mark.native
@pytest.mark.parametrize("alpha", [0.0, 0.003])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("n", [50, 333, 1000])
def test_vector_paths_agree(
    any_path: None, n: int, classes: int, missing: float, alpha: float
) -> None:
    sample = middle_sized(n + classes, n, classes, missing)
    found = {}
    for path in VECTOR_PATHS:
        if _core.stages.force_instruction_set(path):
            assert _core.stages.instruction_set() == path
            fit = native.fit(sample, strategy="optimal", max_depth=2, alpha=alpha)
            assert fit.is_optimal
            found[path] = (fit.tree.to_bytes(), fit.objective, fit.states)
    assert "portable" in found
    assert len(set(found.values())) == 1


@pytest.mark.native
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_vector_paths_agree_at_depth_three(any_path: None, classes: int) -> None:
    sample = middle_sized(5, 400, classes, 0.0)
    results = set()
    for path in VECTOR_PATHS:
        if _core.stages.force_instruction_set(path):
            fit = native.fit(sample, strategy="optimal", max_depth=3)
            results.add((fit.tree.to_bytes(), fit.objective, fit.is_optimal))
    assert len(results) == 1


def test_unknown_vector_path_is_refused() -> None:
    before = _core.stages.instruction_set()
    assert not _core.stages.force_instruction_set("abacus")
    assert _core.stages.instruction_set() == before


@given(seed=st.integers(0, 2**32 - 1), depth=st.sampled_from([1, 2]))
@examples(500)
def test_weights_far_apart(seed: int, depth: int) -> None:
    """Sums round by the largest weight; a proof that ended is one all the same."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(10, 2)).round(1), rng.integers(0, 2, 10)
    w = 10.0 ** rng.uniform(-8, 8, 10)
    sample = Sample(X, y, w, "zero_one")
    model = sample.fit(strategy="optimal", max_depth=depth)
    assert model.is_optimal_
    assert model.gap_ == 0.0


def deep(X: Any, y: Any, **parameters: Any) -> Any:
    """A proof that nobody would wait for if its time doubled with every level."""
    model = DPDTreeRegressor if y.dtype == float else DPDTreeClassifier
    chosen = {"alpha": 0.0, "min_samples_leaf": 1, "time_limit": 20.0, **parameters}
    return model(strategy="optimal", **chosen).fit(X, y)


@pytest.mark.parametrize("max_depth", [8, 12, 40])
@pytest.mark.parametrize("target", ["xor", "noise", "numbers"])
@pytest.mark.parametrize("twins", [0, 3])
def test_a_proof_ends_when_nothing_is_left_to_gain(
    twins: int, target: str, max_depth: int
) -> None:
    """Also where rows that no split tells apart have different targets."""
    X, y = xor_data(40)
    rng = np.random.default_rng(0)
    if target != "xor":
        y = rng.integers(0, 2, 40) if target == "noise" else rng.normal(size=40)
    other = 1 - y[:twins]
    model = deep(np.r_[X, X[:twins]], np.r_[y, other], max_depth=max_depth)
    assert model.report_.stop_reason == "completed"
    assert model.is_optimal_
    lost = twins if target != "numbers" else np.square(y[:twins] - other).sum() / 2
    assert model.loss_ == pytest.approx(lost / (40 + twins), abs=1e-9)


@pytest.mark.parametrize("limit", [{"min_samples_leaf": 14}, {"max_leaf_nodes": 3}])
def test_levels_that_no_tree_can_have(limit: dict[str, int]) -> None:
    X, y = xor_data(40)
    y[:8] = 1 - y[:8]
    few, many = (deep(X, y, max_depth=depth, **limit) for depth in (3, 40))
    assert few.is_optimal_
    assert many.is_optimal_
    assert many.objective_ == few.objective_


@given(
    case=tiny_cases(losses=("zero_one", "squared_error"), max_rows=9, depths=(8, 20))
)
@examples(100)
def test_more_levels_than_rows(case: Case) -> None:
    model = case.sample.fit(strategy="optimal", **case.parameters)
    check_statements(model, best_of_all(case))


@pytest.mark.parametrize("large", [1e18, 1e200])
def test_weights_lost_beside_a_large_one(large: float) -> None:
    """The proof ends although sums no longer tell the light rows apart."""
    rng = np.random.default_rng(0)
    X, y = rng.random((20, 2)), rng.integers(0, 3, 20)
    w = np.where(np.arange(20) == 5, large, 1.0)
    model = DPDTreeRegressor(strategy="optimal", max_depth=2, time_limit=20.0)
    assert model.fit(X, y, w).report_.stop_reason == "completed"


def test_more_rows_than_sixteen_bits() -> None:
    """Counts beyond 32767 and 65535, two and three classes; the optimum is known."""
    rng = np.random.default_rng(0)
    X = rng.permutation(70_000)[:, None].astype(float)
    for y in ((X[:, 0] // 17_500) % 2, (X[:, 0] // 23_334) % 3):
        noisy = y.copy()
        noisy[X[:, 0] % 7000 == 3] += 1  # ten rows no tree of this depth can reach
        fit = native.fit(
            Sample(X, noisy % (y.max() + 1), None, "zero_one"),
            strategy="optimal",
            max_depth=2,
        )
        assert fit.is_optimal
        assert round(fit.loss * 70_000) == 10


@pytest.mark.native
@given(
    case=tiny_cases(losses=("zero_one", "squared_error"), max_rows=12, depths=(2, 3))
)
@examples(100)
def test_threads_do_not_change_the_tree(case: Case) -> None:
    chosen = {**limits_of(Case(case.sample, {**case.parameters, "max_bins": None}))}
    trees = {
        native.fit(
            case.sample, strategy="optimal", n_threads=n, **chosen
        ).tree.to_bytes()
        for n in (1, 2)
    }
    assert len(trees) == 1


@pytest.mark.native
@pytest.mark.parametrize("alpha", [0.0, 0.004])
@pytest.mark.parametrize(("classes", "depth"), [(2, 3), (5, 3), (2, 4)])
def test_threads_do_not_change_the_proof(
    classes: int, depth: int, alpha: float
) -> None:
    """Enough rows that sides of the root go to different threads."""
    n, levels = (5100, 25) if depth == 3 else (5100, 9)
    sample = make_sample(
        classes, loss="zero_one", n=n, p=4, levels=levels, classes=classes
    )
    chosen = {"max_depth": depth, "alpha": alpha, "complexity": "n_leaves"}
    found = set()
    for n_threads in (1, 2, 3):
        fit = native.fit(
            sample, strategy="optimal", use_pair_search=False, n_threads=n_threads,
            **chosen,
        )  # fmt: skip
        assert fit.is_optimal
        # Deeper proofs start from a tree whose search shares what it knows.
        states = fit.states if depth == 3 else 0
        found.add((fit.tree.to_bytes(), fit.objective, fit.lower_bound, states))
    assert len(found) == 1


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    max_bins=st.sampled_from([2, 3, 5]),
    depth=st.sampled_from([1, 2, 3]),
)
@examples(100)
def test_bins_are_searched_completely(seed: int, max_bins: int, depth: int) -> None:
    """With max_bins the optimum is the one over the bins' edges."""
    sample = make_sample(seed, loss="zero_one", n=30, p=2, levels=50)
    model = sample.fit(strategy="optimal", max_bins=max_bins, max_depth=depth)
    edges = [_core.stages.encode_column(x, max_bins) for x in sample.X.T]
    codes = np.stack([code for code, _ in edges], axis=1).astype(float)
    problem = Problem(
        codes, sample.y, sample.weights, "zero_one", limits=Limits(max_depth=depth)
    )
    best = optimum(problem, 0.0, "path_length")
    assert model.is_optimal_
    assert model.objective_ == pytest.approx(best, abs=1e-12)
