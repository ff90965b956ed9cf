"""What the commands do when all is well."""

from __future__ import annotations

import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpdtree import load_model
from tests.integration.cli import data_folder, dpdtree, rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    return data_folder(tmp_path_factory.mktemp("cli"))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(rows()), dtype={"id": str})


def predicted(folder: Path, table: pd.DataFrame) -> Any:
    model = load_model(folder / "model.json")
    return model.predict(table[["age", "job", "income"]].astype({"job": "category"}))


def test_fit_shows_what_it_inferred_and_scores_rows_held_out(folder: Path) -> None:
    result = dpdtree("fit data.csv --target label --drop price", folder=folder)
    assert result.code == 0
    assert result.out == ""
    lines = [line.split() for line in result.err.splitlines()]
    assert ["age", "number", "34", "missing", "18", "to", "79"] in lines
    assert ["job", "category", "3:", "clerk,", "nurse,", "pilot"] in lines
    assert "Target 'label': classification (2 labels; --task overrides)." in result.err
    assert "60 held out" in result.err
    assert "Nothing was saved" in result.err


def test_fit_saves_a_model_of_all_rows(folder: Path) -> None:
    model = load_model(folder / "model.json")
    assert list(model.feature_names_in_) == ["age", "job", "income"]
    assert model.tree_.n_node_samples[0] == 300
    assert model.n_jobs is None
    assert model.verbose == 0


def test_fit_as_json(folder: Path) -> None:
    command = "fit data.csv -t price --drop label --json --quiet --max-depth 3"
    result = dpdtree(command, folder=folder)
    assert result.err == ""
    report = result.json
    assert report["estimator"] == "DPDTreeRegressor"
    assert report["task"] == "regression"
    assert report["rows"] == 300
    assert report["depth"] <= 3
    held_out = report["scores"]["60 held out"]
    assert held_out["R²"] > report["scores"]["baseline"]["R²"]


@pytest.mark.parametrize(
    ("options", "estimator"),
    [
        ("--cv", "DPDTreeClassifierCV"),
        ("--cv 3 --by alpha --rule 1se", "DPDTreeClassifierCV"),
        ("--model boosting --max-iter 5 --cv 3", "DPDTBoostingClassifier"),
        ("--model adaboost --n-estimators 3 --test-size 0", "DPDTAdaBoostClassifier"),
        ("--strategy optimal --max-depth 2 --time-limit 5 --features age", None),
        ("--monotonic-cst age=1,income=0 --class-weight yes=2,no=1", None),
        ("--n-candidates 4,2 --max-features sqrt --random-state 3", None),
        ('--allowed-features \'{"0":["age"]}\' --min-samples-leaf 0.1', None),
        ("--weights income --alpha 0.001 --n-jobs 1", None),
        ("--categorical id --loss gini", None),
    ],
)
def test_models_and_parameters(
    folder: Path, options: str, estimator: str | None
) -> None:
    command = "fit data.csv --target label --drop price --json -q"
    result = dpdtree(f"{command} {options}", folder=folder)
    assert result.code == 0, result.err
    assert result.json["estimator"] == (estimator or "DPDTreeClassifier")
    assert result.json["scores"]


def test_parameters_reach_the_model(folder: Path) -> None:
    command = "fit data.csv -t label --drop price -o - -q --test-size 0"
    given = ["--monotonic-cst", "age=1,income=0", "--max-leaf-nodes", "7"]
    given += ["--interaction-cst", '[["age", "job"], ["income"]]', "--n-jobs", "2"]
    document = dpdtree(command, *given, folder=folder).json
    parameters = document["parameters"]
    assert parameters["monotonic_cst"] == {"age": 1, "income": 0}
    assert parameters["interaction_cst"] == [["age", "job"], ["income"]]
    assert parameters["max_leaf_nodes"] == 7
    assert parameters["n_jobs"] == 2


@pytest.mark.parametrize("name", ["data.csv", "blocks.parquet"])
@pytest.mark.parametrize("model", ["boosting --max-iter 10", "tree --max-bins 255"])
def test_blocks_give_the_same_model(
    folder: Path, table: pd.DataFrame, name: str, model: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr("dpdtree.cli.tables._BLOCK", 2000)  # bytes: several blocks
    table.astype({"job": "category"}).to_parquet(folder / "blocks.parquet")
    command = f"fit {name} -t label --drop id --drop price --json --model {model}"
    result = dpdtree(f"{command} --blocks -o blocks.json", folder=folder)
    assert result.code == 0, result.err
    assert result.json["rows"] == 300
    (held_out,) = result.json["scores"]
    assert 30 < int(held_out.split()[0]) < 90
    assert result.json["scores"][held_out]["accuracy"] > 0.8
    assert dpdtree(f"{command} -o whole.json", folder=folder).code == 0
    ways = ("blocks", "whole")
    blocks, whole = (json.loads((folder / f"{m}.json").read_text()) for m in ways)
    for part in ("tree", "boosting", "features", "classes"):
        assert blocks.get(part) == whole.get(part)


def test_blocks_of_numbers_with_weights_and_gaps(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400), "w": rng.uniform(size=400)})
    frame["y"] = 3 * frame["x"] + rng.normal(size=400)
    frame.loc[::7, "y"] = np.nan
    frame.to_csv(tmp_path / "d.csv", index=False)
    command = "fit d.csv -t y --weights w --blocks --json"
    result = dpdtree(command, folder=tmp_path)
    assert result.code == 0, result.err
    assert result.json["rows"] == 400 - len(frame.loc[::7])
    (scores,) = result.json["scores"].values()
    assert scores["R²"] > 0.5
    assert "--max-bins 255" in result.err
    for wrong in (f"{command} --cv", "fit - -t y --blocks"):
        assert dpdtree(wrong, folder=tmp_path, stdin=b"x,y\n1,2\n").code == 2


def test_without_a_target_the_columns_are_listed(folder: Path) -> None:
    result = dpdtree("fit", "data.csv", folder=folder)
    assert result.code == 2
    listed = [line.split()[0] for line in result.out.splitlines()]
    assert listed == ["column", "id", "age", "job", "income", "label", "price"]
    assert "dpdtree fit data.csv --target label" in result.err
    result = dpdtree("path", "data.csv", "--json", folder=folder)
    assert result.json["guessed_target"] == "label"


def test_columns_of_no_use_are_left_out_with_a_word(tmp_path: Path) -> None:
    n = 60
    pd.DataFrame(
        {
            "": range(n),
            "day": pd.date_range("2026-01-01", periods=n).astype(str),
            "name": [f"person {i}" for i in range(n)],
            "nothing": [None] * n,
            "x": np.arange(n) % 7,
            "y": np.arange(n) % 7 > 3,
        }
    ).to_csv(tmp_path / "d.csv", index=False)
    result = dpdtree("fit d.csv -t y --json", folder=tmp_path)
    assert list(result.json["left_out"]) == ["", "day", "name", "nothing"]
    assert "60 different texts, most of them rare" in result.err
    assert [feature["name"] for feature in result.json["features"]] == ["x"]


# --- predict --------------------------------------------------------------------------


def test_predict_to_standard_output(folder: Path, table: pd.DataFrame) -> None:
    result = dpdtree("predict", "model.json", "data.csv", folder=folder)
    assert (result.code, result.err) == (0, "")
    expected = predicted(folder, table).tolist()
    assert result.out.splitlines() == ["prediction", *expected]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.parquet", "o.csv.gz", "o.jsonl"])
def test_predict_to_files(folder: Path, table: pd.DataFrame, name: str) -> None:
    options = "--proba --leaf --keep id --keep age"
    command = f"predict model.json data.csv -o {name}"
    result = dpdtree(f"{command} {options}", folder=folder)
    assert (result.code, result.out) == (0, "")
    assert result.err == f"Predicted 300 rows: {name}\n"
    read = {
        "o.csv": lambda path: pd.read_csv(path, dtype={"id": str}),
        "o.tsv": lambda path: pd.read_csv(path, sep="\t", dtype={"id": str}),
        "o.csv.gz": lambda path: pd.read_csv(path, dtype={"id": str}),
        "o.parquet": pd.read_parquet,
        "o.jsonl": lambda path: pd.read_json(path, lines=True, dtype={"id": str}),
    }
    found = read[name](folder / name)
    columns = ["id", "age", "prediction", "probability_no", "probability_yes", "leaf"]
    assert list(found.columns) == columns
    assert found["id"].tolist() == table["id"].tolist()  # zeros in front and all
    assert found["prediction"].tolist() == predicted(folder, table).tolist()
    np.testing.assert_allclose(found.probability_no + found.probability_yes, 1.0)


def test_predict_reads_pipes_parquet_and_archives(
    folder: Path, table: pd.DataFrame
) -> None:
    expected = ["prediction", *predicted(folder, table).tolist()]
    text = rows().encode()
    zstd = pa.compress(text, codec="zstd", asbytes=True)
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), sink)
    (folder / "t.csv.zst").write_bytes(zstd)
    (folder / "t.parquet").write_bytes(sink.getvalue())
    (folder / "t.tsv").write_bytes(text.replace(b",", b"\t"))
    for name in ("t.csv.zst", "t.parquet", "t.tsv"):
        result = dpdtree("predict", "model.json", name, folder=folder)
        assert result.out.splitlines() == expected, name
    for piped in (text, gzip.compress(text), zstd, sink.getvalue()):
        result = dpdtree("predict", "model.json", "-", folder=folder, stdin=piped)
        assert result.out.splitlines() == expected


def test_types_come_from_the_model_not_from_the_rows(folder: Path) -> None:
    """Codes of jobs that look like numbers, or like nothing, are text all the same."""
    text = "job,more,income,age\n1,x,2,50\nnurse,,3e1,51\n?,,,\n"
    result = dpdtree("predict", "model.json", "-", folder=folder, stdin=text.encode())
    assert result.code == 0
    assert len(result.out.splitlines()) == 4
    assert result.err == "'job': 1 value unknown to the model, treated as missing.\n"


def test_batches_are_predicted_one_by_one(folder: Path) -> None:
    """More than a batch of rows: the types of the first must not decide."""
    line = "00001,44.5,clerk,3.25,no,1\n"
    text = rows(10).splitlines(keepends=True)[0] + line * 700_000
    result = dpdtree("predict", "model.json", "-", folder=folder, stdin=text.encode())
    assert result.out.count("\n") == 700_001


def test_kept_columns_are_quoted_where_they_must_be(folder: Path) -> None:
    hostile = ["a,b", 'say "no"', "two\nlines", "", "ordinary"]
    frame = pd.DataFrame({"age": 50, "job": "clerk", "income": 1.5, "say, so": hostile})
    text = frame.to_csv(index=False).encode()
    command = "predict model.json - --keep 'say, so'"
    result = dpdtree(command, folder=folder, stdin=text)
    found = pd.read_csv(io.StringIO(result.out), keep_default_na=False)
    assert found["say, so"].tolist() == hostile


def test_a_table_without_rows(folder: Path) -> None:
    text = b"age,job,income,note\n"
    command = "predict model.json - --proba --keep note"
    result = dpdtree(command, folder=folder, stdin=text)
    expected = "note,prediction,probability_no,probability_yes\n"
    assert (result.code, result.out) == (0, expected)


def test_booleans_are_spelled_as_the_fit_saw_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"flag": [True, False] * 20, "y": [1.5, 2.5] * 20})
    frame.to_csv(tmp_path / "d.csv", index=False)
    frame.to_parquet(tmp_path / "d.parquet")
    for made, read in (("d.csv", "d.parquet"), ("d.parquet", "d.parquet")):
        command = f"fit {made} -t y --task regression -o m.json"
        assert dpdtree(command, folder=tmp_path).code == 0
        result = dpdtree("predict", "m.json", read, folder=tmp_path)
        said = [float(line) for line in result.out.splitlines()[1:]]
        assert said[0] < 2.0 < said[1]
        assert said == said[:2] * 20


# --- The other commands ---------------------------------------------------------------


def test_evaluate(folder: Path, table: pd.DataFrame) -> None:
    command = "evaluate model.json data.csv --target label"
    right = (predicted(folder, table) == table["label"]).mean()
    found = dpdtree(command, "--json", folder=folder).json
    assert found["scores"]["accuracy"] == pytest.approx(right)
    assert np.sum(found["confusion"]) == 300
    assert found["labels"] == ["no", "yes"]
    result = dpdtree(command, "--leaves", folder=folder)
    assert "accuracy" in result.out
    assert "test_share" in result.out


def test_evaluate_finds_the_only_other_column(
    folder: Path, table: pd.DataFrame
) -> None:
    text = table.drop(columns=["id", "price"]).to_csv(index=False).encode()
    result = dpdtree("evaluate", "model.json", "-", folder=folder, stdin=text)
    assert result.code == 0
    result = dpdtree("evaluate", "model.json", "data.csv", folder=folder)
    assert result.code == 2
    assert "id, label, price beside the features" in result.err


def test_path(folder: Path) -> None:
    command = "path data.csv -t label --drop price --drop id --max-depth 3"
    found = dpdtree(command, "--json", folder=folder).json
    assert [tree["leaves"] for tree in found] == sorted({t["leaves"] for t in found})
    losses = [tree["loss"] for tree in found]
    assert losses == sorted(losses, reverse=True)
    assert all("test accuracy" in tree for tree in found)
    chosen = ("--leaves", 3, "--save", "three.json", "--by", "alpha", "-o", "path.csv")
    assert dpdtree(command, *chosen, folder=folder).code == 0
    assert load_model(folder / "three.json").get_n_leaves() == 3
    assert "alpha" in pd.read_csv(folder / "path.csv").columns


def test_explore(folder: Path) -> None:
    command = (
        "explore data.csv -t label --drop price --drop id --max-depth 3 --cv 3 --json"
    )
    result = dpdtree(f"{command} -o page.html --max-rows 20", folder=folder)
    assert result.code == 0, result.err
    assert result.json["scores"]["held out"]["accuracy"] > 0.8
    assert "open it in a browser" in result.err
    text = (folder / "page.html").read_text()
    assert text.lower().startswith("<!doctype html>")
    assert "income" in text
    assert dpdtree(f"{command} -o - --test-size 0", folder=folder).out.startswith("<!")


FORMATS = ("text", "rules", "markdown", "latex", "card", "graphviz", "sql", "c")
FORMATS += ("python", "javascript", "excel")


@pytest.mark.parametrize("form", FORMATS)
def test_export_of_text(folder: Path, form: str) -> None:
    result = dpdtree("export", "model.json", "--format", form, folder=folder)
    assert (result.code, result.err) == (0, "")
    assert "45" in result.out or form == "card"
    if form == "python":
        module: dict[str, Any] = {}
        exec(result.out, module)
        answer = module["predict"]({"age": 60, "job": "nurse", "income": 1})
        assert answer == "yes"


def test_export_by_the_ending(folder: Path) -> None:
    command = "export model.json -o"
    result = dpdtree(command, "m.sql", "--table", "people", folder=folder)
    assert result.code == 0
    assert 'FROM "people"' in (folder / "m.sql").read_text()
    assert dpdtree(command, "m.onnx", folder=folder).code == 0
    onnxruntime.InferenceSession(folder / "m.onnx")
    assert dpdtree(command, "m.h", "--name", "risk", folder=folder).code == 0
    assert "risk_predict" in (folder / "m.h").read_text()
    wrong = dpdtree(command, "m.txt", "--table", "people", folder=folder)
    assert wrong.code == 2
    assert not (folder / "m.txt").exists()


def test_info(folder: Path) -> None:
    about = dpdtree("info", "model.json", "--json", folder=folder).json
    assert about["classes"] == ["no", "yes"]
    assert about["features"][1]["categories"] == ["clerk", "nurse", "pilot"]
    shown = dpdtree("info", "model.json", folder=folder).out
    assert "|--- age <= 45" in shown
    assert re.search(r"proven optimal: +no\n", shown)
    card = dpdtree("info", "model.json", "--card", folder=folder).out
    assert card.startswith("# DPDTreeClassifier\n")


# --- Errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("contents", "message"),
    [(None, "No such file"), ("{}", "$.format"), ("\0\1", "not JSON")],
)
def test_models_that_cannot_be_read(
    folder: Path, contents: str | None, message: str
) -> None:
    path = folder / "broken.json"
    if contents is not None:
        path.write_text(contents)
    result = dpdtree("predict broken.json data.csv", folder=folder)
    assert result.code == 3
    assert message in result.err
    assert "Traceback" not in result.err
    path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("fti data.csv", "Did you mean 'fit'?"),
        ("fit data.csv --traget label", "--target"),
        ("fit data.csv -t label --max-dept 3", "--max-depth"),
        ("fit data.csv -t label --max-depth 0", "--max-depth must be an int >= 1"),
        ("fit data.csv -t label --max-iter 3", "DPDTBoostingClassifier"),
        ("predict model.json", "DATA"),
        ("export model.json", "Which format?"),
    ],
)
def test_usage(folder: Path, command: str, message: str) -> None:
    result = dpdtree(command, folder=folder)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""
