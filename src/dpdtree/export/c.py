"""Trees and boosted trees as one file of C99."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpdtree.export._program import (
    Boosted,
    Feature,
    Nodes,
    Plain,
    SingleTree,
    named,
    read_model,
)

_LINE = 78


def export_c(
    model: Any, *, name: str = "model", feature_names: Sequence[str] | None = None
) -> str:
    """Write a fitted model as one file of C99 that needs only the standard library.

    Parameters
    ----------
    model : tree or boosting estimator
        Fitted. AdaBoost is refused, and so are trees of several outputs.
    name : str, default="model"
        What the names of the functions begin with.
    feature_names : sequence of str, default=None
        Names of the features; None takes those seen in fit, or "feature_0", ...

    Returns
    -------
    str
        Source with, `model` being the name:

        - `double model_predict(const double *x)` of a regressor;
        - `int model_predict(const double *x)`, the place of the label in
          `model_classes`, and `void model_predict_proba(const double *x, double *out)`
          of a classifier;
        - `void model_decision_function(const double *x, double *out)` of boosted trees;
        - `double model_category(int feature, const char *category)` and
          `double model_category_number(int feature, double category)`: what to put
          into x for a category, NAN if it is unknown to the fit.

        x has one number per feature, in the order of `model_features`; NAN is missing.
        Everything is constant data: functions can be called from many threads. Do not
        compile with -ffast-math, which does away with NAN.

    Examples
    --------
    >>> from dpdtree import DPDTreeRegressor, export_c
    >>> tree = DPDTreeRegressor(strategy="greedy", max_depth=1)
    >>> tree = tree.fit([[1.0], [2.0], [4.0]], [0.5, 0.5, 2.0])
    >>> print(export_c(tree).splitlines()[0])
    /* A fitted model, written by dpdtree: C99, standard library only. */
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be an identifier of C, got {name!r}.")
    program = read_model(model, feature_names)
    if isinstance(program, SingleTree) and program.n_outputs > 1:
        raise ValueError(
            f"export_c writes one output, and this tree has {program.n_outputs}: fit a"
            " tree for each, or use export_python."
        )
    parts = [
        _HEADER,
        *_names(program),
        *_categories(program.features),
        *(_single(program) if isinstance(program, SingleTree) else _boosted(program)),
    ]
    return "\n".join(parts).replace("MODEL", name)


_HEADER = """\
/* A fitted model, written by dpdtree: C99, standard library only. */
#include <math.h>
#include <stdint.h>
#include <string.h>
"""

_TEXT_LOOKUP = """\
/* What x holds for a category: its place, NAN if it is unknown. */
double MODEL_category(int feature, const char *category) {
  int i;
  for (i = 0; i < (int)(sizeof MODEL_texts / sizeof *MODEL_texts); ++i)
    if (MODEL_texts[i].feature == feature &&
        strcmp(MODEL_texts[i].text, category) == 0)
      return MODEL_texts[i].place;
  return NAN;
}
"""

_NUMBER_LOOKUP = """\
/* What x holds for a category that is a number: its place, NAN if it is unknown. */
double MODEL_category_number(int feature, double category) {
  int i;
  for (i = 0; i < (int)(sizeof MODEL_codes / sizeof *MODEL_codes); ++i)
    if (MODEL_codes[i].feature == feature && MODEL_codes[i].code == category)
      return MODEL_codes[i].place;
  return NAN;
}
"""

# A node without categories has set -1, a leaf has left 0: no child is the root. Bits
# of a set stand for the categories that go left; the rest goes where missing goes
# unless it is known: `size` says how many are.
_WALK = """\
struct MODEL_node {
  double threshold;
  int32_t feature, left, right, set, size, missing_left;
};

static int MODEL_goes_left(const struct MODEL_node *node, double x) {
  if (node->set < 0)
    return node->missing_left ? !(x > node->threshold) : x <= node->threshold;
  if (!(x >= 0 && x < node->size)) return node->missing_left;
  return MODEL_sets[node->set + (int)x / 32] >> ((int)x % 32) & 1;
}

static int MODEL_leaf(const double *x, int node) {
  while (MODEL_nodes[node].left != 0)
    node = MODEL_goes_left(&MODEL_nodes[node], x[MODEL_nodes[node].feature])
               ? MODEL_nodes[node].left
               : MODEL_nodes[node].right;
  return node;
}
"""

_REGRESSOR = """\
double MODEL_predict(const double *x) { return MODEL_values[MODEL_leaf(x, 0)]; }
"""

_CLASSIFIER = """\
/* The place of the label in MODEL_classes. */
int MODEL_predict(const double *x) { return MODEL_labels[MODEL_leaf(x, 0)]; }

/* Probabilities in the order of MODEL_classes. */
void MODEL_predict_proba(const double *x, double *out) {
  memcpy(out, MODEL_values[MODEL_leaf(x, 0)], sizeof MODEL_values[0]);
}
"""

_DECISION = """\
/* Raw scores, one per output. */
void MODEL_decision_function(const double *x, double *out) {
  int i;
  memcpy(out, MODEL_baseline, sizeof MODEL_baseline);
  for (i = 0; i < N_TREES; ++i)
    out[MODEL_outputs[i]] += MODEL_values[MODEL_leaf(x, MODEL_roots[i])];
}
"""

_LINKS = {
    "identity": """\
double MODEL_predict(const double *x) {
  double raw[1];
  MODEL_decision_function(x, raw);
  return raw[0];
}
""",
    "exp": """\
double MODEL_predict(const double *x) {
  double raw[1];
  MODEL_decision_function(x, raw);
  return exp(raw[0]);
}
""",
    "sigmoid": """\
/* The place of the label in MODEL_classes. */
int MODEL_predict(const double *x) {
  double raw[1];
  MODEL_decision_function(x, raw);
  return raw[0] > 0;
}

/* Probabilities in the order of MODEL_classes. */
void MODEL_predict_proba(const double *x, double *out) {
  double raw[1], power;
  MODEL_decision_function(x, raw);
  power = exp(-fabs(raw[0]));
  out[1] = (raw[0] >= 0 ? 1.0 : power) / (1.0 + power);
  out[0] = 1.0 - out[1];
}
""",
    "softmax": """\
/* The place of the label in MODEL_classes. */
int MODEL_predict(const double *x) {
  double raw[N_OUTPUTS];
  int k, best = 0;
  MODEL_decision_function(x, raw);
  for (k = 1; k < N_OUTPUTS; ++k)
    if (raw[k] > raw[best]) best = k;
  return best;
}

/* Probabilities in the order of MODEL_classes. */
void MODEL_predict_proba(const double *x, double *out) {
  double most, total = 0.0;
  int k;
  MODEL_decision_function(x, out);
  most = out[0];
  for (k = 1; k < N_OUTPUTS; ++k)
    if (out[k] > most) most = out[k];
  for (k = 0; k < N_OUTPUTS; ++k) total += out[k] = exp(out[k] - most);
  for (k = 0; k < N_OUTPUTS; ++k) out[k] /= total;
}
""",
}


def _names(program: SingleTree | Boosted) -> Iterator[str]:
    features = [_text(named(feature)) for feature in program.features]
    yield _array("const char *const MODEL_features", features)
    classes: Any = program.classes
    if isinstance(program, SingleTree) and classes is not None:
        classes = classes[0]
    if classes is not None:
        labels = [_text(str(label)) for label in classes]
        yield _array("const char *const MODEL_classes", labels)


def _categories(features: Sequence[Feature]) -> Iterator[str]:
    texts: list[str] = []
    codes: list[str] = []
    for feature in features:
        for place, value in enumerate(feature.categories or ()):
            entry = f"{{{feature.place}, {place}, {_value(value)}}}"
            (texts if isinstance(value, str) else codes).append(entry)
    if texts:
        record = "struct { int feature, place; const char *text; }"
        yield _array(f"static const {record} MODEL_texts", texts)
        yield _TEXT_LOOKUP
    if codes:
        record = "struct { int feature, place; double code; }"
        yield _array(f"static const {record} MODEL_codes", codes)
        yield _NUMBER_LOOKUP


@dataclass
class _Tables:
    """The nodes of all trees, one after the other, and their sets."""

    features: Sequence[Feature]
    nodes: list[str] = field(default_factory=list)
    sets: list[int] = field(default_factory=list)

    def add(self, nodes: Nodes) -> int:
        """Add a tree; return the place of its root."""
        root = len(self.nodes)
        for node, question in enumerate(nodes.questions):
            if question is None:
                self.nodes.append("{0, 0, 0, 0, -1, 0, 0}")
                continue
            first, size = -1, 0
            if question.members is not None:
                size = len(self.features[question.feature].categories or ())
                left = set(question.members)
                if question.missing_left:
                    left = set(range(size)) - left
                first = len(self.sets)
                self.sets += _words(left, size)
            cut = 0.0 if question.members is not None else question.threshold
            self.nodes.append(
                f"{{{_number(cut)}, {question.feature}, {root + nodes.left[node]},"
                f" {root + nodes.right[node]}, {first}, {size},"
                f" {int(question.missing_left)}}}"
            )
        return root

    def written(self) -> Iterator[str]:
        words = [f"0x{word:08x}u" for word in self.sets] or ["0"]
        yield _array("static const uint32_t MODEL_sets", words)
        # The struct comes first; the table belongs between it and the functions.
        struct, functions = _WALK.split("\n\n", 1)
        yield struct + "\n"
        yield _array("static const struct MODEL_node MODEL_nodes", self.nodes)
        yield functions


def _words(members: set[int], size: int) -> list[int]:
    words = [0] * ((size + 31) // 32)
    for place in members:
        words[place // 32] |= 1 << (place % 32)
    return words


def _single(program: SingleTree) -> Iterator[str]:
    tables = _Tables(program.features)
    tables.add(program.nodes)
    yield from tables.written()
    if program.classes is None:
        values = [_number(value) for value in program.values[:, 0].tolist()]
        yield _array("static const double MODEL_values", values)
        yield _REGRESSOR
        return
    n_classes = len(program.classes[0])
    shares = [
        f"{{{', '.join(_number(share) for share in node)}}}"
        for node in program.probabilities[0].tolist()
    ]
    yield _array("static const double MODEL_values", shares, f"[{n_classes}]")
    labels = [str(code) for code in program.decisions[:, 0].tolist()]
    yield _array("static const int MODEL_labels", labels)
    yield _CLASSIFIER


def _boosted(program: Boosted) -> Iterator[str]:
    tables = _Tables(program.features)
    roots = [str(tables.add(nodes)) for _, nodes, _ in program.trees]
    yield from tables.written()
    values = [_number(v) for _, _, values in program.trees for v in values]
    baseline = [_number(value) for value in program.baseline]
    yield _array("static const double MODEL_values", values or ["0"])
    yield _array("static const int MODEL_roots", roots or ["0"])
    outputs = [str(output) for output, _, _ in program.trees]
    yield _array("static const int MODEL_outputs", outputs or ["0"])
    yield _array("static const double MODEL_baseline", baseline)
    yield _DECISION.replace("N_TREES", str(len(roots)))
    yield _LINKS[program.link].replace("N_OUTPUTS", str(len(baseline)))


def _array(declaration: str, entries: Sequence[str], inner: str = "") -> str:
    lines, line = [f"{declaration}[{len(entries)}]{inner} = {{"], " "
    for entry in entries:
        if len(line) + len(entry) + 2 > _LINE and line.strip():
            lines.append(line)
            line = " "
        line += f" {entry},"
    return "\n".join([*lines, line, "};", ""])


def _value(value: Plain) -> str:
    return _text(value) if isinstance(value, str) else _number(float(value))


def _number(value: float) -> str:
    text = repr(float(value))
    return text.replace("inf", "HUGE_VAL").replace("nan", "NAN")


def _text(text: str) -> str:
    """UTF-8, everything that could be special by its number."""
    escaped = "".join(_byte(byte) for byte in text.encode())
    # Not to be taken for the place of the model's name.
    return '"{}"'.format(escaped.replace("MODEL", "\\115ODEL"))


def _byte(byte: int) -> str:
    character = chr(byte)
    if byte < 127 and (character.isalnum() or character in " _-.,:;+()=<>@|"):
        return character
    return f"\\{byte:03o}"
