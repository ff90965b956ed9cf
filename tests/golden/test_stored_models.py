"""Models stored by earlier versions of the formats load and predict as they did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from dpdtree import _core, load_model
from dpdtree.io.documents import ESTIMATORS

STORED = Path(__file__).parent
ABSENT = np.nan
BOOSTED_WITH_CATEGORIES = ["boosting_1_categories.bin", "boosting_2.bin"]
BOOSTED_WITH_CATEGORIES += ["boosting_3.bin"]


def stored(name: str) -> bytes:
    return (STORED / name).read_bytes()


@pytest.mark.native
def test_tree_without_categories() -> None:
    """Version 1; petal lengths were partly missing."""
    tree = _core.TreeData.from_bytes(stored("tree_1.bin"))
    irises = [[5.0, 3, 1.5, 0.2], [6, 3, ABSENT, 1.7], [6, 3, 1, 0.8], [7, 3, 6, 2.2]]
    assert tree.apply(np.array(irises)).tolist() == [3, 4, 3, 10]
    assert tree.threshold[[0, 1, 2, 6]] == pytest.approx([1.75, 5.35, 0.8, 6.05])
    assert tree.value[4].ravel() == pytest.approx([0, 49 / 52, 3 / 52])


@pytest.mark.native
def test_tree_with_categories() -> None:
    tree = _core.TreeData.from_bytes(stored("tree_2.bin"))
    rows = [[0.0, 5], [1, 5], [3, 7], [ABSENT, 7], [4, 6.5]]
    assert tree.apply(np.array(rows)).tolist() == [5, 2, 6, 6, 6]


@pytest.mark.native
def test_tree_of_several_outputs() -> None:
    """Version 3: three species, and whether the sepals are long."""
    tree = _core.TreeData.from_bytes(stored("tree_3.bin"))
    assert tree.n_classes.tolist() == [3, 2]
    irises = [[5.0, 3, 1.5, 0.2], [6, 3, 4.5, 1.5], [7, 3, 6, 2.2]]
    leaves = tree.apply(np.array(irises))
    assert leaves.tolist() == [2, 8, 12]
    shares = tree.value[leaves].reshape(3, 2, 3)
    assert shares.argmax(axis=2).tolist() == [[0, 0], [1, 1], [2, 1]]


@pytest.mark.native
def test_boosted_trees() -> None:
    model = _core.BoostingModel.from_bytes(stored("boosting_1.bin"))
    raw = model.predict_raw(load_diabetes().data[:5]).ravel()
    expected = [163.7499407, 137.5497701, 163.7499407, 159.1686613, 137.5497701]
    assert raw == pytest.approx(expected)


@pytest.mark.native
@pytest.mark.parametrize("name", BOOSTED_WITH_CATEGORIES)
def test_boosted_trees_with_categories(name: str) -> None:
    """The same model, as all versions store it."""
    model = _core.BoostingModel.from_bytes(stored(name))
    rows = [[1, 0.0], [4, 0.7], [0, 0.7], [ABSENT, 0], [5, ABSENT], [77, 0]]
    expected = [1.1133075258, 1.3122641888, 0.8544818457] + [0.5912222401] * 3
    assert model.predict_raw(np.array(rows)).ravel() == pytest.approx(expected)
    root = model.tree(0, 0)
    assert root.is_categorical.tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert root.left_categories[0].tolist() == [1 << 1 | 1 << 4] + [0] * 7
    assert model.to_bytes() == stored("boosting_3.bin")


@pytest.mark.native
@pytest.mark.parametrize("name", ["tree_4.bin", "tree_5.bin"])
def test_tree_without_stored_children(name: str) -> None:
    """From version 4 on preorder gives them; version 5 has a checksum."""
    tree = _core.TreeData.from_bytes(stored(name))
    rows = [[1, 0.0], [4, 0.7], [0, 0.7], [ABSENT, 0], [77, 0]]
    assert tree.apply(np.array(rows)).tolist() == [2, 3, 4, 4, 4]
    assert tree.children_left.tolist() == [1, 2, -1, -1, -1]
    assert tree.children_right.tolist() == [4, 3, -1, -1, -1]
    assert tree.category_left.tolist() == [1, 4]
    assert tree.to_bytes() == stored("tree_5.bin")


@pytest.mark.native
@pytest.mark.parametrize("name", ["tree_4.bin", "boosting_2.bin"])
def test_damaged_data_is_refused(name: str) -> None:
    """Cut short anywhere or with a byte changed it is a valid tree or refused."""
    data = stored(name)
    kind = _core.TreeData if name.startswith("tree") else _core.BoostingModel
    for end in range(len(data)):
        with pytest.raises(ValueError, match=r"data|tree"):
            kind.from_bytes(data[:end])
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        try:
            loaded = kind.from_bytes(bytes(damaged))
        except ValueError:
            continue
        if loaded.n_features == 2:
            loaded.apply(np.zeros((3, 2)))


PREDICTIONS = STORED / "models" / "predictions_1.json"
MODELS = sorted(set((STORED / "models").glob("*_1.json")) - {PREDICTIONS})


@pytest.mark.native
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_model_files_of_version_1(path: Path) -> None:
    """Each file predicts what it predicted when it was written."""
    model = load_model(path)
    expected = json.loads(PREDICTIONS.read_text())
    rows = pd.DataFrame(
        {
            "age": [20.0, 45.0, np.nan, 70.0],
            "job": ["clerk", "größe", "it's", "unseen"],
            "income": [-1.0, 0.25, 0.5, 2.0],
            "zone": [0, 2, 4, 99],
        }
    )
    X = rows if hasattr(model, "feature_names_in_") else rows[["age", "income"]].values
    assert model.predict(X).tolist() == expected[path.stem]


def test_every_class_has_a_model_file() -> None:
    kinds = {json.loads(path.read_text())["estimator"] for path in MODELS}
    assert kinds == set(ESTIMATORS)
