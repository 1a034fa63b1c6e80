"""Figures in prose: where they stand, and whether what was computed is what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from numbers import Rational
from typing import SupportsFloat

import attrs
from flint import arb, fmpq, fmpz

from dpmatrix.claims import Claim
from dpmatrix.exact import Real, ball
from dpmatrix.reporting.directions import ABOUT, ABOVE, BELOW, NUMBER, SENSES, direction, plain_direction

_PLACE = (
    r"(?:[Tt]heorem|[Ll]emma|[Cc]orollar(?:y|ie)|[Dd]efinition|[Pp]roposition|[Rr]emark|[Pp]rocedure|[Ss]ection"
    r"|[Ff]igure|[Tt]able|[Ll]ine|[Rr]ow|[Ss]tep|[Aa]lgorithm|[Ee]quation|[Aa]ssumption|[Aa]ppendix|[Pp]age|[Ii]ssue)s?"
    r" (?:[A-Z]?[\d.]+(?:, | and | to | or ))*$"
)
_SETTING = r"[\w)'~\]] = -?$"
_FOUND = r"\b(?:near|from|below|above|beyond|until|about|than|over)(?: about)? \S+ = $"
"""A value of a parameter that somebody had to find: "from M = 500 on"."""
_BEFORE_IN_FORMULA = r"(?:[-+*/^]|(?<![a-z]{3} )\() ?$"
_AFTER_IN_FORMULA = r" ?[\^*+/(]|\)? ?\^| [-+] | (?!a\b)[a-zA-Z](?:\b|_|\^|~|')| ?(?:sqrt|log|ln|exp)\b"
_SMALL = 10
"""A smaller whole number is a word of the sentence, unless it counts times."""
_YEAR = r"(?:19|20)\d\d"


Number = Real | SupportsFloat
"""Exact numbers and balls are taken as they are; of others, such as symbols, the float."""


def _enclosed(value: Number) -> arb:
    exact = isinstance(value, arb | fmpq | fmpz | Rational)
    return ball(value if exact else float(value))  # type: ignore[arg-type]  # one of the exact kinds, or a float


@attrs.frozen
class Figure:
    """A number in a text.

    Attributes
    ----------
    words
        As it is written: ``28 %``, ``2.4 10^8``, ``1e-6``, ``1,000``.
    start, end
        Where it stands.
    """

    words: str
    start: int
    end: int

    @property
    def parts(self) -> tuple[Fraction, Fraction]:
        """Its value, and the unit of the last digit that is shown."""
        plain = self.words.replace(",", "").replace("\u00a0", " ")
        plain, percent = plain.rstrip(" %"), plain.endswith("%")
        digits, _, power = plain.partition(" 10^")
        if "^" in digits:
            base, _, exponent = digits.partition("^")
            value = unit = Fraction(base) ** int(exponent)
        else:
            mantissa, _, exponent = digits.partition("e")
            scale = Fraction(10) ** int(exponent or 0)
            value, unit = Fraction(mantissa) * scale, scale / 10 ** len(mantissa.partition(".")[2])
        scale = Fraction(10) ** int(power or 0) / (100 if percent else 1)
        return value * scale, unit * scale

    @property
    def coarse(self) -> Fraction:
        """The unit of the last digit, where zeros at the end of a whole figure are not shown: 100 for ``1,500``."""
        digits = re.match(r"([1-9][\d,]*)(?![\d,.^])", self.words)
        plain = digits[1].replace(",", "") if digits else ""
        return self.parts[1] * Fraction(10) ** (len(plain) - len(plain.rstrip("0")))

    def is_told_by(self, value: Number, sense: str = "") -> bool:
        """Whether a number that was computed is what the figure says.

        Parameters
        ----------
        value
            The number; of a ball, every point must be.
        sense
            Nothing: it rounds to the figure, to within half a unit of the last digit shown. ``about``: zeros at the
            end of a whole figure are not shown, and a tenth of it is too far. ``above`` and ``below``: it is the
            figure, or on that side of it by less than a unit, where such zeros are not shown, and on no side by more
            than a factor of ten; a bare power of ten says no more than that factor.
        """
        shown, unit = self.parts
        exact, computed = _exact(shown), _enclosed(value)
        if sense in (ABOVE, BELOW):
            beyond = computed >= exact if sense == ABOVE else computed <= exact
            reached = _exact(self._reach(sense))
            return bool(beyond) and bool(computed < reached if sense == ABOVE else computed > reached)
        allowed = unit / 2
        if sense == ABOUT and unit == 1:
            allowed = max(min(self.coarse / 2, shown / 10), allowed)
        return bool(abs(computed - exact) <= _exact(allowed))

    def _reach(self, sense: str) -> Fraction:
        """Return what a number does not reach of which the figure is a bound."""
        shown = self.parts[0]
        power = re.fullmatch(r"1e-?\d+|10\^-?\d+", self.words) is not None
        if sense == ABOVE:
            return 10 * shown if power else shown + self.coarse
        return shown / 10 if power else max(shown - self.coarse, shown / 10)


def _exact(number: Fraction) -> arb:
    return arb(fmpq(number.numerator, number.denominator))


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures of a text: what somebody must have computed or measured.

    Every decimal, percentage and power of ten is one, and every whole number from 10 on, unless it names a place of a
    document, is the value that a sentence gives to a parameter (``eps = 100``), is part of a formula, or is the year
    of a citation. A decimal is one wherever it stands. Numbers in words, and quotients such as 4/9, are not found.
    """
    for match in re.finditer(NUMBER, text):
        before, after, words = text[: match.start()], text[match.end() :], match[0]
        if re.search(_PLACE, before):
            continue
        if _is_decimal(words) or _is_result(words, before, after):
            yield Figure(words, match.start(), match.end())


def _is_decimal(words: str) -> bool:
    return bool(re.search(r"[.,%]", words))


def _is_result(words: str, before: str, after: str) -> bool:
    """Whether a number without a point is neither a setting, nor part of a formula, nor a name."""
    if re.search(_SETTING, before) and not re.search(_FOUND, before):
        return False
    if re.search(_BEFORE_IN_FORMULA, before):
        return re.search(r"\($", before) is not None and bool(re.search(r"e|10\^", words))
    if re.match(r" times\b", after):
        return True
    if not re.search(r"e|10\^", words) and ("^" in words or int(words) < _SMALL):
        return False
    if re.search(r"\($", before) and re.match(r"\)", after):
        return False  # the number of an equation
    if re.search(_BEFORE_IN_FORMULA, before) or re.match(_AFTER_IN_FORMULA, after):
        return False
    return not (re.fullmatch(_YEAR, words) and re.search(r"\($|[A-Z][a-z]+ $", before))


@attrs.frozen
class Telling:
    """A piece of prose with places for its figures: ``"({} %) at eps"`` or ``"delta is above {above}"``.

    The figures are read off the text; whoever tells it has the numbers.
    """

    template: str

    @property
    def senses(self) -> list[str]:
        """The sense of each place.

        Raises
        ------
        ValueError
            If there is none, or one has another word in it.
        """
        found = re.findall(r"\{(\w*)\}", self.template)
        if not found or not set(found) <= set(SENSES):
            raise ValueError(f"{self.template!r}: give places for figures, {SENSES}")
        return found

    def read(self, text: str) -> Iterator[tuple[Figure, ...]]:
        """Yield the figures wherever a text says it."""
        pieces = [re.escape(piece) for piece in re.split(r"\{\w*\}", " ".join(self.template.split()))]
        for match in re.finditer(f"({NUMBER})".join(pieces), text):
            places = range(1, len(pieces))
            yield tuple(Figure(match[place], match.start(place), match.end(place)) for place in places)


def prose_of(claim: Claim) -> dict[str, str]:
    """Return what the project says of a claim, piece by piece, each in one line."""
    found = {"headline": claim.headline, "because": claim.because, "reading": claim.reading}
    found |= {} if claim.repair is None else {"repair": claim.repair.change}
    found |= {f"note of {step.name}": step.note for step in claim.steps}
    found |= {f"assumption {number}": words for number, words in enumerate(claim.assumes, start=1)}
    return {name: " ".join(words.split()) for name, words in found.items() if words}


def tell(where: str, texts: Sequence[str], template: str, values: Sequence[Number]) -> None:
    """Check that a prose says something, and that the numbers are those that its figures say wherever it does.

    Raises
    ------
    AssertionError
        If it does not say it, a figure is not what was computed, or the words before a figure do not say on which
        side of it the number lies, as the place has it, or say the other side.
    ValueError
        If there are not as many numbers as places.
    """
    telling = Telling(template)
    if len(telling.senses) != len(values):
        raise ValueError(f"{template!r} has {len(telling.senses)} places for {len(values)} numbers")
    said = [(text, found) for text in texts for found in telling.read(text)]
    if not said:
        raise AssertionError(f"{where} does not say {template!r}")
    for text, found in said:
        for figure, sense, value in zip(found, telling.senses, values, strict=True):
            if not figure.is_told_by(value, sense):
                raise AssertionError(f"{where} says {figure.words!r} in {template!r}; computed is {value}")
            if not _is_borne_out(text, figure, sense, value):
                raise AssertionError(
                    f"{where}: no word before {figure.words!r} in {template!r} says where {value} lies"
                )


def _is_borne_out(text: str, figure: Figure, sense: str, value: Number) -> bool:
    """Whether the words before a figure say what its place does; without a sense, that they are true of the number."""
    before, after = text[: figure.start], text[figure.end :]
    if sense:
        return direction(before, after) == sense
    side, shown = plain_direction(before), _exact(figure.parts[0])
    return not side or bool(_enclosed(value) >= shown if side == ABOVE else _enclosed(value) <= shown)
