"""Sessions of several outputs: one set of codes, iterations of all at a time."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree import _core
from tests.unit.native_boosting import params, regression

pytestmark = pytest.mark.native


def outputs(X, y, *, share, held_out=None, weight=None, **changes):
    """Return a session per column of y."""
    sessions = []
    for column in y.T:
        validation = (None, None, None)
        if held_out is not None:
            validation = (held_out, np.zeros(len(held_out)), None)
        session = _core.BoostingSession(
            X,
            np.ascontiguousarray(column),
            weight,
            0,
            params(**changes),
            *validation,
            like=sessions[0] if sessions and share else None,
        )
        sessions.append(session)
    return sessions


def several_targets(n=3000):
    X, y = regression(n)
    X[:, 4] = np.arange(n) % 6
    X[::7, 1] = np.nan
    return X, np.column_stack([y, -y * y, np.sin(X[:, 0]) + X[:, 3]])


@pytest.mark.parametrize("lookahead", ["none", "light", "strong"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_together_every_output_is_as_if_alone(lookahead, n_threads):
    X, y = several_targets()
    given = {"lookahead": lookahead, "categorical": [False] * 4 + [True]}
    weight = np.random.default_rng(1).uniform(0, 2, len(y))
    held_out = X[::3]
    sessions = outputs(
        X, y, share=True, held_out=held_out, weight=weight, n_threads=n_threads, **given
    )
    assert _core.BoostingSession.run_together(sessions, 4) == 4
    alone = outputs(X, y, share=False, held_out=held_out, weight=weight, **given)
    for one, other in zip(sessions, alone, strict=True):
        other.run(4)
        assert one.stop_reason == "completed"
        assert one.model.to_bytes() == other.model.to_bytes()
        np.testing.assert_array_equal(one.raw_train, other.raw_train)
        np.testing.assert_array_equal(one.raw_val, other.raw_val)
        assert one.val_loss() == other.val_loss()


def test_codes_are_those_of_the_other_session():
    X, y = several_targets()
    first = _core.BoostingSession(X, y[:, 0], None, 0, params())
    # Nobody looks at these values: the rows are said to be the same.
    second = _core.BoostingSession(
        np.full_like(X, np.inf), y[:, 1], None, 0, params(), like=first
    )
    second.run(3)
    alone = _core.BoostingSession(X, y[:, 1], None, 0, params())
    alone.run(3)
    assert second.model.to_bytes() == alone.model.to_bytes()
    # They outlive the session that made them.
    del first
    second.run(2)
    alone.run(2)
    assert second.model.to_bytes() == alone.model.to_bytes()


@pytest.mark.parametrize("rows", ["fewer", "columns", "held_out"])
def test_other_rows_have_other_codes(rows):
    X, y = several_targets(100)
    first = _core.BoostingSession(X, y[:, 0], None, 0, params())
    n, p = (99, 5) if rows == "fewer" else (100, 4 if rows == "columns" else 5)
    more = (X, y[:, 0], None) if rows == "held_out" else (None, None, None)
    with pytest.raises(ValueError, match="same rows"):
        _core.BoostingSession(
            np.ascontiguousarray(X[:n, :p]), np.ascontiguousarray(y[:n, 1]), None, 0,
            params(), *more, like=first,
        )  # fmt: skip


def test_a_callback_stops_all_outputs():
    X, y = several_targets(400)
    sessions = outputs(X, y, share=True, n_threads=2)
    seen = []

    def after(n):
        seen.append(n)
        return n < 3

    assert _core.BoostingSession.run_together(sessions, 10, after) == 3
    assert seen == [1, 2, 3]
    assert {s.n_iterations for s in sessions} == {3}
    assert {s.stop_reason for s in sessions} == {"callback"}
    assert _core.BoostingSession.run_together([], 10) == 0


def test_an_error_leaves_whole_trees():
    """Whoever grows those of the other outputs."""
    X, y = several_targets(400)
    for n_threads in (1, 2):
        sessions = outputs(X, y, share=True, n_threads=n_threads)
        _core.BoostingSession.run_together(sessions, 2)
        bad = _core.BoostingSession(
            X, y[:, 0] * 1e300, None, 0, params(), like=sessions[0]
        )
        with pytest.raises(ValueError, match="no finite derivatives"):
            _core.BoostingSession.run_together([*sessions, bad], 5)
        for session in sessions:
            np.testing.assert_array_equal(
                session.raw_train, session.model.predict_raw(X)
            )


@pytest.mark.parametrize("limit", [0.0, 0.1])
def test_a_time_limit_leaves_whole_trees(limit):
    X, y = several_targets(20_000)
    sessions = outputs(X, y, share=True, n_threads=2, time_limit=limit)
    done = _core.BoostingSession.run_together(sessions, 1_000_000)
    assert {s.stop_reason for s in sessions} == {"time_limit"}
    assert done == min(s.n_iterations for s in sessions) < 1_000_000
    for session in sessions:
        np.testing.assert_array_equal(session.raw_train, session.model.predict_raw(X))
