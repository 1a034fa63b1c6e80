"""Algorithms 1 to 8, line by line, and what is run in their place (sections 3 and 4, appendix C).

Update is a loop over checkpoints. The streams are run by `sketched_stream` and `wishart_stream`, which take their
variates as they are given, and lines as they are printed or as they are mended.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import attrs
from flint import arb_mat, fmpq, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.algorithms import leading_eigenvectors
from dpmatrix.spec.common.spectra import trace
from dpmatrix.spec.sliding_window import sketched_stream, wishart_stream
from dpmatrix.spec.sliding_window.loewner import precedes


class Ending(Enum):
    """Where a line cannot be followed."""

    UNDEFINED = "line 4 takes the maximum of an empty set"
    ENDLESS = "line 7 repeats its state for ever"


@attrs.frozen
class Checkpoint:
    """A matrix K(i) and its time stamp t_i."""

    matrix: fmpq_mat
    stamp: int


def algorithm_6(checkpoints: Sequence[Checkpoint], eta: Exact) -> list[Checkpoint] | Ending:
    """Update, as printed.

    Parameters
    ----------
    checkpoints
        K(1) >= ... >= K(l) with their stamps.
    eta
        Accuracy.
    """
    return _update(checkpoints, eta, printed=True)


def algorithm_6_repaired(checkpoints: Sequence[Checkpoint], eta: Exact) -> list[Checkpoint] | Ending:
    """What is run for it: j is i + 1 where nothing is close, and k grows, to the last checkpoint.

    Parameters
    ----------
    checkpoints, eta
        As in `algorithm_6`.
    """
    return _update(checkpoints, eta, printed=False)


def _update(checkpoints: Sequence[Checkpoint], eta: Exact, *, printed: bool) -> list[Checkpoint] | Ending:
    """Algorithm 6 by its line numbers, with lines 4, 7 and 8 as printed or as changed."""
    held = dict(enumerate(checkpoints, start=1))
    length, i = len(checkpoints), 1
    while i <= length - 2:  # line 3: for i = 1, ..., l - 2
        close = [p for p in range(i + 1, length) if _is_close(held[i], held[p], eta)]
        if printed and not close:
            return Ending.UNDEFINED
        j = max(close, default=i + 1)  # line 4; line 5 deletes what line 8 writes over
        k = 1  # line 6
        while (i + k if printed else j + k - 1) <= length:  # line 7
            if printed and held[i + k] is held[j + k - 1]:
                return Ending.ENDLESS
            held[i + k] = held[j + k - 1]  # line 8
            k += 0 if printed else 1  # as printed no line changes k
        length += i - j + 1  # line 10
        i += 1
    return [held[number] for number in range(1, length + 1)]  # line 12


def _is_close(earlier: Checkpoint, later: Checkpoint, eta: Exact) -> bool:
    return precedes((fmpq(1) - rational(eta)) * earlier.matrix, later.matrix)


def algorithm_1(sketches: Sequence[Checkpoint], eta: Exact) -> list[Checkpoint] | Ending:
    """Update-Approx, as printed, for matrices that are sketches: Update for their Gram matrices and eta/2.

    It writes s for the l of Update's line 10, which no run reaches: it ends before, or has fewer than 3 checkpoints.
    """
    return _of_sketches(sketches, algorithm_6(_grams(sketches), rational(eta) / 2))


def algorithm_1_repaired(sketches: Sequence[Checkpoint], eta: Exact) -> list[Checkpoint] | Ending:
    """What is run for it: `algorithm_6_repaired` for the Gram matrices and eta/2."""
    return _of_sketches(sketches, algorithm_6_repaired(_grams(sketches), rational(eta) / 2))


def _grams(sketches: Sequence[Checkpoint]) -> list[Checkpoint]:
    return [attrs.evolve(one, matrix=one.matrix.transpose() * one.matrix) for one in sketches]


def _of_sketches(sketches: Sequence[Checkpoint], found: list[Checkpoint] | Ending) -> list[Checkpoint] | Ending:
    if isinstance(found, Ending):
        return found
    stamps = {checkpoint.stamp for checkpoint in found}
    return [sketch for sketch in sketches if sketch.stamp in stamps]


def algorithm_2(run: sketched_stream.SketchedStream) -> fmpq_mat:
    """Sliding-Priv-Approx, as printed but for Phi, which has d columns: the output at the end of the stream."""
    return sketched_stream.history(run, sketched_stream.PRINTED)[-1][0].sketch


def algorithm_2_repaired(run: sketched_stream.SketchedStream) -> fmpq_mat:
    """The same with the repaired Algorithm 3."""
    return sketched_stream.history(run, sketched_stream.REPAIRED)[-1][0].sketch


def algorithm_3(
    run: sketched_stream.SketchedStream, held: list[sketched_stream.Checkpoint], time: int
) -> list[sketched_stream.Checkpoint]:
    """Priv-Initialize-Approx at one time, as printed: what is held after it."""
    return sketched_stream.after_step(run, held, time, sketched_stream.PRINTED)


def algorithm_3_repaired(
    run: sketched_stream.SketchedStream, held: list[sketched_stream.Checkpoint], time: int
) -> list[sketched_stream.Checkpoint]:
    """The same with a loop from 1 and an expiry in time."""
    return sketched_stream.after_step(run, held, time, sketched_stream.REPAIRED)


def algorithm_4(run: sketched_stream.SketchedStream, k: int) -> arb_mat:
    """Sliding-Priv-PCA, as printed, with the answer that is a projection: X~, d x d.

    Raises
    ------
    ValueError
        If A~'A~ has eigenvalues that are not told apart.
    """
    sketch = algorithm_2(run)  # line 3
    return _onto(leading_eigenvectors(arb_mat(sketch.transpose() * sketch), k))  # line 4


def algorithm_4_repaired(run: wishart_stream.NoisyStream, k: int) -> arb_mat:
    """What is run for it: the projection onto the first k eigenvectors of the output of `algorithm_8_repaired`.

    Raises
    ------
    ValueError
        If it has eigenvalues that are not told apart.
    """
    return _onto(leading_eigenvectors(arb_mat(algorithm_8_repaired(run)), k))


def _onto(columns: arb_mat) -> arb_mat:
    return columns * columns.transpose()


def algorithm_5(run: sketched_stream.SketchedStream, candidates: Sequence[fmpq_mat]) -> fmpq_mat:
    """Sliding-Priv-Constrained-PCA, as printed, for a set Pi of finitely many projections: the first of least cost."""
    sketch = algorithm_2(run)  # line 3
    return min(candidates, key=lambda projection: _squares(sketch - sketch * projection))  # line 4


def algorithm_5_repaired(run: wishart_stream.NoisyStream, candidates: Sequence[fmpq_mat]) -> fmpq_mat:
    """What is run for it: the first of greatest Tr(PC), C the output of `algorithm_8_repaired`."""
    matrix = algorithm_8_repaired(run)
    return max(candidates, key=lambda projection: trace(projection * matrix))


def _squares(matrix: fmpq_mat) -> fmpq:
    return trace(matrix.transpose() * matrix)


def algorithm_7(
    run: wishart_stream.NoisyStream, held: list[wishart_stream.NoisyCheckpoint], time: int
) -> list[wishart_stream.NoisyCheckpoint]:
    """Priv-Initialize at one time, as printed: what is held after it."""
    return wishart_stream.after_step(run, held, time, wishart_stream.PRINTED)


def algorithm_8(run: wishart_stream.NoisyStream) -> fmpq_mat:
    """Sliding-Priv, as printed: the output at the end of the stream."""
    return wishart_stream.history(run, wishart_stream.PRINTED)[-1][0].matrix


def algorithm_8_repaired(run: wishart_stream.NoisyStream) -> fmpq_mat:
    """What is run for it: a difference of noisy sums; the noise is the error of each sum of the first rows."""
    return wishart_stream.repaired_history(run)[-1][0].matrix
