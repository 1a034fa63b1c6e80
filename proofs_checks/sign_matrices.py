"""The l1 sensitivity over sign matrices: its formula, and whether a matrix attains or exceeds it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from flint import arb, fmpz_mat, fmpz_poly

from dpmatrix.privacy import Entries


def squared_formula(dimension: int, entries: Entries) -> int:
    """Square of the replace-one formula, times four for the upper triangle, as an integer."""
    if entries is Entries.FULL:
        return 2 * dimension**2 - dimension % 2
    return 4 if dimension == 1 else (dimension + 2) ** 2 + dimension**2 - dimension % 2


def sign_matrices(dimension: int) -> Iterator[list[list[int]]]:
    """Every symmetric sign matrix up to flips of coordinates: the first row is 1 off the diagonal."""
    free = [(i, j) for i in range(dimension) for j in range(i, dimension) if i > 0 or i == j]
    for signs in product((1, -1), repeat=len(free)):
        matrix = [[1] * dimension for _ in range(dimension)]
        for (i, j), sign in zip(free, signs, strict=True):
            matrix[i][j] = matrix[j][i] = sign
        yield matrix


def spread(polynomial: fmpz_poly) -> arb:
    """Largest v'Tv - w'Tw over the unit ball: zero records cut the extreme eigenvalues off at zero."""
    roots = [root.real for root, _ in polynomial.complex_roots()]
    largest, smallest = arb(0), arb(0)
    for root in roots:
        largest, smallest = largest.max(root), smallest.min(root)
    return largest - smallest


def has_exact_spread(polynomial: fmpz_poly, squared: int) -> bool:
    """Whether two roots differ by exactly the square root, by an integer factorisation."""
    _, factors = polynomial.factor()
    linear = [-factor[0] for factor, _ in factors if factor.degree() == 1]
    if any((one - other) ** 2 == squared for one in linear for other in linear):
        return True
    return any(f.degree() == 2 and f[1] ** 2 - 4 * f[0] * f[2] == squared for f, _ in factors)


def exceeds_or_attains(dimension: int, entries: Entries, squared: int) -> tuple[bool, bool]:
    """Whether some sign matrix has a spread above the square root, and whether one has it exactly."""
    exceeded = attained = False
    bound = arb(squared).sqrt()
    for matrix in sign_matrices(dimension):
        if entries is Entries.UPPER_TRIANGLE:  # twice (S + diag S)/2
            matrix = [[value * (2 if i == j else 1) for j, value in enumerate(row)] for i, row in enumerate(matrix)]
        polynomial = fmpz_mat(matrix).charpoly()
        found = spread(polynomial)
        if found < bound:
            continue
        if found > bound or not has_exact_spread(polynomial, squared):
            exceeded = True
        else:
            attained = True
    return exceeded, attained
