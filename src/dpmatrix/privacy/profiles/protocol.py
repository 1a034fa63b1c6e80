"""What every privacy profile offers."""

from __future__ import annotations

from enum import Enum
from typing import Protocol, runtime_checkable

from flint import arb

from dpmatrix.exact import Real


class Direction(Enum):
    """Which of two data sets, one with a record and one with zero in its place, is compared with which."""

    PRESENT_AGAINST_ABSENT = "present-against-absent"
    """sup over events E of P(E) - e^epsilon Q(E), P with the record, Q without it."""

    ABSENT_AGAINST_PRESENT = "absent-against-present"
    """sup over events E of Q(E) - e^epsilon P(E), P with the record, Q without it."""


@runtime_checkable
class PrivacyProfile(Protocol):
    """The least delta for each epsilon: delta(epsilon) is the supremum, over neighbouring data sets in both orders,
    of the hockey-stick divergence sup over events E of P(E) - e^epsilon Q(E).

    (epsilon, delta)-differential privacy, `wishart.definition-4`, is the statement delta(epsilon) <= delta.
    """  # noqa: D205

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta.

        A profile that is known exactly, asked at exact parameters, answers with relative radius at most 2^-40, or
        2^(13 - p) at a working precision of p > 53 bits, however small delta is; an exact zero is the exact zero.
        Balls among the parameters give an enclosure over the whole box of parameters.

        Parameters
        ----------
        epsilon
            At least zero, finite; a ball stands for all its points.

        Raises
        ------
        InvalidParameterError
            If epsilon is not certainly a finite number of at least zero.
        UndecidedError
            If a million bits of working precision do not suffice; not seen for deltas above 10^-(10^300).
        """
        ...
