"""Exported code predicts what the model predicts, whatever the names and values."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import Phase, assume, given, settings

from dpdtree import export_excel
from tests.integration.exported import (
    assert_agrees,
    run_c,
    run_duckdb,
    run_excel,
    run_node,
    run_python,
    run_quickjs,
    run_sqlite,
)
from tests.property.fitted import Case, fitted_cases
from tests.property.problems import examples

IN_SPREADSHEETS = ("digits", "text", "codes", "halves")


@examples(60)
@given(fitted_cases())
def test_python(case: Case) -> None:
    assert_agrees(run_python, case.model, case.X)


@examples(60)
@given(fitted_cases())
def test_javascript(case: Case) -> None:
    assert_agrees(run_quickjs, case.model, case.X)


@examples(4)
@given(fitted_cases())
def test_javascript_under_node(case: Case) -> None:
    assert shutil.which("node"), "this test runs Node.js, which is not installed"
    assert_agrees(run_node, case.model, case.X)


@examples(60)
@given(fitted_cases())
def test_sqlite(case: Case) -> None:
    assert_agrees(run_sqlite, case.model, case.X)


@examples(40)
@given(fitted_cases())
def test_duckdb(case: Case) -> None:
    assert_agrees(run_duckdb, case.model, case.X)


@examples(30)
@given(fitted_cases())
def test_c(case: Case) -> None:
    assert_agrees(run_c, case.model, case.X)


@pytest.mark.filterwarnings("ignore")  # of the spreadsheet engine
@settings(examples(25), phases=[Phase.generate])  # it is slow: no shrinking
@given(fitted_cases(boosted=False, kinds=IN_SPREADSHEETS))
def test_excel(case: Case) -> None:
    # The engine that evaluates the formula here drops line ends from texts.
    assume(not set("\n\r\t") & set(export_excel(case.model)))
    # Thresholds and their neighbours have more digits than a spreadsheet keeps.
    numbers = case.X.select_dtypes("number").columns
    X = case.X.assign(**case.X[numbers].round(3)).head(12)
    assert_agrees(run_excel, case.model, X)
