"""The gate refuses evidence that evaluates a false or empty statement and is declared to support it.

The statement is "x <= 0 for every x >= 0", which its author says holds. Each trick is a project of its own; in each
the rest is in good order, so the trick alone keeps the gate closed.
"""

from __future__ import annotations

import pytest

AUDIT, PROOFS = "audit/test_one.py", "proofs_checks/test_three.py"
SPECIFICATION = "toyspec.py"

FALSE_CLAIM = 'claim("alpha", statement=Statement("x <= 0", negative, given=GIVEN))'
EMPTY_CLAIM = 'claim("alpha", statement=Statement("x <= 0", negative, given=(*GIVEN, Condition("0 > 1", never))))'
MARGINS = """

def negative(p):
    return -ball(p.x)


def never(p):
    return ball(-1)


GIVEN = """

SEEN_FALSE = "toy.alpha: violated: toy.alpha is held to be true, yet false inside its hypotheses in {node}"
UNEVALUATED = "{node}: passed without evaluating toy.alpha unchanged and inside its hypotheses, or although it failed"
NO_SUPPORT = "toy.alpha: unearned: no proof-grade support of the statement"
POINTS = "[(Point(i), -i) for i in range(1, 21)]"
TRICKS = {
    "bound at refuting points": (FALSE_CLAIM, "supports", f"bind(statement, {POINTS})"),
    "asserted to be false": (FALSE_CLAIM, "supports", "assert statement.conclusion(Point(7)) is Truth.FALSE"),
    "the sign of its margin": (FALSE_CLAIM, "supports", "assert statement.margin(Point(7)) < 0"),
    "certified to be false": (FALSE_CLAIM, "supports", "assert certify(statement, BOX).answer is Truth.FALSE"),
    "false among true": (
        FALSE_CLAIM,
        "supports",
        "assert [statement.at(Point(x)) for x in (0, 1)] == [Truth.TRUE, Truth.FALSE]",
    ),
    "a failure that is caught": (
        FALSE_CLAIM,
        "supports",
        "with pytest.raises(AssertionError):\n        assert statement.at(Point(1)) is Truth.TRUE",
    ),
    "its own control under another name": (
        FALSE_CLAIM,
        "control",
        "assert statement.nudged(lambda margin: margin).at(Point(7)) is Truth.FALSE",
    ),
    "its own control": (FALSE_CLAIM, "control", "assert statement.at(Point(7)) is Truth.FALSE"),
    "hypotheses that never hold": (EMPTY_CLAIM, "supports", f"bind(statement, {POINTS})"),
    "outside its hypotheses": (FALSE_CLAIM, "supports", "assert statement.conclusion(Point(-1)) is Truth.TRUE"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_false_or_empty_statement_is_not_earned(toy, trick) -> None:
    """Each trick passes as a test; what it saw is what keeps the gate closed."""
    statement, role, check = TRICKS[trick]
    other = {"supports": "control", "control": "supports"}[role]
    sound = {
        "control": "assert statement.nudged(lambda margin: margin - 1).at(Point(0)) is Truth.FALSE",
        "supports": "assert statement.at(Point(0)) is Truth.TRUE",
    }[other]
    if "never" in statement:
        sound = "assert statement.without('0 > 1').at(Point(1)) is Truth.FALSE"
    toy.edit(SPECIFICATION, "\n\nGIVEN = ", MARGINS)
    toy.edit(SPECIFICATION, 'claim("alpha")', statement)
    toy.edit(AUDIT, toy.item("alpha", role), toy.item("alpha", role, check=check))
    toy.edit(AUDIT, toy.item("alpha", other), toy.item("alpha", other, check=sound))
    toy.stamp()
    run = toy.audit("--accept-standings")
    node = f"{AUDIT}::test_alpha_{role}"
    expected = [] if statement is EMPTY_CLAIM or trick == "outside its hypotheses" else [SEEN_FALSE.format(node=node)]
    if role == "supports":
        expected.append(UNEVALUATED.format(node=node))
    else:  # the support stands at the boundary, and the search leaves it
        supports = f"{AUDIT}::test_alpha_supports"
        expected += [UNEVALUATED.format(node=supports), SEEN_FALSE.format(node=supports)]
    if role == "control" and "nudged" not in check:
        expected.append(f"{node}: passed without seeing a changed version of toy.alpha fail")
    if not any("violated" in line for line in expected):
        expected.append(NO_SUPPORT)
    if trick == "false among true":
        expected.append("toy.alpha: met at one point, and no other is known of which it speaks")
    run.objects_to(*expected)


def test_a_refutation_in_whatever_item_violates(toy) -> None:
    """Evidence of another claim, a test that is no evidence, and a repair that is seen false."""
    toy.edit(SPECIFICATION, "\n\nGIVEN = ", MARGINS)
    toy.edit(SPECIFICATION, 'claim("alpha")', FALSE_CLAIM)
    toy.edit(
        SPECIFICATION,
        'REPAIR = Repair("the sign", TRUE)',
        'REPAIR = Repair("the sign", Statement("x <= 0", negative, given=GIVEN))',
    )
    good = "assert statement.at(Point(0)) is Truth.TRUE"
    control = "assert statement.nudged(lambda margin: margin - 1).at(Point(0)) is Truth.FALSE"
    for file, target, role in (
        (AUDIT, "alpha", "supports"),
        (PROOFS, "repaired+repair", "supports-repair"),
    ):
        toy.edit(file, toy.item(target, role), toy.item(target, role, check=good))
        toy.edit(file, toy.item(target, "control"), toy.item(target, "control", check=control))
    beside = toy.both("beta").replace(
        "\n    assert", "\n    CLAIMS['toy.alpha'].statement.conclusion(Point(2))\n    assert", 1
    )
    toy.edit(AUDIT, toy.both("beta"), beside)
    toy.add(AUDIT, "\n\nfrom toyspec import load\nCLAIMS = load()\n")
    toy.add(
        AUDIT, "\n\ndef test_no_evidence():\n    assert CLAIMS['toy.repaired'].repair.statement.margin(Point(2)) < 0\n"
    )
    toy.stamp()
    seeing = [f"{AUDIT}::test_{name}" for name in ("alpha_supports", "beta_supports", "no_evidence")]
    seeing.append(f"{PROOFS}::test_repaired_repair_supports_repair")
    toy.audit("--accept-standings").objects_to(
        *(SEEN_FALSE.format(node=node) for node in seeing),
        *(
            SEEN_FALSE.format(node=node)
            .replace("toy.alpha is", "toy.repaired+repair is")
            .replace("toy.alpha:", "toy.repaired:")
            for node in seeing
        ),
        UNEVALUATED.format(node=f"{AUDIT}::test_alpha_supports"),
        f"{PROOFS}::test_repaired_repair_supports_repair: passed without evaluating toy.repaired+repair unchanged",
        "toy.corollary: unearned: uses toy.repaired+repair, whose standing is 'violated'",
    )


PATCHED = """

def test_patched(monkeypatch):
    import toyspec

    monkeypatch.setattr(toyspec, "ball", abs)
    assert toyspec.load()["toy.alpha"].statement.conclusion(Point(1)) is Truth.TRUE


@pytest.mark.evidence("toy.refuted@0", role="refutes", grade="interval", region="x")
def test_patched_and_mended(statement):
    from unittest.mock import patch

    from dpmatrix import exact

    with patch.object(exact, "Real", None):
        assert statement.at(Point(1)) is Truth.FALSE
"""


@pytest.mark.parametrize("parallel", [(), ("-n", "2")], ids=["one-process", "two-workers"])
def test_a_specification_that_is_patched_is_noticed(toy, parallel) -> None:
    """Also where the patch is taken back before the item ends, and where it is of what statements compute with."""
    toy.add(AUDIT, PATCHED)
    toy.stamp()
    toy.audit(*parallel).objects_to(
        f"{AUDIT}::test_patched: evaluated a statement while toyspec.ball stood for something else",
        f"{AUDIT}::test_patched_and_mended: evaluated a statement while dpmatrix.exact.Real stood for something",
    )


WRITES = """

def test_writes():
    import json
    import toyspec

    table = json.loads(toyspec.STANDINGS.read_text())
    table["toy.alpha"]["fingerprint"] = toyspec.load().fingerprints["toy.alpha"]
    table["toy.alpha"]["evidence"] = {}
    toyspec.STANDINGS.write_text(json.dumps(table))
"""


def test_an_item_cannot_write_the_snapshot(toy) -> None:
    """The snapshot is the one from before the run."""
    toy.edit(SPECIFICATION, "\n\nGIVEN = ", MARGINS)
    toy.edit(SPECIFICATION, 'claim("alpha")', 'claim("alpha", statement=Statement("x + 1 >= 0", doubled, given=GIVEN))')
    toy.add(AUDIT, WRITES)
    toy.stamp()
    toy.audit().objects_to("toy.alpha: the committed snapshot has")


def test_accepted_evidence_does_not_disappear(stamped) -> None:
    """One of two supports deleted, one weakened in its grade: the standing stays, and the gate asks."""
    before = (stamped.root / AUDIT).read_text()
    stamped.add(AUDIT, stamped.item("alpha", "supports", name="more"))
    stamped.add(AUDIT, stamped.item("beta", "supports", "symbolic", name="weaker"))
    stamped.stamp()
    assert stamped.audit("--accept-standings").code == 0
    accepted = stamped.standings.read_bytes()
    (stamped.root / AUDIT).write_text(before)
    stamped.add(AUDIT, stamped.item("beta", "supports", "numeric", name="weaker"))
    stamped.stamp()
    stamped.audit().objects_to(
        f"{AUDIT}::test_more: the committed snapshot has its evidence 'supports interval toy.alpha: 0 <= x <= 1'",
        f"{AUDIT}::test_weaker: the committed snapshot has its evidence 'supports symbolic toy.beta: 0 <= x <= 1'",
    )
    assert stamped.standings.read_bytes() == accepted
    assert stamped.audit("--accept-standings").code == 0
    assert stamped.audit().code == 0
    assert stamped.standings.read_bytes() != accepted
