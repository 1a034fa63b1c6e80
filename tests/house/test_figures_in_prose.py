"""Every figure in what is said of a claim is told by an item that computes it, or excepted with a reason.

The exceptions stand in `untold_figures.toml`: for each claim pieces of its prose, each with the reason why no item
computes its figures.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from dpmatrix.claims import Claim
from dpmatrix.reporting.prose import Figure, Telling, figures, prose_of
from dpmatrix.reporting.tellings import Told, told
from dpmatrix.spec import load

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


def spans(text: str, templates: Iterable[str]) -> set[tuple[int, int]]:
    """Return where the figures stand that the templates have places for."""
    return {(found.start, found.end) for words in templates for places in Telling(words).read(text) for found in places}


def excepted(text: str, phrases: Iterable[str]) -> list[range]:
    """Return where the excepted pieces of a text stand."""
    found = []
    for phrase in phrases:
        start = text.find(phrase)
        while start >= 0:
            found.append(range(start, start + len(phrase)))
            start = text.find(phrase, start + 1)
    return found


def sorted_figures(
    claim: Claim, templates: Iterable[str], phrases: Iterable[str]
) -> Iterator[tuple[str, str, Figure, str]]:
    """Yield every figure of a claim: its piece, the words around it, the figure, and what became of it."""
    templates, phrases = list(templates), list(phrases)
    for piece, text in prose_of(claim).items():
        bound, free = spans(text, templates), excepted(text, phrases)
        for figure in figures(text):
            where = f"...{text[max(0, figure.start - 50) : figure.end + 20]}..."
            if (figure.start, figure.end) in bound:
                yield piece, where, figure, "told"
            else:
                yield piece, where, figure, "excepted" if any(figure.start in part for part in free) else "untold"


def all_figures() -> list[tuple[str, str, str]]:
    templates: dict[str, list[str]] = {}
    for call in (call for calls in tellings().values() for call in calls if not call.problem):
        templates.setdefault(call.claim, []).append(call.template)
    return [
        (claim.id, f"{piece}: {where}", fate)
        for claim in load()
        for piece, where, _, fate in sorted_figures(claim, templates.get(claim.id, ()), exceptions().get(claim.id, ()))
    ]


def test_every_figure_is_told_or_excepted() -> None:
    assert [f"{claim}, {where}" for claim, where, fate in all_figures() if fate == "untold"] == []


def test_most_figures_are_told() -> None:
    """A list of exceptions that holds everything would be no lint."""
    fates = [fate for _, _, fate in all_figures()]
    assert fates.count("told") > 3 * fates.count("excepted")


def test_everything_that_is_told_can_be_relied_on() -> None:
    assert tellings()
    wrong = [f"{name}:{call.line}: {call.problem}" for name, calls in tellings().items() for call in calls]
    assert [line for line in wrong if not line.endswith(": ")] == []


def idle(excepted: Excepted) -> list[str]:
    """List the exceptions of nothing, and those without a reason."""
    claims, found = load().claims, []
    for claim, phrases in excepted.items():
        texts = prose_of(claims[claim]).values() if claim in claims else ()
        for phrase, reason in phrases.items():
            held = [figure for text in texts for part in excepted_figures(text, phrase) for figure in part]
            found += [] if held else [f"{claim}: no figure in {phrase!r}"]
            found += [] if reason.strip() else [f"{claim}: no reason for {phrase!r}"]
    return found


def excepted_figures(text: str, phrase: str) -> Iterator[list[Figure]]:
    for part in excepted(text, [phrase]):
        yield [figure for figure in figures(text) if figure.start in part]


def test_exceptions_are_of_figures_that_are_there() -> None:
    assert idle(exceptions()) == []
    assert len(idle({"wishart.theorem-4": {"29 %": "a reason", "28 %": " "}, "nobody": {"28 %": "a reason"}})) == 3
