"""Theorem 13 of `sliding-window`: the communication that augmented indexing needs."""

from __future__ import annotations

import random
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.communication import Protocol, best_success

theorem_13 = cite("sliding-window.theorem-13@0c89ae0e")


def by_hand(p: Protocol):
    """Average success of the best answers, from tuples of bits, and the margin."""
    strings = list(product((0, 1), repeat=p.length))
    wins = 0
    for place in range(p.length):
        views: dict[tuple, list[int]] = {}
        for string, message in zip(strings, p.messages or [None] * len(strings), strict=True):
            views.setdefault((message, string[place + 1 :]), []).append(string[place])
        wins += sum(max(bits.count(0), bits.count(1)) for bits in views.values())
    with mpmath.workdps(60):
        error = 1 - mpmath.mpf(wins) / (p.length * 2**p.length)
        entropy = -sum(q * mpmath.log(q, 2) for q in (error, 1 - error) if q)
        return mpmath.nstr(p.sent - p.length * (1 - entropy), 50)


def protocols():
    """All messages for N <= 2 with b <= 1 and N = 3 with b = 1, some of two bits for N = 3, 4, and Bob's for N <= 5."""
    for length, sent in product(range(1, 6), (0, 1, 9)):
        yield Protocol(length, (), sent, from_alice=False)
    for length, sent in ((1, 0), (1, 1), (2, 0), (2, 1), (3, 1)):
        for messages in product(range(2**sent), repeat=2**length):
            yield Protocol(length, messages, sent)
    source = random.Random(7)
    for length in (3, 4):
        for _ in range(60):
            yield Protocol(length, tuple(source.randrange(4) for _ in range(2**length)), 2)


@theorem_13.supports(
    grade="derived",
    region="every N, message and answers, both directions: chain rule, Fano, concavity; "
    "all protocols, b <= 1, N <= 2 and b = 1, N = 3",
)
def test_information_about_each_bit_has_to_be_sent(statement) -> None:
    """B >= H(M) >= I(x; M) = sum_i I(x_i; M | x_{i+1}, ..., x_N), and each term is 1 - H(x_i | M, x_{i+1}, ..., x_N).

    Whoever guesses x_i from (M, x_{i+1}, ...) with error e_i has H(x_i | ...) <= H(e_i) (Fano for one bit), and sum
    H(e_i) <= N H(1 - s) by concavity of H. Public coins are averaged over. Machine-checked: H'' < 0; Fano's inequality
    is concavity as well, H(x | view) = E H(p_view) <= H(E min(p, 1 - p)); the whole for the protocols listed.
    When Bob sends, his view is the same for both values of x_i, s = 1/2, and the bound is b >= 0: Definition 7.
    """
    p = sympy.symbols("p", positive=True)
    entropy = -(p * sympy.log(p) + (1 - p) * sympy.log(1 - p)) / sympy.log(2)
    assert sympy.simplify(sympy.diff(entropy, p, 2) + 1 / (p * (1 - p) * sympy.log(2))) == 0
    assert 0.0817 < float(1 - entropy.subs(p, sympy.Rational(1, 3))) < 0.0818
    theorem_13.tells("1 - H(1/3) = {}", 1 - entropy.subs(p, sympy.Rational(1, 3)))
    found = list(protocols())
    assert len(found) > 300
    for each in found:
        assert statement.at(each) is not Truth.FALSE
    assert sum(statement.at(each) is Truth.TRUE for each in found) > 300
    bind(statement, ((each, by_hand(each)) for each in found[::5]))
    outside = {
        "length >= 1, an integer": Protocol(0, (0,), 1),
        "sent >= 0, an integer": Protocol(1, (0, 0), -1),
        "2^N messages of b bits if Alice sends, none if Bob does": Protocol(1, (0, 2), 1),
    }
    deaf = Protocol(3, (), 2, from_alice=False)
    assert best_success(deaf) == fmpq(1, 2)
    assert statement.margin(deaf) == 2
    for inside in (Protocol(1, (0, 1), 1), Protocol(2, (0, 0, 0, 0), 0), deaf):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(deaf, messages=(0,) * 8)) is Truth.FALSE
    assert statement.applies(Protocol(1, (0,), 1)) is Truth.FALSE
    assert statement.applies(Protocol(1, (0, -1), 1)) is Truth.FALSE
    told = Protocol(3, tuple(range(8)), 3)
    assert statement.applies(told) is Truth.TRUE
    assert statement.margin(told) == 0, "all of the string, and nothing to spare"
    assert not statement.strict


@theorem_13.controls(grade="interval", region="longer messages; Alice answers")
def test_longer_messages_are_noticed(statement) -> None:
    everything = Protocol(2, (0, 1, 2, 3), 1)
    assert statement.applies(everything) is Truth.FALSE
    assert statement.without("2^N messages of b bits if Alice sends, none if Bob does").at(everything) is Truth.FALSE
    assert statement.at(attrs.evolve(everything, sent=2)) is Truth.TRUE, "equality: 2 bits for 2 bits"
    # If Alice were to answer, the b bits of an index among 2^b would do: s = 1, and b < N.
    named = Protocol(8, (), 3, from_alice=False)
    assert statement.at(named) is Truth.TRUE
    assert statement.nudged(margin=lambda p: arb(p.sent - p.length)).at(named) is Truth.FALSE
