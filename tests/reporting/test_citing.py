"""A claim is cited once in a file; what its items say reaches the plugin as the marks that it reads."""

from __future__ import annotations

import ast

import pytest

from dpmatrix.claims import Citation, Evidence, Role
from dpmatrix.reporting.citing import METHODS, cite
from dpmatrix.reporting.restamp import restamp
from dpmatrix.reporting.written import written

CLAIM = cite("toy.claim@0a")
MARKS = [
    ("supports", (), "toy.claim@0a", "supports"),
    ("supports", ("a-step",), "toy.claim/a-step@0a", "supports"),
    ("refutes", (), "toy.claim@0a", "refutes"),
    ("refutes", ("a-step",), "toy.claim/a-step@0a", "refutes"),
    ("refutes", ("+repair",), "toy.claim+repair@0a", "refutes"),
    ("supports_repair", (), "toy.claim+repair@0a", "supports-repair"),
    ("controls", (), "toy.claim@0a", "control"),
    ("controls", ("+repair",), "toy.claim+repair@0a", "control"),
    ("controls", ("a-step",), "toy.claim/a-step@0a", "control"),
]


@pytest.mark.parametrize(("method", "part", "citation", "role"), MARKS)
def test_an_item_is_marked_as_by_hand(method, part, citation, role) -> None:
    mark = getattr(CLAIM, method)(*part, grade="symbolic", region="d = 2").mark
    assert mark == pytest.mark.evidence(citation, role=role, grade="symbolic", region="d = 2").mark
    evidence = Evidence.declare("node", *mark.args, **mark.kwargs)
    assert (evidence.citation, evidence.role) == (Citation.parse(citation), Role(role))


def test_every_method_and_every_role_is_tried() -> None:
    assert {method for method, *_ in MARKS} == METHODS
    assert {Role(role) for *_, role in MARKS} == set(Role)


def test_a_claim_without_a_fingerprint_is_cited_without_one() -> None:
    assert cite("toy.claim").citation("a-step") == "toy.claim/a-step"
    assert cite("toy.claim").citation() == "toy.claim"


@pytest.mark.parametrize("text", ["toy.claim+repair@0a", "toy.claim/a-step@0a", "toy claim", "toy.claim@", ""])
def test_only_a_whole_claim_is_cited(text) -> None:
    with pytest.raises(ValueError, match=r"cite the claim 'toy\.claim'|does not cite a claim"):
        cite(text)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("supports", {"grade": "certain", "region": "x"}),
        ("controls", {"grade": "interval", "region": " "}),
    ],
)
def test_an_unknown_grade_and_an_empty_region_are_refused(method, words) -> None:
    mark = getattr(CLAIM, method)(**words).mark
    with pytest.raises(ValueError, match=r"'certain' is not a valid Grade|the region is empty"):
        Evidence.declare("node", *mark.args, **mark.kwargs)


def test_only_the_repair_supports_as_a_repair() -> None:
    decorate = CLAIM.supports
    mark = decorate("+repair", grade="interval", region="x").mark
    with pytest.raises(ValueError, match="does not fit the target"):
        Evidence.declare("node", *mark.args, **mark.kwargs)


@pytest.mark.parametrize(("method", "part", "citation", "role"), MARKS)
@pytest.mark.parametrize(
    "text",
    [
        "claim = cite('toy.claim@0a')\n@claim.{call}\ndef test(): ...",
        "claim = citing.cite('toy.claim@0a')\nclass Test:\n    @claim.{call}\n    def test(): ...",
        "pytestmark = cite('toy.claim@0a').{call}",
        "@pytest.mark.evidence('{citation}', role='{role}', grade='g', region='r')\ndef test(): ...",
    ],
)
def test_what_is_written_in_a_file_is_read(text, method, part, citation, role) -> None:
    call = f"{method}({''.join(f'{word!r}, ' for word in part)}grade='g', region='r')"
    assert list(written(ast.parse(text.format(call=call, citation=citation, role=role)))) == [(citation, role)]


@pytest.mark.parametrize(
    "text",
    [
        "claim = cite(name)\n@claim.supports(grade='g', region='r')\ndef test(): ...",
        "claim = cite('toy.claim@0a')\n@claim.supports(step, grade='g', region='r')\ndef test(): ...",
        "claim = quote('toy.claim@0a')\n@claim.supports(grade='g', region='r')\ndef test(): ...",
        "claim = cite('toy.claim@0a')\nclaim.citation('a-step')",
        "@beam.supports(grade='g')\ndef test(): ...",
        "pytestmark = cite().supports(grade='g', region='r')",
        "@pytest.mark.evidence(name, role='supports')\ndef test(): ...",
        "@pytest.mark.evidence()\ndef test(): ...",
    ],
)
def test_what_is_computed_or_is_no_evidence_is_left(text) -> None:
    assert list(written(ast.parse(text))) == []


def test_items_are_read_in_the_order_of_the_text() -> None:
    text = "one = cite('toy.one@1')\ntwo = cite('toy.two@2')\n"
    text += "".join(f"@{name}.refutes(grade='g', region='r')\n" for name in ("two", "one", "two"))
    found = list(written(ast.parse(text + "def test(): ...")))
    assert found == [(f"toy.{name}", "refutes") for name in ("two@2", "one@1", "two@2")]


def test_one_restamping_reaches_every_item_of_a_file(tmp_path) -> None:
    path = tmp_path / "proofs_checks" / "toy" / "test_claim.py"
    path.parent.mkdir(parents=True)
    text = (
        "claim = cite({stamp})\n@claim.supports('a-step', grade='g', region='r')\n@claim.supports_repair(grade='g')\n"
    )
    path.write_text(text.format(stamp='"toy.claim@0"') + "def test(): ...\n")
    assert restamp(tmp_path, {"toy.claim": "89abcdef"}) == {path: 1}
    found = list(written(ast.parse(path.read_text())))
    assert found == [("toy.claim/a-step@89abcdef", "supports"), ("toy.claim+repair@89abcdef", "supports-repair")]
