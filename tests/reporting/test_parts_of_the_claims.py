"""A part of the claims is judged alone, with what it rests on, and says that it is a part."""

from __future__ import annotations

import json

import pytest

from dpmatrix.claims import Catalogue
from dpmatrix.errors import UnknownClaimError
from dpmatrix.reporting.mentions import may_concern
from dpmatrix.reporting.part import Part
from dpmatrix.spec import load

WORKS = "assert statement.at(Point(7)) is Truth.TRUE"


def test_a_part_has_its_foundations() -> None:
    registry = load()
    part = Part.of(registry, ["wishart.theorem-3"])
    assert "wishart.theorem-1" in part.names, "which it uses"
    assert {claim.id for claim in part.registry(registry)} == part.names
    assert part.catalogue(Catalogue(("a", "wishart.theorem-1"), frozenset({"a"}))).ids == ("wishart.theorem-1",)
    document = Part.of(registry, ["cross"])
    assert {claim.id for claim in registry if claim.document == "cross"} < document.names
    assert part.says.startswith(f"a part: {len(part.names)} of {len(registry)} claims (wishart.theorem-3")


def test_a_word_that_stands_for_nothing_is_refused() -> None:
    with pytest.raises(UnknownClaimError, match=r"wishart\.theorem-4"):
        Part.of(load(), ["wishart.theorem-44"])


def test_a_part_is_judged_and_nothing_is_written(toy) -> None:
    """The top claim rests on two others; a failure elsewhere is not of the part, and one within it closes the gate."""
    toy.edit("proofs_checks/test_three.py", toy.item("base", "supports"), toy.item("base", "supports", check=WORKS))
    toy.stamp()
    toy.audit("--accept-standings")
    before = toy.ledger.read_bytes(), toy.standings.read_bytes()
    toy.edit("audit/test_one.py", "def test_alpha_supports", "def broken_alpha_supports")
    run = toy.audit("--claims", "toy.top", "--accept-standings")
    assert run.code == 0, run.text
    assert "3 of 3 claims have earned" in run.text
    assert "gate: open" in run.text
    assert "gate: a part: 3 of 17 claims (toy.top, and what they use); no ledger and no report is written" in run.text
    assert (toy.ledger.read_bytes(), toy.standings.read_bytes()) == before
    toy.edit("proofs_checks/test_three.py", WORKS, "assert statement.at(Point(1)) is Truth.FALSE")
    run = toy.audit("--claims", "toy.top")
    assert run.code == 1
    assert "gate: toy.base: violated: failed" in run.text


def test_a_word_that_stands_for_no_claim_is_an_error_of_usage(toy) -> None:
    toy.stamp()
    run = toy.audit("--claims", "toy.nothing")
    assert run.code == 4
    assert "toy.nothing" in run.text


def test_what_was_tried_is_written_for_the_part(toy, tmp_path) -> None:
    """With a margin of one, whatever refutes notices; what only asks for truth does not."""
    toy.stamp()
    written = tmp_path / "tried.json"
    toy.pytest("proofs_checks", "--claims", "toy.repaired", "--margins", "one", "--tried", str(written))
    tried = json.loads(written.read_text())
    still = {(target, role): passed for _, target, role, passed in tried["evidence"]}
    assert still["toy.repaired", "refutes"] is False
    assert still["toy.repaired+repair", "supports-repair"] is True, tried
    toy.pytest("proofs_checks", "--claims", "toy.repaired", "--hypotheses", "--tried", str(written))
    assert json.loads(written.read_text())["needs"]["toy.repaired+repair"] == {"x >= 0": "needed"}


def test_an_item_that_crashes_on_an_emptied_margin_has_not_noticed_it(toy, tmp_path) -> None:
    """The same look at the same point, once with an objection and once with a crash."""
    look = "def test_repaired_refutes(statement):\n    assert statement.at(Point(1)) is Truth.FALSE"
    written, before = tmp_path / "tried.json", f"{look}\n"
    for error, still in (("AssertionError", False), ("AttributeError", True)):
        check = f"{look} or exec('raise {error}')\n"
        toy.edit("proofs_checks/test_three.py", before, check)
        before = check
        toy.stamp()
        toy.pytest("proofs_checks", "--claims", "toy.repaired", "--margins", "one", "--tried", str(written))
        pieces = {(target, role): passed for _, target, role, passed in json.loads(written.read_text())["evidence"]}
        assert pieces["toy.repaired", "refutes"] is still, error


SKIPPED = "import pytest\n\npytest.skip('of another matter', allow_module_level=True)\n"
BROKEN = "raise RuntimeError('imported')\n"


def test_files_of_other_claims_are_not_imported(toy) -> None:
    """Neither the skip of such a file is listed nor its error met; with evidence about the part in it, both are."""
    toy.add("tests/test_skipped.py", SKIPPED)
    toy.add("tests/test_broken.py", BROKEN + toy.item("alpha", "supports"))
    toy.stamp()
    run = toy.audit("--claims", "toy.top")
    assert run.code == 0, run.text
    assert "of another matter" not in run.text
    assert "SKIPPED" not in run.text
    assert (
        "--claims: passed over 2 files of tests that cannot cite the part, and 29 items of the other files" in run.text
    )
    toy.add("tests/test_broken.py", toy.item("top", "supports"))
    toy.stamp()
    run = toy.audit("--claims", "toy.top")
    assert "RuntimeError: imported" in run.text
    assert run.code == 2


MARKED = "def test_it(statement):\n    assert statement.at(Point(1)) is Truth.FALSE\n"
HIDDEN = {
    "a name in pieces": "@pytest.mark.evidence('toy.' + 't' 'op', role='supports', grade='interval', region='x')\n",
    "a literal in pieces": "@pytest.mark.evidence('toy.t' 'op', role='supports', grade='interval', region='x')\n",
    "escapes": "@pytest.mark.evidence('toy\\x2etop', role='supports', grade='interval', region='x')\n",
    "the mark by another name": "m = pytest.mark.evidence\n@m('toy.' + 'top', role='supports', grade='interval')\n",
    "all marks by another name": "m = pytest.mark\n@m.evidence(f'{x}', role='supports', grade='interval')\n",
    "asked for": "m = getattr(pytest.mark, 'evi' 'dence')\n@m('toy.' + 'top')\n",
    "asked for in pieces": "m = getattr(pytest.mark, 'evi' + x)\n@m('toy.' + 'top')\n",
    "a mark of its own": "@pytest.MarkDecorator(pytest.Mark('evi' + 'dence', ('toy.' + 'top',), {}))\n",
    "imported": "from pytest import mark as m\n@m.evidence(*x, role='supports')\n",
    "cited by another name": "from dpmatrix.reporting.citing import cite as c\nt = c('toy.' + 'top')\n@t.supports()\n",
    "cited by a name in pieces": "t = citing.cite('toy.' + 'top')\n@t.supports()\n",
    "the class of citations": "t = citing.Cited('toy.' + 'top', None)\n@t.supports()\n",
    "text that is run": "exec('from other import *')\n",
    "a parameter": "@pytest.mark.parametrize('a', [pytest.param(1, marks=pytest.mark.evidence(x, role='supports'))])\n",
    "a relative import": "from . import other\n@other.top.supports()\n",
}


@pytest.mark.parametrize("way", HIDDEN.values(), ids=HIDDEN)
def test_a_citation_that_is_not_seen_is_looked_for_by_running(tmp_path, way) -> None:
    path = tmp_path / "tests/test_hidden.py"
    path.parent.mkdir()
    path.write_text(f"import pytest\n\n{way}{MARKED}")
    assert may_concern(path, tmp_path, {"toy.top"})


def test_what_a_file_takes_from_another_is_looked_at_too(tmp_path) -> None:
    """The other file stands beside it, at the top of the checkout or above as a conftest."""
    folder = tmp_path / "tests/deep"
    folder.mkdir(parents=True)
    path = folder / "test_it.py"
    literal = "import pytest\nmark = pytest.mark.evidence('toy.top@0', role='supports', grade='interval', region='x')\n"
    plain = (
        "import pytest\n\n@pytest.mark.evidence('toy.base@0', role='supports', grade='interval', region='x')\n" + MARKED
    )
    path.write_text(plain)
    assert not may_concern(path, tmp_path, {"toy.top"})
    for number, (place, text) in enumerate(
        (
            ("tests/deep/beside{}.py", "from beside{} import mark\n"),
            ("tests/within{}.py", "from tests import within{}\n"),
            ("above{}.py", "import above{}\n"),
        )
    ):
        (tmp_path / place.format(number)).write_text(literal)
        other = folder / f"test_{number}.py"
        other.write_text(text.format(number) + plain)
        assert may_concern(other, tmp_path, {"toy.top"}), place
    last = folder / "test_last.py"
    last.write_text(plain + "x = 1\n")
    (tmp_path / "tests/conftest.py").write_text(literal)
    assert may_concern(last, tmp_path, {"toy.top"})


def test_a_file_that_cannot_be_read_is_left_to_pytest(tmp_path) -> None:
    path = tmp_path / "test_it.py"
    path.write_text("def (:\n")
    assert may_concern(path, tmp_path, {"toy.top"})
