"""Theorems about statements of `sliding-window`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.analyze_gauss.subspace_recovery import RowsOrColumns
from dpmatrix.spec.sliding_window.approximation import ApproximationPoint, EmbeddingPoint
from dpmatrix.spec.sliding_window.cuts import CutQuery
from dpmatrix.spec.sliding_window.definitions import LeadingPoint, ProjectionPoint
from dpmatrix.spec.sliding_window.directional_variance import Plane
from dpmatrix.spec.sliding_window.kept_costs import SketchPoint, SummaryPoint
from dpmatrix.spec.sliding_window.largest_noise import LargestNoise
from dpmatrix.spec.sliding_window.lower_bound_entries import Block
from dpmatrix.spec.sliding_window.lower_bound_lemmas import BlockPoint, CoefficientPoint
from dpmatrix.spec.sliding_window.noisy_choice import NoisyChoice
from dpmatrix.spec.sliding_window.notation_margins import MatrixPoint
from dpmatrix.spec.sliding_window.projection_costs import SpectralChoice
from dpmatrix.spec.sliding_window.published_windows import PublishedWindows
from dpmatrix.spec.sliding_window.released_sums import ReleasedStreams
from dpmatrix.spec.sliding_window.sequences import KeyBit, TwoReleases
from dpmatrix.spec.sliding_window.sketch_output import ManySketches
from dpmatrix.spec.sliding_window.sketch_privacy import SketchParameters
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream
from dpmatrix.spec.sliding_window.streams import StreamPair
from dpmatrix.spec.sliding_window.two_runs import TwoRuns
from dpmatrix.spec.sliding_window.update_lemmas import StreamRun, exact_structure, structure, suffixes
from dpmatrix.spec.sliding_window.wishart_stream import NoisyStream
from proofs_checks.exact_matrices import cayley, diagonal, line, scalars

theorems = about("sliding-window")
HALF, QUARTER, MILLIONTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 10**6)


def sketched(*rows: list[int]) -> StreamRun:
    """Windows of two rows, and sketches that are off by less than eta/4."""
    run = StreamRun(fmpq_mat(list(rows)), 2, QUARTER, 1)
    exact = [each for time in range(1, len(rows) + 1) for each in suffixes(run, time, list(range(1, time + 1)))]
    sketches = tuple((1 + fmpq((-1) ** number, 20)) * each for number, each in enumerate(exact))
    return StreamRun(run.rows, run.window, run.eta, run.floor, sketches)


def held(*rows: list[int]) -> SketchedStream:
    """Two rows in the plane, and a sketch of two rows."""
    return SketchedStream(fmpq_mat(list(rows)), diagonal([1, 2]), fmpq_mat([[1, 3], [-1, 1]]), 5, 2)


RUNS = [sketched([3], [1], [0], [2]), sketched([1, 2], [0, 1], [1, 0])]
PUBLISHED = [
    NoisyStream(fmpq_mat([[3], [1]]), scalars(3, 7), 4),
    NoisyStream(fmpq_mat([[1, 0], [0, 1]]), (diagonal([4, 1]), diagonal([3, 9])), 2),
]
CHOICES = [
    NoisyChoice(diagonal([9, 4]), fmpq_mat([[9, fmpq(1, 7)], [fmpq(1, 7), 4]]), line(1, 0), line(1, 2), QUARTER),
    NoisyChoice(diagonal([5, 4, 1]), diagonal([4, 5, 2]), line(0, 1, 0), line(1, 0, 1), 2, Fraction(3, 2)),
]
TURN = cayley(fmpq_mat([[0, fmpq(1, 3)], [0, 0]]))
TURN_IN_SPACE = cayley(fmpq_mat([[0, fmpq(1, 3), 0], [0, 0, -2], [0, 0, 0]]))
SPECTRA = [SpectralChoice((3, -1), TURN, line(1, 1)), SpectralChoice((3, 2, 2), TURN_IN_SPACE, line(1, 1, 0))]
ROW = SketchParameters(1, Fraction(1, 1000), 1, MILLIONTH, 77)
UNIT_ROW = SketchParameters(1, Fraction(1, 2 * 10**6), 1, MILLIONTH)
DATA = fmpq_mat([[1, 2], [0, 3], [2, 1]])
SUMMARY = fmpq_mat([[1, 2], [0, 3], [2, 1], [fmpq(1, 2), fmpq(-1, 3)]])
EMBEDDING = fmpq_mat([[1, 0, fmpq(1, 20)], [0, fmpq(21, 20), 0], [fmpq(1, 20), 0, 1]])
STREAMS = [
    ReleasedStreams(fmpq_mat([[0], [1], [3]]), 2, 1, 1, MILLIONTH),
    ReleasedStreams(fmpq_mat([[7, 1], [fmpq(3, 5), fmpq(1, 2)], [0, 30]]), 2, 2, 2, Fraction(1, 100)),
]
PUBLISHED_WINDOWS = [
    PublishedWindows(fmpq_mat([[1], [5], [0]]), 1, 1, 1, MILLIONTH, 2, Fraction(1, 3), 1000),
    PublishedWindows(fmpq_mat([[2, 1], [fmpq(1, 2), fmpq(1, 3)], [0, 4]]), 2, 1, 1, MILLIONTH, 2, Fraction(1, 3), 1000),
]
MATRICES = [
    MatrixPoint(diagonal([3, 4]), fmpq_mat([[1], [2]])),
    MatrixPoint(diagonal([3, 4]) * TURN, fmpq_mat([[3], [-1]])),
]
HALVES = diagonal([HALF, HALF])
POINTS: dict[str, list[Any]] = {
    "analyze-gauss.algorithm-2/column-matrix": [RowsOrColumns(TURN, 1), RowsOrColumns(TURN_IN_SPACE, 2)],
    "sliding-window.algorithm-4+repair": SPECTRA,
    "sliding-window.corollary-2/cut": [
        CutQuery(3, ((1, 2, 2), (2, 3, Fraction(1, 2))), (1, 3), 0, 5, QUARTER, 1, 1),
        CutQuery(4, ((1, 2, 1), (2, 3, 3), (3, 4, Fraction(1, 2)), (4, 1, 2)), (1, 2), 0, 5, QUARTER, 1, 1),
    ],
    "sliding-window.corollary-1+repair": RUNS,
    "sliding-window.definition-1/each-output": [
        TwoReleases(HALVES, line(1, 1) - HALVES, 3),
        TwoReleases(fmpq_mat([[fmpq(1, 2), fmpq(1, 4), fmpq(1, 4)]]), fmpq_mat([[fmpq(1, 3)] * 3]), 1),
    ],
    "sliding-window.definition-1/sequence": [KeyBit(HALF, 1), KeyBit(HALF, 3)],
    "sliding-window.definition-2+repair": [
        ProjectionPoint(fmpq_mat([[1, 2], [0, 3], [4, 1]]), line(1, 1)),
        ProjectionPoint(fmpq_mat([[1, 2, 0], [0, 3, 1]]), diagonal([1, 1, 1]) - line(1, 0, 2)),
    ],
    "sliding-window.definition-2/attained": [
        LeadingPoint(TURN, (3, 1), 1),
        LeadingPoint(TURN_IN_SPACE, (3, 2, 0), 2),
    ],
    "sliding-window.definition-3+repair": [structure(run, QUARTER / 2) for run in RUNS],
    "sliding-window.definition-4": [
        SummaryPoint(DATA, SUMMARY, diagonal([0, 1]), diagonal([1, 0]), QUARTER, 1, 2),
        SummaryPoint(DATA, SUMMARY, line(1, 3), line(2, 1), QUARTER, 1, 2),
    ],
    "sliding-window.definition-5+repair": [
        EmbeddingPoint(diagonal([1, fmpq(11, 10), fmpq(9, 10)]), DATA, fmpq_mat([[1], [-2]]), QUARTER, QUARTER),
        EmbeddingPoint(EMBEDDING, fmpq_mat([[1], [1], [2]]), fmpq_mat([[3]]), QUARTER, QUARTER),
    ],
    "sliding-window.definition-6/squared": [
        SketchPoint(DATA, fmpq(19, 20) * DATA, line(1, 2, 3), line(3, -1, 0), Fraction(1, 10), QUARTER),
        SketchPoint(DATA, fmpq(21, 20) * DATA, diagonal([0, 1, 1]), diagonal([1, 0, 1]), 0, QUARTER),
    ],
    "sliding-window.definition-8+repair": [exact_structure(run) for run in RUNS],
    "sliding-window.lemma-1+repair": RUNS,
    "sliding-window.lemma-11+repair": [
        BlockPoint(fmpq_mat([[3, fmpq(1, 2)], [fmpq(-1, 2), 2]]), Fraction(5, 2), 1 + Fraction(1, 20)),
        BlockPoint(diagonal([9, 8, 8]), 8, 2 - Fraction(1, 20)),
    ],
    "sliding-window.lemma-12+repair": [
        CoefficientPoint(fmpq_mat([[3, 0], [0, 3]]), fmpq_mat([[fmpq(1, 20)], [0]]), 3, Fraction(6, 5)),
        CoefficientPoint(diagonal([9, 8, 8]), fmpq_mat([[0], [fmpq(1, 20)], [fmpq(-1, 20)]]), 8, 2 - Fraction(1, 20)),
    ],
    "sliding-window.lemma-2/on-the-event": RUNS,
    "sliding-window.lemma-2/union": [
        ManySketches(1, 1, 891, HALF, HALF),
        ManySketches(2, 10, 20000, QUARTER, Fraction(1, 100)),
    ],
    "sliding-window.lemma-3": [ROW],
    "sliding-window.lemma-3+repair": STREAMS,
    "sliding-window.lemma-3/state": [TwoRuns(held([0, 0], [2, 1]), held([1, 0], [2, 1]), 1)],
    "sliding-window.lemma-3/unit-rows": [UNIT_ROW],
    "sliding-window.neighbours/rank-one": [
        StreamPair(fmpq_mat([[1, 2], [0, 1]]), fmpq_mat([[1, 2], [fmpq(1, 3), fmpq(1, 2)]])),
        StreamPair(fmpq_mat([[1], [0], [5]]), fmpq_mat([[fmpq(1, 2)], [0], [5]])),
    ],
    "sliding-window.notation-facts/frobenius-norm": MATRICES,
    "sliding-window.notation-facts/spectral-norm": MATRICES,
    "sliding-window.spectral-approximation+repair": [
        ApproximationPoint(fmpq_mat([[2, 1], [1, 3]]), fmpq_mat([[fmpq(21, 10), 1], [1, fmpq(29, 10)]]), QUARTER),
        ApproximationPoint(diagonal([3, 1, 2]), diagonal([fmpq(7, 2), fmpq(4, 5), 2]), QUARTER),
    ],
    "sliding-window.theorem-14+repair": PUBLISHED_WINDOWS,
    "sliding-window.theorem-14/bounded-rows": [LargestNoise(1, 2, 1, 40, Fraction(1, 20))],
    "sliding-window.theorem-15/inner-product": [Plane(Fraction(3, 5), Fraction(4, 5))],
    "sliding-window.theorem-16/optimality": SPECTRA,
    "sliding-window.theorem-17+repair": PUBLISHED_WINDOWS,
    "sliding-window.theorem-17/successive-outputs": PUBLISHED,
    "sliding-window.theorem-18+repair": PUBLISHED_WINDOWS,
    "sliding-window.theorem-18/successive-outputs": PUBLISHED,
    "sliding-window.theorem-19/diagonal": [Block(3, 2, 162, 5, Fraction(1, 400), 3)],
    "sliding-window.theorem-3": [ROW],
    "sliding-window.theorem-3+repair": STREAMS,
    "sliding-window.theorem-6+repair": CHOICES,
    "sliding-window.theorem-7+repair": CHOICES,
}
"""Where the statement has no expression, or few points are inside the hypotheses, or few fail."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
