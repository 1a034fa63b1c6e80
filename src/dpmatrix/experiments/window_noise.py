"""Noise of windows of a stream, at equal privacy: dyadic sums, factorisations, and what no fixed weights are below."""

from __future__ import annotations

from statistics import fmean

from dpmatrix.experiments.reproduction import Cell, Reproduction, Series, Tell
from dpmatrix.mechanisms.streams.factorisation import WindowFactorisation, least_gain

TARGET = "beyond.window-noise"
WINDOWS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
DYADIC, WORST = "dyadic sums, mean over times", "dyadic sums, at the worst time"
FEW, USUAL = "factorisation, W bands", "factorisation, 1.5 W bands"
BOUND = "bound for fixed weights"
LINES = (DYADIC, WORST, FEW, USUAL, BOUND)
PANEL = "windows of W leaves"


def dyadic_nodes(place: int) -> set[tuple[int, int]]:
    """Return the dyadic parts whose sums make the prefix of a block up to a place: size and beginning."""
    found, begin = set(), 0
    for size in reversed(range(place.bit_length())):
        if place >> size & 1:
            found.add((size, begin))
            begin += 1 << size
    return found


def dyadic_sums(leaves: int) -> tuple[float, int]:
    """Count the noisy sums in a window that `SlidingWindowGram` reads off, where a checkpoint stands at its beginning.

    Parameters
    ----------
    leaves
        W, at least 1.

    Returns
    -------
    tuple
        The mean over the places of its end in a block of 2^h leaves, and the most.
    """
    block = 1 << (leaves - 1).bit_length()
    counts = []
    for end in range(block):
        begin = end - leaves
        if begin >= 0:
            counts.append(len(dyadic_nodes(begin) ^ dyadic_nodes(end)))
        else:
            # The block before is finished: its sum, less that of its part before the window.
            counts.append(1 + (begin % block).bit_count() + end.bit_count())
    return fmean(counts), max(counts)


def times_one_release(leaves: int) -> dict[str, float]:
    """Return how many times the variance of one sum of equal privacy a window has on a long stream, by its noise.

    Gaussian noise is scaled by the l2 norm of all that a row changes, so its variance by the square: for dyadic sums
    the number h + 1 of those that hold a row, for a factorisation the squares of the weights.
    """
    sums = (leaves - 1).bit_length() + 1
    mean, most = dyadic_sums(leaves)
    few, usual = WindowFactorisation(leaves, leaves), WindowFactorisation(leaves, (3 * leaves + 1) // 2)
    least = least_gain(leaves)
    return {DYADIC: sums * mean, WORST: sums * most, FEW: few.excess * least, USUAL: usual.excess * least, BOUND: least}


def window_noise_figure(tell: Tell, windows: tuple[int, ...] = WINDOWS) -> Reproduction:
    """Compute the variances; nothing is drawn."""
    rows: list[tuple[Cell, ...]] = []
    for done, leaves in enumerate(windows, start=1):
        found = times_one_release(leaves)
        rows.append((leaves, *(found[name] for name in LINES)))
        tell(done, len(windows))
    series = [
        Series(PANEL, name, [float(row[0] or 0) for row in rows], [float(row[place] or 0) for row in rows])
        for place, name in enumerate(LINES, start=1)
    ]
    notes = (
        "variances of an entry of a window on a long stream, over that of one sum of equal privacy, exact up to floats",
        "dyadic sums can be looked at once between two calls, a factorisation not: it holds exact sums",
        "the bound is for weights that do not change with time; as the stream grows, for every factorisation",
    )
    return Reproduction(
        TARGET, ("W", *LINES), tuple(rows), notes, tuple(series), "leaves W", "times the variance", logarithmic=True
    )
