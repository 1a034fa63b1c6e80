"""Certified eigengaps and projectors: right within their bounds, and never fooled by a bad proposal."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import certified_subspaces
from dpmatrix.mechanisms.certified_subspaces import (
    BALL_BITS,
    certify_subspace,
    float_eigenvectors,
    precise_eigenvectors,
    rounded_subspace,
)

GAP_BITS, PROJECTOR_BITS = 20, 24


def diagonal(values) -> fmpq_mat:
    places = range(len(values))
    return fmpq_mat([[fmpq(values[i]) if i == j else fmpq(0) for j in places] for i in places])


def rotated(values) -> tuple[fmpq_mat, fmpq_mat]:
    """Draw a rational orthogonal matrix; return the matrix with these eigenvalues, and the eigenvectors."""
    order, draws = len(values), random.Random(str(values))
    half = fmpq_mat(order, order, [fmpq(draws.randint(-9, 9), 5) for _ in range(order * order)])
    skew, unit = half - half.transpose(), diagonal([1] * order)
    frame = (unit - skew) * (unit + skew).inv()
    return frame * diagonal(values) * frame.transpose(), frame


def balls(matrix: fmpq_mat) -> arb_mat:
    with precision(BALL_BITS):
        return arb_mat(matrix)


def true_projector(frame: fmpq_mat, rank: int) -> fmpq_mat:
    top = fmpq_mat([row[:rank] for row in frame.tolist()])
    return top * top.transpose()


def squared_distance(integers: np.ndarray, projector: fmpq_mat, bits: int = PROJECTOR_BITS) -> Fraction:
    order = projector.nrows()
    total = Fraction(0)
    for i in range(order):
        for j in range(order):
            exact = projector[i, j]
            total += (int(integers[i, j]) - 2**bits * Fraction(int(exact.p), int(exact.q))) ** 2
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


def floats(matrix: fmpq_mat) -> np.ndarray:
    return np.array([[int(x.p) / int(x.q) for x in row] for row in matrix.tolist()])


def by_the_proof(matrix: fmpq_mat, rank: int, proposed: fmpq_mat) -> tuple[float, float, float]:
    """Compute the ends of the gap and the error from the formulas of the proof, in binary64."""
    centre, frame = floats(matrix), floats(proposed)
    skew = np.linalg.norm(frame.T @ frame - np.eye(len(frame)))
    inside = frame.T @ centre @ frame
    values = np.diag(inside)
    off = np.linalg.norm(inside - np.diag(values))
    pair = np.sort(values)[::-1][rank - 1 : rank + 1]
    ends = [[(value + t) / s for t in (-off, off) for s in (1 - skew, 1 + skew)] for value in pair]
    top = frame[:, :rank]
    rest = np.linalg.norm(centre @ top - top * values[:rank])
    least = values[:rank].min() - off
    separation = min(least / (1 + skew), least / (1 - skew)) - max(ends[1])
    turned = np.sqrt(2) * rest / (np.sqrt(1 - skew) * separation)
    error = turned + (1 + skew) * skew / (1 - skew) if separation > 0 else np.inf
    return min(ends[0]) - max(ends[1]), max(ends[0]) - min(ends[1]), error


SPECTRA = [
    (9, 4, 1),
    (90, 2, 1, 0),
    (40, 30, 1),
    (2, -7, -8),
    (-1, -30, -41),
    (fmpq(3, 4), fmpq(1, 4)),
]


@pytest.mark.parametrize("values", SPECTRA)
def test_certificates_are_those_of_the_proof_and_hold_the_truth(values) -> None:
    """For proposals that are off by nothing, by thousandths and by some percent, in any order, and stretched."""
    matrix, frame = rotated(values)
    order, finite, draws = len(values), 0, random.Random(31)
    for part in (0, 1, 5, 20, 60):
        for stretch in (0, 3, -3):
            noise = fmpq_mat(order, order, [fmpq(draws.randint(-part, part), 1000) for _ in range(order**2)])
            proposed = (frame + noise) * fmpq(100 + stretch, 100)
            for rank in range(1, order):
                found = certify_subspace(matrix, rank, balls(proposed))
                least, most, error = by_the_proof(matrix, rank, proposed)
                assert np.isclose(float(found.gap.lower()), least, rtol=1e-6, atol=1e-6)
                assert np.isclose(float(found.gap.upper()), most, rtol=1e-6, atol=1e-6)
                assert np.isclose(float(found.error), error, rtol=1e-5, atol=1e-9)
                assert found.gap.contains(arb(values[rank - 1] - values[rank]))
                finite += np.isfinite(error)
                if np.isfinite(error):
                    difference = found.projector - balls(true_projector(frame, rank))
                    assert np.linalg.norm([float(entry) for entry in difference.entries()]) <= error + 1e-9
    assert finite > 6


def test_values_are_sorted_and_columns_are_not() -> None:
    """Eigenvectors in another order have the same gap, but span the subspace only where the first k are the top k."""
    matrix, frame = rotated((9, 4, 1, 0))
    for order in ((1, 0, 2, 3), (3, 2, 1, 0), (0, 3, 1, 2)):
        proposed = balls(fmpq_mat([[row[place] for place in order] for row in frame.tolist()]))
        for rank, gap in ((1, 5), (2, 3), (3, 1)):
            found = certify_subspace(matrix, rank, proposed)
            assert found.gap.contains(arb(gap))
            assert found.gap.rad() < arb(2) ** -200
            assert found.error.is_finite() is ({*order[:rank]} == {*range(rank)})


def test_nothing_is_certified_of_a_frame_that_is_far_from_orthonormal() -> None:
    matrix = diagonal((9, 4, 1))
    for far in ((0, 1, 1), (2, 1, 1), (0, 0, 0), (1, 3, 1)):
        found = certify_subspace(matrix, 1, balls(diagonal(far)))
        assert not found.gap.is_finite()
        assert found.error > arb(10) ** 400
    # Equal eigenvalues are separated by nothing, even where all is exact.
    equal = certify_subspace(diagonal((1, 1)), 1, balls(diagonal((1, 1))))
    assert equal.gap.contains(arb(0))
    assert equal.error > arb(10) ** 400


def test_more_bits_give_narrower_certificates() -> None:
    matrix, _ = rotated((9, 4, 1))
    proposed = precise_eigenvectors(matrix, 200)
    assert certify_subspace(matrix, 1, proposed).gap.rad() > arb(2) ** -330
    assert certify_subspace(matrix, 1, proposed, 600).gap.rad() < arb(2) ** -500


@pytest.mark.parametrize("proposal", [float_eigenvectors, lambda matrix: precise_eigenvectors(matrix, 30)])
@pytest.mark.parametrize("scale", [fmpq(1), fmpq(10) ** 400, fmpq(10) ** -400])
def test_proposals_are_exact_numbers_at_every_scale(proposal, scale) -> None:
    matrix, frame = rotated((9, 4, 1))
    proposed = proposal(matrix * scale)
    assert all(entry.is_exact() for entry in proposed.entries())
    overlap = proposed.transpose() * balls(frame)
    for i in range(3):
        for j in range(3):
            assert abs(abs(overlap[i, j]) - int(i == j)) < arb(10) ** -13


def test_a_matrix_of_zeros_has_proposals_too() -> None:
    for proposed in (float_eigenvectors(diagonal((0, 0))), precise_eigenvectors(diagonal((0, 0)), 30)):
        assert certify_subspace(diagonal((0, 0)), 1, proposed).gap.contains(arb(0))
    gap, projector = rounded_subspace(diagonal((0, 0)), 1, GAP_BITS, PROJECTOR_BITS)
    assert gap == 0
    assert not projector.any()


@pytest.mark.parametrize("bits", [0, 1, 24, 100, 512])
def test_every_number_of_bits_is_met(bits) -> None:
    values = (9, 4, fmpq(7, 5), -1)
    matrix, frame = rotated(values)
    for rank in (1, 2, 3):
        gap, projector = rounded_subspace(matrix, rank, bits, bits)
        assert abs(gap - 2**bits * (fmpq(values[rank - 1]) - values[rank])) <= 1
        assert squared_distance(projector, true_projector(frame, rank), bits) <= 16


def test_hundreds_of_digits_are_told_apart_and_a_thousand_are_not() -> None:
    for digits in (100, 400):
        values = (10**digits + 5, 10**digits, 0)
        matrix, frame = rotated(values)
        gap, projector = rounded_subspace(matrix, 1, GAP_BITS, PROJECTOR_BITS)
        assert abs(gap - 5 * 2**GAP_BITS) <= 1
        assert squared_distance(projector, true_projector(frame, 1)) <= 9
    with pytest.raises(UndecidedError, match="could not be certified"):
        rounded_subspace(rotated((10**1000 + 5, 10**1000))[0], 1, GAP_BITS, PROJECTOR_BITS)


def test_a_gap_of_one_has_no_projector_and_a_larger_one_has() -> None:
    assert not rounded_subspace(diagonal((2, 1)), 1, GAP_BITS, PROJECTOR_BITS)[1].any()
    for values in ((fmpq(5, 2), 1, 0), (1 + fmpq(2) ** -10, 0, 0)):
        matrix, frame = rotated(values)
        _, projector = rounded_subspace(matrix, 1, GAP_BITS, PROJECTOR_BITS)
        assert squared_distance(projector, true_projector(frame, 1)) <= 9


def propose(monkeypatch, proposed: fmpq_mat) -> None:
    """Let this be what floating point proposes first."""
    monkeypatch.setattr(certified_subspaces, "float_eigenvectors", lambda _: balls(proposed))


def turn(tangent: fmpq) -> fmpq_mat:
    """Return a rational rotation by twice the angle that has this tangent."""
    cosine, sine = (1 - tangent**2) / (1 + tangent**2), 2 * tangent / (1 + tangent**2)
    return fmpq_mat([[cosine, -sine], [sine, cosine]])


@pytest.mark.parametrize("gap", [fmpq(31, 20), fmpq(5)])
def test_a_turned_proposal_moves_the_projector_by_n_units_at_most(monkeypatch, gap) -> None:
    """The bound of a small turn is its true distance, so a proposal that is taken too easily shows.

    The distance is stepped up to three units; with that of rounding it would exceed the two that are allowed.
    """
    for step in range(1, 151):
        frame = turn(fmpq(step, 200))
        matrix = frame * diagonal((gap + 1, 1)) * frame.transpose()
        # A turn by a moves the projector by sqrt(2) a.
        propose(monkeypatch, frame * turn(fmpq(step, 50) / fmpq(2) ** PROJECTOR_BITS * fmpq(5, 14)))
        _, projector = rounded_subspace(matrix, 1, 0, PROJECTOR_BITS)
        assert squared_distance(projector, true_projector(frame, 1)) <= 4


def test_a_stretched_proposal_moves_the_gap_by_one_unit_at_most(monkeypatch) -> None:
    """A longer or shorter first vector moves the first value by 9/13 of what the certificate has as radius.

    The radius is stepped up to two units; with the rounding of a fraction the gap would be off by more than one.
    """
    for part, sign in ((fmpq(9, 10), 1), (fmpq(1, 10), -1), (fmpq(11, 20), -1)):
        largest = 9 + part / 2**GAP_BITS
        for step in range(1, 101):
            propose(monkeypatch, diagonal((1 + sign * fmpq(step, 50) / 2**GAP_BITS / 26, 1, 1)))
            gap, _ = rounded_subspace(diagonal((largest, 4, 1)), 1, GAP_BITS, 1)
            assert abs(gap - 2**GAP_BITS * (largest - 4)) <= 1


def test_gaps_and_projectors_are_rounded_to_the_nearest() -> None:
    for part in (fmpq(1, 10), fmpq(2, 5), fmpq(3, 5), fmpq(9, 10)):
        assert rounded_subspace(diagonal((3 + part, 1)), 1, 0, 0)[0] == 2 + int(part > fmpq(1, 2))
    frame = turn(fmpq(1, 3))  # 4/5 and 3/5, so a projector of 16/25, 12/25 and 9/25
    projector = rounded_subspace(frame * diagonal((9, 1)) * frame.transpose(), 1, 0, 0)[1]
    assert projector.tolist() == [[1, 0], [0, 0]]
