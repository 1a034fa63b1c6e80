"""Formulas of traced statements: well formed, and, read back, true exactly where the margin says so."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from zlib import crc32

import pytest
from flint import arb

import dpmatrix.spec
from dpmatrix.claims.traced import NOT
from dpmatrix.exact import precision
from dpmatrix.tracing import trace
from dpmatrix.tracing.evaluation import Evaluator, UndecidedComparisonError
from dpmatrix.tracing.expressions import ZERO, Comparison, Expression, Variable
from dpmatrix.tracing.sampling import BITS, draw
from dpmatrix.tracing.survey import survey
from dpmatrix.typesetting.formulas import Cases, Formula, Joined, Relation, Settled
from dpmatrix.typesetting.notations import Latex, MathML, Unicode
from dpmatrix.typesetting.statements import formulas, typeset
from dpmatrix.typesetting.tidying import tidied
from tests.typesetting.mathml import Reader

REGISTRY = dpmatrix.spec.load()
CASES = 1
"""Cases of each statement that are looked at: the first one."""
POINTS = 3
ASKED = 4
"""One step in so many is evaluated, chosen by its name; every statement of a claim and every repair is."""
BY = {"<": ("<", False, True), ">": ("<", True, True), "≤": ("<", True, False), "≥": ("<", False, False)}
BY |= {"=": ("=", False, True), "≠": ("=", False, False)}


@pytest.fixture(scope="module")
def cases():
    """Return name, case and formulas of every traced statement, in its first case."""
    traced = [entry.traced for entry in survey(REGISTRY) if entry.extent != NOT]
    return [(one.statement.name, case, formulas(case)) for one in traced for case in one.cases[:CASES]]


@pytest.fixture(scope="module")
def asked(cases):
    """Return the cases that are evaluated at points."""
    return [one for one in cases if "/" not in one[0] or crc32(one[0].encode()) % ASKED == 0]


def statement(name: str):
    return REGISTRY[name.partition("/")[0].partition("+")[0]].statements()[name]


def mathml(shown) -> list[str]:
    """Every formula of a case, without what stands around it."""
    return list(shown.lines(MathML()))


def reader(shown) -> Reader:
    notation = MathML()
    return Reader.of({notation.symbol(symbol): variable for variable, symbol in (*shown.names, *shown.letters)})


def with_letters(values, letters) -> Evaluator:
    """Compute what letters stand for, in their order, and return what evaluates with them as well."""
    known = dict(values)
    for letter, expression in letters:
        there = Evaluator(known)
        try:
            exact = there.rational(expression)
            known[letter] = there.value(expression) if exact is None else exact
        except UndecidedComparisonError:
            known[letter] = arb.nan()
    return Evaluator(known)


def truth(formula: Formula | None, there: Evaluator) -> bool | None:
    """Whether a formula holds at a point; None where that is not decided, or the formula has no meaning."""
    match formula:
        case Settled(answer):
            return answer
        case Joined(every, inside):
            answers = [truth(one, there) for one in inside]
            if (not every) in answers:
                return not every
            return None if None in answers else every
        case Cases(rows):
            for condition, one in rows:
                answer = True if condition is None else truth(condition, there)
                if answer is None:
                    return None
                if answer:
                    return truth(one, there)
        case Relation(sign, left, right):
            relation, exchanged, wanted = BY[sign]
            sides = (left, right)[:: -1 if exchanged else 1]
            return holds(Comparison(relation, *sides), there, wanted)
    raise AssertionError(formula)


def holds(comparison: Comparison, there: Evaluator, wanted: bool) -> bool | None:
    try:
        if not (there.value(comparison.left).is_finite() and there.value(comparison.right).is_finite()):
            return None
        return there.holds(comparison) is wanted
    except UndecidedComparisonError:
        return None


def read_back(shown, texts: list[str]) -> tuple[Formula, list[tuple[Variable, Expression]]]:
    """Read the conclusion of a case and what its letters stand for."""
    read = reader(shown)
    conclusion, *letters = (read.formula(text) for text in texts[len(shown.given) :])
    assert all(isinstance(one, Relation) and one.sign == "=" for one in letters)
    return conclusion, [(one.left, one.right) for one in letters]


def answers(name: str, case, shown, texts: list[str]) -> Counter[tuple[bool | None, bool | None]]:
    """Count pairs of what the margin says at points inside the hypotheses, and what the formula says there."""
    formula, letters = read_back(shown, texts)
    found: Counter[tuple[bool | None, bool | None]] = Counter()
    for values, inside in draw(case, POINTS, name):
        if inside:
            with precision(BITS):
                there = Evaluator(values)
                margin = case.conclusion.margin
                below = Comparison("<", ZERO, margin) if case.conclusion.strict else Comparison("<", margin, ZERO)
                says = truth(formula, with_letters(values, letters))
                found[holds(below, there, case.conclusion.strict), says] += 1
    return found


def test_every_formula_is_well_formed_and_is_read_back(cases):
    for _, _, shown in cases:
        read = reader(shown)
        for text in mathml(shown):
            ET.fromstring(f"<math>{text}</math>")
            read.formula(text)


def test_a_formula_holds_where_the_margin_says_so(asked):
    total: Counter[tuple[bool | None, bool | None]] = Counter()
    decided = set()
    for name, case, shown in asked:
        found = answers(name, case, shown, mathml(shown))
        assert not any(found[answer, not answer] for answer in (True, False)), (name, shown.text)
        decided |= {name} if found[True, True] or found[False, False] else set()
        total += found
    names = {name for name, _, _ in asked}
    assert len(decided) > 0.6 * len(names), sorted(names - decided)
    assert total[True, True] > 200
    assert total[False, False] > 20


def test_what_is_tidied_has_the_value_of_the_margin(asked):
    compared = 0
    for name, case, _ in asked:
        for values, _ in draw(case, POINTS, name):
            with precision(BITS):
                there = Evaluator(values)
                try:
                    margin, tidy = there.value(case.conclusion.margin), there.value(tidied(case.conclusion.margin))
                except UndecidedComparisonError:
                    continue
                if margin.is_finite():
                    assert abs(margin - tidy) < (1 + abs(margin)) * arb(10) ** -20, (name, values)
                    compared += 1
    assert compared > 500


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("wishart.theorem-4", "<mn>1</mn>", "<mn>0</mn>"),
        ("wishart.theorem-4", "≥", "≤"),
        ("wishart.nuclear-norm-bound", "≤", "≥"),
        ("wishart.lemma-2+repair", "<mn>2</mn>", "<mn>5</mn>"),
        ("cross.gaussian-constant+repair", "<mo>≤</mo>", "<mo>&gt;</mo>"),
    ],
)
def test_another_formula_is_noticed(name, old, new):
    case = trace(statement(name)).cases[0]
    shown = formulas(case)
    place = len(shown.given)
    texts = mathml(shown)
    changed = [*texts[:place], *(text.replace(old, new) for text in texts[place:])]
    assert changed != texts
    found, other = (answers(name, case, shown, some) for some in (texts, changed))
    assert found[True, True] + found[False, False] > 0
    assert other[True, False] + other[False, True] > 0


def test_latex_has_every_bracket_in_pairs(cases):
    for _, _, shown in cases:
        for text in shown.lines(Latex()):
            depth = 0
            for brace in re.findall(r"(?<!\\)[{}]", text):
                depth += 1 if brace == "{" else -1
                assert depth >= 0
            assert depth == 0
            assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right")
            begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
            assert Counter(begun) == Counter(ended)


def test_names_in_a_case_are_different(cases):
    for name, _, shown in cases:
        for notation in (Unicode(), Latex(), MathML()):
            written = [notation.symbol(symbol) for _, symbol in (*shown.names, *shown.letters)]
            assert len(set(written)) == len(written), (name, written)


@pytest.mark.parametrize(
    ("name", "text", "latex"),
    [
        ("wishart.theorem-4", "exp(−ε/3) ≥ 1", r"\exp\left(-\frac{\varepsilon}{3}\right) \ge 1"),
        (
            "wishart.nuclear-norm-bound",
            "√((v_squared + w_squared)² − 4 · inner²) ≤ 3",
            r"\sqrt{{\left( v_{\text{squared}} + w_{\text{squared}} \right)}^{2} - 4 \cdot {\mathrm{inner}}^{2}} \le 3",
        ),
        ("wishart.algorithm-2+repair", "2 · scale · n·ε = 3 and d + 1 = m and 3 · norm_bound²/(2·n·ε) ≤ scale", None),
    ],
)
def test_a_statement_reads_as_in_a_paper(name, text, latex):
    (case,) = typeset(statement(name)).cases
    assert text in case.text
    assert latex is None or latex in list(case.lines(Latex()))


def test_a_refuted_privacy_theorem_is_one_line():
    """Theorem 4 of `wishart` asserts that exp(-eps/3) is at least 1."""
    found = typeset(statement("wishart.theorem-4"))
    assert found.note == ""
    assert found.text == "for d = dimension, n = records, ε = epsilon\ngiven d ≥ 1, n ≥ 1, ε > 0\nexp(−ε/3) ≥ 1"


def test_a_statement_without_expression_has_no_formulas():
    assert typeset(statement("wishart.table-1+repair")) is None
