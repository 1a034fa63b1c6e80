"""What happens to the records before the noise: clipping, counting, bounds; and noise that is used twice."""

from __future__ import annotations

import math

import numpy as np

from audit.zoo.additive import ADD, EPSILON, REPLACE, triangle_scale
from audit.zoo.noise import (
    additive,
    clipped,
    column_sums,
    coordinates,
    gram,
    laplace,
    mirrored,
)
from audit.zoo.specimen import Flag, Specimen, Truth
from audit.zoo.truth import certain_truth, ratio_truth
from audit.zoo.worst_pairs import deleted_extremal_record
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target

BOUND = 0.5
RECORDS = 4


def clipped_moment(dimension: int, records: int) -> Specimen:
    """Make the mechanism that clips records to norm one half before it forms the second moment."""
    scale = BOUND**2 * triangle_scale(dimension, ADD)
    return Specimen(
        name=f"laplace-clipped-moment-{dimension}-{records}",
        note="Records are clipped to norm one half, then squared; Laplace noise for that bound.",
        target=additive(lambda data: gram(clipped(data, BOUND)), mirrored(laplace(scale), dimension)),
        epsilon=EPSILON,
        adjacency=ADD,
        dimension=dimension,
        records=records,
        compute_truth=lambda: Truth(1.0),
    )


def mean_moment(dimension: int) -> Specimen:
    """Make the mechanism that divides the second moment by a public number of records."""
    scale = triangle_scale(dimension, ADD) / RECORDS
    return Specimen(
        name=f"laplace-mean-moment-{dimension}",
        note="X'X / n with a public n, for data sets of n or n - 1 records.",
        target=additive(lambda data: gram(data) / RECORDS, mirrored(laplace(scale), dimension)),
        epsilon=EPSILON,
        adjacency=ADD,
        dimension=dimension,
        records=RECORDS,
        compute_truth=lambda: Truth(1.0),
        telling_pairs=deleted_extremal_record(dimension, RECORDS),
        delete_rows=True,
    )


def vector_sum(dimension: int) -> Specimen:
    """Make the mechanism that adds Laplace noise to the sum of the records."""
    scale = math.sqrt(dimension) / EPSILON
    return Specimen(
        name=f"laplace-sum-{dimension}",
        note="The sum of the records with Laplace noise for the l1 norm of a unit vector.",
        target=additive(column_sums, coordinates(laplace(scale), dimension)),
        epsilon=EPSILON,
        adjacency=ADD,
        dimension=dimension,
        compute_truth=lambda: ratio_truth(math.sqrt(dimension), scale),
    )


def two_sums(dimension: int) -> Specimen:
    """Make the mechanism that releases the sum of all records and that of all but the last, each for half."""
    scale = 2 * math.sqrt(dimension) / EPSILON
    fresh = coordinates(laplace(scale), 2 * dimension)
    return Specimen(
        name=f"laplace-two-sums-{dimension}",
        note="Two releases, each with noise of its own at half of epsilon.",
        target=additive(_sums_of_two_days, fresh),
        epsilon=EPSILON,
        adjacency=ADD,
        dimension=dimension,
        records=2,
        compute_truth=lambda: Truth(1.0, exact=False),
    )


def _sums_of_two_days(data: FloatArray) -> FloatArray:
    return np.concatenate([data[:-1].sum(axis=0), data.sum(axis=0)])


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return (
        clipped_moment(3, 1),
        clipped_moment(4, 1),
        clipped_moment(3, 4),
        mean_moment(3),
        vector_sum(5),
        two_sums(4),
    )


def _clipped_gram(data: FloatArray) -> FloatArray:
    moment = gram(data)
    norm = float(np.linalg.norm(moment))
    return moment * min(1.0, len(data) * BOUND**2 / max(norm, 1e-300))


def clipping_faults() -> tuple[Specimen, ...]:
    """List mutations of how records are bounded and counted."""
    scale, scale_4 = BOUND**2 * triangle_scale(3, ADD), BOUND**2 * triangle_scale(4, ADD)
    noise = mirrored(laplace(scale), 3)
    mean_noise = mirrored(laplace(triangle_scale(3, ADD) / RECORDS), 3)
    return (
        clipped_moment(3, 1).mutated(
            name="rows-unclipped",
            mutation="the clipping of the records is left out",
            note="A record of norm one moves the second moment four times as far as the noise allows for.",
            flags=(Flag.PREPROCESSING,),
            target=additive(gram, noise),
            truth=lambda: Truth(4.0),
        ),
        clipped_moment(3, 4).mutated(
            name="clipped-after-squaring",
            mutation="the second moment is clipped to n times the squared bound, not the records",
            note="One long record among short ones goes in at full length.",
            flags=(Flag.PREPROCESSING,),
            target=additive(_clipped_gram, noise),
            truth=lambda: Truth(4.0, exact=False),
        ),
        clipped_moment(4, 1).mutated(
            name="clipped-entrywise",
            mutation="every entry is clipped to the bound, not the norm",
            note="A flat record of norm one has entries of one half and passes unchanged.",
            flags=(Flag.PREPROCESSING,),
            target=additive(lambda data: gram(np.clip(data, -BOUND, BOUND)), mirrored(laplace(scale_4), 4)),
            truth=lambda: Truth(4.0),
        ),
        mean_moment(3).mutated(
            name="n-from-the-data",
            mutation="the divisor is the number of rows that came",
            note="A removed record also changes the weight of all the others.",
            flags=(Flag.DATA_DEPENDENT,),
            target=additive(lambda data: gram(data) / max(1, len(data)), mean_noise),
            truth=lambda: Truth(triangle_scale(3, REPLACE) / triangle_scale(3, ADD)),
        ),
        clipped_moment(3, 1).mutated(
            name="norm-bound-from-the-data",
            mutation="the norm bound is the largest norm that occurs",
            note="The scale of the noise gives the longest record away; without records there is no noise.",
            flags=(Flag.DATA_DEPENDENT,),
            target=_noise_of_the_data,
            truth=lambda: certain_truth(1.0),
        ),
    )


def _noise_of_the_data(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    bound = float(np.max(np.linalg.norm(data, axis=1)))
    return np.asarray(gram(data) + mirrored(laplace(bound**2 * triangle_scale(3, ADD)), 3)(size, generator))


def _same_noise_twice(dimension: int, scale: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        noise = generator.laplace(scale=scale, size=(size, dimension))
        return np.asarray(_sums_of_two_days(data) + np.concatenate([noise, noise], axis=1))

    return target


def _seeded(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noise = np.random.default_rng(2016).laplace(scale=math.sqrt(5) / EPSILON, size=5)
    return np.tile(column_sums(data) + noise, (size, 1))


def reuse_faults() -> tuple[Specimen, ...]:
    """List mutations of the freshness of the noise, and noise that cancels."""
    scale = math.sqrt(5) / EPSILON

    def centred(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        noise = generator.laplace(scale=scale, size=(size, 5))
        return np.asarray(column_sums(data) + noise - noise.mean(axis=1, keepdims=True))

    def truncated(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        noise = np.clip(generator.laplace(scale=scale, size=(size, 5)), -3 * scale, 3 * scale)
        return np.asarray(column_sums(data) + noise)

    def redrawn(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        uniforms = generator.uniform(size=(size, 5)) * -math.expm1(-3.0)
        noise = -scale * np.log1p(-uniforms) * np.sign(generator.uniform(-1.0, 1.0, size=(size, 5)))
        return np.asarray(column_sums(data) + noise)

    parent = vector_sum(5)
    return (
        two_sums(4).mutated(
            name="noise-reused",
            mutation="the second release takes the noise of the first",
            note="The difference of the two releases is the last record, exactly.",
            flags=(Flag.REUSE,),
            target=_same_noise_twice(4, 2 * math.sqrt(4) / EPSILON),
            truth=lambda: certain_truth(1.0),
        ),
        parent.mutated(
            name="fixed-seed",
            mutation="the generator is seeded with a constant",
            note="The output is a function of the data.",
            flags=(Flag.REUSE,),
            target=_seeded,
            truth=lambda: certain_truth(1.0),
            repeats=True,
        ),
        parent.mutated(
            name="centred-noise",
            mutation="the mean of the noise is subtracted from it",
            note="The sum of the coordinates is exact.",
            flags=(Flag.REUSE,),
            target=centred,
            truth=lambda: certain_truth(1.0),
        ),
        parent.mutated(
            name="truncated-noise",
            mutation="the noise is clipped to three scales",
            note="Outputs beyond three scales from the neighbour are impossible there, and the ends have atoms.",
            flags=(Flag.SUPPORT,),
            target=truncated,
            truth=lambda: _beyond(3.0, atom=True),
        ),
        parent.mutated(
            name="rejected-far-noise",
            mutation="draws farther than three scales from the true value are drawn again",
            note="An acceptance test must not look at the data; this one moves the support with them.",
            flags=(Flag.SUPPORT, Flag.SAMPLER),
            target=redrawn,
            truth=lambda: _beyond(3.0, atom=False),
        ),
    )


def _beyond(reach: float, *, atom: bool) -> Truth:
    """Return the truth for a flat record against none, with noise up to ``reach`` scales.

    Each of the five coordinates moves by 1/5 of a scale; the densities where both live differ by at most epsilon in
    all, so that delta is the probability that some coordinate is impossible for the neighbour.
    """
    far, end = math.exp(1 / 5 - reach) / 2, math.exp(-reach) / 2
    # An atom at the near end lies where the neighbour has a density, so it counts as well.
    one = far + end if atom else (far - end) / (1 - 2 * end)
    return certain_truth(1 - (1 - one) ** 5, exact=False)
