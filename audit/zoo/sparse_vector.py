"""The sparse vector technique on counting queries: Algorithms 1 to 6 of Lyu, Su and Li (2017)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.zoo.noise import counts
from audit.zoo.specimen import Flag, Specimen, Truth, of_one_record
from audit.zoo.truth import laplace_density, laplace_survival, quadrature
from audit.zoo.worst_pairs import answer_patterns
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target

LENGTH = 6
THRESHOLD = 0.5
NOT_ASKED = -1.0


def sparse_vector(
    threshold_scale: float, query_scale: float, cutoff: int, *, refreshed: bool = False, numeric: bool = False
) -> Target:
    """Answer whether each of `LENGTH` counts exceeds the threshold, until ``cutoff`` of them do.

    Parameters
    ----------
    threshold_scale, query_scale
        Of the Laplace noise on the threshold and on each count.
    cutoff
        How many counts above the threshold are reported; the rest is not asked.
    refreshed
        Whether the noise on the threshold is drawn again after each.
    numeric
        Whether the noisy count itself is reported where it exceeds the noisy threshold.
    """

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        answers = counts(data)
        output = np.full((size, LENGTH), NOT_ASKED)
        noisy_threshold = THRESHOLD + generator.laplace(scale=threshold_scale, size=size)
        reported = np.zeros(size, dtype=np.int64)
        for index in range(LENGTH):
            noisy = answers[index] + generator.laplace(scale=query_scale, size=size)
            asked = reported < cutoff
            above = asked & (noisy >= noisy_threshold)
            output[asked, index] = np.where(above, noisy if numeric else 1.0, 0.0)[asked]
            reported += above
            if refreshed:
                fresh = THRESHOLD + generator.laplace(scale=threshold_scale, size=size)
                noisy_threshold = np.where(above, fresh, noisy_threshold)
        return output

    return target


def pattern_truth(threshold_scale: float, query_scale: float, cutoff: int) -> Truth:
    """Return the least epsilon at delta = 0 over all answers of zeros and ones, by quadrature over the threshold.

    The probability of an output depends on how many of the answers above and below the noisy threshold are one; the
    answers of a neighbour are free, so the loss of an output is the largest less the smallest of these.
    """
    nodes, weights = quadrature((-THRESHOLD, 1 - THRESHOLD))
    density = weights * laplace_density(nodes, threshold_scale)
    above = [laplace_survival(THRESHOLD + nodes - answer, query_scale) for answer in (0, 1)]
    # 1 - survival, without cancellation.
    below = [laplace_survival(-(THRESHOLD + nodes - answer), query_scale) for answer in (0, 1)]
    worst = 0.0
    for tops in range(min(cutoff, LENGTH) + 1):
        stopped = tops == cutoff
        for bottoms in range(LENGTH - tops + 1) if stopped else (LENGTH - tops,):
            logs = [
                math.log(
                    float(
                        np.sum(
                            density
                            * above[0] ** (tops - high)
                            * above[1] ** high
                            * below[0] ** (bottoms - low)
                            * below[1] ** low
                        )
                    )
                )
                for high in range(tops + 1)
                for low in range(bottoms + 1)
            ]
            worst = max(worst, max(logs) - min(logs))
    return Truth(worst)


_specimen = partial(of_one_record, dimension=LENGTH, telling_pairs=answer_patterns(LENGTH))


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return (
        _specimen(
            "sparse-vector-1",
            "Algorithm 1: noise on the threshold once, noise on the queries in proportion to the cutoff.",
            sparse_vector(2.0, 4.0, 1),
            pattern_truth(2.0, 4.0, 1),
        ),
        _specimen(
            "sparse-vector-2",
            "Algorithm 2, of Dwork and Roth: the noise on the threshold is drawn again after each report.",
            sparse_vector(4.0, 8.0, 2, refreshed=True),
            None,
        ),
    )


def faults() -> tuple[Specimen, ...]:
    """List the wrong variants of the literature."""
    first, second = correct()
    return (
        first.mutated(
            name="sparse-vector-3",
            mutation="the noisy count is reported instead of the fact that it is above; its noise as published",
            note="Roth's lecture notes: the value bounds the noisy threshold, for all counts below it too.",
            flags=(Flag.ACCOUNTING,),
            target=sparse_vector(2.0, 2.0, 1, numeric=True),
            # Far below zero every count contributes e^(1/2), those below the threshold and the one reported.
            truth=lambda: Truth(LENGTH / 2),
        ),
        second.mutated(
            name="sparse-vector-4",
            mutation="the noise on the counts does not grow with the cutoff",
            note="Lee and Clifton.",
            flags=(Flag.SCALE,),
            target=sparse_vector(4.0, 4 / 3, 2),
            truth=lambda: pattern_truth(4.0, 4 / 3, 2),
        ),
        first.mutated(
            name="sparse-vector-5",
            mutation="the counts get no noise, and nothing stops",
            note="Stoddard, Chen and Machanavajjhala: counts in the wrong order are impossible.",
            flags=(Flag.SUPPORT,),
            target=sparse_vector(2.0, 0.0, LENGTH),
            # One count falls and one rises: they are told apart where the noisy threshold lies between zero and one.
            truth=lambda: Truth(math.inf, -math.expm1(-THRESHOLD / 2)),
        ),
        first.mutated(
            name="sparse-vector-6",
            mutation="nothing stops after the first report",
            note="Chen and others: every report costs, not only the first.",
            flags=(Flag.ACCOUNTING,),
            target=sparse_vector(2.0, 2.0, LENGTH),
            truth=lambda: pattern_truth(2.0, 2.0, LENGTH),
        ),
        first.mutated(
            name="sparse-vector-unthresholded",
            mutation="the threshold gets no noise",
            note="Then every answer costs, those below the threshold too.",
            flags=(Flag.ACCOUNTING,),
            target=sparse_vector(1e-9, 4.0, 1),
            truth=lambda: Truth(LENGTH * _one_answer(4.0)),
        ),
    )


def _one_answer(scale: float) -> float:
    """Return the loss of one comparison of a noisy count with an exact threshold half-way between zero and one."""
    likelier, rarer = (float(laplace_survival(np.array([point]), scale)[0]) for point in (-THRESHOLD, THRESHOLD))
    return math.log(likelier / rarer)
