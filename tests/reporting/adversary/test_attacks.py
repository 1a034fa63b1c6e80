"""The judge under attack: a claim that is false, empty, circular or about something else asks for its standing.

Each attack is a small project of its own, kept as data in ``attacks``: what is specified, the evidence, and the words
with which the judge refuses it. What it is aimed at is named there as well, and where it can be taken away, the attack
is carried out a second time on a judge without it: there it has the standing that it asks for.

What is defended: evidence as it is written, that is test items with their helpers and fixtures, in the folders that
hold evidence. An item runs in the process of its judge, so it can change whatever Python can change; what it would have
to write for that is looked for, and what it leaves changed is compared. Out of scope, because they need code outside
the evidence, or a person who types it:

- plugins and options of the command line or in ``PYTEST_ADDOPTS``, ``sitecustomize``, another interpreter;
- the library and the specification themselves, which are read as what they are, and not as evidence;
- who accepts standings, edits the snapshot or the judge under version control, or searches for a fingerprint of eight
  digits that an edited claim shares with the accepted one;
- whether the words of a claim are those of the document, and whether its formula is what the words say. Only a reader
  can tell; the fingerprint makes him look again after every change.

`STANDING` lists the attacks that still have what they ask for. Where the judge is mended, the test of one fails, and it
belongs among the others, with the words that refuse it.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.reporting.adversary.projects import carry_out, read_attacks

STANDING: tuple[str, ...] = (
    "a-square-is-not-negative",
    "an-instance-that-the-item-makes-up",
    "hypotheses-that-raise-where-it-fails",
    "a-quantifier-turned-round",
    "a-constant-that-depends",
    "a-failure-far-away",
    "a-failure-in-a-gap",
    "hypotheses-of-one-point",
    "a-trivial-slip",
    "a-point-outside-the-meaning",
    "a-repair-that-says-nothing",
    "an-implementation-in-name",
    "a-grade-that-nobody-gave",
)
"""What is specified does not say what its words say, or says it of too little: only who reads both can tell."""
ATTACKS = {attack.name: attack for attack in read_attacks()}
HONEST = [attack.name for attack in ATTACKS.values() if attack.family == "honest"]
REFUSED = [name for name in ATTACKS if name not in (*STANDING, *HONEST)]
AIMED = [name for name in REFUSED if ATTACKS[name].without]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Carry out every attack once."""
    return carry_out(ATTACKS.values(), tmp_path_factory.mktemp("judged"))


@pytest.fixture(scope="module")
def unguarded(tmp_path_factory):
    """Carry out the attacks once more, each without the guards that it is aimed at."""
    return carry_out([ATTACKS[name] for name in AIMED], tmp_path_factory.mktemp("unguarded"), unguarded=True)


@pytest.mark.parametrize("name", HONEST)
def test_a_sound_claim_is_earned(judged, name) -> None:
    """In the same projects and with the same pieces of evidence that the attacks are made of."""
    run, claim = judged[name], ATTACKS[name]
    assert run.stands(claim), run.said_of(claim)


@pytest.mark.parametrize("name", REFUSED)
def test_an_attack_is_refused_in_words_that_name_it(judged, name) -> None:
    attack = ATTACKS[name]
    run = judged[name]
    assert not run.stands(attack), run.text
    said = run.said_of(attack)
    missing = [words for words in attack.refusal if not any(attack.filled(words) in line for line in said)]
    assert attack.refusal, said
    assert not missing, said


@pytest.mark.parametrize("name", AIMED)
def test_without_the_guard_the_attack_has_what_it_asks_for(unguarded, name) -> None:
    attack = ATTACKS[name]
    run = unguarded[name]
    assert run.stands(attack), run.said_of(attack)


@pytest.mark.parametrize("name", STANDING)
def test_an_attack_that_still_stands(judged, name) -> None:
    """Where this fails, the judge was mended: take the name off the list, and write down the words that refuse it."""
    attack = ATTACKS[name]
    run = judged[name]
    assert run.stands(attack), run.said_of(attack)


def test_attacks_are_told_apart() -> None:
    assert set(STANDING) <= ATTACKS.keys()
    assert not [name for name, count in Counter(attack.module for attack in ATTACKS.values()).items() if count > 1]
    assert not [name for name in REFUSED if not ATTACKS[name].guard]
