"""Files of models: what they hold, how they are written, what is refused."""

from __future__ import annotations

import json
import os
import pickle
import stat
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold

import dpdtree
from dpdtree import (
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    ModelFormatError,
    load_model,
    save_model,
)
from dpdtree.io.files import checksum, model_from_json, model_to_json
from dpdtree.io.mixin import _digest
from tests.integration.data import make_targets
from tests.integration.stored import EVERY_KIND, data, same_model

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/model.schema.json").read_text())


@pytest.fixture(params=EVERY_KIND)
def stored(request):
    return EVERY_KIND[request.param]()


def test_by_functions_and_by_methods(stored, tmp_path) -> None:
    model, X = stored
    save_model(model, tmp_path / "one.json")
    same_model(model, load_model(str(tmp_path / "one.json")), X)
    model.save_model(str(tmp_path / "two.json"))
    same_model(model, type(model).load_model(tmp_path / "two.json"), X)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_the_published_schema_holds(stored) -> None:
    model, _ = stored
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(model_to_json(model)), SCHEMA)


def test_skops(stored) -> None:
    model, X = stored
    contents = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=contents)
    assert all(name.startswith("dpdtree.") for name in types)
    twin = skops.io.loads(contents, trusted=types)
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


def test_a_method_checks_the_class(tmp_path) -> None:
    model, _ = EVERY_KIND["classifier"]()
    model.save_model(tmp_path / "model.json")
    with pytest.raises(TypeError, match="holds a DPDTreeClassifier, not a DPDTreeReg"):
        DPDTreeRegressor.load_model(tmp_path / "model.json")


def test_a_tree_of_depth_five_is_small() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 10))
    y = rng.integers(0, 3, 5000)
    model = DPDTreeClassifier(alpha=0.0, max_depth=5).fit(X, y)
    assert model.get_n_leaves() == 32
    assert len(model_to_json(model)) <= 20_000


def test_parameters_that_no_file_holds() -> None:
    X, y = make_targets()

    def own_loss(y, raw):
        return raw - y, np.ones_like(y)

    random = np.random.RandomState(3)
    model = DPDTBoostingRegressor(
        loss=own_loss, max_iter=3, random_state=random, early_stopping=False
    ).fit(X, y)
    twin = model_from_json(model_to_json(model))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert repr(twin.loss).startswith("<not saved: <function")
    assert model_to_json(twin) == model_to_json(model)
    with pytest.raises(ValueError, match="'loss' parameter"):
        twin.fit(X, y)
    twin.set_params(loss="squared_error", random_state=0).fit(X, y)
    y = (y > 0).astype(int)
    folds = DPDTreeClassifierCV(max_depth=2, cv=KFold(3)).fit(X, y)
    assert "KFold" in repr(model_from_json(model_to_json(folds)).cv)


def test_lists_of_other_types_are_kept() -> None:
    X, y, _ = data()
    model = DPDTreeClassifier(
        max_depth=2,
        monotonic_cst=np.zeros(4, int),
        categorical_features=pd.Index(["job"]),
    )
    model.fit(X.drop(columns="zone").assign(zone=0.0), y)
    twin = model_from_json(model_to_json(model))
    assert twin.categorical_features == ["job"]
    np.testing.assert_array_equal(twin.monotonic_cst, np.zeros(4))


def test_what_cannot_be_saved(tmp_path) -> None:
    path = tmp_path / "model.json"
    with pytest.raises(NotFittedError):
        save_model(DPDTreeClassifier(), path)
    with pytest.raises(TypeError, match="takes the fitted estimators of dpdtree"):
        save_model([1], path)

    class Own(DPDTreeClassifier):
        pass

    with pytest.raises(TypeError, match=r"Own"):
        save_model(Own().fit([[0.0], [1.0]], [0, 1]), path)
    dates = pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01"] * 10))
    model = DPDTreeRegressor().fit(pd.DataFrame({"d": dates}), np.arange(20.0))
    with pytest.raises(ValueError, match=r"categories_\[0\] holds more than"):
        save_model(model, path)
    model = DPDTreeClassifier().fit([[0.0], [1.0]], [0, 1]).set_params(max_depth=-4)
    with pytest.raises(ValueError, match="'max_depth' parameter must be"):
        save_model(model, path)
    assert not path.exists()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([True, False] * 4),
        np.array([1.0, 2.0] * 4),
        np.array([3, 2**60] * 4, dtype=np.uint64),
        np.array(["a", "bcd"] * 4),
        np.array(["a", "bcd"] * 4, dtype=object),
        np.array(["2020-01-01", "2021-05-05"] * 4, dtype="datetime64[D]"),
        pd.Series(["x", "y"] * 4),
    ],
)
def test_labels_keep_their_type(labels) -> None:
    X = np.arange(8.0)[:, None] % 2
    model = DPDTreeClassifier().fit(X, labels)
    same_model(model, model_from_json(model_to_json(model)), X)


def edited(model, change) -> str:
    """The text of a model file after an edit, with a matching checksum."""
    document = json.loads(model_to_json(model))
    change(document)
    document["checksum"] = checksum(document)
    return json.dumps(document)


def _set(*path, to):
    def change(document) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return change


def _drop(key):
    return lambda document: document.pop(key)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (_set("format", to="other"), r"\$\.format: expected 'dpdtree-model', got"),
        (_set("format_version", to=2), r"\$\.format_version: .* reads up to version 1"),
        (_set("estimator", to="os.system"), r"\$\.estimator: expected one of"),
        (_drop("features"), r"\$: expected an entry 'features'"),
        (_drop("classes"), r"\$: expected an entry 'classes' for a DPDTreeClassifier"),
        (
            _set("parameters", "max_depth", to=-3),
            r"\$\.parameters\.max_depth: exp",
        ),
        (_set("parameters", "maxdepth", to=3), r"\$\.parameters\.maxdepth: expected a"),
        (
            _set("fitted", "predict_", to={"$array": []}),
            r"\$\.fitted\.predict_\.\$",
        ),
        (_set("fitted", "__class__", to=1), r"\$\.fitted: expected names of fitted"),
        (_set("fitted", "feature_importances_", to=1), r"\$\.fitted: expected names"),
        (_set("tree", "feature", 0, to=4), r"\$\.tree\.feature\[0\]: expected an int"),
        (
            _set("tree", "children_left", 0, to=0),
            r"\$\.tree\.children_left\[0\]: .*p",
        ),
        (_set("tree", "children_right", 0, to=1), r"\$\.tree\.children_right\[0\]"),
        (_set("tree", "value", 0, 0, to="NaN"), r"\$\.tree\.value\[0\]\[0\]: .*finite"),
        (
            _set("tree", "value", 0, to=[1.0]),
            r"\$\.tree\.value\[0\]: .*length 3, got",
        ),
        (_set("tree", "n_classes", to=[2]), r"\$\.tree"),
        (_set("tree", "impurity", to=[0.0]), r"\$\.tree\.impurity: expected a list of"),
        (_set("features", 0, "name", to="job"), r"\$\.features: expected different"),
        (_set("features", 0, "type", to="text"), r"\$\.features\[0\]\.type: expected"),
        (
            _set("classes", 0, "data", 0, to="yes"),
            r"\$\.classes\[0\]\.data: exp",
        ),
    ],
)
def test_errors_name_the_place(change, place) -> None:
    model, _ = EVERY_KIND["classifier"]()
    with pytest.raises(ModelFormatError, match=place):
        model_from_json(edited(model, change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[1, 2]", r"\$: expected an object, got a list"),
        (b'{"a": 1, "a": 2}', "the key 'a' twice"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_texts_that_are_no_documents(text, message) -> None:
    with pytest.raises(ModelFormatError, match=message):
        model_from_json(text)


def test_an_edited_file_is_noticed() -> None:
    model, _ = EVERY_KIND["classifier"]()
    text = model_to_json(model)
    with pytest.raises(ModelFormatError, match="damaged or edited"):
        model_from_json(text.replace('"age"', '"agé"'))


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "model.json"
    model, _ = EVERY_KIND["classifier"]()
    save_model(model, path)
    before = path.read_bytes()
    other, _ = EVERY_KIND["regressor"]()

    def full(_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        save_model(other, path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]
    save_model(other, path)
    assert type(load_model(path)) is DPDTreeRegressor


def test_an_error_names_the_file_that_was_asked_for(tmp_path) -> None:
    X, y = make_targets(20)
    path = tmp_path / "no" / "model.json"
    with pytest.raises(FileNotFoundError) as caught:
        DPDTreeRegressor(max_depth=1).fit(X, y).save_model(path)
    assert caught.value.filename == str(path)


def test_rights_are_those_of_other_files(tmp_path) -> None:
    model, _ = EVERY_KIND["classifier"]()
    path, plain = tmp_path / "model.json", tmp_path / "plain"
    plain.write_text("")
    save_model(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o600)
    save_model(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_pickles_know_their_version(stored) -> None:
    model, _ = stored
    state = model.__getstate__()
    assert state["_state"][0] == 2
    state["_state"][0] = 3
    with pytest.raises(ModelFormatError, match="needs a newer dpdtree"):
        type(model)().__setstate__(state)
    twin = type(model)()
    twin.__setstate__(vars(model))  # as the first versions pickled
    assert twin.n_features_in_ == model.n_features_in_


@pytest.mark.parametrize("name", ["classes_", "categories_", "loss_", "max_depth"])
def test_a_changed_state_is_noticed(name) -> None:
    model, _ = EVERY_KIND["classifier"]()
    state = model.__getstate__()
    state[name] = {"loss_": 0.125, "max_depth": 4}.get(name, [None])
    with pytest.raises(ModelFormatError, match="is damaged"):
        DPDTreeClassifier().__setstate__(state)


def test_states_of_version_1_are_read() -> None:
    model, X = EVERY_KIND["adaboost"]()
    state = model.__getstate__()
    del state["_state"]
    state["_state"] = [1, _digest(state, 1)]
    twin = type(model)()
    twin.__setstate__(state)
    same_model(model, twin, X)


def test_a_flipped_byte_of_a_pickle_is_noticed() -> None:
    # Without arrays of objects: NumPy itself reads beyond those if their shape lies.
    model, X = EVERY_KIND["unnamed"]()
    contents = pickle.dumps(model)
    rng = np.random.default_rng(0)
    noticed = 0
    for at in rng.permutation(len(contents))[:400]:
        damaged = bytearray(contents)
        damaged[at] ^= int(1 << rng.integers(8))
        try:
            twin = pickle.loads(bytes(damaged))
        except Exception:
            noticed += 1
            continue
        same_model(model, twin, X)
    assert noticed > 300


def test_public_names() -> None:
    assert {"save_model", "load_model", "ModelFormatError"} <= set(dpdtree.__all__)
    assert issubclass(ModelFormatError, ValueError)
