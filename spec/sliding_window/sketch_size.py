"""Number of rows of the sketch of Algorithm 2, 4r/eta, which has to be an integer."""

from __future__ import annotations

from typing import Protocol

from flint import arb, fmpq

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.sliding_window.loewner import flag


class Sketched(Protocol):
    """A point with the r and eta of Algorithm 2."""

    @property
    def rank(self) -> int:
        """``r``."""

    @property
    def eta(self) -> Exact:
        """``eta``."""


def sketch_size(p: Sketched) -> fmpq:
    """``4r / eta``, exactly."""
    return 4 * p.rank / rational(p.eta)


def whole_size_margin(p: Sketched) -> arb:
    """0 when 4r/eta is an integer."""
    return flag(sketch_size(p).q == 1)


WHOLE_SIZE = exceeds("4r/eta is an integer", whole_size_margin, strict=False)
