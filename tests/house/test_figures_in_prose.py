"""Every figure in what is said of a claim, and in the pages, is told by an item that computes it, or excepted.

The exceptions stand in `untold_figures.toml`: for each claim and each page pieces of its prose, each with the reason
why no item computes its figures. A decimal of a page that a block of that page prints is told by the block, which
`tests/documentation` runs. README.md has a test of its own, and so have the docstrings of evidence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import attrs
import pytest
from flint import arb

from dpmatrix.claims import Claim
from dpmatrix.documentation import Page, blocks, pages
from dpmatrix.reporting.citing import cite
from dpmatrix.reporting.prose import Figure, figures, prose_of, tell
from dpmatrix.reporting.tellings import Told, told
from dpmatrix.spec import load
from tests.documentation.told_pages import prose
from tests.house.told_spans import excepted, spans

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("proofs_checks", "tests", "audit")
NOT_COLLECTED = ("audit/peers/", "tests/benchmarks/", "tests/house/", "tests/reporting/")
"""What `make test` and `make audit` do not run, or what is about tests."""
EXCEPTIONS = Path(__file__).parent / "untold_figures.toml"
Excepted = Mapping[str, Mapping[str, str]]


@cache
def tellings() -> dict[str, list[Told]]:
    """Return the calls by file."""
    found = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("test_*.py")):
        name, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if ".tells(" in source and not name.startswith(NOT_COLLECTED):
            found[name] = list(told(source))
    return found


@cache
def exceptions() -> Excepted:
    return tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))


def printed(page: Page) -> set[str]:
    """Return the decimals that the blocks of a page print."""
    lines = [line for block in blocks(page) for line in block.text.splitlines()]
    shown = [line for line in lines if not line.startswith((">>>", "...", "$"))]
    return {number for line in shown for number in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", line)}


def sorted_figures(
    texts: Mapping[str, str], templates: Iterable[str], phrases: Iterable[str], shown: Container[str] = ()
) -> Iterator[tuple[str, str, Figure, str]]:
    """Yield every figure of some texts: the text, the words around it, the figure, and what became of it."""
    templates, phrases = list(templates), list(phrases)
    for piece, text in texts.items():
        bound, free = spans(text, templates), excepted(text, phrases)
        for figure in figures(text):
            where = f"...{text[max(0, figure.start - 50) : figure.end + 20]}..."
            if (figure.start, figure.end) in bound or figure.words in shown:
                yield piece, where, figure, "told"
            else:
                yield piece, where, figure, "excepted" if any(figure.start in part for part in free) else "untold"


@cache
def texts() -> dict[str, dict[str, str]]:
    """Return what is said of each claim, and the prose of each page."""
    return {claim.id: prose_of(claim) for claim in load()} | {page.name: {"page": prose(page.text)} for page in pages()}


@cache
def all_figures() -> list[tuple[str, str, str]]:
    """Return every figure: the claim or page, where it stands, and what became of it."""
    shown = {page.name: printed(page) for page in pages()}
    templates: dict[str, list[str]] = {}
    for call in (call for calls in tellings().values() for call in calls if not call.problem):
        templates.setdefault(call.claim, []).append(call.template)
    return [
        (name, f"{piece}: {where}", fate)
        for name, pieces in texts().items()
        for piece, where, _, fate in sorted_figures(
            pieces, templates.get(name, ()), exceptions().get(name, ()), shown.get(name, ())
        )
    ]


def test_every_figure_is_told_or_excepted() -> None:
    assert [f"{claim}, {where}" for claim, where, fate in all_figures() if fate == "untold"] == []


def test_most_figures_of_claims_are_told() -> None:
    """A list of exceptions that holds everything would be no lint."""
    fates = [fate for name, _, fate in all_figures() if "." in name]
    assert fates.count("told") > 5 * fates.count("excepted"), "of claims"


def test_everything_that_is_told_can_be_relied_on() -> None:
    assert tellings()
    wrong = [f"{name}:{call.line}: {call.problem}" for name, calls in tellings().items() for call in calls]
    assert [line for line in wrong if not line.endswith(": ")] == []


def idle(excepted: Excepted) -> list[str]:
    """List the exceptions of nothing, and those without a reason."""
    found = []
    for claim, phrases in excepted.items():
        pieces = texts().get(claim, {}).values()
        for phrase, reason in phrases.items():
            held = [figure for text in pieces for part in excepted_figures(text, phrase) for figure in part]
            found += [] if held else [f"{claim}: no figure in {phrase!r}"]
            found += [] if reason.strip() else [f"{claim}: no reason for {phrase!r}"]
    return found


def excepted_figures(text: str, phrase: str) -> Iterator[list[Figure]]:
    for part in excepted(text, [phrase]):
        yield [figure for figure in figures(text) if figure.start in part]


def test_exceptions_are_of_figures_that_are_there() -> None:
    assert idle(exceptions()) == []
    assert len(idle({"wishart.theorem-4": {"29 %": "a reason", "28 %": " "}, "nobody": {"28 %": "a reason"}})) == 3


ITEM = """
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.wishart_perturbation import wishart_delta

theorem_4 = cite("wishart.theorem-4@f1912fdb")
LEVEL = 0.28
{before}

def test_mass(statement):
    point = Point(1, LEVEL)
    {body}
"""
RELIABLE = (
    'theorem_4.tells("{} at eps", wishart_delta(point))',
    'for value in (wishart_delta(point),):\n        theorem_4.tells("{} at eps", value)',
    'theorem_4.tells("{} at eps", 1 - statement.margin(point))',
    'theorem_4.tells("{} at {} eps", wishart_delta(point), point.level)',
    'found = []\n    found.append(wishart_delta(point))\n    theorem_4.tells("{} at eps", *found)',
)
TRICKS = (
    'theorem_4.tells("{} at eps", 0.28)',
    'theorem_4.tells("{} at eps", LEVEL)',
    'theorem_4.tells("{} at eps", Fraction(28, 100))',
    'theorem_4.tells("{} at eps", float(arb("0.28").mid()))',
    'theorem_4.tells("{} at eps", point.level)',
    'theorem_4.tells("{} at eps", attrs.evolve(point, level=LEVEL).level)',
    'theorem_4.tells("{} at eps", 2 * round(0.14, 2))',
    'theorem_4.tells("{} at eps", helper())',
    'theorem_4.tells("{} at {} eps", wishart_delta(point), 1)',
    "theorem_4.tells(WORDS, wishart_delta(point))",
    'theorem_5.tells("{} at eps", wishart_delta(point))',
    'if LEVEL > 1:\n        theorem_4.tells("{} at eps", wishart_delta(point))',
    'return\n    theorem_4.tells("{} at eps", wishart_delta(point))',
    'with pytest.raises(AssertionError):\n        theorem_4.tells("{} at eps", wishart_delta(point))',
    'try:\n        theorem_4.tells("{} at eps", wishart_delta(point))\n    except AssertionError:\n        pass',
    'def inner():\n        theorem_4.tells("{} at eps", wishart_delta(point))',
)


def item(body: str, before: str = "def helper():\n    return 0.28\n") -> str:
    return ITEM.replace("{before}", before).replace("{body}", body)


@pytest.mark.parametrize("body", RELIABLE)
def test_a_computed_number_is_relied_on(body: str) -> None:
    (call,) = told(item(body))
    assert (call.claim, call.problem) == ("wishart.theorem-4", "")


@pytest.mark.parametrize("body", TRICKS)
def test_a_number_that_nobody_computes_is_not_relied_on(body: str) -> None:
    assert [call for call in told(item(body)) if not call.problem] == []


def test_an_item_that_does_not_run_tells_nothing() -> None:
    for before in ("@pytest.mark.skip", "@pytest.mark.xfail(reason='never')"):
        (call,) = told(item(RELIABLE[0], before).replace(f"{before}\n\n", f"{before}\n"))
        assert call.problem
    (call,) = told(item(RELIABLE[0]).replace("def test_mass", "def mass"))
    assert call.problem


def fates(claim: Claim, templates: Iterable[str] = (), phrases: Iterable[str] = ()) -> list[str]:
    return [fate for *_, fate in sorted_figures(prose_of(claim), templates, phrases)]


def test_a_planted_figure_is_found() -> None:
    claim = load().claims["wishart.theorem-4"]
    assert fates(claim, ["{} at eps"]) == ["told", "told"]
    planted = attrs.evolve(claim, because=f"{claim.because} In practice it is 17.3 times worse.")
    assert fates(planted, ["{} at eps"]) == ["told", "told", "untold"]
    assert fates(planted, ["{} at eps"], ["17.3 times worse"]) == ["told", "told", "excepted"]
    assert fates(planted, ["exactly {} at eps"]) == ["untold"] * 3, "words that the claim does not say"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("28 % at eps = 1", ["28 %"]),
        ("it is exceeded 1,000 times", ["1,000"]),
        ("delta = 0.178 from the first output", ["0.178"]),
        ("2.6 times the noise, and 5 times the rows", ["2.6", "5"]),
        ("it is 9.6 10^6, and 2.0e-12 where M = 500", ["9.6 10^6", "2.0e-12"]),
        ("from M = 500 on, below eta = 40, near m = 3280", ["500", "40", "3280"]),
        ("it is below 10^-15 and costs 78 delta", ["10^-15", "78"]),
        ("for every d >= 10000", ["10000"]),
        ("2.83/n and W^(2.3/eta)", ["2.83", "2.3"]),
        ("Theorem 4.6, section 1.1, lines 12 to 14 and (26)", []),
        ("at eps = 100, delta = 10^-6, W = 2^20, n >= 1 and d = 2", []),
        ("14 log(1/delta), 384 (r log 9 + 1), x^12, a_12, 1/200 and 16 r", []),
        ("Sheffet (2019), as in Dwork 2006", []),
    ],
)
def test_what_counts_as_a_figure(text: str, found: list[str]) -> None:
    assert [figure.words for figure in figures(text)] == found


@pytest.mark.parametrize(
    ("words", "value", "sense", "is_told"),
    [
        ("28 %", arb("0.2834686894262107"), "", True),
        ("29 %", arb("0.2834686894262107"), "", False),
        ("0.35", arb("0.3549"), "", True),
        ("0.35", arb("0.3551"), "", False),
        ("0.35", arb("0.35", "0.01"), "", False),
        ("0.35", arb("0.3551"), "above", True),
        ("0.35", arb("0.3499"), "above", False),
        ("10^-15", arb("8e-16"), "below", True),
        ("10^-15", arb("8e-15"), "below", False),
        ("9.6 10^6", 9_591_000, "", True),
        ("9.6 10^6", 9_691_000, "", False),
        ("2.0e-12", 2.04e-12, "", True),
        ("1,000", 1000, "", True),
        ("1750", 1752, "", False),
        ("1750", 1752, "about", True),
        ("1750", 1756, "about", False),
    ],
)
def test_a_figure_is_told_by_what_rounds_to_it(words: str, value: arb | float, sense: str, is_told: bool) -> None:
    (figure,) = figures(f"it is {words} here") if "^" not in words[:3] else (Figure(words, 0, len(words)),)
    assert figure.words == words
    assert figure.is_told_by(value, sense) is is_told


def test_a_wrong_figure_and_a_missing_one_are_refused() -> None:
    theorem_4 = cite("wishart.theorem-4")
    theorem_4.tells("{} at eps", arb("0.2834686894262107"))
    with pytest.raises(AssertionError, match="says '28 %'"):
        theorem_4.tells("{} at eps", arb("0.2934686894262107"))
    with pytest.raises(AssertionError, match="does not say"):
        theorem_4.tells("{} at delta", arb("0.2834686894262107"))
    with pytest.raises(ValueError, match="1 places for 2 numbers"):
        theorem_4.tells("{} at eps", 1, 2)
    with pytest.raises(ValueError, match="give places for figures"):
        theorem_4.tells("{roughly} at eps", 1)
    tell("a text", ["half of 10 and 20", "half of 10 and 20."], "half of {} and {}", [10, 20])
    with pytest.raises(AssertionError, match="says '30'"):
        tell("a text", ["half of 10", "half of 30"], "half of {}", [10])
