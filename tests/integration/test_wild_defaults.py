"""A default fit of each everyday set, without warning or error."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks._data import data_file
from benchmarks._wild_sets import load_set, tasks

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

KINDS = {"classification": DPDTreeClassifier, "regression": DPDTreeRegressor}


def known() -> dict[str, str]:
    try:
        data_file("wild/INDEX.csv")
        return tasks()
    except (FileNotFoundError, SystemExit):
        return {}


@pytest.mark.skipif(not known(), reason="the everyday sets (data/wild) are not there")
@pytest.mark.parametrize("name", known())
def test_default_fit(name: str) -> None:
    task, data = load_set(name)
    model = KINDS[task]().fit(data.X, data.y)
    assert model.report_.stop_reason == "completed"
    said = model.predict(data.X[:50])
    if task == "regression":
        assert np.isfinite(said).all()
    else:
        assert (model.predict_proba(data.X[:50]) > 0.0).all()
        assert np.isin(said, data.y).all()
