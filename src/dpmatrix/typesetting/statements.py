"""A traced statement as formulas: what the numbers are called, what is given, and what is asserted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import attrs
from markupsafe import Markup

from dpmatrix.claims import Statement
from dpmatrix.tracing.expressions import Apply, Expression, Sort, Variable, parts
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.settling import settled
from dpmatrix.tracing.tracer import COUNTS, Case, Traced, trace
from dpmatrix.typesetting.formulas import (
    Abbreviated,
    Formula,
    Joined,
    Relation,
    Settled,
    abbreviated,
    asserted,
    count_rows,
    depth,
    joined,
    sides,
    size,
)
from dpmatrix.typesetting.names import Symbol, symbols
from dpmatrix.typesetting.notations import MathML, Unicode
from dpmatrix.typesetting.tidying import tidied
from dpmatrix.typesetting.writing import FUNCTIONS, Notation, Writer

EVERYWHERE, AT_SIZES = (180, 2, 8), (90, 1, 4)
"""Up to which a formula is shown to a reader: its parts with those of its letters, cases in cases, and their rows."""

MOST_CASES = 4
"""Cases of a statement that a reader is shown at most."""

LETTERS = "abcuvwghpqrstxyz"
"""Letters for what a formula repeats, of which the first ones are taken that no variable has."""


@attrs.frozen
class Formulas:
    """One case of a statement.

    Parameters
    ----------
    fixed
        Flags and other fields that have a value here, in words.
    names
        Each number, by its field, and what it is called.
    given
        The hypotheses.
    conclusion
        What is asserted.
    letters
        What stands for that which the conclusion repeats.
    """

    fixed: str
    names: tuple[tuple[Variable, Symbol], ...]
    given: tuple[Formula, ...]
    conclusion: Abbreviated
    letters: tuple[tuple[Variable, Symbol], ...]

    def is_legible(self, limits: tuple[int, int, int]) -> bool:
        """Whether a person would read it: it says something, is short, and has few cases in cases."""
        longest, deepest, most = limits
        conclusion, letters = self.conclusion.formula, (expression for _, expression in self.conclusion.letters)
        if isinstance(conclusion, Settled) or sum(map(size, (*sides(conclusion), *letters))) > longest:
            return False
        shown = (conclusion, *self.given)
        parts_of_one = max(sum(map(size, sides(formula))) for formula in shown)
        return parts_of_one <= longest and max(map(depth, shown)) <= deepest and max(map(count_rows, shown)) <= most

    def writer(self, notation: Notation) -> Writer:
        """Return what writes the formulas of this case."""
        return Writer(notation, dict((*self.names, *self.letters)))

    @property
    def math(self) -> Markup:
        """The conclusion in MathML."""
        return self._display(self.writer(MathML()).formula(self.conclusion.formula))

    @property
    def math_of_letters(self) -> list[Markup]:
        """What each letter stands for, in MathML."""
        writer = self.writer(MathML())
        return [self._display(writer.formula(Relation("=", *letter))) for letter in self.conclusion.letters]

    @property
    def math_given(self) -> list[Markup]:
        """The hypotheses in MathML."""
        writer = self.writer(MathML())
        return [_markup(f"<math>{writer.formula(formula)}</math>") for formula in self.given]

    @property
    def math_names(self) -> list[tuple[str, list[tuple[Markup, str]]]]:
        """For each kind of numbers its name, and each symbol in MathML with its field, empty where it is the symbol."""
        notation = MathML()
        kinds = {Sort.INTEGER: "integers", Sort.REAL: "real numbers"}
        found = [
            (words, [(one, symbol) for one, symbol in self.names if one.sort is sort]) for sort, words in kinds.items()
        ]
        return [
            (
                words,
                [(_markup(f"<math>{notation.symbol(symbol)}</math>"), _field(one, symbol)) for one, symbol in listed],
            )
            for words, listed in found
            if listed
        ]

    @staticmethod
    def _display(inside: str) -> Markup:
        return _markup(f'<math display="block">{inside}</math>')

    def lines(self, notation: Notation) -> Iterator[str]:
        """Yield the hypotheses, the conclusion and the letters as formulas of a notation, in that order."""
        writer = self.writer(notation)
        yield from map(writer.formula, self.given)
        yield writer.formula(self.conclusion.formula)
        yield from (writer.formula(Relation("=", *letter)) for letter in self.conclusion.letters)

    @property
    def text(self) -> str:
        """The case in Unicode, several lines."""
        writer, names = self.writer(Unicode()), [_named(*one) for one in self.names]
        lines = [f"for {', '.join(names)}" if names else "", f"with {self.fixed}" if self.fixed else ""]
        given = ", ".join(map(writer.formula, self.given))
        lines += [f"given {given}" if given else "", writer.formula(self.conclusion.formula)]
        lines += [f"where {writer.formula(Relation('=', *letter))}" for letter in self.conclusion.letters]
        return "\n".join(filter(None, lines))


@attrs.frozen
class Typeset:
    """A statement as formulas.

    Parameters
    ----------
    name
        The statement.
    cases
        What a reader is shown.
    omitted
        Number of cases that are not shown.
    limits
        In words, why the formulas do not cover every point; empty where they do.
    form
        In words, what sort of sentence it is if it is not of every point.
    """

    name: str
    cases: tuple[Formulas, ...]
    omitted: int
    limits: str
    form: str = ""

    @property
    def functions(self) -> list[str]:
        """The functions that occur and are not known to all, in words."""
        used = {part.name for case in self.cases for part in _everything(case) if isinstance(part, Apply)}
        return [
            f"{function.name}: {function.says}"
            for name, function in FUNCTIONS.items()
            if name in used and function.says
        ]

    @property
    def note(self) -> str:
        """What the formulas leave out, in words; empty where they leave out nothing."""
        more = f"{self.omitted} more {'case' if self.omitted == 1 else 'cases'}" if self.omitted else ""
        return "; ".join(filter(None, (self.form, self.limits, more)))

    @property
    def text(self) -> str:
        """The formulas in Unicode."""
        notes = [f"({line})" for line in (*self.functions, self.note) if line]
        return "\n".join(["\n\n".join(case.text for case in self.cases), *notes])


@lru_cache(maxsize=1024)
def typeset(statement: Statement) -> Typeset | None:
    """Return a statement as formulas; None where it has no expression, or none that a person would read.

    Parameters
    ----------
    statement
        The statement.
    """
    try:
        found = trace(statement)
    except Exception:  # a margin of another project may end anyhow on symbols, and its report is written all the same
        return None
    shown = [formulas(case) for case in found.cases[: 1 if found.sizes else MOST_CASES]]
    kept = [case for case in shown if case.is_legible(AT_SIZES if found.sizes else EVERYWHERE)]
    if not kept:
        return None
    omitted = len(found.cases) - len(kept)
    return Typeset(statement.name, tuple(_merged(kept)), omitted, _limits(found), _form(statement))


def _form(statement: Statement) -> str:
    words = []
    if statement.exists:
        chosen = ", ".join(f"{one.field}{f' after {one.after}' if one.after else ''}" for one in statement.exists)
        words.append(f"of some number, not of every one: {chosen}")
    if statement.instance:
        words.append("of one run or of the data of the document, not of every point")
    if statement.one_sided:
        words.append("where it holds nothing is shown, where it fails the statement is refuted")
    return "; ".join(words)


def _merged(kept: Iterable[Formulas]) -> Iterator[Formulas]:
    """Yield cases, those as one that differ in their flags alone."""
    found: dict[Formulas, list[str]] = {}
    for case in kept:
        found.setdefault(attrs.evolve(case, fixed=""), []).append(case.fixed)
    yield from (attrs.evolve(case, fixed=" or ".join(flags)) for case, flags in found.items())


def _limits(found: Traced) -> str:
    limits = [f"written at sizes {', '.join(map(str, found.sizes))} only"] if found.sizes else []
    limits += [f"{name} from {COUNTS[0]} to {COUNTS[-1]} only" for name in found.counted]
    return "; ".join(limits)


def formulas(case: Case) -> Formulas:
    """Return one case as formulas: what is said holds where the hypotheses do and the margin is defined."""
    known = Facts(case.known)
    margin = tidied(settled(tidied(case.inside.margin), known))
    conclusion = abbreviated(asserted(margin, case.conclusion.strict, known))
    asked = joined(True, (asserted(tidied(one.margin), one.strict, Facts()) for one in case.hypotheses))
    given = asked.formulas if isinstance(asked, Joined) and asked.every else (asked,)
    given = tuple(one for one in given if asked != Settled(True))
    used = set(parts(*_expressions(given, conclusion)))
    names = symbols(variable for variable in case.variables if variable in used)
    taken = {symbol.letter for symbol in names.values()}
    free = [letter for letter in LETTERS if letter not in taken]
    letters = {
        letter: Symbol(free[place]) if len(conclusion.letters) <= len(free) else Symbol("w", str(place + 1))
        for place, (letter, _) in enumerate(conclusion.letters)
    }
    fixed = ", ".join(f"{name} = {getattr(value, 'value', value)}" for name, value in case.fixed.items())
    return Formulas(fixed, tuple(names.items()), given, conclusion, tuple(letters.items()))


def _expressions(given: Iterable[Formula], conclusion: Abbreviated) -> Iterator[Expression]:
    for formula in (*given, conclusion.formula):
        yield from sides(formula)
    yield from (expression for _, expression in conclusion.letters)


def _everything(case: Formulas) -> Iterator[Expression]:
    return parts(*_expressions(case.given, case.conclusion))


def _named(variable: Variable, symbol: Symbol) -> str:
    shown, field = Unicode().symbol(symbol), _field(variable, symbol)
    return f"{shown} = {field}" if field else shown


def _field(variable: Variable, symbol: Symbol) -> str:
    """Return the field that a symbol stands for, where that is not the symbol itself."""
    return "" if Unicode().symbol(symbol) == variable.name else variable.name


def _markup(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - notations escape what is not theirs
