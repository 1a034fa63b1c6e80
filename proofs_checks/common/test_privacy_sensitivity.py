"""The finite cores of the l1 sensitivities: sign matrices, block lemma, scalar inequality, attainment."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
import sympy
from flint import arb, fmpq, fmpz_mat, fmpz_poly

from dpmatrix.exact import precision
from dpmatrix.privacy import Adjacency, Entries, l1_distance, l1_sensitivity, largest_l1_difference
from proofs_checks.sign_matrices import exceeds_or_attains, squared_formula

CORE = fmpz_mat([[1, 1, 1], [1, 1, -1], [1, -1, -1]])


@pytest.mark.parametrize("entries", Entries)
@pytest.mark.parametrize("nudge", [-1, 1])
def test_control_a_squared_formula_off_by_one_is_noticed(entries, nudge):
    with precision(128):
        for dimension in (3, 4):
            verdict = exceeds_or_attains(dimension, entries, squared_formula(dimension, entries) + nudge)
            assert verdict != (False, True)


def test_one_coordinate():
    assert l1_sensitivity(1, Adjacency.REPLACE_ONE) == 1
    assert l1_sensitivity(1, Adjacency.REPLACE_ONE, Entries.UPPER_TRIANGLE) == 1


def test_core_matrix_has_eigenvalues_2_1_minus_2():
    x = fmpz_poly([0, 1])
    assert CORE.charpoly() == (x - 2) * (x - 1) * (x + 2)
    assert (-CORE).charpoly() == (x + 2) * (x + 1) * (x - 2)


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_an_off_diagonal_block_is_constant_or_completes_the_core(rows, columns):
    """Exhaustive up to 3 x 3; a larger block that is not constant has a row or a column with both signs, too."""
    wanted = {tuple(CORE.charpoly().coeffs()), tuple((-CORE).charpoly().coeffs())}
    size = rows + columns
    for signs in product((1, -1), repeat=rows * columns):
        matrix = [[1 if max(i, j) < rows else -1 for j in range(size)] for i in range(size)]
        for i, j in product(range(rows), range(columns)):
            matrix[i][rows + j] = matrix[rows + j][i] = signs[i * columns + j]
        chosen = [
            (i, j, k)
            for i in range(size)
            for j in range(i)
            for k in range(j)
            if tuple(fmpz_mat([[matrix[a][b] for b in (i, j, k)] for a in (i, j, k)]).charpoly().coeffs()) in wanted
        ]
        assert bool(chosen) == (len(set(signs)) > 1)


def test_signs_of_a_difference_have_the_blocks_of_the_reduction():
    generator = random.Random(11)
    for _ in range(300):
        size = generator.randint(2, 7)
        v = [Fraction(generator.randint(-9, 9), 7) for _ in range(size)]
        w = [Fraction(generator.randint(-9, 9), 7) for _ in range(size)]
        for i, j in product(range(size), repeat=2):
            inside = [abs(v[index]) >= abs(w[index]) for index in (i, j)]
            difference = v[i] * v[j] - w[i] * w[j]
            if all(inside):
                assert difference == 0 or difference * v[i] * v[j] > 0
            if not any(inside):
                assert difference * w[i] * w[j] < 0


def test_balanced_blocks_give_the_full_formula_and_mixed_ones_less():
    half = sympy.symbols("h", integer=True, positive=True)
    for parity in (0, 1):
        d, p, q = 2 * half + parity, half + parity, half
        assert sympy.expand(d**2 + 4 * p * q - (2 * d**2 - parity)) == 0
        assert sympy.expand((2 * d**2 - parity) - (2 * d**2 - 2)) > 0
        assert sympy.expand(((d + 2) ** 2 + 4 * p * q) - ((d + 2) ** 2 + d**2 - parity)) == 0


def test_upper_triangle_trace_and_block_eigenvalues():
    d = sympy.symbols("d", positive=True)
    trace = d + d * (d - 1) / 4
    assert sympy.expand(trace - (d**2 + 3 * d) / 4) == 0
    assert sympy.expand(2 * (trace - (d - 2) / 4) - ((d + 2) ** 2 + d**2) / 4) == 0
    x = fmpz_poly([0, 1])
    for size in range(1, 9):  # twice (J + I)/2
        twice = fmpz_mat([[2 if i == j else 1 for j in range(size)] for i in range(size)])
        assert twice.charpoly() == (x - (size + 1)) * (x - 1) ** (size - 1)


def test_odd_dimension_scalar_inequality():
    """2|f| + (tau/2 - f)^2 >= 1/4 for odd tau, by exact decompositions; tau and f may change sign together."""
    f, tau = sympy.symbols("f tau", real=True)
    at_one = (sympy.Rational(1, 2) - f) ** 2 - sympy.Rational(1, 4)
    assert sympy.expand(at_one + 2 * f - (f**2 + f)) == 0  # f >= 0
    assert sympy.expand(at_one - 2 * f - (f**2 - 3 * f)) == 0  # f <= 0
    completed = (f - (tau / 2 - 1)) ** 2 + tau - 1
    assert sympy.expand((tau / 2 - f) ** 2 + 2 * f - completed) == 0  # tau >= 3: at least tau - 1, and 2|f| >= 2f
    # The slack of the squares: (1/2 + a)^2 - 1/4 = a + a^2 >= |a| for a >= 0.
    a = sympy.symbols("a", nonnegative=True)
    assert sympy.expand((a + sympy.Rational(1, 2)) ** 2 - sympy.Rational(1, 4) - a - a**2) == 0


def test_control_the_scalar_inequality_needs_an_odd_trace():
    """On exact grids the least value is 1/4 for tau = 1, at least that for odd tau, and 0 for tau = 0."""

    def least(tau: int) -> Fraction:
        return min(2 * abs(Fraction(i, 16)) + (Fraction(tau, 2) - Fraction(i, 16)) ** 2 for i in range(-200, 201))

    assert least(1) == Fraction(1, 4)
    assert all(least(tau) >= Fraction(1, 4) for tau in range(-9, 10, 2))
    assert least(0) == 0


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("entries", Entries)
def test_pairs_attain_the_formula(adjacency, entries):
    with precision(256):
        for dimension in range(1, 61):
            pair = largest_l1_difference(dimension, adjacency, entries)
            gap = l1_distance(pair.first, pair.second, entries) - l1_sensitivity(dimension, adjacency, entries)
            assert gap.contains(0)
            assert gap.rad() < arb(2) ** -200
            for record in (pair.first, pair.second):
                squared = sum((entry**2 for entry in record), arb(0))
                assert squared.contains(1) or all(entry == 0 for entry in record)


def test_control_the_formula_without_its_parity_term_is_not_attained():
    with precision(256):
        pair = largest_l1_difference(3, Adjacency.REPLACE_ONE)
        assert l1_distance(pair.first, pair.second) < arb(fmpq(18)).sqrt()
