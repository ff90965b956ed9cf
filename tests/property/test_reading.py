"""What a tree is said to do is what it does: rules, explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

from dpdtree import explain, export_graphviz, export_rules, model_card
from dpdtree.export._leaves import Condition, leaves_of
from dpdtree.export._program import read_model
from tests.integration.exported import is_classifier, rows_of
from tests.property.fitted import Case, fitted_cases
from tests.property.problems import examples


def holds(condition: Condition, row: list[Any]) -> bool:
    value = row[condition.feature.place]
    if condition.feature.categories is None:
        if value is None:
            return condition.missing
        return condition.low < value <= condition.high
    known = condition.feature.categories
    if value is None or value not in known:
        return condition.missing
    allowed = condition.categories
    return allowed is None or known.index(value) in allowed


@examples(60)
@given(fitted_cases(boosted=False))
def test_one_rule_holds_for_each_row_and_it_is_that_of_its_leaf(case: Case) -> None:
    program = read_model(case.model)
    leaves = leaves_of(program.nodes, program.features)
    for row, leaf in zip(rows_of(case.X), case.model.apply(case.X), strict=True):
        values = list(row.values())
        found = [
            one.node for one in leaves if all(holds(c, values) for c in one.conditions)
        ]
        assert found == [leaf]


@examples(60)
@given(fitted_cases())
def test_contributions_add_up(case: Case) -> None:
    explanations = explain(case.model, case.X)
    if hasattr(case.model, "booster_"):
        expected = case.model._raw(case.X)
    elif is_classifier(case.model):
        expected = case.model.predict_proba(case.X)
    else:
        expected = case.model.predict(case.X)[:, None]
    for explanation, prediction in zip(explanations, expected, strict=True):
        total = explanation.baseline + sum(
            step.contribution for step in explanation.steps
        )
        np.testing.assert_allclose(total, prediction, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(explanation.prediction, prediction)
        assert str(explanation)


@examples(40)
@given(fitted_cases(boosted=False))
def test_any_name_can_be_written(case: Case) -> None:
    model = case.model
    rules = export_rules(model, format="dict")
    table = export_rules(model, format="markdown").splitlines()
    assert len(table) == len(rules) + 2
    for line in table:
        unescaped = line.replace("\\\\", "").replace("\\|", "")
        assert unescaped.count("|") == table[1].count("|")
    dot = export_graphviz(model)
    bare = dot.replace("\\\\", "").replace('\\"', "")
    assert all(line.count('"') % 2 == 0 for line in bare.splitlines())
    assert model_card(model).count("# ") >= 5
