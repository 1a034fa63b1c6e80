"""The gap and the projector of exact matrices: certificates that hold of bad proposals, and integers that are near.

What the noise of subspace recovery hides is that the integers are near the gap and the projector, whatever floating
point proposes. Here both are known: matrices are made of a rotation of fractions and of their eigenvalues. Nothing is
statistical.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.exact import precision
from dpmatrix.mechanisms import certified_subspaces
from dpmatrix.mechanisms.certified_subspaces import certify_subspace, rounded_subspace

BITS = 400


def rotation(size: int, seed: int) -> fmpq_mat:
    """Return an orthogonal matrix of fractions: the transform of Cayley of a skew one."""
    generator = np.random.default_rng(seed)
    skew, unit = fmpq_mat(size, size), fmpq_mat(size, size)
    for i in range(size):
        unit[i, i] = 1
        for j in range(i):
            skew[i, j] = fmpq(int(generator.integers(-9, 10)), int(generator.integers(3, 9)))
            skew[j, i] = -skew[i, j]
    turned: fmpq_mat = (unit - skew) * (unit + skew).inv()
    return turned


def of(values: Sequence[object], turned: fmpq_mat) -> fmpq_mat:
    """Return the matrix that has these eigenvalues and the columns of a rotation as eigenvectors."""
    size = len(values)
    middle = fmpq_mat(size, size)
    for place, value in enumerate(values):
        ratio = Fraction(str(value))
        middle[place, place] = fmpq(ratio.numerator, ratio.denominator)
    found: fmpq_mat = turned * middle * turned.transpose()
    return found


def distance(first: arb_mat, second: arb_mat) -> arb:
    """Enclose the Frobenius norm of a difference."""
    return arb(sum(((a - b) ** 2 for a, b in zip(first.entries(), second.entries(), strict=True)), arb(0))).sqrt()


# Certificates of bad proposals

SPECTRA: dict[str, tuple[Sequence[object], int]] = {
    "two": ((7, 3), 1),
    "close": ((1, Fraction(15, 16)), 1),
    "below-zero": ((-1, -4), 1),
    "far": ((1000, 1), 1),
    "three": ((9, 5, 1), 1),
    "two-of-three": ((9, 5, 1), 2),
    "all-below-zero": ((-2, -3, -9), 2),
    "four": ((12, 11, 4, -3), 2),
}
ANGLES = (0.0, 1e-9, 1e-3, 0.03, 0.1, 0.3, math.pi / 4, math.pi / 2)
STRETCHES = (1.0, 1 - 2.0**-7, 1 + 2.0**-7, 0.8, 1.2)


def proposals(
    turned: fmpq_mat, size: int, angles: Sequence[float] = ANGLES, stretches: Sequence[float] = STRETCHES
) -> Iterator[arb_mat]:
    """Yield exact matrices that are eigenvectors but for a turn in a plane and for the length of columns."""
    for angle in angles:
        for plane in [(0, 1)] if size == 2 else [(0, 1), (1, 2), (size - 1, 0)]:
            for stretch in stretches:
                for columns in ((0,), (size - 1,), tuple(range(size))):
                    if stretch == 1.0 and columns != (0,):
                        continue
                    change = np.eye(size)
                    change[:, columns] *= stretch
                    plain = np.eye(size)
                    i, j = plane
                    plain[i, i] = plain[j, j] = math.cos(angle)
                    plain[i, j], plain[j, i] = -math.sin(angle), math.sin(angle)
                    bad = arb_mat(turned) * arb_mat([[arb(x) for x in row] for row in (plain @ change).tolist()])
                    yield arb_mat([[entry.mid() for entry in row] for row in bad.tolist()])


@pytest.mark.parametrize("name", SPECTRA)
def test_a_certificate_holds_of_whatever_is_proposed(name: str) -> None:
    """The gap is enclosed, and the projector is no farther away than is said; a good proposal is certified closely."""
    values, rank = SPECTRA[name]
    size = len(values)
    turned = rotation(size, size)
    matrix = of(values, turned)
    gap = Fraction(str(values[rank - 1])) - Fraction(str(values[rank]))
    finite = 0
    with precision(BITS):
        top = arb_mat([[turned[i, j] for j in range(rank)] for i in range(size)])
        wanted = top * top.transpose()
        for place, proposed in enumerate(proposals(turned, size)):
            found = certify_subspace(matrix, rank, proposed, BITS)
            assert found.gap.contains(arb(fmpq(gap.numerator, gap.denominator))) or not found.gap.is_finite()
            assert not distance(found.projector, wanted) > found.error
            finite += bool(found.error < 10)
            if place == 0:
                assert found.error < 1e-12
                assert found.gap.rad() < 1e-12
    assert finite > 5, "control"


# Integers that are near

SHIFTS = (0, 1, 10**6, 2**33, 10**15, 10**30)
CASES: dict[str, tuple[Sequence[object], int]] = {
    "far": ((9, 5, 1), 1),
    "late": ((9, 5, 1), 2),
    "low": ((3, "1/3"), 1),
    "hair": (("2.000002", 0, 0), 1),
    "between": (("1.5", 0), 1),
    "short": (("0.9", 0, "-0.5"), 1),
    "tiny": ((Fraction(7, 5 * 2**20), 0), 1),
    "none": ((5, 5, 0), 1),
}
"""Eigenvalues, which are shifted together, and a rank."""


def check(values: Sequence[object], rank: int, bits: int, turned: fmpq_mat) -> None:
    """Compare the integers of a matrix with those of its eigenvalues and its rotation."""
    size, gap_bits = len(values), 20
    gap = Fraction(str(values[rank - 1])) - Fraction(str(values[rank]))
    units, projector = rounded_subspace(of(values, turned), rank, gap_bits, bits)
    assert abs(units - gap * 2**gap_bits) <= 1
    assert (projector == projector.T).all()
    assert all(isinstance(entry, int) for entry in projector.flat)
    if gap < 1:
        assert not projector.any()
    if gap > 1:
        missed = Fraction(0)
        for i in range(size):
            for j in range(size):
                entry = sum((turned[i, k] * turned[j, k] for k in range(rank)), fmpq(0))
                missed += (projector[i, j] - Fraction(int(entry.p), int(entry.q)) * 2**bits) ** 2
        # Half of what the proof allows for rounding, and half as much again for the proposal.
        assert missed <= Fraction(3 * size, 4) ** 2


@pytest.mark.parametrize("bits", [24, 54])
@pytest.mark.parametrize("name", CASES)
def test_integers_are_near_the_gap_and_the_projector_and_there_are_none_of_a_small_gap(name: str, bits: int) -> None:
    values, rank = CASES[name]
    for shift in SHIFTS:
        check([Fraction(str(value)) + shift for value in values], rank, bits, rotation(len(values), 3))


@pytest.mark.parametrize("name", ["two", "three", "two-of-three", "far"])
def test_whatever_floats_propose_the_integers_are_near(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Proposals that are nearly good enough, or as good, by a turn or by a length: they are taken, or made again."""
    values, rank = SPECTRA[name]
    size = len(values)
    turned = rotation(size, size)
    taken = 0
    for power in range(20, 28, 2):
        for angle, stretch in ((1.4 * 2.0**-power, 1.0), (0.0, 1 + 1.4 * 2.0**-power), (0.0, 1 - 1.4 * 2.0**-power)):
            for proposed in proposals(turned, size, [angle], [stretch]):
                monkeypatch.setattr(certified_subspaces, "float_eigenvectors", lambda _, given=proposed: given)
                check(values, rank, 24, turned)
                taken += 1
    assert taken > 20, "control"


@pytest.mark.parametrize("largest", [7, 1000])
def test_a_direction_that_is_hardly_too_long_or_hardly_turned_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    """By less than a unit of gap and projector: rounding comes on top, of gaps that are no whole number of units."""
    for seed, part in enumerate(("0", "0.2", "0.45", "0.55", "0.8")):
        turned = rotation(2, seed)
        values = [largest + Fraction(part) / 2**20, 3]
        for power in range(29, 33):
            for share in (1.0, 1.25, 1.8, -1.0, -1.25, -1.8):
                turn = share * 2.0**-power
                changes = [[1 + turn, 0.0], [0.0, 1.0]], [[1.0, -turn], [turn, 1.0]]
                for change, bits in zip(changes, (0, 30), strict=True):
                    bad = arb_mat(turned) * arb_mat([[arb(entry) for entry in row] for row in change])
                    proposed = arb_mat([[entry.mid() for entry in row] for row in bad.tolist()])
                    monkeypatch.setattr(certified_subspaces, "float_eigenvectors", lambda _, given=proposed: given)
                    check(values, 1, bits, turned)


@pytest.mark.parametrize("bits", [0, 24, 51, 52, 53, 54, 56, 200])
def test_a_projector_is_as_near_where_floats_are_nearly_good_enough(bits: int) -> None:
    """Rotations of one plane, among them the half turn between two axes, where every entry is half a unit or one."""
    for seed in range(12):
        check([7, 3], 1, bits, rotation(2, seed))
    plane = fmpq_mat(4, 4, [fmpq(x, 2) for x in (1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1)])
    for rank in (1, 2, 3):
        check([9, 6, 3, 0], rank, bits, plane)
        check([10**12 + 9, 10**12 + 6, 3, 0], rank, bits, plane)


@pytest.mark.parametrize("shift", [0, 2**20, 2**33, 2**36, 10**14])
def test_a_gap_of_a_few_units_is_as_near_below_large_eigenvalues(shift: int) -> None:
    """Floats see no gap there, and propose whatever directions."""
    for seed, units in enumerate(("0", "0.3", "0.5", "1", "1.4", "1.6", "2.5", "7")):
        for size in (2, 3):
            values = [shift + Fraction(units) / 2**20, shift, shift - 1][:size]
            check(values, 1, 24, rotation(size, seed))
