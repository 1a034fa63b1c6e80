"""The gate refuses ids, citations and verdicts that are not what they say; several breakages share one run.

Each run is compared with the whole list of objections, so that no breakage is hidden behind another.
"""

from __future__ import annotations

import json

import pytest

AUDIT, TESTS, PROOFS = "audit/test_one.py", "tests/test_two.py", "proofs_checks/test_three.py"
SPECIFICATION, MECHANISMS = "toyspec.py", "src/toylibrary/__init__.py"
UNRELATED = (
    "\n\n@pytest.mark.evidence({words})\ndef test_extra_{name}():\n    assert TRUE.conclusion(Point(1)) is Truth.TRUE\n"
)


MORE_MECHANISMS = """

class Silent:
    def release(self):
        return 3


class Inherited(Doubling):
    pass


@implements("toy.alpha")
@implements("toy.base@00000000")
class Stale:
    pass


@implements("toy.nobody@0")
def lost():
    pass
"""


def extra(name: str, words: str) -> str:
    """Write an item that takes no fixture, whatever it cites."""
    return UNRELATED.format(words=words, name=name)


def test_ids_and_citations(toy) -> None:
    toy.edit(SPECIFICATION, '    claim("alpha"),\n', '    claim("alpha"),\n    claim("stranger"),\n')
    toy.edit(
        SPECIFICATION,
        '(*(claim.id for claim in CLAIMS), "toy.later")',
        '(*(claim.id for claim in CLAIMS if claim.id != "toy.stranger"), "toy.later", "toy.missing")',
    )
    toy.edit(SPECIFICATION, '{"toy.later"}', '{"toy.later", "toy.beta", "toy.phantom"}')
    toy.add(PROOFS, toy.both("stranger"))
    words = 'role="supports", grade="interval", region="x"'
    toy.stamp()
    toy.add(AUDIT, extra("claim", f'"toy.nobody@0", {words}'))
    toy.add(AUDIT, extra("step", f'"toy.alpha/nothing@0", {words}'))
    toy.add(AUDIT, extra("repair", '"toy.alpha+repair@0", role="supports-repair", grade="interval", region="x"'))
    toy.add(AUDIT, extra("stale", f'"toy.gamma@00000000", {words}'))
    toy.add(AUDIT, extra("unstamped", f'"toy.delta", {words}'))
    toy.add(MECHANISMS, MORE_MECHANISMS)
    run = toy.audit("--accept-standings")
    node = f"{AUDIT}::test_extra_"
    now = toy.fingerprints()
    run.objects_to(
        "toy.stranger: not an id of the catalogue",
        "toy.missing: in the catalogue, neither specified nor declared as not begun",
        "toy.beta: declared as not begun, yet specified",
        "toy.phantom: pending, but not in the catalogue",
        f"{node}claim: cites 'toy.nobody', which does not exist",
        f"{node}claim: passed without evaluating toy.nobody",
        f"{node}step: cites 'toy.alpha/nothing', which does not exist",
        f"{node}step: passed without evaluating toy.alpha/nothing",
        f"{node}repair: cites 'toy.alpha+repair', which does not exist",
        f"{node}repair: passed without evaluating toy.alpha+repair",
        f"{node}stale: suspect, it was written for toy.gamma@00000000, now @{now['toy.gamma']}",
        f"{node}stale: passed without evaluating toy.gamma",
        f"{node}unstamped: suspect, it was written for toy.delta@None, now @{now['toy.delta']}",
        f"{node}unstamped: passed without evaluating toy.delta",
        "toylibrary.Silent: implements no claim",
        "toylibrary.Inherited: implements no claim",
        "toylibrary.Stale: suspect, it was written for toy.base@00000000",
        "toylibrary.Stale: suspect, it was written for toy.alpha@None",
        "toylibrary.lost: cites 'toy.nobody', which does not exist",
    )


NO_SUPPORT = "no proof-grade support of the statement"


def test_evidence_that_a_verdict_needs(toy) -> None:
    """One claim each without a piece of what its verdict needs; what rests on one of them falls with it."""
    toy.drop(AUDIT, "alpha", "supports")
    toy.drop(AUDIT, "beta", "control")
    toy.edit(AUDIT, toy.item("gamma", "supports"), toy.item("gamma", "supports", "numeric"))
    toy.edit(TESTS, toy.item("delta", "supports"), toy.item("delta", "supports", "statistical"))
    toy.edit(AUDIT, toy.item("figure", "supports", "statistical"), toy.item("figure", "supports", "numeric"))
    toy.drop(PROOFS, "base", "supports")
    toy.drop(PROOFS, "proof-repaired/sound", "supports")
    toy.drop(PROOFS, "proof-repaired/slip", "refutes")
    toy.drop(PROOFS, "repaired", "refutes")
    toy.drop(PROOFS, "repaired+repair", "supports-repair")
    toy.drop(PROOFS, "repaired+repair", "control")
    toy.drop(PROOFS, "refuted", "refutes")
    toy.edit(MECHANISMS, '@implements("toy.algorithm@0")\n', '@implements("toy.zeta@0")\n')
    toy.stamp()
    toy.audit("--accept-standings").objects_to(
        f"toy.alpha: unearned: {NO_SUPPORT}",
        "toy.beta: unearned: no control of toy.beta: nothing shows that the check can fail",
        f"toy.gamma: unearned: {NO_SUPPORT}",
        f"toy.delta: unearned: {NO_SUPPORT}",
        f"toy.figure: unearned: {NO_SUPPORT}",
        f"toy.base: unearned: {NO_SUPPORT}",
        "toy.middle: unearned: uses toy.base, whose standing is 'unearned'",
        "toy.top: unearned: uses toy.middle, whose standing is 'unearned'",
        "toy.proof-repaired: unearned: step 'sound' has no proof-grade item that supports it",
        "toy.proof-repaired: unearned: step 'slip' has no proof-grade item that refutes it",
        "toy.repaired: unearned: no certified refutation of the statement",
        "toy.repaired: unearned: no proof-grade support of the repaired statement",
        "toy.repaired: unearned: no control of toy.repaired+repair: nothing shows that the check can fail",
        "toy.corollary: unearned: uses toy.repaired+repair, whose standing is 'unearned'",
        "toy.refuted: unearned: no certified refutation of the statement",
        "toy.algorithm: unearned: no implementation cites it",
    )


def test_verdicts_that_their_parts_deny(toy) -> None:
    """The evidence is there, and the verdict, the steps or what it rests on say otherwise."""
    toy.edit(SPECIFICATION, 'claim("alpha")', 'claim("alpha", steps=(SLIP,))')
    toy.edit(SPECIFICATION, 'claim("beta")', 'claim("beta", Verdict.HOLDS_PROOF_REPAIRED, steps=(SOUND,))')
    toy.edit(SPECIFICATION, 'claim("gamma")', 'claim("gamma", uses=("toy.refuted",))')
    toy.edit(SPECIFICATION, 'claim("delta")', 'claim("delta", uses=("toy.repaired",))')
    toy.edit(SPECIFICATION, 'claim("epsilon")', 'claim("epsilon", uses=("toy.conditional",))')
    toy.edit(SPECIFICATION, 'claim("zeta")', 'claim("zeta", uses=("toy.question",))')
    toy.edit(
        SPECIFICATION, 'claim("top", uses=("toy.middle",))', 'claim("top", uses=("toy.middle+repair", "toy.nobody"))'
    )
    toy.edit(SPECIFICATION, "FALSE, repair=REPAIR", "FALSE")
    toy.drop(PROOFS, "repaired+repair", "supports-repair")
    toy.drop(PROOFS, "repaired+repair", "control")
    toy.add(PROOFS, toy.item("alpha/slip", "refutes") + toy.item("beta/sound", "supports"))
    toy.stamp()
    toy.audit("--accept-standings").objects_to(
        "toy.alpha: unearned: the printed proof has broken steps: slip",
        "toy.beta: unearned: no step of the printed proof is shown to be broken",
        "toy.gamma: unearned: uses toy.refuted, whose verdict is 'refuted'",
        "toy.delta: unearned: uses toy.repaired, whose verdict is 'holds with repair'",
        "toy.epsilon: unearned: uses toy.conditional, without its assumptions: a conjecture",
        "toy.zeta: unearned: uses toy.question, whose verdict is 'open'",
        "toy.top: unearned: uses toy.middle+repair, whose verdict is 'holds'",
        "toy.top: unearned: uses the unknown claim 'toy.nobody'",
        "toy.repaired: unearned: no repaired statement",
        "toy.corollary: unearned: uses toy.repaired+repair, whose standing is 'unearned'",
    )


POINTLESS = "assert statement.without('x >= 0').at(Point(-2)) is Truth.TRUE"
NUDGED = "assert statement.nudged(lambda margin: margin - 1).at(Point(1))"


def test_a_refutation_of_what_is_held_to_be_true(toy) -> None:
    """The author's 'holds' stands beside a certified counterexample, also one of the same statement elsewhere."""
    toy.edit(SPECIFICATION, 'claim("alpha")', 'claim("alpha", statement=FALSE)')
    toy.edit(SPECIFICATION, "steps=(SOUND, SLIP)", 'steps=(Step("sound", FALSE, defect=None), SLIP)')
    for role, check in [("supports", POINTLESS), ("control", f"{NUDGED} is Truth.FALSE")]:
        toy.edit(AUDIT, toy.item("alpha", role), toy.item("alpha", role, check=check))
    sound = "proof-repaired/sound"
    toy.edit(PROOFS, toy.item(sound, "supports"), toy.item(sound, "supports", check=POINTLESS))
    toy.add(PROOFS, toy.item("alpha", "refutes") + toy.item("proof-repaired/sound", "refutes"))
    toy.stamp()
    toy.audit("--accept-standings").objects_to(
        f"toy.alpha: violated: toy.alpha is held to be true, yet refuted by {PROOFS}::test_alpha_refutes",
        f"toy.alpha: violated: toy.alpha is held to be true, yet false inside its hypotheses in {AUDIT}::test_alpha_c",
        *(
            f"toy.alpha: violated: toy.alpha is held to be true, yet false inside its hypotheses in {PROOFS}::{twin}"
            for twin in ("test_proof_repaired_s", "test_refuted_refutes", "test_repaired_refutes")
        ),
        "toy.proof-repaired: violated: toy.proof-repaired/sound is held to be true, yet refuted by",
        "toy.proof-repaired: violated: toy.proof-repaired/sound is held to be true, yet false inside its hypotheses in",
        f"{AUDIT}::test_alpha_supports: passed without evaluating toy.alpha unchanged",
        f"{PROOFS}::test_proof_repaired_sound_supports: passed without evaluating toy.proof-repaired/sound unchanged",
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Registry.of(CLAIMS)", "Registry.of(())", "the registry is empty"),
        ("Catalogue(IDS, PENDING)", "Catalogue((), frozenset())", "the catalogue is empty"),
    ],
    ids=["registry", "catalogue"],
)
def test_emptiness_is_refused(stamped, old, new, message) -> None:
    stamped.edit(SPECIFICATION, old, new)
    run = stamped.audit()
    assert run.code == 1, run.text
    assert message in run.objections
    assert "gate: CLOSED" in run.text


def test_no_evidence_at_all_is_refused(toy) -> None:
    toy.edit(
        SPECIFICATION, "Registry.of(CLAIMS)", 'Registry.of(claim for claim in CLAIMS if claim.id == "toy.question")'
    )
    for file in (AUDIT, TESTS, PROOFS):
        (toy.root / file).unlink()
    toy.edit(SPECIFICATION, "Catalogue(IDS, PENDING)", "Catalogue(IDS, frozenset(IDS) - {'toy.question'})")
    toy.edit(MECHANISMS, '@implements("toy.algorithm@0")\n', '@implements("toy.question@0")\n')
    toy.stamp()
    toy.audit("--accept-standings").objects_to("there is no evidence at all")


def test_claims_that_use_each_other_in_a_circle(stamped) -> None:
    stamped.edit(SPECIFICATION, 'claim("base")', 'claim("base", uses=("toy.top",))')
    run = stamped.audit()
    assert run.code == 4, run.text
    assert "ERROR: claims use each other in a circle: toy.base -> toy.top -> toy.middle -> toy.base" in run.text
    assert "Traceback" not in run.text
    assert not stamped.ledger.exists()


def test_two_claims_with_one_id(stamped) -> None:
    stamped.edit(SPECIFICATION, 'claim("beta")', 'claim("alpha", Verdict.REFUTED)')
    run = stamped.audit()
    assert run.code != 0
    assert "two claims have the id 'toy.alpha'" in run.text


@pytest.mark.parametrize("parallel", [(), ("-n", "2")], ids=["one-process", "two-workers"])
def test_malformed_markers_are_refused(stamped, parallel) -> None:
    """What makes a marker malformed is tested with `Evidence.declare`; here, that pytest does not go on."""
    stamped.add(AUDIT, extra("malformed", '"toy.alpha@0", role="proves", grade="interval", region="x"'))
    run = stamped.audit(*parallel)
    assert run.code == 4, run.text
    assert f"ERROR: {AUDIT}::test_extra_malformed: 'proves' is not a valid Role" in run.text
    assert "gate: open" not in run.text
    assert not stamped.ledger.exists()


def test_the_snapshot_shows_every_claim_as_it_is(stamped) -> None:
    record = json.loads(stamped.standings.read_text())
    record["toy.alpha"]["standing"] = "unearned"
    record["toy.beta"]["verdict"] = "refuted"
    record["toy.gamma"]["fingerprint"] = "00000000"
    del record["toy.delta"]
    record["toy.ghost"] = record["toy.zeta"]
    stamped.standings.write_text(json.dumps(record))
    before = stamped.standings.read_bytes()
    stamped.audit().objects_to(
        "toy.alpha: the committed snapshot has {'verdict': 'holds', 'standing': 'unearned'",
        "toy.beta: the committed snapshot has {'verdict': 'refuted'",
        "toy.gamma: the committed snapshot has {'verdict': 'holds', 'standing': 'earned', 'fingerprint': '00000000'",
        "toy.delta: the committed snapshot has None, this run {'verdict': 'holds', 'standing': 'earned'",
        "toy.ghost: the committed snapshot has {'verdict'",
    )
    assert stamped.standings.read_bytes() == before, "only --accept-standings writes the snapshot"
    stamped.standings.write_text(json.dumps(record | {"toy.alpha": 3}))
    assert "toy.alpha: the committed snapshot has 3, this run" in stamped.audit().text
    report = json.loads(stamped.ledger.with_name("report.json").read_text())
    assert "is not a snapshot of standings: toy.alpha has no verdict" in report["changes"]["since"]["problem"]
    stamped.standings.unlink()
    run = stamped.audit()
    assert len([line for line in run.objections if "the committed snapshot has None" in line]) == 17


def test_an_edited_statement_makes_its_citations_suspect(stamped) -> None:
    """A comment does not; a constant does, in the statement, in its evidence, and in the snapshot."""
    stamped.edit(
        SPECIFICATION,
        "    return 2 * ball(p.x) + 1 - ball(p.x)",
        "    # doubled\n    return 2 * ball(p.x) + 2 - ball(p.x)",
    )
    run = stamped.audit()
    assert f"{AUDIT}::test_alpha_supports: suspect" in "\n".join(run.objections)
    assert any(line.startswith("toy.alpha: the committed snapshot has") for line in run.objections)
    assert any(line.startswith("toylibrary.Doubling: suspect") for line in run.objections)
    assert not any("toy.question" in line and "suspect" in line for line in run.objections)
    stamped.edit(SPECIFICATION, "ball(p.x) + 2 -", "ball(p.x) + 1 -")
    assert stamped.audit().code == 0
