"""Model files: round trips are exact, and damage never does harm."""

from __future__ import annotations

import json
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dpdtree import ModelFormatError, _core
from dpdtree.io.files import model_from_json, model_to_json
from tests.integration.stored import EVERY_KIND, same_model
from tests.property.fitted import Case, fitted_cases
from tests.property.mutations import (
    Mutator,
    changed_state,
    damaged_text,
    dumped,
    how_many,
    seal,
)
from tests.property.problems import examples

SEED = 20


@examples(60)
@given(fitted_cases())
def test_a_file_holds_the_whole_model(case: Case) -> None:
    text = model_to_json(case.model)
    twin = model_from_json(text)
    assert model_to_json(twin) == text
    same_model(case.model, twin, case.X)


@examples(20)
@given(fitted_cases())
def test_pickles_hold_the_whole_model(case: Case) -> None:
    same_model(case.model, pickle.loads(pickle.dumps(case.model)), case.X)


def answers(model: Any) -> None:
    """A model that was accepted predicts without complaint."""
    X = np.full((3, model.n_features_in_), np.nan)
    X[1:, ~model.is_categorical_] = [[0.0], [1.0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns without names
        model.predict(X)
        if hasattr(model, "predict_proba"):
            model.predict_proba(X)
        for tree in getattr(model, "path_", []):
            tree.predict(X)


@pytest.mark.native
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_changed_documents_are_refused_or_harmless(kind: str) -> None:
    model, _ = EVERY_KIND[kind]()
    mutator, rng = Mutator(json.loads(model_to_json(model))), random.Random(SEED)
    complaints = []
    for number in range(how_many(400)):
        text = dumped(mutator.mutate(rng))
        try:
            answers(model_from_json(text))
        except ModelFormatError as error:
            complaints.append(str(error))
        except BaseException:
            print(f"seed {SEED}, mutation {number}: {text[:3000]}")
            raise
    assert len(complaints) > how_many(400) / 3
    assert all(complaint.startswith("$") for complaint in complaints)


@pytest.mark.native
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_damaged_texts_are_refused(kind: str) -> None:
    model, X = EVERY_KIND[kind]()
    text, rng = model_to_json(model), random.Random(SEED)
    complaints = []
    for number in range(how_many(200)):
        damaged = damaged_text(text, rng)
        try:
            same_model(model, model_from_json(damaged), X)  # a space, for example
        except ModelFormatError as error:
            complaints.append(str(error))
        except BaseException:
            print(f"seed {SEED}, damage {number}: {damaged[:3000]!r}")
            raise
    assert all(complaint.startswith("$") for complaint in complaints)


@pytest.mark.native
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_changed_states_are_refused(kind: str) -> None:
    model, X = EVERY_KIND[kind]()
    rng, refused = random.Random(SEED), 0
    for number in range(how_many(100)):
        state = changed_state(model.__getstate__(), rng)
        twin = type(model)()
        try:
            twin.__setstate__(state)
            same_model(model, twin, X)  # put in what was there, for example
        except ModelFormatError:
            refused += 1
        except BaseException:
            print(f"seed {SEED}, mutation {number}")
            raise
    assert refused > how_many(100) / 2


def bytes_of_trees() -> list[tuple[Any, bytes]]:
    tree, _ = EVERY_KIND["classifier"]()
    booster, _ = EVERY_KIND["boosting"]()
    return [
        (_core.TreeData, tree.tree_._data.to_bytes()),
        (_core.BoostingModel, booster.booster_.to_bytes()),
    ]


@pytest.mark.native
@pytest.mark.parametrize("which", [0, 1])
def test_every_flipped_byte_of_a_tree_is_noticed(which: int) -> None:
    stored, contents = bytes_of_trees()[which]
    for at in range(len(contents)):
        for flip in (1, 0x80, 0xFF):
            damaged = bytearray(contents)
            damaged[at] ^= flip
            with pytest.raises(ModelFormatError):
                stored.from_bytes(bytes(damaged))


@pytest.mark.native
@pytest.mark.parametrize("which", [0, 1])
def test_sealed_damage_is_refused_or_harmless(which: int) -> None:
    """Even with a matching checksum nothing is read beyond the bytes."""
    stored, contents = bytes_of_trees()[which]
    rng, body = random.Random(SEED), contents[:-8]
    for number in range(how_many(1000)):
        damaged = bytearray(body)
        for _ in range(rng.choice([1, 1, 2, 8])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        cut = rng.randrange(len(damaged)) if rng.random() < 0.1 else len(damaged)
        try:
            tree = stored.from_bytes(seal(bytes(damaged[:cut])))
            if tree.n_features < 100:
                X = np.zeros((2, tree.n_features))
                tree.apply(X)
        except ModelFormatError:
            continue
        except BaseException:
            print(f"seed {SEED}, mutation {number}")
            raise
