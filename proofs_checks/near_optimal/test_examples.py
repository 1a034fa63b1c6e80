"""The example of section 3.3 of `near-optimal`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.examples import Copies, eigengap
from proofs_checks.near_optimal.conditions import bind_condition

sensitivity_example = cite("near-optimal.sensitivity-example@2d4c97a6")

HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)


TILTED = Copies(3, (3 * FIFTH, 4 * FIFTH), (4 * FIFTH, -3 * FIFTH))
COPIES = {
    "copies >= 0, an integer": attrs.evolve(TILTED, copies=-1),
    "|u| = |u'| = 1": attrs.evolve(TILTED, u=(0, 0)),
    "<u, u'> = 0": attrs.evolve(TILTED, other=(1, 0)),
}


@sensitivity_example.supports(
    grade="derived", region="every n = 2m + 1, d and pair u, u': the docstring; 24 pairs of data sets exactly"
)
def test_one_record_turns_the_top_eigenvector_by_a_right_angle(statement) -> None:
    """A u = ((m+1) u <u,u> + m u' <u',u>)/n = (m+1)/n u; the trace is 1, so the others sum to m/n; |u -+ u'|^2 = 2."""
    m, a, b, s = sympy.symbols("m a b s")
    n = 2 * m + 1
    along, across = (m + 1) * a / n, m * s / n
    assert sympy.simplify((along - (m + 1) / n).subs(a, 1)) == 0
    assert across.subs(s, 0) == 0
    gap = 2 * (m + 1) / n - ((m + 1) * a + m * b) / n
    assert sympy.simplify(gap.subs({a: 1, b: 1}) - 1 / n) == 0
    assert [(a + b + sign * 2 * s).subs({a: 1, b: 1, s: 0}) for sign in (1, -1)] == [2, 2]
    for copies in range(12):
        for u, other in ((TILTED.u, TILTED.other), ((0, 1, 0), (0, 0, -1))):
            assert statement.at(Copies(copies, u, other)) is Truth.TRUE
    bind(statement, [(attrs.evolve(TILTED, copies=k), Fraction(0)) for k in range(20)])
    bind_hypotheses(statement, attrs.evolve(TILTED, copies=0), COPIES)
    bind_hypotheses(statement, TILTED, COPIES | {"|u| = |u'| = 1": attrs.evolve(TILTED, other=(0, 0))})
    assert not statement.strict
    scaled = [(attrs.evolve(TILTED, u=(Fraction(k, 9), 0)), -abs(Fraction(k, 9) ** 2 - 1)) for k in range(25)]
    bind_condition(statement, "|u| = |u'| = 1", scaled)
    turned = [(attrs.evolve(TILTED, u=(Fraction(k, 9), 0)), -Fraction(4 * k, 45)) for k in range(25)]
    bind_condition(statement, "<u, u'> = 0", turned)


def departure(p: Copies) -> sympy.Rational:
    """Compute the margin with matrices: the trace of A exceeds twice its eigenvalue at u, and the other departures."""
    m, n = p.copies, 2 * p.copies + 1
    u, other = (sympy.Matrix([sympy.Rational(x) for x in vector]) for vector in (p.u, p.other))
    first = ((m + 1) * u * u.T + m * other * other.T) / n
    second = (m * u * u.T + (m + 1) * other * other.T) / n
    top = sympy.Rational(m + 1, n)
    errors = [*(first * u - top * u), *(second * other - top * other)]
    errors += [(u - other).dot(u - other) - 2, (u + other).dot(u + other) - 2]
    return min(-max(map(abs, errors)), 2 * top - first.trace() - sympy.Rational(1, n))


WRONG_EIGENVALUE = [
    Copies(m, *pair)
    for m in (1, 2, 3)
    for long, short in [((1, HALF), (-2 * FIFTH, Fraction(3, 4)))]
    for pair in ((long, short), (short, long))
]
"""The squared norms sum to nearly 2, and the vectors are nearly orthogonal."""
SPREAD = (Fraction(3, 8),) * 8, (Fraction(1, 3), Fraction(-1, 3)) * 4
SMALL_EIGENGAP = [Copies(m, *pair) for m in (0, 1, 2) for pair in (SPREAD, SPREAD[::-1])]
"""The same with small entries."""


@sensitivity_example.controls(grade="symbolic", region="pairs that are not orthonormal")
def test_other_pairs_are_noticed(statement) -> None:
    """At u = (1, 0), u' = (3/5, 4/5), m = 0 the squared length of the sum is 16/5, not 2."""
    sharp = statement.without("<u, u'> = 0")
    assert sharp.at(Copies(0, (1, 0), (3 * FIFTH, 4 * FIFTH))) is Truth.FALSE
    points = [
        Copies(m, (Fraction(i, 3), Fraction(1, 2)), (Fraction(j, 5), Fraction(-i, 7)))
        for m, i, j in product((0, 1, 4), (-2, 1, 3), (-3, 2, 5))
    ]
    bind(statement, [(p, departure(p)) for p in points])
    # Each part of the margin is the least one somewhere: an eigenvalue, the distance, and the eigengap.
    bind(statement, [(p, departure(p)) for p in (*WRONG_EIGENVALUE, *SMALL_EIGENGAP)], least=12)
    wide = statement.nudged(margin=lambda p: arb(eigengap(p) - fmpq(2, 2 * p.copies + 1)))
    assert wide.at(TILTED) is Truth.FALSE, "the eigengap is 1/n, not 2/n"
    free = statement.without("|u| = |u'| = 1")
    assert free.at(attrs.evolve(TILTED, u=(6 * FIFTH, 8 * FIFTH))) is Truth.FALSE
