"""`RowBlocks` from files and batches of all kinds, and what goes wrong with them."""

import itertools
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    RowBlocks,
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 500
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 9, n),
            "kind": rng.choice(["x", "y", "z"], n),
        }
    )
    frame.loc[::7, "a"] = np.nan
    frame["w"] = rng.choice([1.0, 2.0], n)
    score = frame["a"].fillna(0) + (frame["kind"] == "x") + rng.normal(size=n) / 2
    frame["y"] = np.where(score > 0.5, "yes", "no")
    return frame


FEATURES = ["a", "b", "kind"]


def make():
    return DPDTBoostingClassifier(max_iter=3, random_state=0)


def expected(table):
    return make().fit(table[FEATURES], table["y"], table["w"]).booster_.to_bytes()


def written(table, path, cuts=(0, 200, 320, 500)):
    for number, (a, b) in enumerate(itertools.pairwise(cuts)):
        table.iloc[a:b].to_parquet(path / f"part-{number}.parquet")
    return path


@pytest.mark.parametrize("how", ["pattern", "directory", "list"])
def test_parquet(table, tmp_path, how):
    path = written(table, tmp_path)
    where = {
        "pattern": str(path / "part-*.parquet"),
        "directory": path,
        "list": sorted(path.iterdir()),
    }[how]
    blocks = RowBlocks.from_parquet(where, target="y", weight="w", batch_rows=64)
    model = make().fit(blocks)
    assert model.booster_.to_bytes() == expected(table)
    assert_array_equal(model.feature_names_in_, FEATURES)
    assert_array_equal(model.classes_, ["no", "yes"])
    predicted = np.concatenate([*model.predict(blocks)])
    assert_array_equal(predicted, model.predict(table[FEATURES]))


def test_csv(table, tmp_path):
    table.iloc[:300].to_csv(tmp_path / "0.csv", index=False)
    table.iloc[300:].to_csv(tmp_path / "1.csv", index=False)
    blocks = RowBlocks.from_csv(
        tmp_path / "*.csv", target="y", weight="w", batch_rows=70
    )
    again = pd.concat([pd.read_csv(tmp_path / f"{k}.csv") for k in (0, 1)])
    assert make().fit(blocks).booster_.to_bytes() == expected(again)


def _arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "batch"])
def test_batches(table, library):
    convert = {
        "pandas": lambda part: part,
        "polars": pl.from_pandas,
        "arrow": _arrow,
        "batch": lambda part: _arrow(part).to_batches()[0],
    }[library]
    parts = [convert(table.iloc[a : a + 100]) for a in range(0, 500, 100)]
    for batches in (parts, lambda: iter(parts), iter(parts)):
        blocks = RowBlocks.from_batches(batches, target="y", weight="w")
        assert make().fit(blocks).booster_.to_bytes() == expected(table)


def test_arrays_with_a_target_column():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(300, 4)).astype(np.float32)
    blocks = RowBlocks.from_batches([Z[:100], Z[100:]], target=-1)
    parts = DPDTreeRegressor(max_bins=16, max_depth=3).fit(blocks)
    whole = DPDTreeRegressor(max_bins=16, max_depth=3).fit(Z[:, :3], Z[:, 3])
    assert_array_equal(parts.tree_.threshold, whole.tree_.threshold)
    assert_array_equal(parts.tree_.value, whole.tree_.value)


def test_several_targets(table):
    parts = [table.iloc[:50], table.iloc[50:]]
    filled = [part.fillna(0.0) for part in parts]
    blocks = RowBlocks.from_batches(filled, target=["a", "b"], columns=["w"])
    whole = pd.concat(filled)
    model = DPDTreeRegressor(max_bins=16, max_depth=2).fit(blocks)
    same = DPDTreeRegressor(max_bins=16, max_depth=2).fit(
        whole[["w"]], whole[["a", "b"]]
    )
    assert_array_equal(model.tree_.value, same.tree_.value)


def test_columns_in_another_order(table):
    parts = [table.iloc[:300], table.iloc[300:][["y", "kind", "w", "b", "a"]]]
    blocks = RowBlocks.from_batches(parts, target="y", weight="w")
    assert make().fit(blocks).booster_.to_bytes() == expected(table)


def test_a_block_without_a_value(table):
    table = table.copy()
    table.loc[:99, "kind"] = None
    table.loc[:99, "a"] = np.nan
    parts = [table.iloc[:100].astype({"kind": object}), table.iloc[100:]]
    blocks = RowBlocks.from_batches(parts, target="y", weight="w")
    assert make().fit(blocks).booster_.to_bytes() == expected(table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="b"), "block 1 has no column 'b'"),
        (lambda t: t.assign(c=1.0), "block 1 has a column 'c' that others lack"),
        (lambda t: t.drop(columns="y"), "block 1 has no column 'y'"),
        (lambda t: t.assign(a="text"), "block 1: X holds strings in the columns"),
        (lambda t: t.assign(a=np.inf), "block 1: .*[Ii]nfin"),
        (lambda t: t.assign(kind=1.5), "'kind'.* mix number and str"),
    ],
)
def test_blocks_that_differ(table, change, message):
    parts = [table.iloc[:300], change(table.iloc[300:])]
    model = make()
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(RowBlocks.from_batches(parts, target="y", weight="w"))
    assert not hasattr(model, "booster_")
    assert not hasattr(model, "n_features_in_")


def test_a_corrupt_file(table, tmp_path):
    path = written(table, tmp_path)
    file = path / "part-1.parquet"
    content = bytearray(file.read_bytes())
    content[10:200] = b"\xff" * 190
    file.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"part-1.parquet cannot be read as Parquet"):
        make().fit(RowBlocks.from_parquet(path, target="y"))
    file.write_bytes(b"no parquet at all")
    with pytest.raises(ValueError, match=r"part-1.parquet cannot be read as Parquet"):
        make().fit(RowBlocks.from_parquet(path, target="y"))


def test_a_file_that_changes(table, tmp_path):
    path = written(table, tmp_path)
    blocks = RowBlocks.from_parquet(path, target="y")
    table.iloc[:10].to_parquet(path / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1.parquet has changed"):
        make().fit(blocks)


def test_blocks_that_change(table):
    calls = []

    def batches():
        calls.append(1)
        yield table.iloc[: 100 * len(calls)]

    with pytest.raises(ValueError, match="other rows than before: 100 rows"):
        make().fit(RowBlocks.from_batches(batches, target="y"))


def test_what_is_refused(table, tmp_path):
    X, y = table[["a", "b"]], table["y"]
    blocks = RowBlocks.from_arrays([X], [y])
    with pytest.raises(ValueError, match="max_bins"):
        DPDTreeClassifier().fit(blocks)
    with pytest.raises(ValueError, match="y cannot be given"):
        DPDTreeClassifier(max_bins=8).fit(blocks, y)
    with pytest.raises(ValueError, match="sample_weight cannot be given"):
        make().fit(blocks, sample_weight=table["w"])
    with pytest.raises(ValueError, match="no target"):
        make().fit(RowBlocks.from_arrays([X]))
    with pytest.raises(ValueError, match="no rows"):
        make().fit(RowBlocks.from_arrays([X[:0]], [y[:0]]))
    with pytest.raises(TypeError, match="RowBlocks"):
        DPDTreeClassifierCV().fit(blocks, y)
    with pytest.raises(TypeError, match="RowBlocks"):
        DPDTreeClassifier(max_bins=8).fit(blocks).apply(blocks)
    with pytest.raises(TypeError, match="path"):
        DPDTreeClassifier(max_bins=8).regularization_path(blocks, None)
    with pytest.raises(ValueError, match="scoring"):
        make().set_params(scoring="accuracy").fit(blocks)
    with pytest.raises(ValueError, match="not a directory"):
        RowBlocks.from_arrays([X], [y], cache_dir=tmp_path / "none")
    with pytest.raises(ValueError, match="one array per block"):
        RowBlocks.from_arrays([X, X], [y])
    with pytest.raises(ValueError, match="X has 500 rows"):
        make().fit(RowBlocks.from_arrays([X], [y[:9]]))
    with pytest.raises(FileNotFoundError, match="matches"):
        RowBlocks.from_parquet(tmp_path / "none-*.parquet")
    pq.write_table(_arrow(table), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t.parquet has no column 'target'"):
        make().fit(RowBlocks.from_parquet(tmp_path / "t.parquet", target="target"))


def test_warm_start_is_refused(table):
    model = DPDTBoostingRegressor(max_iter=2, warm_start=True)
    X, y = table[["b"]], table["w"]
    model.fit(X, y)
    before = model.booster_.to_bytes()
    with pytest.raises(ValueError, match="warm_start"):
        model.set_params(max_iter=4).fit(RowBlocks.from_arrays([X], [y]))
    assert model.booster_.to_bytes() == before


def test_progress_of_both_passes(table, capsys, monkeypatch):
    monkeypatch.setattr("dpdtree._progress.INTERVAL", 0.0)
    monkeypatch.setattr("dpdtree._progress.STRETCH", 0.0)  # every line, however soon
    X, y = table[["a", "b"]], table["y"]
    blocks = RowBlocks.from_arrays([X[:200], X[200:]], [y[:200], y[200:]])
    make().set_params(verbose=1).fit(blocks)
    shown = capsys.readouterr().out
    assert "pass 1 of 2, bins: 200 of 500 rows" in shown
    assert "pass 2 of 2, codes: 500 of 500 rows" in shown


def test_nothing_is_left_after_an_interruption(tmp_path):
    program = f"""
    import os, signal, numpy as np
    from dpdtree import DPDTBoostingRegressor, RowBlocks
    X = np.random.default_rng(0).normal(size=(2000, 3))
    passes = []
    def batches():
        passes.append(1)
        yield X, X[:, 0]
        if len(passes) == 3:  # codes are being written
            os.kill(os.getpid(), signal.SIGINT)
        yield X, X[:, 0]
    blocks = RowBlocks.from_batches(batches, cache_dir={str(tmp_path)!r})
    try:
        DPDTBoostingRegressor().fit(blocks)
    except KeyboardInterrupt:
        print("interrupted", os.listdir({str(tmp_path)!r}))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "interrupted []", done.stderr
    assert done.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == []
