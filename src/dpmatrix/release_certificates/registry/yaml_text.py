"""Nested fields as YAML in which no text can become anything else, and in which a blank is seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Context
from decimal import Decimal as Number
from fractions import Fraction

from attrs import frozen

DIGITS = 15
"""Significant digits of a number; more would not survive in a float."""
MARK = "[BLANK for the publisher:"
"""How a blank begins."""
_PLACES, _STEP = range(-5, 16), "  "
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


@frozen
class Blank:
    """What nobody has said yet.

    Attributes
    ----------
    hint
        What belongs there.
    needed
        Whether the field has to be there: then it holds the hint, and otherwise it stands in a comment.
    """

    hint: str
    needed: bool = True

    @property
    def words(self) -> str:
        """The hint as the entry shows it."""
        return f"{MARK} {self.hint}]"


@frozen
class Plain:
    """A text that is written without quotation marks."""

    text: str


Value = str | int | Fraction | Plain | Blank | Sequence[str] | Mapping[str, "Value"]


def lines(fields: Mapping[str, Value], depth: int = 0) -> Iterator[str]:
    """Yield the lines of nested fields.

    Parameters
    ----------
    fields
        Names and values: a text, an integer, a fraction (rounded up), a list of texts, a blank, or fields again.
    depth
        How deep they are nested.
    """
    margin = _STEP * depth
    for name, value in fields.items():
        match value:
            case Mapping():
                yield f"{margin}{name}:"
                yield from lines(value, depth + 1)
            case Blank(needed=False):
                yield f"{margin}# {name}: {value.words}"
            case Blank():
                yield f"{margin}{name}: {quoted(value.words)}"
            case Fraction():
                yield f"{margin}{name}: {number(value)}"
            case Plain():
                yield f"{margin}{name}: {value.text}"
            case int():
                yield f"{margin}{name}: {value}"
            case str() if _is_block(value):
                yield f"{margin}{name}: |-"
                yield from (f"{margin}{_STEP}{line}" if line else "" for line in value.split("\n"))
            case str():
                yield f"{margin}{name}: {quoted(value)}"
            case _:
                yield f"{margin}{name}:"
                yield from (f"{margin}{_STEP}- {quoted(one)}" for one in value)


def quoted(text: str) -> str:
    """Write a text between double quotation marks: what is not printed is escaped, so that every reader has the same.

    Parameters
    ----------
    text
        Any text.
    """
    return f'"{"".join(map(_escaped, text))}"'


def number(value: Fraction) -> str:
    """Write a positive number as a decimal, rounded up, in a form that old and new YAML read as a number.

    Parameters
    ----------
    value
        The number.
    """
    context = Context(prec=DIGITS, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)
    found = context.divide(Number(value.numerator), Number(value.denominator)).normalize(context)
    if found.adjusted() in _PLACES:
        text = f"{found:f}"
        return text if "." in text else f"{text}.0"
    first, *rest = map(str, found.as_tuple().digits)
    return f"{first}.{''.join(rest) or '0'}e{found.adjusted():+d}"


def _is_block(text: str) -> bool:
    """Whether a text has several lines, and reads the same as a block."""
    rows = text.split("\n")
    return len(rows) > 1 and bool(rows[-1]) and not rows[0][:1].isspace() and all(map(_is_row, rows)) and bool(rows[0])


def _is_row(row: str) -> bool:
    return row.isprintable() and row == row.rstrip()


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
