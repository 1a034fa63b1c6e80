"""The window between two checkpoints in one direction, where chains of inequalities between matrices are followed."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Real, ball


@attrs.frozen
class WindowDirection:
    """Quadratic forms in one direction u of norm 1: X <= Y means u'Xu <= u'Yu in each.

    Parameters
    ----------
    first, second
        u'K(1)u and u'K(2)u: the rows from the first stamp on, which hold the window, and from the second.
    noisy_first, noisy_second
        u'K~(1)u and u'K~(2)u: the matrices that are stored for them.
    window
        |A_W u|^2.
    eta
        eta in [0, 1).
    """

    first: Real
    second: Real
    noisy_first: Real
    noisy_second: Real
    window: Real
    eta: Real


def sandwich(p: WindowDirection) -> arb:
    """(7), (35): least of |A_W u|^2 - u'K(2)u and u'K(1)u - |A_W u|^2."""
    return (ball(p.window) - ball(p.second)).min(ball(p.first) - ball(p.window))
