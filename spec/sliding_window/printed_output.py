"""What Algorithms 1 to 3 output in many dimensions, Algorithm 3 as printed: which rows, and what that reveals."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, ball
from dpmatrix.privacy.profiles import SketchProfile
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.sketch_size import WHOLE_SIZE, sketch_size
from dpmatrix.spec.sliding_window.sketched_stream import PRINTED
from dpmatrix.spec.sliding_window.streams import StreamPair, one_short_change
from dpmatrix.spec.sliding_window.updates import survivors


@attrs.frozen
class PrintedStreams:
    """Two streams and the parameters of Algorithm 2.

    Parameters
    ----------
    rows, other
        T x d each.
    window, rank, eta
        W, r and eta; a sketch has 4r/eta rows.
    epsilon, delta
        The guarantee.
    """

    rows: fmpq_mat
    other: fmpq_mat
    window: int
    rank: int
    eta: Exact
    epsilon: Exact
    delta: Exact


def held_rows(rows: fmpq_mat, window: int) -> list[tuple[int, frozenset[int]]]:
    """Stamps after the last row, each with the times of the non-zero rows that its sketch holds, with probability one.

    For d >= 4r/eta + rank A the columns of sigma Phi that no row meets have full row rank. So a multiple of one
    sketch's K~ precedes another's only where the sketches are equal, and then the factor 1 - eta/2 is enough.
    """
    held: list[tuple[int, int]] = []  # a set of times is a number in binary, so that long streams can be followed
    for time, entries in enumerate(rows.tolist(), start=1):
        if len(held) > 1 and held[1][0] < time - window + PRINTED.earliest:
            held = held[1:]
        new = int(any(entry != 0 for entry in entries)) << time
        held = [
            (stamp, seen | new if number >= PRINTED.first else seen) for number, (stamp, seen) in enumerate(held, 1)
        ]
        held.append((time, new))
        held = _thinned(held)
    return [(stamp, frozenset(time for time in range(seen.bit_length()) if seen >> time & 1)) for stamp, seen in held]


def _thinned(held: list[tuple[int, int]]) -> list[tuple[int, int]]:
    def same(one: int, other: int) -> bool:
        return held[one - 1][1] == held[other - 1][1]

    if len({seen for _, seen in held}) == len(held):
        return held
    return [held[i - 1] for i in survivors(len(held), same)]


def column_energies(rows: fmpq_mat, window: int) -> list[fmpq]:
    """Squared norm of each column of the rows that the output holds."""
    (_, seen), table = held_rows(rows, window)[0], rows.tolist()
    return [sum((table[time - 1][j] ** 2 for time in seen), fmpq(0)) for j in range(rows.ncols())]


def output_divergence(p: PrintedStreams, squared_floor: arb) -> arb:
    """Divergence at epsilon of the outputs, enclosed: at least that of any one column, and at most 1.

    Column j of the output has 4r/eta independent normal entries of variance sigma^2 and its energy, divided by 4r/eta.
    """
    least = arb(0)
    for one, two in zip(column_energies(p.rows, p.window), column_energies(p.other, p.window), strict=True):
        if one != two:
            floor = (squared_floor + min(one, two)).sqrt()
            least = least.max(SketchProfile(int(sketch_size(p).p), floor, arb(abs(one - two)).sqrt()).delta(p.epsilon))
    return least.union(arb(1))


def neighbouring_margin(p: PrintedStreams) -> arb:
    """0 when both streams have one shape and differ in one row at most, by norm at most 1."""
    shapes = {(each.nrows(), each.ncols()) for each in (p.rows, p.other)}
    return flag(len(shapes) == 1 and one_short_change(StreamPair(p.rows, p.other)))


def room_margin(p: PrintedStreams) -> arb:
    """D minus 4r/eta and the rank of all rows."""
    rank = fmpq_mat([*p.rows.tolist(), *p.other.tolist()]).rank()
    return arb(p.rows.ncols() - rank) - ball(sketch_size(p))


MANY_DIMENSIONS = (
    whole("window", 1),
    whole("rank", 1),
    positive("eta"),
    below("eta", 1),
    WHOLE_SIZE,
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    exceeds("the streams are neighbours", neighbouring_margin, strict=False),
    exceeds("d >= 4r/eta + the rank of all rows", room_margin, strict=False),
)
