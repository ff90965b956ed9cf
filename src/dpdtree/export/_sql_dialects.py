"""How the dialects of SQL write names, texts and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpdtree.export._program import Plain


def _doubled(quote: str) -> Callable[[str], str]:
    return lambda text: f"{quote}{text.replace(quote, 2 * quote)}{quote}"


def _backslashed(quote: str, prefix: str = "") -> Callable[[str], str]:
    """Quote by backslashes; line ends and other controls by their numbers."""

    def quoted(text: str) -> str:
        text = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
        escaped = "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in text)
        return f"{prefix}{quote}{escaped}{quote}"

    return quoted


_IN_DOUBLE_QUOTES, _IN_QUOTES = _doubled('"'), _doubled("'")


def _slashes_and_doubled(text: str) -> str:
    """Both a backslash and a quote are special."""
    return _IN_QUOTES(text.replace("\\", "\\\\"))


def _in_brackets(text: str) -> str:
    return f"[{text.replace(']', ']]')}]"


def _national(text: str) -> str:
    return f"N{_IN_QUOTES(text)}"


@dataclass(frozen=True)
class Dialect:
    """Where a dialect differs from the standard."""

    identifier: Callable[[str], str] = _IN_DOUBLE_QUOTES
    text: Callable[[str], str] = _IN_QUOTES
    #: {x} is a double; what tells NaN, which predict takes as missing. None: no NaN.
    is_nan: str | None = None
    #: A column of text, made ready for comparisons byte by byte: where those of the
    #: database would take "a" for "A".
    exact_text: str = "{x}"
    #: What `exact_text` adds to the end of a text.
    text_end: str = ""
    greatest: str = "GREATEST"
    #: From a column of numbers to doubles, and from one of true and false.
    cast: str = "CAST({x} AS DOUBLE PRECISION)"
    flag: str = "CAST({x} AS DOUBLE PRECISION)"
    has_booleans: bool = True
    parses_exactly: bool = True

    def literal(self, value: Plain) -> str:
        """Return a label or category."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool):
            if self.has_booleans:
                return "TRUE" if value else "FALSE"
            return str(int(value))
        return str(value) if isinstance(value, int) else self.number(value)

    def number(self, value: float) -> str:
        """Return a double as a literal with an exponent: others are decimals."""
        if not self.parses_exactly and not _is_middling(value):
            return _product(value)
        digits = repr(float(value))
        return digits.upper() if "e" in digits else f"{digits}E0"


def _is_middling(value: float) -> bool:
    return value == 0.0 or 1e-15 < abs(value) < 1e15


def _product(value: float) -> str:
    """Return a number as an integer times powers of two, all of them middling.

    Older versions of SQLite miss the last bit of very large and very small literals.
    """
    mantissa, exponent = math.frexp(value)
    factors = [f"{int(mantissa * 2**53)}E0"]
    exponent -= 53
    while exponent:
        step = max(-40, min(40, exponent))
        factors.append(f"{2.0**step!r}E0".replace("e", "E").removesuffix("E0"))
        exponent -= step
    return f"({' * '.join(factors)})"


_MYSQL_BYTES = "CONVERT({x} USING utf8mb4) COLLATE utf8mb4_0900_bin"
_TSQL_BYTES = "({x} COLLATE Latin1_General_100_BIN2 + N'.')"

_DOUBLE = "CAST({x} AS DOUBLE)"

DIALECTS = {
    "ansi": Dialect(),
    "bigquery": Dialect(
        identifier=_backslashed("`"),
        text=_backslashed("'"),
        cast="CAST({x} AS FLOAT64)",
        flag="CAST(CAST({x} AS INT64) AS FLOAT64)",
        is_nan="IS_NAN({x})",
    ),
    "duckdb": Dialect(cast=_DOUBLE, flag=_DOUBLE, is_nan="ISNAN({x})"),
    "mysql": Dialect(
        identifier=_doubled("`"),
        text=_slashes_and_doubled,
        cast=_DOUBLE,
        flag=_DOUBLE,
        exact_text=_MYSQL_BYTES,
    ),
    "postgres": Dialect(
        flag="CAST(CAST({x} AS INTEGER) AS DOUBLE PRECISION)", is_nan="{x} = 'NaN'"
    ),
    "snowflake": Dialect(
        text=_slashes_and_doubled, cast=_DOUBLE, flag=_DOUBLE, is_nan="{x} = 'NaN'"
    ),
    "spark": Dialect(
        identifier=_doubled("`"),
        text=_backslashed("'"),
        cast=_DOUBLE,
        flag=_DOUBLE,
        is_nan="ISNAN({x})",
    ),
    # Names in double quotes that are no columns would be taken as texts, and an
    # empty text, which is how blanks are imported, as zero.
    "sqlite": Dialect(
        identifier=_doubled("`"),
        cast="CAST(NULLIF({x}, '') AS REAL)",
        flag="CAST(NULLIF({x}, '') AS REAL)",
        greatest="MAX",
        has_booleans=False,
        parses_exactly=False,
    ),
    "trino": Dialect(cast=_DOUBLE, flag=_DOUBLE, is_nan="IS_NAN({x})"),
    "tsql": Dialect(
        identifier=_in_brackets,
        text=_national,
        cast="CAST({x} AS FLOAT)",
        flag="CAST({x} AS FLOAT)",
        exact_text=_TSQL_BYTES,
        text_end=".",
        has_booleans=False,
    ),
}
