"""The guarantee of `dyadic_release` for two streams: all sums of both are formed, and their joint law is compared."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement
from dpmatrix.exact import Exact, ball
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, deviation, parts
from dpmatrix.spec.sliding_window.loewner import row, squared_norm


@attrs.frozen
class ReleasedStreams:
    """A stream, and its neighbour in which one row is zero; both release their dyadic sums.

    Parameters
    ----------
    rows
        T x d.
    time
        Which row is zero in the neighbour, counted from 1.
    height
        h: a block has 2^h rows.
    epsilon, delta
        The guarantee for the whole sequence.
    """

    rows: fmpq_mat
    time: int
    height: int
    epsilon: Exact
    delta: Exact


def neighbour(p: ReleasedStreams) -> fmpq_mat:
    """The stream with the row at that time replaced by zero."""
    table = p.rows.tolist()
    table[p.time - 1] = [fmpq(0)] * p.rows.ncols()
    return fmpq_mat(table)


def triangle_of_sum(rows: fmpq_mat, part: range) -> list[fmpq]:
    """Entries on and above the diagonal of the sum of a_t'a_t over the leaves of a part; later rows are zero."""
    width = rows.ncols()
    chosen = [rows.tolist()[leaf] for leaf in part if leaf < rows.nrows()]
    return [sum((a[i] * a[j] for a in chosen), fmpq(0)) for i in range(width) for j in range(i, width)]


def squared_distance(p: ReleasedStreams, other: fmpq_mat) -> fmpq:
    """Squared distance of all that the stream and another one release, without the noise."""
    blocks = range(((p.rows.nrows() - 1) >> p.height) + 1)
    return sum(
        (
            (one - two) ** 2
            for block in blocks
            for part in parts(p.height, block)
            for one, two in zip(triangle_of_sum(p.rows, part), triangle_of_sum(other, part), strict=True)
        ),
        fmpq(0),
    )


def squared_shift(p: ReleasedStreams) -> fmpq:
    """Squared distance of all that both streams release, without the noise."""
    return squared_distance(p, neighbour(p))


def joint_divergence(p: ReleasedStreams) -> arb:
    """Hockey-stick divergence, at epsilon, of the joint laws of all sums: normal laws at that distance."""
    shift = squared_shift(p)
    if shift == 0:
        return arb(0)
    noise = deviation(DyadicRelease(p.time - 1, p.height, p.epsilon, p.delta))
    return GaussianProfile(arb(shift).sqrt(), noise).delta(p.epsilon)


def promised_delta(p: ReleasedStreams) -> arb:
    """``delta``."""
    return ball(p.delta)


def time_margin(p: ReleasedStreams) -> arb:
    """``T - time``."""
    return arb(p.rows.nrows() - p.time)


def row_margin(p: ReleasedStreams) -> arb:
    """1 minus the squared norm of the row that the neighbour lacks; -1 where there is none."""
    if not 1 <= p.time <= p.rows.nrows():
        return arb(-1)
    return arb(1 - squared_norm(row(p.rows, p.time)))


RELEASED = Statement.of_law(
    "where the sums of a_t'a_t over consecutive blocks of 1, 2, 4, ..., 2^h rows have noise of standard deviation s = "
    "sqrt(h+1) (z + sqrt(z^2 + 2 eps)) / (2 eps), z = sqrt(2 log(1/delta)), the joint laws of all of them for a stream "
    "and for the stream with one row of norm at most 1 replaced by zero have a divergence of at most delta at eps: all "
    "sums together, hence all time stamps and all outputs, are (eps, delta)-DP",
    joint_divergence,
    at_most=promised_delta,
    given=(
        whole("time", 1),
        exceeds("time <= T", time_margin, strict=False),
        exceeds("the row has norm at most 1", row_margin, strict=False),
        whole("height", 0),
        positive("epsilon"),
        positive("delta"),
        below("delta", 1),
    ),
    probability=False,
)
