"""Norms of vv' - ww' for given records, and the records that make them largest."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, ball
from dpmatrix.privacy.adjacency import Adjacency, replaces
from dpmatrix.privacy.domains import dimension_of, parameter_range
from dpmatrix.privacy.sensitivity import Entries, only_triangle

Record = Sequence[Real]


def _balls(first: Record, second: Record) -> tuple[list[arb], list[arb]]:
    if len(first) != len(second) or len(first) == 0:
        raise InvalidParameterError(
            "second", f"records have {len(first)} and {len(second)} entries", "pass records of one length >= 1"
        )
    for name, record in (("first", first), ("second", second)):
        for entry in record:
            parameter_range(entry, name)
    return [ball(entry) for entry in first], [ball(entry) for entry in second]


def _dot(first: Sequence[arb], second: Sequence[arb]) -> arb:
    return sum((one * other for one, other in zip(first, second, strict=True)), arb(0))


def _root(square: arb) -> arb:
    # A square is never negative, although rounding may let its ball reach below zero.
    return square.nonnegative_part().sqrt()


def l1_distance(first: Record, second: Record, entries: Entries = Entries.FULL) -> arb:
    """Return the l1 norm of vv' - ww' over the chosen entries, for records v and w of one length.

    Raises
    ------
    InvalidParameterError
        If the records are empty, differ in length, or hold anything but finite real numbers.
    """
    v, w = _balls(first, second)
    total, mirrored = arb(0), 1 if only_triangle(entries) else 2
    for i in range(len(v)):
        total += abs(v[i] ** 2 - w[i] ** 2)
        for j in range(i):
            total += abs(v[i] * v[j] - w[i] * w[j]) * mirrored
    return total


def frobenius_distance(first: Record, second: Record) -> arb:
    r"""Return :math:`\sqrt{|v|^4 + |w|^4 - 2\langle v,w\rangle^2}`, the Frobenius norm of vv' - ww'.

    Errors as in `l1_distance`.
    """
    v, w = _balls(first, second)
    return _root(_dot(v, v) ** 2 + _dot(w, w) ** 2 - 2 * _dot(v, w) ** 2)


def nuclear_distance(first: Record, second: Record) -> arb:
    r"""Return :math:`\sqrt{(|v|^2 + |w|^2)^2 - 4\langle v,w\rangle^2}`, the nuclear norm of vv' - ww'.

    The matrix has rank at most two, one eigenvalue of each sign, trace |v|^2 - |w|^2 and eigenvalue product
    <v,w>^2 - |v|^2 |w|^2; the nuclear norm is the difference of the two eigenvalues. Errors as in `l1_distance`.
    """
    v, w = _balls(first, second)
    return _root((_dot(v, v) + _dot(w, w)) ** 2 - 4 * _dot(v, w) ** 2)


def spectral_distance(first: Record, second: Record) -> arb:
    """Return the spectral norm of vv' - ww': half of the sum of its nuclear norm and its absolute trace.

    Errors as in `l1_distance`.
    """
    v, w = _balls(first, second)
    return (nuclear_distance(v, w) + abs(_dot(v, v) - _dot(w, w))) / 2


@frozen
class RecordPair:
    """Two neighbouring records that attain a sensitivity.

    Parameters
    ----------
    first, second
        The records v and w; each ball contains the exact coordinate.
    closed_form
        The coordinates in words.
    """

    first: tuple[arb, ...]
    second: tuple[arb, ...]
    closed_form: str

    def floats(self) -> tuple[list[float], list[float]]:
        """Return the records in double precision, rounded towards zero so that no norm bound is exceeded."""
        return [_towards_zero(entry) for entry in self.first], [_towards_zero(entry) for entry in self.second]


def _towards_zero(value: arb) -> float:
    magnitude = value.abs_lower()
    nearest = float(magnitude.mid())
    if arb(nearest) > magnitude:
        nearest = math.nextafter(nearest, 0.0)
    return math.copysign(nearest, -1.0) if value < 0 else nearest


def largest_l1_difference(dimension: int, adjacency: Adjacency, entries: Entries = Entries.FULL) -> RecordPair:
    """Return unit records whose difference vv' - ww' attains `l1_sensitivity`.

    For add/remove, the vector of equal entries against the zero record. For replace-one and d >= 2, the extreme
    eigenvectors of the sign matrix with blocks J_p, 1, 1, -J_q, where p - q = d mod 2: constant on each block, at the
    angle a with tan 2a = 2 sqrt(pq) / d (full) or 2 sqrt(pq) / (d + 2) (upper triangle).

    Raises
    ------
    InvalidParameterError
        If the dimension is no positive integer or an option is unknown.
    """
    size = dimension_of(dimension)
    if not replaces(adjacency) or size == 1:
        entry = arb(fmpq(1, size)).sqrt()
        return RecordPair((entry,) * size, (arb(0),) * size, f"v = (1, ..., 1)/sqrt({size}), w = 0")
    q, p = size // 2, size - size // 2
    base = size + 2 if only_triangle(entries) else size
    cosine_of_twice = base / arb(base**2 + 4 * p * q).sqrt()
    cosine, sine = ((1 + cosine_of_twice) / 2).sqrt(), ((1 - cosine_of_twice) / 2).sqrt()
    root_p, root_q = arb(p).sqrt(), arb(q).sqrt()
    return RecordPair(
        (cosine / root_p,) * p + (sine / root_q,) * q,
        (-sine / root_p,) * p + (cosine / root_q,) * q,
        f"v = (cos a/sqrt({p}) x {p}, sin a/sqrt({q}) x {q}), w = (-sin a/sqrt({p}) x {p}, cos a/sqrt({q}) x {q}), "
        f"tan 2a = 2 sqrt({p * q})/{base}",
    )


def largest_orthogonal_difference(dimension: int, adjacency: Adjacency) -> RecordPair:
    """Return unit records that attain the Frobenius, nuclear and spectral sensitivities at once.

    The first two unit vectors for replace-one and d >= 2, otherwise the first unit vector against zero.

    Raises
    ------
    InvalidParameterError
        If the dimension is no positive integer or an option is unknown.
    """
    size = dimension_of(dimension)
    first = (arb(1),) + (arb(0),) * (size - 1)
    if not replaces(adjacency) or size == 1:
        return RecordPair(first, (arb(0),) * size, "v = e_1, w = 0")
    return RecordPair(first, (arb(0), arb(1)) + (arb(0),) * (size - 2), "v = e_1, w = e_2")
