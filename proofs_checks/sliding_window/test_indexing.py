"""Definition 7 of `sliding-window`."""

from __future__ import annotations

from itertools import product

from flint import arb, fmpq

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.indexing import IndexingGuess, success_probability

definition_7 = cite("sliding-window.definition-7@b6f2ace8")

GUESS = IndexingGuess(3, 2, (0, 1))
GUESS_OUTSIDE = {
    "length >= 1, an integer": IndexingGuess(0, 1, (0,)),
    "index >= 1, an integer": IndexingGuess(2, 0, (0, 0, 0, 0)),
    "index <= N": IndexingGuess(1, 2, (0,)),
    "the rule answers every case": IndexingGuess(3, 2, (0,)),
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
    for inside in (GUESS, IndexingGuess(1, 1, (1,))):
        bind_hypotheses(statement, inside, GUESS_OUTSIDE)
    assert not statement.strict


@definition_7.controls(grade="symbolic", region="a margin lower by 1/50, as for a rule that is right more often")
def test_an_advantage_is_noticed(statement) -> None:
    """A message of one bit, the parity of the rest, would raise the probability; here the margin falls by 1/50."""
    assert statement.nudged(lambda margin: margin - arb(1) / 50).at(GUESS) is Truth.FALSE
    assert success_probability(2, 1, lambda seen: seen[0]) == fmpq(1, 2)
    assert success_probability(1, 1, lambda seen: len(seen)) == fmpq(1, 2), "nothing is seen of the last bit"
