"""Privacy certificates: one for every public mechanism, with every question answered and every audit of the run."""

from __future__ import annotations

import inspect
import json

import attrs
import pytest

import dpmatrix.mechanisms
import dpmatrix.mechanisms.streams
from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Standing, State, Way, code_name, describe
from dpmatrix.mechanisms import LaplaceInputPerturbation, PostProcessed, PrintedSubspaceRecovery, Release
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.reporting.anchors import anchor
from dpmatrix.reporting.certificates import certificates, is_mechanism
from dpmatrix.reporting.excesses import excess_rows
from dpmatrix.reporting.html import render
from dpmatrix.reporting.implementations import implementations
from dpmatrix.spec import documents

CITED = {item.name: [citation.claim for citation in item.citations] for item in implementations()}
LAPLACE, WINDOW = code_name(LaplaceInputPerturbation), code_name(SlidingWindowGram)
PUBLIC = sorted(
    code_name(thing)
    for package in (dpmatrix.mechanisms, dpmatrix.mechanisms.streams)
    for thing in (getattr(package, name) for name in package.__all__)
    if inspect.isclass(thing) and is_mechanism(thing)
)
COUNTED = AuditRecord(
    "Laplace input perturbation",
    "simulation, d = 5",
    AuditVerdict.NOT_REFUTED,
    "(1, 0)",
    0.25,
    0.0,
    "1 - 1e-9",
    "would have been caught",
    "audit/test_x.py::test_it[5]",
    "passed",
    code=LAPLACE,
    adjacency="replace-one",
    samples=10_000,
    training=500,
    smallest_epsilon=1.75,
    smallest_leak=0.012,
    power=0.99,
)
EVENTS = Excess(Way.EVENTS, 1.0, 1.75, certain=False)
CONTROL = attrs.evolve(
    COUNTED, view="a quarter of the noise", verdict=AuditVerdict.VIOLATED, note="<an event>", control=True
)
COMPUTED = AuditRecord(
    "Laplace input perturbation",
    "density ratio",
    AuditVerdict.NOT_REFUTED,
    "(1, 0)",
    0.99,
    None,
    "certain",
    "a search",
    "audit/test_x.py::test_ratio",
    "failed",
    code=LAPLACE,
)


def certificate(name: str, *audits: AuditRecord):
    (found,) = [each for each in certificates(CITED, audits) if each.name == name]
    return found


def page(invented_run, *audits: AuditRecord) -> str:
    """Return the certificates of a run with such audits."""
    _, run, described = invented_run
    text = render(described, attrs.evolve(run, audits=audits), documents(), ())
    return text[text.index('<h2 id="certificates">') : text.index('<h2 id="environment">')]


def section(text: str, name: str) -> str:
    start = text.index(f'id="{anchor("certificate", name)}"')
    return text[start : text.index("</details>", start)]


def test_what_is_a_mechanism() -> None:
    assert len(PUBLIC) >= 14
    assert {LAPLACE, WINDOW, code_name(PrintedSubspaceRecovery)} <= set(PUBLIC)
    assert not any(is_mechanism(thing) for thing in (Release, PostProcessed, WindowParameters, render))


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_mechanism_has_a_certificate(name) -> None:
    found = certificate(name)
    assert found.claims
    assert found.title
    if not found.private:
        assert [row.question for row in found.rows] == ["What is guaranteed?"]
        assert found.rows[0].answer.startswith("Nothing.")
        return
    assert len(found.rows) == 12
    assert all(row.answer and row.topic for row in found.rows)
    assert "epsilon" in found.rows[0].answer
    assert not any("`" in row.answer for row in found.rows)


def test_mechanisms_without_a_guarantee() -> None:
    without = {found.title for found in certificates(CITED) if not found.private}
    assert without == {
        "Wishart mechanism",
        "Gaussian compression",
        "truncated Gaussian compression",
        "private subspace recovery, as printed",
    }


def test_a_refuted_guarantee_is_never_earned_in_green(invented_run) -> None:
    """A refutation that a run confirms is no merit of the mechanism."""
    registry, run, _ = invented_run
    earned = attrs.evolve(run, standings=dict.fromkeys(registry.claims, Standing(State.EARNED)))
    text = page((registry, earned, describe(registry, earned, implementations())))
    assert "refuted; standing" not in text
    for found in certificates(CITED):
        shown = section(text, found.name)
        if not found.private:
            assert 'class="earned"' not in shown, found.title
    private = section(text, "dpmatrix.mechanisms.symmetrised_wishart.SymmetrisedWishartMechanism")
    assert "as printed: refuted; refutation confirmed by this run" in " ".join(private.split())


def test_answers_of_a_table_of_records() -> None:
    found = {each.title: {row.question: row.answer for row in each.rows} for each in certificates(CITED)}
    assert "(2 epsilon, 2 delta)" in found["private subspace recovery"]["What is guaranteed?"]
    assert "draws without that cost" in found["PPCA"]["What is not covered?"]
    assert "exponential" not in found["PPCA"]["What of floating point?"]


def test_answers_of_a_stream() -> None:
    answers = {row.question: row.answer for row in certificate(WINDOW).rows}
    assert "at all times" in answers["What is guaranteed?"]
    assert "the row of one time" in answers["Between which data sets?"]
    assert "memory" in answers["Who is trusted?"]
    assert "exact integers" in answers["What of floating point?"]
    assert "at most h + 1 of these sums" in answers["Why is it true?"]
    assert "later outputs" in answers["What is not covered?"]
    assert "whole sequence" in answers["What of several releases?"]


def test_audits_go_to_the_certificate_of_the_class_that_they_name() -> None:
    elsewhere = attrs.evolve(COUNTED, code="somebody.Else")
    nameless = attrs.evolve(COUNTED, code="")
    assert certificate(LAPLACE, CONTROL, elsewhere, nameless, COUNTED).audits == (COUNTED, CONTROL)
    assert certificate(WINDOW, CONTROL, elsewhere, nameless, COUNTED).audits == ()
    record = certificate(LAPLACE, COUNTED).to_json()
    assert record["audited"] is True
    assert record["audits"][0]["smallest_epsilon"] == 1.75
    assert record["audits"][0]["command"] == "python -m pytest 'audit/test_x.py::test_it[5]'"
    assert certificate(WINDOW).to_json()["audited"] is False
    json.dumps(record)


def test_a_certificate_says_what_was_tried(invented_run) -> None:
    found = section(page(invented_run, COUNTED, CONTROL, COMPUTED), LAPLACE)
    for part in (
        "3 audits",
        "simulation, d = 5",
        "(epsilon, delta) = (1, 0), replace-one",
        "not refuted; confidence 1 - 1e-9",
        "epsilon at least 0.25; delta at least 0",
        "epsilon 1.75 on an event of probability one half, a leak of probability 0.012, with probability 0.99",
        "10,000 of each data set, after 500 of training",
        "python -m pytest &#39;audit/test_x.py::test_it[5]&#39;",
        "(control: it has to be caught)",
        "&lt;an event&gt;",
        "not measured: nothing was counted",
        '<span class="failed">failed</span>; confidence certain',
    ):
        assert part in found, part
    assert found.index("simulation, d = 5") < found.index("a quarter of the noise"), "controls are last"
    assert "Not audited in this run" not in found


def test_a_certificate_says_what_might_have_been_missed(invented_run) -> None:
    """In words, beside the numbers of a search and in place of "not measured" for what is compared with a law."""
    searched = attrs.evolve(COUNTED, unnoticed=EVENTS)
    compared = attrs.evolve(COMPUTED, samples=400, unnoticed=attrs.evolve(EVENTS, way=Way.LAW, epsilon=1.4))
    found = section(page(invented_run, searched, compared), LAPLACE)
    for part in (
        "an epsilon of up to 1.75 instead of 1 might not have been noticed",
        "an epsilon of up to 1.4 instead of 1 might not have been noticed",
        "400 of one data set",
        "10,000 of each data set, after 500 of training",
    ):
        assert part in found, part
    assert "not measured" not in found


def test_a_certificate_says_the_smallest_excess_for_each_relation_and_way(invented_run) -> None:
    """Of audits that passed; the one that saw most counts, whatever the epsilon; a way that is missing is said."""
    blunt = attrs.evolve(COMPUTED, outcome="passed", unnoticed=Excess(Way.LOSSES, 8.0, 12.0, certain=True))
    sharp = attrs.evolve(blunt, unnoticed=Excess(Way.LOSSES, 0.25, 0.26, certain=True))
    other = attrs.evolve(blunt, adjacency="add-remove-one", unnoticed=Excess(Way.CALIBRATION, 2.0, 2.0, certain=True))
    useless = attrs.evolve(COUNTED, unnoticed=Excess(Way.EVENTS, 1.0, None, certain=False))
    ignored = [
        attrs.evolve(sharp, control=True, unnoticed=Excess(Way.LOSSES, 1.0, 1.0, certain=True)),
        attrs.evolve(sharp, outcome="failed", unnoticed=Excess(Way.LOSSES, 1.0, 1.0, certain=True)),
        attrs.evolve(sharp, verdict=AuditVerdict.VIOLATED, unnoticed=Excess(Way.LAW, 1.0, 1.0, certain=True)),
        attrs.evolve(sharp, unnoticed=None),
        attrs.evolve(sharp, code=WINDOW, unnoticed=Excess(Way.LAW, 1.0, 1.0, certain=True)),
    ]
    tried = [attrs.evolve(one, adjacency=one.adjacency or "replace-one") for one in (blunt, sharp, useless, *ignored)]
    answers = {row.question: row.answer for row in certificate(LAPLACE, other, *tried).rows}
    assert answers["What would the audits of this run have missed?"] == (
        "add-remove-one: by its calibration, recomputed, an epsilon of 2.002 instead of 2 would have been noticed; by "
        "losses of pairs of data sets, not looked at; by the law of its noise, not looked at; by a search for events, "
        "not looked at. "
        "replace-one: by its calibration, recomputed, not looked at; by losses of pairs of data sets, an epsilon of up "
        "to 0.26 instead of 0.25 would not have been noticed; by the law of its noise, not looked at; by a search for "
        "events, an epsilon of any size instead of 1 would not have been noticed."
    )
    assert excess_rows([other, *tried]) == [
        ("LaplaceInputPerturbation", "add-remove-one", "2.002 instead of 2", "-", "-", "-"),
        ("LaplaceInputPerturbation", "replace-one", "-", "0.26 instead of 0.25", "-", "any instead of 1"),
        ("SlidingWindowGram", "replace-one", "-", "-", "1.001 instead of 1", "-"),
    ]
    assert "What would the audits" not in json.dumps(certificate(LAPLACE).to_json())
    assert "0.26 instead of 0.25" in section(page(invented_run, other, *tried), LAPLACE)


def test_an_excess_survives_a_ledger_and_older_words_are_passed_over() -> None:
    record = attrs.evolve(COUNTED, unnoticed=EVENTS)
    written = json.loads(json.dumps(record.to_json()))
    assert written["unnoticed"] == {"way": "a search for events", "claimed": 1.0, "epsilon": 1.75, "certain": False}
    assert AuditRecord.from_json(written) == record
    assert AuditRecord.from_json(written | {"unnoticed": "an epsilon below 1.75"}).unnoticed is None
    assert AuditRecord.from_json(COUNTED.to_json()) == COUNTED


def test_a_bound_from_above_and_a_size_that_is_too_small(invented_run) -> None:
    assert "no epsilon and no delta above 0" in section(
        page(invented_run, attrs.evolve(COUNTED, epsilon_bound=0.0)), LAPLACE
    )
    kept = attrs.evolve(COMPUTED, verdict=AuditVerdict.KEPT, epsilon_bound=None, delta_bound=1e-7)
    small = attrs.evolve(COUNTED, smallest_epsilon=None, smallest_leak=None)
    silent = attrs.evolve(COMPUTED, epsilon_bound=None, mechanism="Laplace input perturbation, d = 9")
    found = section(page(invented_run, kept, small, silent), LAPLACE)
    assert "delta at most 1e-07" in found
    assert "too few outputs" in found
    assert found.count("Laplace input perturbation, d = 9: density ratio") == 1
    assert "Laplace input perturbation: density ratio" not in found, "the title is not said again"
    assert "no number: see the note" in found
    assert "None" not in found


def test_silence_is_said(invented_run) -> None:
    text = page(invented_run, COUNTED)
    for name in PUBLIC:
        audited = name == LAPLACE
        assert ("Not audited in this run:" in section(text, name)) is not audited
        assert ("not audited in this run" in section(text, name)) is not audited
