"""Draws from the sphere and principal components: what the exponential mechanism samples, and what a gap hides."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from audit.zoo.additive import DELTA, EPSILON, REPLACE, deviation, gaussian_truth
from audit.zoo.noise import Noise, gaussian, gram, mirrored
from audit.zoo.specimen import Flag, Specimen
from audit.zoo.sphere import (
    gap_truth,
    gibbs_chain,
    one_record_truth,
    one_step_truth,
    projectors,
    top_eigenvectors,
    uniform_on_sphere,
    uniform_rejection,
)
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target
from dpmatrix.privacy.adjacency import Adjacency

_RECORDS = 4
_BINGHAM_EPSILON = Fraction(1, 2)
_STEPS = 30
_LEAST_GAP = 0.05


def _rejection_target(rate: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return projectors(uniform_rejection(rate * gram(data), size, generator))

    return target


def bingham(records: int) -> Specimen:
    """Make the exponential mechanism for the first principal component, by rejection."""
    rate = float(_BINGHAM_EPSILON)
    return Specimen(
        name=f"bingham-rejection-{records}",
        note="The density exp(epsilon x'X'X x) on the sphere; one record more raises the exponent by at most epsilon.",
        target=_rejection_target(rate),
        epsilon=_BINGHAM_EPSILON,
        adjacency=Adjacency.ADD_REMOVE_ONE,
        dimension=3,
        records=records,
        compute_truth=lambda: one_record_truth(rate, 3),
    )


def bingham_chain() -> Specimen:
    """Make the same by a Gibbs sampler that starts anywhere."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        start = uniform_on_sphere(size, 3, generator)
        return projectors(gibbs_chain(start, gram(data) / 2, _STEPS, generator))

    return Specimen(
        name="bingham-gibbs",
        note="The same law at replace-one, by a Gibbs sampler of many steps from a uniform start.",
        target=target,
        epsilon=EPSILON,
        adjacency=REPLACE,
        dimension=3,
        compute_truth=lambda: one_record_truth(0.5, 3),
    )


def noisy_component() -> Specimen:
    """Make the first principal component of a second moment with Gaussian noise."""
    noise = mirrored(gaussian(deviation(REPLACE)), 3)

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return projectors(top_eigenvectors(gram(data) + noise(size, generator)))

    return Specimen(
        name="component-of-noisy-moment",
        note="The projector on the first principal component of a private second moment: post-processing.",
        target=target,
        epsilon=EPSILON,
        delta=DELTA,
        adjacency=REPLACE,
        dimension=3,
    )


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return bingham(1), bingham(_RECORDS), bingham_chain(), noisy_component()


def _from_own_eigenvector(steps: int) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        start = np.tile(top_eigenvectors(gram(data)), (size, 1))
        return projectors(gibbs_chain(start, gram(data) / 2, steps, generator))

    return target


def _component_with_noise_of_the_gap(noise: Noise) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        moment = gram(data)
        eigenvalues = np.linalg.eigvalsh(moment)
        gap = max(float(eigenvalues[-1] - eigenvalues[-2]), _LEAST_GAP)
        return np.asarray(projectors(top_eigenvectors(moment)[None]) + noise(size, generator) / gap)

    return target


def _component_with_noise(noise: Noise) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(projectors(top_eigenvectors(gram(data))[None]) + noise(size, generator))

    return target


def faults() -> tuple[Specimen, ...]:
    """List mutations of these."""
    unit = mirrored(gaussian(deviation(REPLACE)), 3)
    return (
        bingham(_RECORDS).mutated(
            name="bingham-normalised-twice",
            mutation="the exponent is multiplied by n, as for a mean, although the moment is a sum",
            note="The score moves n times as far as epsilon.",
            flags=(Flag.SENSITIVITY,),
            target=_rejection_target(_RECORDS * float(_BINGHAM_EPSILON)),
            truth=lambda: one_record_truth(_RECORDS * float(_BINGHAM_EPSILON), 3),
        ),
        bingham(1).mutated(
            name="bingham-rate-of-variance",
            mutation="the exponent is divided by a variance of one tenth that the guarantee forgets",
            note="The concentration of the law is ten times what epsilon allows.",
            flags=(Flag.SCALE,),
            target=_rejection_target(10 * float(_BINGHAM_EPSILON)),
            truth=lambda: one_record_truth(10 * float(_BINGHAM_EPSILON), 3),
        ),
        bingham_chain().mutated(
            name="gibbs-stopped-early",
            mutation="the chain takes one step from the first principal component of the data",
            note="The law after one step has a pole at a point that the data choose.",
            flags=(Flag.SAMPLER,),
            target=_from_own_eigenvector(1),
            truth=lambda: one_step_truth(0.5, EPSILON),
        ),
        bingham_chain().mutated(
            name="gibbs-stopped-after-three",
            mutation="the chain takes three steps from the first principal component of the data",
            note="Most of the pole is gone, not all of it.",
            flags=(Flag.SAMPLER,),
            target=_from_own_eigenvector(3),
            truth=None,
        ),
        noisy_component().mutated(
            name="noise-of-the-eigengap",
            mutation="the projector of the data gets noise in proportion to one over the data's own eigengap",
            note="The size of the noise gives the gap away, and the gap can vanish with one record.",
            flags=(Flag.DATA_DEPENDENT,),
            target=_component_with_noise_of_the_gap(unit),
            truth=lambda: gap_truth(EPSILON, 6, 1 / _LEAST_GAP),
        ),
        noisy_component().mutated(
            name="noise-without-the-eigengap",
            mutation="the projector of the data gets the noise, at half the deviation",
            note="Two projectors can be the square root of two apart, however little noise the moment needs.",
            flags=(Flag.SENSITIVITY,),
            target=_component_with_noise(mirrored(gaussian(deviation(REPLACE) / 2), 3)),
            truth=lambda: gaussian_truth(REPLACE, deviation(REPLACE) / 2),
        ),
    )
