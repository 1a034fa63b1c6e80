"""Definition 7 of `sliding-window`."""

from __future__ import annotations

from itertools import product

from flint import arb, fmpq

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.indexing import IndexingGuess, bits, success_probability

definition_7 = cite("sliding-window.definition-7@11cb34f2")

GUESS = IndexingGuess(3, 2, (0, 1))
BITS = "the rule answers every case by a bit"
GUESS_OUTSIDE = {
    "length >= 1, an integer": IndexingGuess(0, 1, (0,)),
    "index >= 1, an integer": IndexingGuess(2, 0, (0, 0, 0, 0)),
    "index <= N": IndexingGuess(1, 2, (0,)),
    BITS: IndexingGuess(3, 2, (0,)),
}


@definition_7.supports(
    grade="derived",
    region="every N: x and x with bit ind flipped look alike to Bob, one of them is right; "
    "all rules for N <= 3, and at index 2 to 4 for N = 4",
)
def test_bob_knows_nothing_of_the_bit(statement) -> None:
    count = 0
    for length in range(1, 5):
        for index in range(max(1, length - 2), length + 1):
            for rule in product((0, 1), repeat=2 ** (length - index)):
                assert statement.at(IndexingGuess(length, index, rule)) is Truth.TRUE
                count += 1
    assert count > 50
    assert statement.margin(GUESS) == 0
    for inside in (GUESS, IndexingGuess(1, 1, (1,))):
        bind_hypotheses(statement, inside, GUESS_OUTSIDE)
    assert not statement.strict


@definition_7.controls(grade="symbolic", region="3/4 for 1/2; a rule that answers 2; a message that is the bit")
def test_an_advantage_is_noticed(statement) -> None:
    """A message that is the bit itself makes every answer right; without one nothing is seen of it."""

    def three_quarters(p: IndexingGuess):
        known = bits(p.length - p.index)
        found = success_probability(p.length, p.index, lambda seen: p.rule[known.index(seen)])
        return -abs(arb(found) - arb(3) / 4)

    assert statement.nudged(margin=three_quarters).at(GUESS) is Truth.FALSE
    assert statement.at(GUESS) is Truth.TRUE
    strange = IndexingGuess(1, 1, (2,))
    assert statement.applies(strange) is Truth.FALSE
    assert statement.without(BITS).at(strange) is Truth.FALSE
    assert success_probability(1, 1, lambda _: 2) == 0
    assert success_probability(2, 1, lambda seen: seen[0]) == fmpq(1, 2)
    assert success_probability(1, 1, lambda seen: len(seen)) == fmpq(1, 2), "nothing is seen of the last bit"
