"""The explorer as a page: layout, notes, keyboard, hostile names, accessibility."""

from __future__ import annotations

import pytest

from .conftest import HOSTILE


def test_long_questions_take_two_lines_and_boxes_do_not_overlap(classes, visit):
    v = visit(classes.file)
    questions = v.page.locator("#tree [role=treeitem]").all()
    lines = [item.locator("text.question").count() for item in questions]
    assert max(lines) == 2
    boxes = [item.locator(".box, .leaf").first.bounding_box() for item in questions]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart_x = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"]
            apart_y = a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
            assert apart_x or apart_y
    v.check()


def test_notes_stay_in_the_address(classes, visit):
    v = visit(classes.file)
    v.node("L")
    v.page.fill("#node textarea", f"ask the lab {HOSTILE}")
    v.node("R")
    v.node("L")
    assert v.page.input_value("#node textarea").startswith("ask the lab")
    v.page.reload()
    assert v.page.input_value("#node textarea").startswith("ask the lab")
    assert v.complaints == []


def test_hostile_names_are_text(classes, visit):
    v = visit(classes.file)
    assert v.text("#title") == HOSTILE
    for tab in ("rules", "errors", "trace", "ask", "compare", "leave"):
        v.tab(tab)
    assert v.page.locator("img").count() == 0
    assert v.page.locator("script").count() == 2
    v.check()


def test_the_tree_answers_to_the_keyboard(classes, visit):
    v = visit(classes.file)
    v.node("")
    n = len(v.labels())
    focused = "document.activeElement.getAttribute('data-path')"
    v.page.keyboard.press("ArrowRight")
    assert v.page.evaluate(focused) == "L"
    v.page.keyboard.press("ArrowLeft")  # close
    assert len(v.labels()) < n
    assert v.page.locator('[data-path="L"]').get_attribute("aria-expanded") == "false"
    v.page.keyboard.press("ArrowLeft")
    assert v.page.evaluate(focused) == "root"
    v.page.keyboard.press("End")
    assert v.page.evaluate(focused).endswith("R")
    v.page.keyboard.press("*")
    assert len(v.labels()) == n
    v.page.keyboard.press("Home")
    v.page.keyboard.press("ArrowDown")
    assert v.page.evaluate(focused) == "L"
    assert v.page.locator('[role="treeitem"][tabindex="0"]').count() == 1
    v.check()


def test_tabs_answer_to_the_keyboard(classes, visit):
    v = visit(classes.file)
    v.page.focus("#tab-rules")
    v.page.keyboard.press("ArrowRight")
    assert v.page.locator("#panel-errors").is_visible()
    v.page.keyboard.press("End")
    assert v.page.locator("#panel-leave").is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out(classes, visit, width):
    v = visit(classes.file, viewport={"width": width, "height": 800})
    for tab in ("rules", "errors", "trace", "ask", "compare", "leave"):
        v.tab(tab)
        wide = v.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, tab
    v.check()


def test_print_shows_tree_and_rules(classes, visit):
    v = visit(classes.file)
    v.page.emulate_media(media="print")
    assert v.page.locator("#tree").is_visible()
    assert v.page.locator("#panel-rules table").is_visible()
    assert not v.page.locator("#undo").is_visible()
    assert not v.page.locator("#filters").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(classes, visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    v = visit(classes.file, color_scheme=scheme)
    for tab in ("rules", "errors", "trace", "ask", "compare", "leave"):
        v.tab(tab)
        if tab == "compare":
            v.page.select_option("#panel-compare select", "front:1")
        found = axe.Axe().run(v.page).response["violations"]
        serious = [
            (x["id"], [n["html"][:120] for n in x["nodes"][:3]])
            for x in found
            if x["impact"] in ("serious", "critical")
        ]
        assert serious == [], tab
