"""Certified eigengaps and projectors: right within their bounds, and never fooled by a bad proposal."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.mechanisms.certified_subspaces import (
    certify_subspace,
    float_eigenvectors,
    precise_eigenvectors,
    rounded_subspace,
)

DRAWS = random.Random(31)
GAP_BITS, PROJECTOR_BITS = 20, 24


def diagonal(values) -> fmpq_mat:
    places = range(len(values))
    return fmpq_mat([[fmpq(values[i]) if i == j else fmpq(0) for j in places] for i in places])


def rotated(values) -> tuple[fmpq_mat, fmpq_mat]:
    """Draw a rational orthogonal matrix; return the matrix with these eigenvalues, and the eigenvectors."""
    order = len(values)
    half = fmpq_mat(order, order, [fmpq(DRAWS.randint(-9, 9), 5) for _ in range(order * order)])
    skew, unit = half - half.transpose(), diagonal([1] * order)
    frame = (unit - skew) * (unit + skew).inv()
    return frame * diagonal(values) * frame.transpose(), frame


def true_projector(frame: fmpq_mat, rank: int) -> fmpq_mat:
    top = fmpq_mat([row[:rank] for row in frame.tolist()])
    return top * top.transpose()


def squared_distance(integers: np.ndarray, projector: fmpq_mat) -> Fraction:
    order = projector.nrows()
    total = Fraction(0)
    for i in range(order):
        for j in range(order):
            exact = projector[i, j]
            total += (int(integers[i, j]) - 2**PROJECTOR_BITS * Fraction(int(exact.p), int(exact.q))) ** 2
    return total


@pytest.mark.parametrize(
    "values",
    [
        (9, 4, 1),
        (5, 5, 1, 1),
        (3, 3, 3, 0),
        (1000, 3, 2, 1, 0),
        (10**12, 10**12 - 5, 10**12 - 9, 0),
        (10**20 + 3, 10**20, 5),
    ],
)
def test_rounded_subspaces_are_within_their_bounds(values) -> None:
    """The last two need more digits than binary64 has."""
    matrix, frame = rotated(values)
    for rank in range(1, len(values)):
        gap, projector = rounded_subspace(matrix, rank, GAP_BITS, PROJECTOR_BITS)
        exact = values[rank - 1] - values[rank]
        assert abs(gap - 2**GAP_BITS * exact) <= 1
        assert (projector == projector.T).all()
        if exact >= 2:
            assert squared_distance(projector, true_projector(frame, rank)) <= len(values) ** 2
        if exact == 0:
            assert not projector.any()


def test_the_bounds_of_a_certificate_hold_the_truth() -> None:
    matrix, frame = rotated((9, 4, 1))
    for proposal in (float_eigenvectors(matrix), precise_eigenvectors(matrix, 30)):
        found = certify_subspace(matrix, 1, proposal)
        assert found.gap.contains(arb(5))
        assert found.error < arb(10) ** -12
        difference = found.projector - arb_mat(true_projector(frame, 1))
        distance = sum((abs(entry) * abs(entry) for entry in difference.entries()), arb(0)).sqrt()
        assert not distance > found.error


def test_a_bad_proposal_is_not_certified() -> None:
    matrix, frame = rotated((9, 4, 1))
    swapped = fmpq_mat([[row[1], row[0], row[2]] for row in frame.tolist()])
    assert not certify_subspace(matrix, 1, arb_mat(swapped)).error.is_finite()
    stretched = certify_subspace(matrix, 1, arb_mat(frame * fmpq(11, 10)))
    assert not stretched.error < arb(1) / 10
    assert not certify_subspace(matrix, 1, arb_mat(frame + frame)).error.is_finite()
    turned = float_eigenvectors(diagonal((9, 4, 1)))
    loose = certify_subspace(matrix, 1, turned)
    assert not loose.error < arb(1) / 100
