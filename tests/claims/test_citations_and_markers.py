"""Citations, the words of an evidence marker, and what code says that it implements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.claims import Citation, Evidence, Grade, Implementation, Outcome, Role, implements
from dpmatrix.claims.extents import Extent
from dpmatrix.spec import catalogue

labels = st.from_regex(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", fullmatch=True)
stamps = st.none() | st.from_regex(r"[0-9a-f]{1,8}", fullmatch=True)


@given(document=labels, label=labels, part=st.just("") | st.just("+repair") | labels.map("/{}".format), stamp=stamps)
def test_citations_are_read_back(document: str, label: str, part: str, stamp: str | None) -> None:
    claim = f"{document}.{label}"
    text = f"{claim}{part}" + (f"@{stamp}" if stamp else "")
    assert Citation.parse(text) == Citation(claim, claim + part, stamp)


def test_every_id_of_the_catalogue_can_be_cited() -> None:
    for claim in catalogue().ids:
        for part in ("", "+repair", "/a-step"):
            assert Citation.parse(f"{claim}{part}@0123abcd") == Citation(claim, claim + part, "0123abcd")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@1a2b",
        "toy.claim@",
        "toy.claim@xyz",
        "toy.claim@1A2B",
        "toy.claim@12@34",
        "Toy.claim",
        "toy claim",
        "toy.claim+repaired",
        "toy.claim/",
        "toy.claim/step/step",
        "toy.claim/step+repair",
        " toy.claim",
        "toy.claim\n",
    ],
)
def test_malformed_citations_are_refused(text) -> None:
    with pytest.raises(ValueError, match="does not cite a claim"):
        Citation.parse(text)


WORDS = {"citation": "toy.claim@0", "role": "supports", "grade": "interval", "region": "everywhere"}


def test_a_marker_is_read() -> None:
    evidence = Evidence.declare("node", **WORDS)
    cited = Citation("toy.claim", "toy.claim", "0")
    assert evidence == Evidence("node", cited, Role.SUPPORTS, Grade.INTERVAL, "everywhere")
    assert evidence.outcome is None
    assert not evidence.proves, "nothing is proved before it has run"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "proves"}, "'proves' is not a valid Role"),
        ({"role": "Supports"}, "'Supports' is not a valid Role"),
        ({"grade": "certain"}, "'certain' is not a valid Grade"),
        ({"region": ""}, "the region is empty"),
        ({"region": " \n"}, "the region is empty"),
        ({"citation": "no id"}, "does not cite a claim"),
        ({"citation": "toy.claim+repair@0"}, "role 'supports' does not fit the target 'toy.claim.repair'"),
        ({"role": "supports-repair"}, "does not fit"),
        ({"citation": "toy.claim/step@0", "role": "supports-repair"}, "does not fit"),
    ],
)
def test_malformed_markers_are_refused(change, message) -> None:
    with pytest.raises(ValueError, match=message):
        Evidence.declare("node", **(WORDS | change))


@pytest.mark.parametrize("target", ["toy.claim", "toy.claim+repair", "toy.claim/step"])
def test_a_control_fits_every_target(target) -> None:
    assert Evidence.declare("node", target, role="control", grade="numeric", region="a point").citation.target == target


@pytest.mark.parametrize("outcome", [None, *Outcome])
@pytest.mark.parametrize("grade", list(Grade))
def test_what_proves(outcome, grade) -> None:
    evidence = Evidence("node", Citation.parse("toy.claim"), Role.SUPPORTS, grade, "x", outcome)
    assert evidence.proves == (
        outcome is Outcome.PASSED and grade.value in ("kernel-law", "kernel-margin", "symbolic", "interval", "derived")
    )


ends = st.tuples(st.floats(max_value=0, allow_nan=False), st.floats(min_value=0, allow_nan=False))
counts = st.integers(0, 10**6)
extents = st.builds(
    Extent,
    counts,
    counts,
    counts,
    st.dictionaries(st.text(), ends).map(lambda table: tuple(sorted(table.items()))),
)


@given(
    stamp=stamps,
    role=st.sampled_from(Role),
    grade=st.sampled_from(Grade),
    outcome=st.none() | st.sampled_from(Outcome),
    region=st.text(min_size=1),
    detail=st.text(),
    seen=st.none() | extents,
)
def test_evidence_is_read_back_from_json(stamp, role, grade, outcome, region, detail, seen) -> None:
    citation = Citation("toy.claim", "toy.claim/step", stamp)
    evidence = Evidence("file.py::test[é]", citation, role, grade, region, outcome, 1.25, detail, seen)
    assert Evidence.from_json(evidence.to_json()) == evidence


def test_code_says_what_it_implements() -> None:
    @implements("toy.claim@1")
    @implements("toy.other@2")
    class Mechanism:
        pass

    class Child(Mechanism):
        pass

    found = Implementation.of(Mechanism)
    assert set(found.citations) == {Citation.parse("toy.claim@1"), Citation.parse("toy.other@2")}
    assert found.name.endswith("Mechanism")
    assert Implementation.of(Child).citations == (), "a subclass may compute something else"
    with pytest.raises(ValueError, match="does not cite a claim"):
        implements("not an id")
