"""What the repairs of this document release: noisy sums over dyadic blocks of the stream, once each.

The stream is cut into blocks of 2^h leaves. Each complete dyadic part of a block releases the sum of its a_t'a_t with
independent Gaussian noise of standard deviation s in every entry of the triangle; time stamps, matrices of checkpoints
and outputs at all times are functions of these sums. Everything here is about rows of norm at most 1 of which one
may be replaced by zero.
"""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, Real, ball
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.common.gaussian_noise import deviation_at_tail


@attrs.frozen
class DyadicRelease:
    """A row of a stream and the parameters of the release.

    Parameters
    ----------
    leaf
        Number of the leaf that holds the row, counted from 0.
    height
        h: a block has 2^h leaves.
    epsilon, delta
        The guarantee for the whole sequence.
    """

    leaf: int
    height: int
    epsilon: Exact
    delta: Exact


def parts(height: int, block: int = 0) -> list[range]:
    """Dyadic parts of a block, as ranges of leaves: 2^(h-k) of length 2^k for each k."""
    first = block << height
    return [
        range(first + (number << size), first + ((number + 1) << size))
        for size in range(height + 1)
        for number in range(1 << (height - size))
    ]


def sums_with(leaf: int, height: int) -> int:
    """Count the released sums that a leaf enters, over the whole stream."""
    return sum(leaf in part for part in parts(height, leaf >> height))


def tail_distance(delta: Real) -> arb:
    """Return the z with ``exp(-z^2/2) = delta``."""
    return (-2 * ball(delta).log()).sqrt()


def deviation(p: DyadicRelease) -> arb:
    """``s = sqrt(h + 1) (z + sqrt(z^2 + 2 epsilon)) / (2 epsilon)``, z = sqrt(2 log(1/delta))."""
    return arb(p.height + 1).sqrt() * deviation_at_tail(tail_distance(p.delta), p.epsilon)


def sequence_margin(p: DyadicRelease) -> arb:
    """Delta minus the exact profile, at epsilon, of all sums that the row enters."""
    return ball(p.delta) - GaussianProfile(arb(sums_with(p.leaf, p.height)).sqrt(), deviation(p)).delta(p.epsilon)


SEQUENCE_CHANGE = (
    "one row of norm at most 1 replaced by zero, the other rows of any length; for some h release the sums of a_t'a_t "
    "over consecutive blocks of 1, 2, 4, ..., 2^h rows, once, with Gaussian noise on and above the diagonal, and "
    "compute stamps, comparisons and outputs from these noisy sums"
)


@attrs.frozen
class WindowCover:
    """Leaves ``begin`` to ``end`` (not included) of a stream with blocks of 2^height leaves."""

    begin: int
    end: int
    height: int


def prefix_parts(begin: int, end: int) -> list[range]:
    """Cover the leaves from the start of a block, ``begin``, to ``end`` by its dyadic parts, the longest first."""
    found = []
    while begin < end:
        length = 1 << ((end - begin).bit_length() - 1)
        found.append(range(begin, begin + length))
        begin += length
    return found


def signed_cover(p: WindowCover) -> list[tuple[int, range]]:
    """Dyadic parts with signs whose sum is the window: prefixes of blocks, added and subtracted."""
    width = 1 << p.height
    first, last = p.begin // width, (p.end - 1) // width
    cover = [(-1, part) for part in prefix_parts(first * width, p.begin)]
    for block in range(first, last + 1):
        cover += [(1, part) for part in prefix_parts(block * width, min(p.end, (block + 1) * width))]
    return cover


def cover_margin(p: WindowCover) -> arb:
    """``2h + 1`` minus the number of sums, when their signed sum is the window and each is a dyadic part; else -1."""
    cover = signed_cover(p)
    leaves = {*range(p.begin, p.end)}.union(*(part for _, part in cover))
    weights = {leaf: sum(sign for sign, part in cover if leaf in part) for leaf in leaves}
    exact = all(weight == (p.begin <= leaf < p.end) for leaf, weight in weights.items())
    dyadic = all(part.start % len(part) == 0 and len(part) <= 1 << p.height for _, part in cover)
    return arb(2 * p.height + 1 - len(cover) if exact and dyadic else -1)


def window_fits(p: WindowCover) -> arb:
    """``2^h`` minus the length of the window."""
    return arb((1 << p.height) - (p.end - p.begin))


def window_nonempty(p: WindowCover) -> arb:
    """Length of the window minus 1."""
    return arb(p.end - p.begin - 1)
