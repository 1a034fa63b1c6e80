"""Section 5 of `sliding-window`: windows that no answer fits twice."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.distinguished_windows import TwoApproximated, TwoBinaryWindows, bits, window
from dpmatrix.spec.sliding_window.loewner import gram
from proofs_checks.exact_matrices import line

conjecture_1 = cite("sliding-window.conjecture-1@4cb866d5")
conjecture_2 = cite("sliding-window.conjecture-2@9115fdde")

ZERO, ONE = fmpq_mat([[0]]), fmpq_mat([[1]])
SMALL, LARGE, HALF = Fraction(1, 50), Fraction(49, 50), Fraction(1, 2)
FIFTH, THIRD = Fraction(1, 5), Fraction(1, 3)
BLOCKS = "B and B' of zeros and ones and one shape, the answer symmetric d x d"


def approximated(first, second, answer, eta=HALF) -> TwoApproximated:
    return TwoApproximated(first, second, answer, FIFTH, eta)


def least_symmetric(matrix: fmpq_mat) -> Fraction:
    """Least of 1, the trace and the determinant of a 2 x 2 matrix: what `nonnegative_spectrum` takes."""
    a, b, c, d = (Fraction(int(entry.p), int(entry.q)) for entry in matrix.entries())
    return min(Fraction(1), a + d, a * d - b * c)


@conjecture_1.supports(
    "static-space",
    grade="derived",
    region="every d and eta: an answer for two windows makes their kernels equal, and k (d - k) > d^2/5",
)
def test_a_spectral_approximation_tells_windows_apart(statement) -> None:
    """Let C fit both. Ax = 0 gives x'Cx <= 0, and (1 - eta)|A'x|^2 <= x'Cx gives A'x = 0, A' being the other window.

    So both kernels are one, both row spaces are one, and (I | B') = X (I | B) with X = I, hence B' = B. For d = 2k and
    d = 2k + 1 the number of places k (d - k) is at least (d^2 - 1)/4, above d^2/5 from d = 3 on; for d = 2 it is 1.
    """
    k = sympy.symbols("k", positive=True)
    assert sympy.expand(k * k - (2 * k) ** 2 / sympy.Integer(5) - k**2 / 5) == 0
    assert sympy.expand(k * (k + 1) - (2 * k + 1) ** 2 / sympy.Integer(5) - (k**2 + k - 1) / 5) == 0, "positive"
    values = []
    for i, j, l, eta in product((0, 1, 2), (-1, 0, HALF), (0, 1), (HALF, Fraction(1, 3))):
        answer = (
            fmpq_mat([[rational(i), rational(j)], [rational(j), rational(l)]]) if j != HALF else line(1, 2) * (i + 1)
        )
        sides = [
            least_symmetric(side)
            for moment in (gram(window(ZERO)), gram(window(ONE)))
            for side in (answer - rational(1 - eta) * moment, rational(1 + eta) * moment - answer)
        ]
        point = approximated(ZERO, ONE, answer, eta)
        values.append((point, min(1 - 4 * FIFTH, -min(sides))))
        values.append((attrs.evolve(point, constant=-10), min(41, -min(sides))))
    assert all(missed < 41 for _, missed in values[1::2]), "with c = -10 what the answer misses decides"
    bind(statement, values)
    fits = []
    for first, second in (
        (ZERO, ONE),
        (fmpq_mat([[0, 1]]), fmpq_mat([[1, 1]])),
        (identity(2), fmpq_mat([[1, 0], [1, 1]])),
        (0 * identity(2), fmpq_mat([[0, 0], [0, 1]])),
    ):
        one, two = gram(window(first)), gram(window(second))
        fits += [approximated(first, second, each) for each in (one, two, fmpq(1, 2) * (one + two), 0 * one)]
    assert all(statement.at(p) is Truth.TRUE for p in fits)
    assert {bits(p) for p in fits} == {1, 2, 4}
    base = approximated(ZERO, ONE, gram(window(ONE)))
    wide = approximated(fmpq_mat([[0] * 7]), fmpq_mat([[1] * 7]), identity(8))
    outside = {
        BLOCKS: attrs.evolve(base, second=fmpq_mat([[0, 1]])),
        "B is not B'": attrs.evolve(base, first=ONE),
        "k = d/2, rounded down": wide,
        "eta > 0": attrs.evolve(base, eta=0),
        "eta < 1": attrs.evolve(base, eta=1),
    }
    for inside in (base, attrs.evolve(base, eta=SMALL), attrs.evolve(fits[5], eta=LARGE)):
        bind_hypotheses(statement, inside, outside)
    assert statement.conclusion(outside["B is not B'"]) is Truth.FALSE
    assert statement.conclusion(wide) is Truth.FALSE, "7 bits for d = 8"
    for point in (
        attrs.evolve(base, first=fmpq_mat([[fmpq(1, 50)]])),
        attrs.evolve(base, answer=fmpq_mat([[1, 1], [0, 1]])),
        attrs.evolve(base, answer=ONE),
    ):
        assert statement.applies(point) is Truth.FALSE
    assert statement.strict
    assert [one.exhibited for one in statement.exists] == [rational(FIFTH)]


def answered(first, second, answer) -> TwoBinaryWindows:
    return TwoBinaryWindows(first, second, answer, THIRD)


@conjecture_2.supports(
    "output-space",
    grade="derived",
    region="every k <= d/2: a projection of rank k that costs 0 for two windows has both row spaces as its range",
)
def test_a_projection_tells_windows_apart(statement) -> None:
    """|A(1 - P)| = 0 puts the k dimensions of the row space into the range of P, which has k: they are equal.

    Two windows (I | B) and (I | B') of one row space are equal. k (d - k) >= k d/2 > k d/3.
    """
    values = []
    for i, j in product(range(1, 6), range(-2, 3)):
        costs = [1 + b - Fraction((i + b * j) ** 2, i * i + j * j) for b in (0, 1)]
        values.append((answered(ZERO, ONE, line(i, j)), min(1 - 2 * THIRD, sum(costs))))
        assert statement.at(values[-1][0]) is Truth.TRUE
    bind(statement, values)
    base = answered(ZERO, ONE, line(1, 1))
    plane = answered(identity(2), 0 * identity(2), diagonal((1, 1, 0, 0)))
    assert statement.at(plane) is Truth.TRUE
    narrow = answered(fmpq_mat([[0], [0]]), fmpq_mat([[1], [0]]), diagonal((1, 1, 0)))
    outside = {
        BLOCKS: attrs.evolve(base, second=fmpq_mat([[0, 1]])),
        "B is not B'": attrs.evolve(base, first=ONE),
        "k <= d/2": narrow,
        "the answer is a projection of rank k": attrs.evolve(base, answer=identity(2)),
    }
    for inside in (base, plane, attrs.evolve(base, answer=line(3, 4))):
        bind_hypotheses(statement, inside, outside)
    for says in ("B is not B'", "k <= d/2", "the answer is a projection of rank k"):
        assert statement.conclusion(outside[says]) is Truth.FALSE
    scaled = attrs.evolve(base, answer=fmpq(51, 50) * line(1, 1))
    assert statement.applies(scaled) is Truth.FALSE
    five = answered(fmpq_mat(5, 4, [0] * 20), fmpq_mat(5, 4, [1] * 20), diagonal((1,) * 5 + (0,) * 4))
    assert statement.applies(five) is Truth.FALSE, "k = 5 of d = 9"
    assert statement.strict
    assert [one.exhibited for one in statement.exists] == [rational(THIRD)]
