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
    elif "nudged" not in check:
        expected.append(f"{node}: passed without seeing a changed version of toy.alpha fail")
    if not any("violated" in line for line in expected):
        expected.append(NO_SUPPORT)
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
    toy.audit("--accept-standings").objects_to(
        SEEN_FALSE.format(node=f"{AUDIT}::test_beta_supports"),
        "toy.repaired: violated: toy.repaired+repair is held to be true, yet false inside its hypotheses in "
        f"{AUDIT}::test_no_evidence",
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

    with patch("dpmatrix.exact.Real", None):
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


GOOD_CONTROL = "assert statement.nudged(lambda margin: margin - 1).at(Point(0)) is Truth.FALSE"
BOUNDARY = "assert statement.at(Point(0)) is Truth.TRUE"
STOOD = f"{AUDIT}::test_alpha_supports: evaluated a statement while {{name}} stood for something else"
SUPPORTS_NOTHING = (UNEVALUATED.format(node=f"{AUDIT}::test_alpha_supports"), NO_SUPPORT)
SHOWS_NOTHING = f"{AUDIT}::test_alpha_control: passed without seeing a changed version of toy.alpha fail"
NO_CONTROL = "toy.alpha: unearned: no control: nothing shows that the check can fail"
SEEN_BY_CONTROL = (SEEN_FALSE.format(node=f"{AUDIT}::test_alpha_control"),)
FORGERIES = {
    "a formula that calls itself equal": (
        """
    class Equal:
        def __call__(self, point):
            return Point(1).x + statement.formula(Point(0))

        def __eq__(self, other):
            return True

        def __hash__(self):
            return hash(statement.formula)

    assert statement.nudged(margin=Equal()).at(Point(3)) is Truth.TRUE
""",
        GOOD_CONTROL,
        SUPPORTS_NOTHING,
    ),
    "a statement changed in place": (
        """
    object.__setattr__(statement, "_margin", statement.given[0].margin)
    assert statement.at(Point(3)) is Truth.TRUE
""",
        GOOD_CONTROL,
        (*SUPPORTS_NOTHING, SHOWS_NOTHING, NO_CONTROL),
    ),
    "another statement in the registry": (
        """
    import attrs
    from dpmatrix.reporting.pytest_plugin import REGISTRY

    registry = request.config.stash[REGISTRY]
    other = attrs.evolve(statement, margin=statement.given[0].margin)
    registry.claims["toy.alpha"] = attrs.evolve(registry["toy.alpha"], statement=other)
    assert registry["toy.alpha"].statement.at(Point(3)) is Truth.TRUE
""",
        GOOD_CONTROL,
        (*SUPPORTS_NOTHING, SHOWS_NOTHING, NO_CONTROL),
    ),
    "another decision": (
        """
    from unittest.mock import patch

    with patch("dpmatrix.claims.statement._decide", lambda *_arguments, **_options: Truth.TRUE):
        assert statement.at(Point(3)) is Truth.TRUE
""",
        GOOD_CONTROL,
        (STOOD.format(name="dpmatrix.claims.statement._decide"),),
    ),
    "other code of a function": (
        """
    import toyspec

    kept, toyspec.negative.__code__ = toyspec.negative.__code__, toyspec.not_negative.__code__
    assert statement.at(Point(3)) is Truth.TRUE
    toyspec.negative.__code__ = kept
""",
        GOOD_CONTROL,
        (STOOD.format(name="toyspec.negative"),),
    ),
    "another attribute of a class": (
        """
    import toyspec

    point, kept = Point(3), toyspec.Point.x
    toyspec.Point.x = property(lambda _point: 0)
    assert statement.at(point) is Truth.TRUE
    toyspec.Point.x = kept
""",
        GOOD_CONTROL,
        (STOOD.format(name="toyspec.Point.x"),),
    ),
    "seen in another thread": (
        BOUNDARY,
        f"""
    from threading import Thread

    thread = Thread(target=statement.at, args=(Point(7),))
    thread.start()
    thread.join()
    {GOOD_CONTROL}
""",
        SEEN_BY_CONTROL,
    ),
    "seen by an observer inside": (
        BOUNDARY,
        f"""
    from dpmatrix.claims import observing

    with observing():
        assert statement.at(Point(7)) is Truth.FALSE
    {GOOD_CONTROL}
""",
        SEEN_BY_CONTROL,
    ),
    "seen by a fixture": (BOUNDARY, "request.getfixturevalue('seen_false')\n    " + GOOD_CONTROL, SEEN_BY_CONTROL),
    "a control of another statement of that name": (
        BOUNDARY,
        "import attrs\n    assert attrs.evolve(statement, says='other').at(Point(7)) is Truth.FALSE",
        (SHOWS_NOTHING, NO_CONTROL),
    ),
}
FIXTURE = """

@pytest.fixture(autouse=True)
def seen_false(request):
    if "seen_false" in request.function.__code__.co_consts:
        assert request.getfixturevalue("statement").at(Point(7)) is Truth.FALSE
"""


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_support_or_control_is_not_believed(toy, forgery) -> None:
    """Also where the failure is seen out of sight; a support at the one true point is otherwise enough here."""
    support, control, expected = FORGERIES[forgery]
    toy.edit(SPECIFICATION, "\n\nGIVEN = ", MARGINS)
    toy.edit(SPECIFICATION, 'claim("alpha")', FALSE_CLAIM)
    for role, check in (("supports", support), ("control", control)):
        forged = toy.item("alpha", role, check=check.strip()).replace("(statement)", "(statement, request)")
        toy.edit(AUDIT, toy.item("alpha", role), forged)
    toy.add(AUDIT, FIXTURE)
    toy.stamp()
    toy.audit("--accept-standings").objects_to(*expected)


WRITES = """

def test_writes():
    import json
    import toyspec

    table = json.loads(toyspec.STANDINGS.read_text())
    table["toy.alpha"]["fingerprint"] = toyspec.load().fingerprints["toy.alpha"]
    table["toy.alpha"]["evidence"] = {}
    toyspec.STANDINGS.write_text(json.dumps(table))
"""
REPLACES = """

def test_replaces():
    import dpmatrix.reporting.pytest_plugin as plugin

    plugin.violations = lambda *_arguments: []
"""


def test_an_item_cannot_write_the_snapshot_nor_the_judgement(toy) -> None:
    """The snapshot is the one from before the run, and a judge that was replaced judges nothing."""
    toy.edit(SPECIFICATION, "\n\nGIVEN = ", MARGINS)
    toy.edit(SPECIFICATION, 'claim("alpha")', 'claim("alpha", statement=Statement("x + 1 >= 0", doubled, given=GIVEN))')
    toy.add(AUDIT, WRITES)
    toy.stamp()
    toy.audit().objects_to("toy.alpha: the committed snapshot has")
    toy.add(AUDIT, REPLACES)
    toy.audit().objects_to("dpmatrix.reporting.pytest_plugin.violations is not what was imported")


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
