"""The lint of C++ limits, on made-up files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lint():
    path = ROOT / "tools" / "check_cpp.py"
    spec = importlib.util.spec_from_file_location("check_cpp", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def body(head: str, n: int) -> str:
    return f"{head} {{\n" + "  f();\n" * (n - 2) + "}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (body("int f(int x)", 5), [("f", 1, 5)]),
        (body("  double A::f() const noexcept", 7), [("A::f", 1, 7)]),
        (body("A::A(int x)\n    : x_(x), y_(g(x))", 6), [("A::A", 1, 7)]),
        (body("template <class T>\nT f(const T& x)", 5), [("f", 1, 6)]),
        (body("bool operator<(const A& o) const", 4), [("operator<", 1, 4)]),
        (body("void operator()(int x)", 4), [("operator()", 1, 4)]),
        (body("namespace a", 90), []),
        (body("struct A", 90), []),
        (body("enum class A : int", 90), []),
        ("// f() {\n// }\n" + body("int f()", 3), [("f", 3, 3)]),
        ('const char* s = "f() {";\n' + body("int f()", 3), [("f", 2, 3)]),
        ("#define M(x) \\\n  f(x) {\n" + body("int f()", 3), [("f", 3, 3)]),
    ],
)
def test_functions(lint, text, expected):
    assert [tuple(f) for f in lint.functions(text)] == expected


def test_inner_blocks_belong_to_their_function(lint):
    text = body("void f(int x)", 3).replace(
        "  f();", "  if (x) {\n    auto g = [&](int y) {\n    };\n  }"
    )
    assert [f.name for f in lint.functions(text)] == ["f"]


def test_member_functions(lint):
    text = "class A {\n public:\n  int f() const {\n    return 1;\n  }\n};\n"
    assert [tuple(f) for f in lint.functions(text)] == [("f", 2, 4)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cpp/a.cpp", "int x;\n" * 400, None),
        ("cpp/a.cpp", "int x;\n" * 401, "401 lines, at most 400"),
        ("cpp/a.cpp", body("int f()", 60), None),
        ("cpp/a.cpp", body("int f()", 61), "a.cpp:1: f has 61 lines, at most 60"),
        ("bindings/interrupt.hpp", "nb::gil_scoped_release unlocked;", None),
        ("bindings/tree.cpp", "nb::gil_scoped_release unlocked;", "releases the GIL"),
        ("bindings/tree.cpp", "// not gil_scoped_release\n", None),
        ("cpp/simd/dispatch.cpp", '__builtin_cpu_supports("avx2")', None),
        ("cpp/hist/a.cpp", '__builtin_cpu_supports("avx2")', "instruction set"),
        ("cpp/simd/lanes.hpp", "#include <immintrin.h>\n", None),
        ("cpp/hist/a.cpp", "#include <immintrin.h>\n", "vector instructions"),
        ("cpp/a.cpp", "switch (n) { case 2: f(); default: g(); }", None),
        ("cpp/a.cpp", "switch (c) { case C::a: f(); default: g(); }", "has a default"),
        ("cpp/a.cpp", "enum class Kind { a, b };", "the name Kind says too little"),
        ("cpp/a.cpp", "int x;\nbool look = true;", "a.cpp:2: the name look says"),
        ("cpp/a.cpp", "// a closer look\nKindOf look_up(KnownBins known);", None),
    ],
)
def test_file(lint, name, text, message):
    found = list(lint.check_file(name, text))
    assert (message in found[0]) if message else not found


def test_this_project(lint):
    assert lint.check_tree(ROOT) == []
