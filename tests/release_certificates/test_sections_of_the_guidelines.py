"""Every section of NIST SP 800-226 has an answer, and the page shows what an answer names, where it says so."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

from dpmatrix.claims import Ledger, State
from dpmatrix.documentation import pages
from dpmatrix.mechanisms.menu import MATRICES
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.release_certificates.contents import Contents, contents
from dpmatrix.release_certificates.page import render
from dpmatrix.release_certificates.reading import ReleaseFile, read_release
from dpmatrix.release_certificates.topics import (
    ANSWERED,
    ASK_NOTHING,
    NOT_APPLICABLE,
    ON_AUDITS,
    OPEN,
    Topic,
    page_shows,
    topics,
)
from tests.release_certificates.releases import AUDIT, GAUSSIAN, NAMES, released, standing_run, written

TABLE_OF_CONTENTS = (
    *("1", "1.1", "1.2", "2", "2.1", "2.1.1", "2.1.2", "2.2", "2.3", "2.4", "2.5", "2.6"),
    *("3", "3.1", "3.2", "3.3", "3.3.1", "3.3.2", "3.3.3", "3.4", "3.4.1", "3.4.2", "3.4.3", "3.4.4"),
    *("3.5", "3.6", "3.7", "4", "4.1", "4.2", "4.2.1", "4.2.2", "4.2.3", "4.3", "4.4", "4.5", "4.6"),
)
"""Of the initial public draft."""
PAGE = next(page.text for page in pages() if page.name == "guidelines")


def said(tmp_path: Path, name: str = "laplace", *, ledger: Ledger | None = None, **settings: object) -> Contents:
    return contents(read_release(written(tmp_path, released(name, **settings))), ledger)


def rows(page: str) -> list[tuple[str, str, str]]:
    table = page[page.index('<h3 id="nist">') :]
    return re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td></tr>', table)


def shown(page: str) -> dict[str, set[str]]:
    """Return for each part of a page what stands there as a heading, a caption, the head of a row or a term."""
    parts = re.split(r'<h[23] id="(\w+)">', page)
    return {
        name: {html.unescape(found) for found in re.findall(r"<(?:th scope=\"row\"|caption|dt)>(.*?)</", text)}
        | {html.unescape(re.split("</h[23]>", text)[0])}
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_every_section_asks_or_is_said_to_ask_nothing(tmp_path) -> None:
    found = [one.section for one in said(tmp_path).topics]
    assert set(found) - {ON_AUDITS} | set(ASK_NOTHING) == set(TABLE_OF_CONTENTS)
    assert not set(found) & set(ASK_NOTHING)
    numbered = [section for section in found if section != ON_AUDITS]
    assert numbered == sorted(numbered, key=TABLE_OF_CONTENTS.index)
    assert found[found.index(ON_AUDITS) - 1] == "2.6"


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_names_what_the_page_shows_there(name, adjacency, tmp_path) -> None:
    found = said(tmp_path, name, adjacency=adjacency)
    page = render(found, "2026-01-01")
    there = shown(page)
    table = rows(page)
    assert [(row[0], html.unescape(row[1])) for row in table] == [(one.section, one.question) for one in found.topics]
    for one, (_, _, answer) in zip(found.topics, table, strict=True):
        assert one.status in (ANSWERED, OPEN, NOT_APPLICABLE)
        assert html.unescape(re.sub(r"<[^>]*>", "", answer)).startswith(one.status)
        assert len(one.words) > 3 or one.status == ANSWERED, "a reason"
        assert bool(one.places) or one.status != ANSWERED, "a place"
        assert all(place.name in there[place.anchor] for place in one.places)
        assert re.findall(r'href="#(\w+)"', answer) == [place.anchor for place in one.places]


def answer(found: Contents, section: str, start: str) -> Topic:
    (one,) = [one for one in found.topics if one.section == section and one.question.startswith(start)]
    return one


@pytest.mark.parametrize("name", NAMES)
def test_answers_follow_the_release(name, tmp_path) -> None:
    replaced, changed = (said(tmp_path, name, adjacency=adjacency) for adjacency in Adjacency)
    pure, matrix = name not in GAUSSIAN, name in (*MATRICES, "auto")
    for found in (replaced, changed):
        assert answer(found, "2.3", "Which variant").words.startswith("pure" if pure else "approximate")
        assert answer(found, "2.3", "May it fail").status == (NOT_APPLICABLE if pure else ANSWERED)
        assert answer(found, "3.2", "How accurate").status == (ANSWERED if matrix else OPEN)
        assert answer(found, "3.4.2", "").status == (ANSWERED if matrix else NOT_APPLICABLE)
    divided = replaced.file.records is not None and matrix
    assert answer(replaced, "3.4.3", "").status == (ANSWERED if divided else NOT_APPLICABLE)
    assert answer(changed, "3.4.3", "").status == NOT_APPLICABLE


@pytest.mark.parametrize(
    ("delta", "words"), [(Fraction(1, 10**6), "delta is below 1/n"), (Fraction(1, 50), "delta is not below 1/n")]
)
def test_delta_is_compared_with_the_number_of_records(delta, words, tmp_path) -> None:
    found = answer(said(tmp_path, "gaussian", delta=delta), "2.3", "May it fail")
    assert found.words == words
    assert ("Delta not below 1/n" in {place.name for place in found.places}) is ("not" in words)
    secret = said(tmp_path, "gaussian", delta=delta, adjacency=Adjacency.ADD_REMOVE_ONE)
    assert "for the holder" in answer(secret, "2.3", "May it fail").words


def test_a_large_epsilon_is_answered_with_its_hazard(tmp_path) -> None:
    def named(epsilon: int) -> set[str]:
        return {place.name for place in answer(said(tmp_path, epsilon=Fraction(epsilon)), "2.2", "How large").places}

    assert named(1) == {"The numbers in words"}
    assert named(11) == {"The numbers in words", "Epsilon above 10"}


def test_what_has_no_guarantee_answers_no_question_about_one(tmp_path) -> None:
    found = said(tmp_path, entropy=SeededEntropy(1))
    none = {one.section for one in found.topics if one.words == "there is no guarantee"}
    assert {"2.1", "2.1.1", "2.1.2", "2.2", "2.3", "2.4", "2.5", "3.1", "3.5"} == none
    assert not any(place.anchor == "numbers" for one in found.topics for place in one.places)


def test_audits_answer_where_this_mechanism_was_tried(tmp_path) -> None:
    run = standing_run(State.EARNED)
    tried = attrs.evolve(run, audits=(AUDIT,))
    assert answer(said(tmp_path), ON_AUDITS, "").status == OPEN
    assert answer(said(tmp_path, ledger=attrs.evolve(run, audits=())), ON_AUDITS, "").status == OPEN
    assert answer(said(tmp_path, "gaussian", ledger=tried), ON_AUDITS, "").status == OPEN
    assert answer(said(tmp_path, ledger=tried), ON_AUDITS, "").status == ANSWERED


def test_a_page_that_showed_nothing_would_answer_nothing(tmp_path) -> None:
    """The control of the places: none of them is written into the answers."""
    file: ReleaseFile = said(tmp_path).file
    nothing = page_shows(private=True, facts=(), details=(), utility=(), claimed=False, audited=False, hazards=())
    kept = page_shows(private=False, facts=(), details=(), utility=(), claimed=False, audited=False, hazards=())
    assert {one.section for one in topics(file, nothing) if one.status == ANSWERED} == {
        *("2.1", "2.1.1", "2.2", "2.3"),
    }, "these stand in the numbers, which every guarantee has"
    assert not [one for one in topics(file, kept) if one.status == ANSWERED]


def cell(one: Topic) -> str:
    """Write an answer as the page of the documentation does."""
    status = {ANSWERED: "answered", OPEN: "open", NOT_APPLICABLE: "not applicable"}[one.status]
    names = ", ".join(place.name for place in one.places)
    return status + (f" ({names})" if names else "") + (f": {one.words}" if one.words else "")


def test_the_page_of_the_documentation_has_these_answers(tmp_path) -> None:
    """The table is that of a certificate of a matrix and of one of directions, each with pure privacy."""
    both = (said(tmp_path, name).topics for name in ("symmetrised-wishart", "ppca"))
    expected = [
        f"| {one.section} | {one.question} | {cell(one)} | {'the same' if one == other else cell(other)} |"
        for one, other in zip(*both, strict=True)
    ]
    table = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| section")]
    assert table == expected, "\n".join(expected)
    assert f"Sections {', '.join(ASK_NOTHING[:-1])} and {ASK_NOTHING[-1]} introduce or close" in " ".join(PAGE.split())
