"""Parts of the command line on hand-made input."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from dpdtree.cli.columns import guess_target, guess_task, infer_features
from dpdtree.cli.commands.fit import fit
from dpdtree.cli.errors import UsageError, did_you_mean
from dpdtree.cli.parameters import MODELS, Model, parse_value, parsed
from dpdtree.cli.tables import sniff_delimiter
from dpdtree.cli.talk import aligned

#: Options of another name, and what is of no use in a single command.
WITHOUT_OPTION = {"verbose", "warm_start"}


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.estimator)
def test_every_parameter_has_an_option(model: Model) -> None:
    options = {name for option in fit.params for name in option.opts}
    wanted = {f"--{p.name.replace('_', '-')}" for p in model.table}
    wanted -= {f"--{name.replace('_', '-')}" for name in WITHOUT_OPTION}
    assert wanted <= options


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("max_depth", "3", 3),
        ("max_depth", "none", None),
        ("max_depth", "auto", "auto"),
        ("alpha", "0.5", 0.5),
        ("alpha", "1", 1),
        ("alpha", "mdl", "mdl"),
        ("n_candidates", "4,4,1", (4, 4, 1)),
        ("n_candidates", "[4, 2]", [4, 2]),
        ("max_features", "0.5", 0.5),
        ("max_features", "sqrt", "sqrt"),
        ("class_weight", "a=b=2,c=0.5", {"a=b": 2, "c": 0.5}),
        ("class_weight", "balanced", "balanced"),
        ("monotonic_cst", '{"a,b": -1}', {"a,b": -1}),
        ("allowed_features", '{"0": ["age"]}', {0: ["age"]}),
        ("interaction_cst", "no_interactions", "no_interactions"),
        ("cost_matrix", "[[0, 1], [5, 0]]", [[0, 1], [5, 0]]),
        ("feature_costs", "age=0.1,job=1", {"age": 0.1, "job": 1}),
    ],
)
def test_values_from_text(name: str, text: str, value: Any) -> None:
    model = MODELS["tree", "classification"]
    found = parsed({name: text}, model)[name]
    assert found == value
    assert type(found) is type(value)


def test_values_that_are_refused() -> None:
    model = MODELS["tree", "classification"]
    by_name = {parameter.name: parameter for parameter in model.table}
    with pytest.raises(UsageError, match="--alpha must be a finite float >= 0"):
        parse_value("inf", by_name["alpha"], "--alpha")
    with pytest.raises(UsageError, match=r"--rule .* DPDTreeClassifierCV"):
        parsed({"rule": "best"}, model)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb, c\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("alone\n1\n", ","),
        ('"a;b",c\n"1;2;3",4\n', ","),
    ],
)
def test_delimiters(text: str, delimiter: str) -> None:
    assert sniff_delimiter(text) == delimiter


def test_targets() -> None:
    assert guess_target(["x", "Class", "z"]) == "Class"
    assert guess_target(["x", "price"]) == "price"
    tasks = {
        "classification": [["a", "b"], [0, 1, 5], [0.5, 1.5, 0.5], [True, False]],
        "regression": [[0.5, 1.5, 2.0], list(range(11))],
    }
    for task, columns in tasks.items():
        for column in columns:
            assert guess_task(pa.chunked_array([column]))[0] == task


def test_features() -> None:
    table = pa.table(
        {
            "number": [1.0, None, float("nan")],
            "text": ["b", "a", None],
            "flag": [True, False, True],
            "day": pa.array([1, 2, 3], pa.date32()),
            "list": [[1], [2], [3]],
            "code": ["1", "2", "1"],
        }
    )
    features = infer_features(table, categorical=["code"])
    assert [(c.name, c.kind, c.missing) for c in features.columns] == [
        ("number", "number", 2),
        ("text", "category", 1),
        ("flag", "category", 0),
        ("code", "category", 0),
    ]
    assert features.columns[1].values.chunk(0).dictionary.to_pylist() == ["a", "b"]
    assert list(features.left_out) == ["day", "list"]


def test_close_names() -> None:
    assert did_you_mean("pridict", ["fit", "predict"]) == " Did you mean 'predict'?"
    assert did_you_mean("xyz", ["fit", "predict"]) == ""


def test_tables_line_up() -> None:
    lines = aligned([["", "test"], ["accuracy", 0.5], ["R²", -12345.678]], "lr")
    assert lines == ["              test", "accuracy    0.5000", "R²        -12345.7"]
