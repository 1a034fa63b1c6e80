"""Augmented indexing: Definition 7."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole


@attrs.frozen
class IndexingGuess:
    """Bob's rule without a message, for strings of N bits.

    Parameters
    ----------
    length
        N.
    index
        Which bit is asked for, from 1 to N.
    rule
        Bob's guess for each string of the N - index bits that he knows, in lexicographic order.
    """

    length: int
    index: int
    rule: tuple[int, ...]


def bits(number: int) -> list[tuple[int, ...]]:
    """All strings of ``number`` bits in lexicographic order."""
    return list(product((0, 1), repeat=number))


def success_probability(length: int, index: int, guess: Callable[[tuple[int, ...]], int]) -> fmpq:
    """Probability over a uniform string that the guess from the bits after ``index`` is the bit at ``index``."""
    wins = sum(guess(string[index:]) == string[index - 1] for string in bits(length))
    return fmpq(wins, 2**length)


def guess_margin(p: IndexingGuess) -> arb:
    """Minus the distance of Bob's probability of success from 1/2."""
    known = bits(p.length - p.index)
    return -abs(arb(success_probability(p.length, p.index, lambda seen: p.rule[known.index(seen)]) - fmpq(1, 2)))


def index_margin(p: IndexingGuess) -> arb:
    """``N - index``."""
    return arb(p.length - p.index)


def complete_rule_margin(p: IndexingGuess) -> arb:
    """Zero exactly when the rule has one guess, a bit, for each string that Bob may know."""
    wrong = sum(guess not in (0, 1) for guess in p.rule)
    return -arb(abs(len(p.rule) - 2 ** max(p.length - p.index, 0)) + wrong)


DEFINITION_7 = Claim(
    id="sliding-window.definition-7",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 7",
        "Alice has N bits x, Bob has ind in [N] and x_{ind+1}, ..., x_N; Bob outputs x_ind",
    ),
    statement=Statement(
        "without a message every rule of Bob's is right with probability exactly 1/2 on a uniform string",
        guess_margin,
        given=(
            whole("length", 1),
            whole("index", 1),
            exceeds("index <= N", index_margin, strict=False),
            exceeds("the rule answers every case by a bit", complete_rule_margin, strict=False),
        ),
    ),
    verdict=Verdict.WELL_POSED,
    reading="Rules are deterministic; one that draws bits is a mixture of them. What a message does is theorem-13's.",
    because="The bits that Bob knows do not contain x_ind, so flipping it pairs the strings on which a rule is right.",
)
