"""What the columns of a table are: features of a fit, a target, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpdtree._input.columns import ENOUGH, FEW
from dpdtree.cli.errors import CommandError, unknown_columns

#: Whole numbers of so few values are classes, unless told otherwise.
MOST_CLASSES = 10
_TARGET_NAMES = ("target", "label", "labels", "class", "y", "outcome", "response")


@dataclass(frozen=True)
class Column:
    """A column as the fit takes it, and what to say of it."""

    name: str
    kind: str  # "number" or "category"
    values: Any
    missing: int
    detail: str


@dataclass(frozen=True)
class Features:
    """The columns of a fit, and those left out with the reason."""

    columns: list[Column] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def table(self) -> Any:
        """The features as the estimators take them."""
        return pa.table({column.name: column.values for column in self.columns})


def infer_features(
    table: Any, *, categorical: Sequence[str] = (), most_categories: int | None = None
) -> Features:
    """Decide for each column whether it is numbers, categories or of no use."""
    features = Features()
    for name in table.column_names:
        values, reason = _as_feature(
            table[name], name, forced=name in categorical, most=most_categories
        )
        if reason:
            features.left_out[name] = reason
        else:
            features.columns.append(_described(name, values))
    if not features.columns:
        why = "; ".join(f"{name!r}: {why}" for name, why in features.left_out.items())
        raise CommandError(
            f"No column is left to predict from{f' ({why})' if why else ''}."
        )
    return features


def _as_feature(
    values: Any, name: str, *, forced: bool, most: int | None
) -> tuple[Any, str]:
    """Return a column as numbers or categories, or why it is neither."""
    kind, types = values.type, pa.types
    if len(values) and n_missing(values) == len(values):
        return values, "no values"
    if name == "" and _counts_rows(values):
        return values, "no name, and it only counts the rows"
    if forced:
        return as_categories(values), ""
    if is_number(kind):
        return values, ""
    if types.is_temporal(kind):
        return values, "dates or times: make them numbers, such as days"
    if is_text(kind) or types.is_boolean(kind) or types.is_dictionary(kind):
        encoded = as_categories(values)
        return encoded, _why_no_category(encoded, most)
    return values, f"{kind} is neither numbers nor text"


def _why_no_category(encoded: Any, most: int | None) -> str:
    """Texts and names of things would be memorised: too few rows have each."""
    codes = encoded.combine_chunks().indices.drop_null()
    rows = np.bincount(codes.to_numpy(zero_copy_only=False))
    frequent = rows[rows >= ENOUGH]
    if len(rows) > FEW and frequent.sum() < rows.sum() / 2:
        return f"{len(rows)} different texts, most of them rare"
    if most is not None and len(rows if len(rows) <= FEW else frequent) > most:
        return f"{len(rows)} categories; at most {most} for this model"
    return ""


def _counts_rows(values: Any) -> bool:
    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    steps = np.diff(values.to_numpy())
    return bool((steps == 1).all())


def n_missing(values: Any) -> int:
    """Return how many values are null or NaN."""
    if pa.types.is_floating(values.type):
        return int(pc.sum(pc.is_null(values, nan_is_null=True)).as_py() or 0)
    return int(values.null_count)


def is_number(kind: Any) -> bool:
    """Whether a type of pyarrow is one of numbers."""
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    )


def is_text(kind: Any) -> bool:
    """Whether a type of pyarrow is one of strings."""
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind))


def as_categories(values: Any) -> Any:
    """Return a column as a dictionary of sorted values; true and false are text."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_boolean(values.type) or pa.types.is_large_string(values.type):
        values = values.cast(pa.string())
    known = values.unique().drop_null().sort()
    codes = pc.index_in(values, value_set=known).combine_chunks()
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, known)])


def _described(name: str, values: Any) -> Column:
    missing = n_missing(values)
    if pa.types.is_dictionary(values.type):
        known = values.chunk(0).dictionary.to_pylist()
        shown = ", ".join(str(value) for value in known[:6])
        more = ", ..." if len(known) > 6 else ""
        detail = f"{len(known)}: {shown}{more}"
        return Column(name, "category", values, missing, detail)
    ends = pc.min_max(values).as_py()
    detail = "" if ends["min"] is None else f"{ends['min']:g} to {ends['max']:g}"
    return Column(name, "number", values, missing, detail)


# --- Targets --------------------------------------------------------------------------


def guess_target(names: Sequence[str]) -> str:
    """Return the column whose name is that of a target, else the last one."""
    for wanted in _TARGET_NAMES:
        for name in names:
            if re.sub(r"\W", "", name).casefold() == wanted:
                return name
    return names[-1]


def check_column(name: str, names: Sequence[str], where: str) -> None:
    """Raise if there is no such column, with the names there are."""
    check_columns([name], names, where)


def check_columns(wanted: Iterable[str], names: Sequence[str], where: str) -> None:
    """Raise if columns are not there."""
    absent = [name for name in wanted if name not in names]
    if absent:
        raise CommandError(unknown_columns(absent, names, where))


def guess_task(target: Any) -> tuple[str, str]:
    """Return "classification" or "regression", and why."""
    kind = target.type
    if not is_number(kind):
        return "classification", f"{_n_values(target)} labels"
    numbers = target.drop_null().to_numpy().astype(float)
    distinct = np.unique(numbers)
    whole = bool((distinct == np.round(distinct)).all())
    if whole and len(distinct) <= MOST_CLASSES:
        return "classification", f"{len(distinct)} whole numbers"
    if len(distinct) <= 2:
        return "classification", f"{len(distinct)} numbers"
    return "regression", f"{len(distinct)} numbers"


def _n_values(target: Any) -> int:
    return len(target.drop_null().unique())


def as_target(target: Any, task: str, name: str) -> Any:
    """Return labels or numbers as the estimators take them; none is missing."""
    kind = target.type
    if pa.types.is_dictionary(kind):
        target = target.cast(kind.value_type)
        kind = target.type
    if task == "regression":
        if not is_number(kind):
            raise CommandError(
                f"The target {name!r} holds {kind}: --task regression needs numbers."
            )
        return target.cast(pa.float64(), safe=False).to_numpy()
    if not (is_number(kind) or is_text(kind) or pa.types.is_boolean(kind)):
        raise CommandError(
            f"The target {name!r} holds {kind}: labels are text or numbers."
        )
    if not is_number(kind):
        return np.array(target.to_pylist(), dtype=object if is_text(kind) else bool)
    numbers = target.cast(pa.float64(), safe=False).to_numpy()
    whole = (numbers == np.round(numbers)).all() and (np.abs(numbers) < 2**53).all()
    return numbers.astype(np.int64) if whole else numbers


# --- Rows for a fitted model ----------------------------------------------------------


class ModelColumns:
    """The features of a fitted model as columns of a table."""

    def __init__(self, model: Any) -> None:
        n = model.n_features_in_
        names = getattr(model, "feature_names_in_", [f"f{j}" for j in range(n)])
        self.names = [str(name) for name in names]
        known = getattr(model, "categories_", None) or [None] * n
        self.categories = [
            None if values is None else list(values.tolist()) for values in known
        ]
        self._are_named = hasattr(model, "feature_names_in_")

    @property
    def types(self) -> dict[str, Any]:
        """The type of each column in a text."""
        return {
            name: pa.string() if self._is_text(j) else pa.float64()
            for j, name in enumerate(self.names)
        }

    def _is_text(self, j: int) -> bool:
        known = self.categories[j]
        return known is not None and not all(_is_real(value) for value in known)

    def bind(
        self, names: Sequence[str], where: str, besides: Sequence[str | None] = ()
    ) -> None:
        """Find the columns of the model in a table, or raise and say what it lacks.

        A model that was fitted without names takes the columns in their order.
        """
        if not self._are_named:
            others = [name for name in names if name not in besides]
            if len(others) != len(self.names):
                raise CommandError(
                    f"The model was fitted with {len(self.names)} columns without"
                    f" names, and {where} has {len(others)}."
                )
            self.names = others
        absent = [name for name in self.names if name not in names]
        if absent:
            raise CommandError(
                f"The model was fitted with columns that are missing:"
                f" {unknown_columns(absent, names, where)}"
            )

    def rows(self, table: Any, where: str) -> Any:
        """Return the columns of the model, each of its type."""
        columns = [
            self._column(table[name], j, where) for j, name in enumerate(self.names)
        ]
        if not self._are_named:
            return np.column_stack([column.to_numpy() for column in columns])
        return pa.table(columns, names=self.names)

    def _column(self, values: Any, j: int, where: str) -> Any:
        kind = values.type
        if pa.types.is_dictionary(kind):
            values = values.cast(kind.value_type)
            kind = values.type
        wanted = pa.string() if self._is_text(j) else pa.float64()
        if kind.equals(wanted):
            return values
        if pa.types.is_boolean(kind) and self._is_text(j):
            return self._spelled(values, j)
        try:
            if is_text(kind):
                values = pc.utf8_trim_whitespace(values)
            return values.cast(wanted, safe=False)
        except pa.ArrowException as error:
            raise CommandError(
                f"{where}: column {self.names[j]!r} holds {kind}, the model takes"
                f" {'text' if self._is_text(j) else 'numbers'}: {error}"
            ) from None

    def _spelled(self, values: Any, j: int) -> Any:
        """Write true and false as the fit has seen them: "True" or "TRUE", perhaps."""
        known = {str(value).casefold(): value for value in self.categories[j] or ()}
        return pc.if_else(
            values, known.get("true", "true"), known.get("false", "false")
        ).cast(pa.string())

    def unseen(self, table: Any) -> Iterator[tuple[str, int]]:
        """Yield the categories' columns with their number of unknown values."""
        for j, name in enumerate(self.names):
            known = self.categories[j]
            if known is None:
                continue
            values = table[name] if self._are_named else pa.array(table[:, j])
            wanted = pa.array(known, type=values.type)
            listed = pc.is_in(values, value_set=wanted)
            strange = pc.and_(pc.is_valid(values), pc.invert(listed))
            yield name, int(pc.sum(strange).as_py() or 0)


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float)
