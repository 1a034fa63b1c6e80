"""The bound on which exact draws of subspaces rest: its identity, its inequalities, and certificates over boxes."""

from __future__ import annotations

from itertools import product

import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import precision
from dpmatrix.randomness.matrix_envelope import MatrixEnvelope, linear_bound


def with_symmetric_top(lower):
    """Give V with V'V = I whose first block is ``(I - T'T)(I + T'T)^{-1}``: symmetric, and >= 0 for T'T <= I."""
    k = lower.ncols()
    gram, one = lower.transpose() * lower, fmpq_mat([[int(i == j) for j in range(k)] for i in range(k)])
    inverse = (one + gram).inv()
    top, below = (one - gram) * inverse, lower * inverse * fmpq(2)
    return fmpq_mat(top.tolist() + below.tolist())


def energies(matrix, eigenvalues, omegas, weights):
    return sum(
        matrix[i, j] ** 2 * (eigenvalues[i] + weights[j] * omegas[i])
        for i, j in product(range(matrix.nrows()), range(matrix.ncols()))
    )


ENTRIES = (fmpq(0), fmpq(1, 3), fmpq(-1, 2), fmpq(2, 3))
SETTINGS = [
    ([5, 3, 1, 0], [1, fmpq(3, 2), 4, 5], [1, fmpq(2, 3)]),
    ([5, 3, 1, 0], [1, fmpq(3, 2), 9, 9], [fmpq(2, 3), 1]),
    ([0, 0, 0, 0], [1, 2, 3, 4], [3, 1]),
    ([1, 7, 2, 9], [2, 1, 1, 3], [1, 5]),
]


@pytest.mark.parametrize(("eigenvalues", "omegas", "weights"), SETTINGS)
def test_linear_part_is_the_identity_of_the_proof_and_below_its_bound(eigenvalues, omegas, weights):
    """Every 2 x 2 matrix T with entries of `ENTRIES`, exactly."""
    eigenvalues, omegas, weights = (list(map(fmpq, row)) for row in (eigenvalues, omegas, weights))
    bound = linear_bound(eigenvalues, omegas, weights)
    checked = 0
    for entries in product(ENTRIES, repeat=4):
        t = fmpq_mat(2, 2, list(entries))
        v = with_symmetric_top(t)
        assert v.transpose() * v == fmpq_mat([[1, 0], [0, 1]])
        value = energies(v, eigenvalues, omegas, weights)
        mixed = v[0, 1] ** 2 * (weights[0] - weights[1]) * (omegas[1] - omegas[0])
        slopes = sum(
            v[i, j] ** 2 * (eigenvalues[i] - eigenvalues[j] + weights[j] * (omegas[i] - omegas[j]))
            for i in (2, 3)
            for j in (0, 1)
        )
        assert value == sum(eigenvalues[j] + weights[j] * omegas[j] for j in (0, 1)) + mixed + slopes
        if v[0, 0] + v[1, 1] >= 0 and v[0, 0] * v[1, 1] >= v[0, 1] ** 2:
            checked += 1
            assert v[0, 1] ** 2 <= v[0, 0] - v[0, 0] ** 2 <= fmpq(1, 4)
            assert value <= bound
    assert checked >= 100


def test_mixed_term_is_needed():
    """Two columns that meet half-way, X near [[1, 1], [1, 1]] / 2, exceed the bound without its eighth."""
    eigenvalues, omegas, weights = (
        list(map(fmpq, (0, 0, fmpq(9, 5)))),
        list(map(fmpq, (1, 2, fmpq(1, 10)))),
        [fmpq(2), fmpq(1)],
    )
    # T = (t, -t) with 2 t^2 just below 1 rotates (1, -1) almost into the third direction, where no slope is positive.
    v = with_symmetric_top(fmpq_mat([[fmpq(985, 1393), -fmpq(985, 1393)]]))
    assert v[0, 1] ** 2 > fmpq(2499, 10000)
    bound = linear_bound(eigenvalues, omegas, weights)
    assert bound == 4 + fmpq(1, 8) * 2
    assert bound - fmpq(1, 8) < energies(v, eigenvalues, omegas, weights) <= bound


def test_scalar_inequalities():
    """``x - 1 - log x >= 0`` with equality at 1, its only critical point; ``1/4 - x + x^2`` is a square."""
    x = sympy.symbols("x", positive=True)
    gap = x - 1 - sympy.log(x)
    assert sympy.solve(sympy.diff(gap, x), x) == [1]
    assert gap.subs(x, 1) == 0
    assert sympy.diff(gap, x, 2).is_positive
    assert sympy.simplify(sympy.Rational(1, 4) - x + x**2 - (x - sympy.Rational(1, 2)) ** 2) == 0


def test_roots_of_a_gram_matrix_near_one():
    """``|1/s - 1| <= |s^2 - 1|`` for s > 0, s^2 >= 1/2: it is ``1 <= s (1 + s)`` after division by |1 - s| / s."""
    s = sympy.symbols("s", positive=True)
    assert sympy.expand((1 - s) * (1 + s) - (1 - s**2)) == 0
    product_at_least = sympy.sqrt(sympy.Rational(1, 2)) * (1 + sympy.sqrt(sympy.Rational(1, 2)))
    assert product_at_least > 1
    assert sympy.diff(s * (1 + s), s).is_positive


SPECTRA = [(4, 2, 0), (6, 5, -3), (1, 1, 0), (10, 0, 0), (30, 12, 1)]


@pytest.mark.parametrize("spectrum", SPECTRA)
def test_envelope_of_planes_in_space_over_boxes(spectrum):
    """``tr B - u'Bu + (3/2) log(|O| u'O^{-1}u) <= K`` for every normal u, (3, 2), by subdivision of (u_1^2, u_2^2)."""
    envelope = MatrixEnvelope.of(fmpq_mat([[x if i == j else 0 for j in range(3)] for i, x in enumerate(spectrum)]), 2)
    assert certified(envelope, spectrum)
    # Control: K less a third of the slack that a grid shows is not a bound.
    assert not certified(envelope, spectrum, less=1)


def certified(envelope, spectrum, less=0):
    """Bound the function over {a, b >= 0, a + b <= 1}, in which a plane's normal has squares a, b, 1 - a - b."""
    omegas = [1 / fmpq(*float(scale).as_integer_ratio()) ** 2 for scale in envelope.scales]
    order = sorted(spectrum, reverse=True)
    with precision(80):
        limit = envelope.constant() - less
        volume = omegas[0] * omegas[1] * omegas[2]
        boxes = [(fmpq(0), fmpq(0), fmpq(1))]
        while boxes:
            a, b, width = boxes.pop()
            if a + b > 1:
                continue
            x, y = (arb(low + width / 2, width / 2) for low in (a, b))
            low, high = max(fmpq(0), 1 - a - b - 2 * width), 1 - a - b
            z = arb((low + high) / 2, (high - low) / 2)
            # The sum of the eigenvalues is that of the plane's energies and of the normal's.
            energy = x * (order[1] + order[2]) + y * (order[0] + order[2]) + z * (order[0] + order[1])
            inverse = x / omegas[0] + y / omegas[1] + z / omegas[2]
            value = energy + (volume * inverse).log() * fmpq(3, 2)
            if value < limit:
                continue
            if width < fmpq(1, 2**12):
                return False
            half = width / 2
            boxes += [(a, b, half), (a + half, b, half), (a, b + half, half), (a + half, b + half, half)]
    return True
