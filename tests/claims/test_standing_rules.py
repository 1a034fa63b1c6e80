"""The rules of standing: for every verdict the least evidence that earns it, and each piece of it is needed."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import pytest
from flint import arb

from dpmatrix.claims import (
    Basis,
    Citation,
    Claim,
    Defect,
    Evidence,
    Grade,
    Implementation,
    Kind,
    Locator,
    Outcome,
    Registry,
    Repair,
    Role,
    Standing,
    State,
    Statement,
    Step,
    Truth,
    Verdict,
    standings,
)
from dpmatrix.claims.standing import FAILED, held_answer


def zero(p):
    return arb(0)


def other(p):
    return arb(1)


STATEMENT = Statement("it is so", zero)
REPAIR = Repair("the sign", Statement("it is otherwise", other))
SOUND, BROKEN = Step("sound", STATEMENT, defect=None), Step("broken", STATEMENT, defect=Defect.PROOF)
KINDS = {
    Verdict.WELL_POSED: Kind.DEFINITION,
    Verdict.ILL_POSED: Kind.DEFINITION,
    Verdict.EXECUTABLE: Kind.ALGORITHM,
    Verdict.EXECUTABLE_WITH_REPAIR: Kind.ALGORITHM,
    Verdict.NOT_EXECUTABLE: Kind.ALGORITHM,
    Verdict.REPRODUCED: Kind.EXPERIMENT,
    Verdict.REPRODUCED_WITH_DIFFERENCE: Kind.EXPERIMENT,
    Verdict.NOT_REPRODUCIBLE: Kind.EXPERIMENT,
}


def claim(verdict: Verdict, label: str = "claim", **more) -> Claim:
    if verdict is Verdict.CONDITIONAL:
        more.setdefault("assumes", ("a conjecture",))
    kind = KINDS.get(verdict, Kind.LEMMA)
    return Claim(f"toy.{label}", kind, Locator("toy", label, ""), STATEMENT, verdict, "", **more)


def passed(target: str, role: Role, grade: Grade = Grade.SYMBOLIC) -> Evidence:
    return Evidence(f"{target} {role.value}", Citation.parse(f"toy.{target}"), role, grade, "x", Outcome.PASSED)


S, R, C = (passed("claim", role) for role in (Role.SUPPORTS, Role.REFUTES, Role.CONTROL))
SR, CR = (passed("claim+repair", role) for role in (Role.SUPPORTS_REPAIR, Role.CONTROL))
SOUND_STEP, BROKEN_STEP = passed("claim/sound", Role.SUPPORTS), passed("claim/broken", Role.REFUTES)
CODE = Implementation("toy.Code", (Citation.parse("toy.claim"),))

LEAST: dict[Verdict, tuple[dict[str, object], list[Evidence], list[Implementation]]] = {
    Verdict.HOLDS: ({"steps": (SOUND,)}, [S, C, SOUND_STEP], []),
    Verdict.HOLDS_PROOF_REPAIRED: ({"steps": (SOUND, BROKEN)}, [S, C, SOUND_STEP, BROKEN_STEP], []),
    Verdict.HOLDS_WITH_REPAIR: ({"repair": REPAIR}, [R, SR, CR], []),
    Verdict.REFUTED: ({"steps": (BROKEN,)}, [R, BROKEN_STEP], []),
    Verdict.CONDITIONAL: ({}, [S, C], []),
    Verdict.WELL_POSED: ({}, [S, C], []),
    Verdict.ILL_POSED: ({"repair": REPAIR}, [R, SR, CR], []),
    Verdict.EXECUTABLE: ({}, [S, C], [CODE]),
    Verdict.EXECUTABLE_WITH_REPAIR: ({"repair": REPAIR}, [R, SR, CR], [CODE]),
    Verdict.NOT_EXECUTABLE: ({}, [R], []),
    Verdict.REPRODUCED: ({}, [S, C], []),
    Verdict.REPRODUCED_WITH_DIFFERENCE: ({"repair": REPAIR}, [R, SR, CR], []),
    Verdict.NOT_REPRODUCIBLE: ({}, [R], []),
}
STATISTICAL = {
    Verdict.EXECUTABLE,
    Verdict.EXECUTABLE_WITH_REPAIR,
    Verdict.REPRODUCED,
    Verdict.REPRODUCED_WITH_DIFFERENCE,
}
EACH = pytest.mark.parametrize("verdict", LEAST, ids=lambda verdict: verdict.name.lower())


def standing(one: Claim, evidence: Iterable[Evidence], code: Iterable[Implementation] = ()) -> Standing:
    return standings(Registry.of([one]), evidence, code)[one.id]


def test_every_verdict_has_a_rule() -> None:
    assert set(LEAST) == set(Verdict) - {Verdict.OPEN}


@EACH
def test_the_least_evidence_earns_the_verdict(verdict) -> None:
    parts, evidence, code = LEAST[verdict]
    assert standing(claim(verdict, **parts), evidence, code) == Standing(State.EARNED, basis=Basis.MACHINE)


@EACH
def test_every_piece_is_needed(verdict) -> None:
    parts, evidence, code = LEAST[verdict]
    one = claim(verdict, **parts)
    for left_out in range(len(evidence)):
        found = standing(one, evidence[:left_out] + evidence[left_out + 1 :], code)
        assert found.state is State.UNEARNED, evidence[left_out]
        assert len(found.reasons) == 1
    if code:
        assert standing(one, evidence).reasons == ("no implementation cites it",)
    for part in parts:
        kept = {name: value for name, value in parts.items() if name != part}
        if part == "repair":
            assert standing(claim(verdict, **kept), evidence, code).reasons == ("no repaired statement",)


@EACH
@pytest.mark.parametrize("grade", [Grade.NUMERIC, Grade.STATISTICAL], ids=lambda grade: grade.value)
def test_weak_grades_earn_only_what_they_may(verdict, grade) -> None:
    parts, evidence, code = LEAST[verdict]
    enough = grade is Grade.STATISTICAL and verdict in STATISTICAL
    for place in range(len(evidence)):
        weak = list(evidence)
        weak[place] = attrs.evolve(weak[place], grade=grade)
        found = standing(claim(verdict, **parts), weak, code).state
        assert found is (State.EARNED if enough else State.UNEARNED), weak[place]


@EACH
@pytest.mark.parametrize(
    "outcome",
    [None, *(outcome for outcome in Outcome if outcome is not Outcome.PASSED)],
    ids=str,
)
def test_only_what_passed_counts(verdict, outcome) -> None:
    parts, evidence, code = LEAST[verdict]
    expected = State.VIOLATED if outcome is Outcome.FAILED else State.UNEARNED
    for place in range(len(evidence)):
        changed = list(evidence)
        changed[place] = attrs.evolve(changed[place], outcome=outcome)
        assert standing(claim(verdict, **parts), changed, code).state is expected


@EACH
def test_one_failure_violates_whatever_else_passed(verdict) -> None:
    parts, evidence, code = LEAST[verdict]
    failing = Evidence("bad", Citation.parse("toy.claim"), Role.CONTROL, Grade.NUMERIC, "x", Outcome.FAILED)
    assert standing(claim(verdict, **parts), [*evidence, failing], code) == Standing(State.VIOLATED, ("failed: bad",))


def test_an_open_question_earns_nothing_and_can_be_violated() -> None:
    weak = [attrs.evolve(one, grade=Grade.NUMERIC) for one in (S, R)]
    assert standing(claim(Verdict.OPEN), [*weak, C]) == Standing(State.OPEN)
    assert standing(claim(Verdict.OPEN), []) == Standing(State.OPEN)
    for settled, word in ((S, "supports"), (R, "refutes")):
        found = standing(claim(Verdict.OPEN), [settled])
        assert found == Standing(State.UNEARNED, (f"held to be open, yet {settled.node} {word} it",))
    unjudged = standing(claim(Verdict.OPEN, steps=(BROKEN,)), [])
    assert unjudged == Standing(State.UNEARNED, ("step 'broken' has no proof-grade item that refutes it",))
    assert standing(claim(Verdict.OPEN), [attrs.evolve(S, outcome=Outcome.FAILED)]).state is State.VIOLATED


def test_evidence_of_another_statement_does_not_count() -> None:
    for other in ("other", "claim/sound", "claim+repair"):
        evidence = [attrs.evolve(S, citation=Citation.parse(f"toy.{other}")), C]
        assert standing(claim(Verdict.HOLDS), evidence).state is State.UNEARNED


def test_a_broken_step_denies_holds_and_its_absence_denies_a_repaired_proof() -> None:
    found = standing(claim(Verdict.HOLDS, steps=(BROKEN,)), [S, C, BROKEN_STEP])
    assert found == Standing(State.UNEARNED, ("the printed proof has broken steps: broken",))
    found = standing(claim(Verdict.HOLDS_PROOF_REPAIRED, steps=(SOUND,)), [S, C, SOUND_STEP])
    assert found == Standing(State.UNEARNED, ("no step of the printed proof is shown to be broken",))


@pytest.mark.parametrize(
    "verdict", [verdict for verdict in LEAST if S in LEAST[verdict][1]], ids=lambda v: v.name.lower()
)
def test_a_refutation_violates_what_is_held_to_be_true(verdict) -> None:
    parts, evidence, code = LEAST[verdict]
    found = standing(claim(verdict, **parts), [*evidence, R], code)
    assert found == Standing(State.VIOLATED, ("toy.claim is held to be true, yet refuted by claim refutes",))
    numeric = attrs.evolve(R, grade=Grade.NUMERIC)
    assert standing(claim(verdict, **parts), [*evidence, numeric], code).state is State.EARNED


@pytest.mark.parametrize("verdict", Verdict)
def test_a_statement_is_expected_to_be_what_the_verdict_needs_evidence_of(verdict) -> None:
    """Supported, it is true; refuted, it is false; open, neither. Its repair is true, and a step as it is judged."""
    repaired = claim(verdict, repair=REPAIR, steps=(SOUND, BROKEN))
    evidence = LEAST[verdict][1] if verdict in LEAST else []
    needed = {item.role for item in evidence if item.citation.target == "toy.claim"}
    answers = {Role.SUPPORTS: Truth.TRUE, Role.REFUTES: Truth.FALSE}
    own = [answers[role] for role in needed if role in answers] or [None]
    assert [held_answer(repaired, "toy.claim")] == own
    assert (own == [None]) == (verdict is Verdict.OPEN)
    others = [held_answer(repaired, f"toy.claim{part}") for part in ("+repair", "/sound", "/broken")]
    assert others == [Truth.TRUE, Truth.TRUE, Truth.FALSE]


@pytest.mark.parametrize("defect", Defect)
def test_a_false_remark_and_a_misprint_leave_the_proof_as_it_is(defect: Defect) -> None:
    step = attrs.evolve(BROKEN, defect=defect)
    holds = standing(claim(Verdict.HOLDS, steps=(step,)), [S, C, BROKEN_STEP])
    repaired = standing(claim(Verdict.HOLDS_PROOF_REPAIRED, steps=(step,)), [S, C, BROKEN_STEP])
    beside = defect in (Defect.REMARK, Defect.SLIP)
    assert [one.state is State.EARNED for one in (holds, repaired)] == [beside, not beside]


@EACH
@pytest.mark.parametrize("target", ["claim", "claim+repair", "claim/sound", "claim/broken"])
def test_whatever_is_held_and_was_seen_false_violates(verdict, target) -> None:
    """In whatever item, of whatever role or none, the item that is declared to refute it aside."""
    parts, evidence, code = LEAST[verdict]
    one = claim(verdict, **parts)
    names = {item.citation.target for item in evidence if item.role in (Role.SUPPORTS, Role.SUPPORTS_REPAIR)}
    found = standings(Registry.of([one]), evidence, code, {f"toy.{target}": ("anywhere",)})[one.id]
    if f"toy.{target}" in names:
        reason = f"toy.{target} is held to be true, yet false inside its hypotheses in anywhere"
        assert found == Standing(State.VIOLATED, (reason,))
    else:
        assert found.state is State.EARNED


def test_a_repair_can_be_refuted() -> None:
    parts, evidence, code = LEAST[Verdict.HOLDS_WITH_REPAIR]
    refuted = [*evidence, passed("claim+repair", Role.REFUTES)]
    assert standing(claim(Verdict.HOLDS_WITH_REPAIR, **parts), refuted, code).state is State.VIOLATED


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ((Grade.SYMBOLIC, Grade.INTERVAL), Basis.MACHINE),
        ((Grade.KERNEL_LAW, Grade.DERIVED), Basis.WRITTEN),
        ((Grade.DERIVED, Grade.SYMBOLIC), Basis.WRITTEN),
    ],
)
def test_the_weakest_need_is_the_basis_and_the_strongest_item_meets_it(grades, expected) -> None:
    """Of a repaired claim: the refutation and the support of the repair; a weaker item beside them takes nothing."""
    needed = [attrs.evolve(item, grade=grade) for item, grade in zip((R, SR), grades, strict=True)]
    weaker = [attrs.evolve(item, grade=Grade.DERIVED) for item in (R, SR)]
    one = claim(Verdict.HOLDS_WITH_REPAIR, repair=REPAIR)
    assert standing(one, [*weaker, *needed, CR]) == Standing(State.EARNED, basis=expected)
    assert standing(one, [needed[0], CR]).basis is None


def test_a_refutation_rests_on_itself_and_its_repair_on_its_own_proof() -> None:
    """The repair of a refuted claim takes nothing from the refutation, and gives its basis to who uses it."""
    used, user = claim(Verdict.REFUTED, repair=REPAIR), claim(Verdict.HOLDS, "user", uses=("toy.claim+repair",))
    own = [passed("user", Role.SUPPORTS), passed("user", Role.CONTROL)]
    found = standings(Registry.of([user, used]), [R, attrs.evolve(SR, grade=Grade.DERIVED), CR, *own], ())
    assert found["toy.claim"].basis is Basis.MACHINE
    assert found["toy.user"].basis is Basis.WRITTEN


def test_the_basis_is_no_better_than_that_of_what_is_used() -> None:
    used, user = claim(Verdict.HOLDS), claim(Verdict.HOLDS, "user", uses=("toy.claim",))
    own = [passed("user", Role.SUPPORTS), passed("user", Role.CONTROL)]
    for grade, expected in ((Grade.SYMBOLIC, Basis.MACHINE), (Grade.DERIVED, Basis.WRITTEN)):
        found = standings(Registry.of([user, used]), [attrs.evolve(S, grade=grade), C, *own], ())
        assert found["toy.user"].basis is expected


def test_a_refutation_of_a_sound_step_violates() -> None:
    evidence = [S, C, SOUND_STEP, passed("claim/sound", Role.REFUTES)]
    assert standing(claim(Verdict.HOLDS, steps=(SOUND,)), evidence).state is State.VIOLATED


USABLE = {verdict: S in LEAST[verdict][1] for verdict in LEAST}


@EACH
@pytest.mark.parametrize("suffix", ["", "+repair"], ids=["printed", "repaired"])
def test_what_can_be_built_upon(verdict, suffix) -> None:
    """The printed statement where it holds, the repaired one where it was needed, a refuted one never."""
    parts, evidence, code = LEAST[verdict]
    assumes = ("a conjecture",)
    user = claim(Verdict.CONDITIONAL, "user", uses=(f"toy.claim{suffix}",), assumes=assumes)
    own = [passed("user", Role.SUPPORTS), passed("user", Role.CONTROL)]
    found = standings(Registry.of([user, claim(verdict, **parts)]), [*evidence, *own], code)
    usable = (SR in evidence) if suffix else USABLE[verdict]
    assert found["toy.user"].state is (State.EARNED if usable else State.UNEARNED)


@pytest.mark.parametrize(
    "verdict", sorted(FAILED, key=lambda verdict: verdict.value), ids=lambda verdict: verdict.value
)
def test_the_repair_of_a_failed_claim_carries_what_it_has_earned(verdict) -> None:
    """The printed statement carries nothing, the repaired one what a repair always needs: proof and control."""
    used, own = claim(verdict, repair=REPAIR), [passed("user", Role.SUPPORTS), passed("user", Role.CONTROL)]
    for suffix, evidence, state in (
        ("+repair", [R, SR, CR], State.EARNED),
        ("+repair", [R, SR], State.UNEARNED),
        ("+repair", [R, CR], State.UNEARNED),
        ("+repair", [SR, CR], State.UNEARNED),
        ("", [R, SR, CR], State.UNEARNED),
    ):
        user = claim(Verdict.HOLDS, "user", uses=(f"toy.claim{suffix}",))
        assert standings(Registry.of([user, used]), [*evidence, *own], ())["toy.user"].state is state
    bare = standings(
        Registry.of([claim(Verdict.HOLDS, "user", uses=("toy.claim+repair",)), claim(verdict)]), [R, *own], ()
    )
    assert bare["toy.user"].reasons == (f"uses toy.claim+repair, whose verdict is {verdict.value!r}",)


def test_assumptions_are_inherited() -> None:
    used = claim(Verdict.CONDITIONAL)
    own = [passed("user", Role.SUPPORTS), passed("user", Role.CONTROL), S, C]
    for user in (
        claim(Verdict.HOLDS, "user", uses=("toy.claim",)),
        claim(Verdict.CONDITIONAL, "user", uses=("toy.claim",), assumes=("another",)),
    ):
        found = standings(Registry.of([used, user]), own, ())["toy.user"]
        assert found == Standing(State.UNEARNED, ("uses toy.claim, without its assumptions: a conjecture",))


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_standing_is_transitive(levels) -> None:
    chain = [
        claim(Verdict.HOLDS, "n0"),
        *(claim(Verdict.HOLDS, f"n{n}", uses=(f"toy.n{n - 1}",)) for n in range(1, levels + 1)),
    ]
    evidence = [passed(f"n{n}", role) for n in range(levels + 1) for role in (Role.SUPPORTS, Role.CONTROL)]
    assert {found.state for found in standings(Registry.of(chain[::-1]), evidence, ()).values()} == {State.EARNED}
    found = standings(Registry.of(chain[::-1]), evidence[1:], ())
    assert {found.state for found in found.values()} == {State.UNEARNED}
    assert found[f"toy.n{levels}"].reasons == (f"uses toy.n{levels - 1}, whose standing is 'unearned'",)


def test_circles_are_refused() -> None:
    for chain in (["a"], ["a", "b"], ["a", "b", "c"]):
        claims = [
            claim(Verdict.HOLDS, name, uses=(f"toy.{use}",))
            for name, use in zip(chain, chain[1:] + chain[:1], strict=True)
        ]
        with pytest.raises(ValueError, match=r"in a circle: toy\.a -> .*toy\.a"):
            standings(Registry.of(claims), (), ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": Verdict.WELL_POSED}, "a lemma cannot be 'well posed'"),
        ({"kind": Kind.DEFINITION}, "a definition cannot be 'holds'"),
        ({"source": Locator("other", "", "")}, "stands in 'other', not in 'toy'"),
        ({"assumes": ("x",)}, "assumptions go with the verdict 'conditional'"),
        ({"verdict": Verdict.CONDITIONAL}, "assumptions go with the verdict 'conditional'"),
        ({"steps": (SOUND, SOUND)}, "two steps have one name"),
        ({"statement": attrs.evolve(STATEMENT, instance=True)}, "a lemma speaks of every point, not of an instance"),
    ],
)
def test_claims_that_make_no_sense_are_refused(change, message) -> None:
    words = {"id": "toy.claim", "kind": Kind.LEMMA, "source": Locator("toy", "", ""), "statement": STATEMENT}
    words |= {"verdict": Verdict.HOLDS, "because": ""}
    with pytest.raises(ValueError, match=message):
        Claim(**(words | change))


def test_a_claim_names_its_statements() -> None:
    one = claim(Verdict.HOLDS_WITH_REPAIR, repair=REPAIR, steps=(SOUND, BROKEN))
    assert list(one.statements()) == ["toy.claim", "toy.claim+repair", "toy.claim/sound", "toy.claim/broken"]
    assert all(statement.name == name for name, statement in one.statements().items())
