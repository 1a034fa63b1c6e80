"""Second moments with Laplace or Gaussian entries: scale, sensitivity and arrangement."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

import numpy as np
from attrs import frozen
from flint import arb, fmpq, fmpq_mat

from audit.zoo.ceiling import LossLaw, laplace_losses
from audit.zoo.noise import (
    Noise,
    additive,
    averaged,
    everywhere,
    gaussian,
    gram,
    laplace,
    mirrored,
)
from audit.zoo.specimen import Density, Flag, Specimen, Truth
from audit.zoo.truth import as_float, profile_truth, ratio_truth
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.exact import rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_gaussian
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.sensitivity import Entries, frobenius_sensitivity, l1_sensitivity

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
EPSILON = 1
DELTA = Fraction(1, 100)


@cache
def triangle_scale(dimension: int, adjacency: Adjacency) -> float:
    """Return the Laplace scale for the upper triangle at epsilon = 1."""
    return as_float(l1_sensitivity(dimension, adjacency, Entries.UPPER_TRIANGLE))


@cache
def full_scale(dimension: int, adjacency: Adjacency) -> float:
    """Return the Laplace scale for all entries at epsilon = 1."""
    return as_float(l1_sensitivity(dimension, adjacency, Entries.FULL))


@cache
def deviation(adjacency: Adjacency) -> float:
    """Return the standard deviation for a second moment at epsilon = 1, delta = 1/100, whatever the dimension d > 1."""
    guarantee = PrivacyGuarantee(EPSILON, DELTA, adjacency)
    return float(calibrate_gaussian(frobenius_sensitivity(2, adjacency), guarantee))


def gaussian_truth(adjacency: Adjacency, standard_deviation: float) -> Truth:
    """Return the truth of Gaussian entries."""
    profile = GaussianProfile(frobenius_sensitivity(2, adjacency), standard_deviation)
    return profile_truth(profile, EPSILON, DELTA)


def laplace_density(scale: float, dimension: int) -> Density:
    """Return the density of Laplace noise on the upper triangle of the second moment, its ratio in balls."""
    rows, columns = (places.tolist() for places in np.triu_indices(dimension))

    def log_ratio(data: FloatArray, neighbour: FloatArray, output: FloatArray) -> arb:
        ours, theirs = (_exact_gram(records) for records in (data, neighbour))
        total = fmpq(0)
        for i, j in zip(rows, columns, strict=True):
            entry = rational(float(output[i, j]))
            total += abs(entry - theirs[i, j]) - abs(entry - ours[i, j])
        return arb(total) / arb(scale)

    def outputs(pair: NeighbouringPair, offsets: FloatArray) -> FloatArray:
        # Noise of zero loses the most.
        moment = gram(pair.data)
        moment[rows, columns] += offsets
        return np.asarray(np.triu(moment) + np.triu(moment, 1).T)

    return Density(log_ratio, outputs, len(rows))


def _exact_gram(data: FloatArray) -> fmpq_mat:
    matrix = fmpq_mat(data.shape[0], data.shape[1], [rational(value) for value in data.ravel().tolist()])
    return matrix.transpose() * matrix


@frozen(eq=False)
class _Entries:
    """Noise on a second moment, and its density where that is known."""

    noise: Noise
    density: Density | None = None

    @classmethod
    def laplace(cls, scale: float, dimension: int) -> _Entries:
        """Return Laplace noise on the upper triangle."""
        return cls(mirrored(laplace(scale), dimension), laplace_density(scale, dimension))

    @classmethod
    def gaussian(cls, standard_deviation: float, dimension: int) -> _Entries:
        """Return Gaussian noise on the upper triangle."""
        return cls(mirrored(gaussian(standard_deviation), dimension))


def laplace_moment(dimension: int, adjacency: Adjacency) -> Specimen:
    """Make the mechanism that adds Laplace noise to the upper triangle of the second moment."""
    scale = triangle_scale(dimension, adjacency)
    entries = _Entries.laplace(scale, dimension)
    return Specimen(
        name=f"laplace-moment-{adjacency.value}-{dimension}",
        note="Laplace noise on the upper triangle, mirrored, with the exact l1 sensitivity.",
        target=additive(gram, entries.noise),
        epsilon=EPSILON,
        adjacency=adjacency,
        dimension=dimension,
        compute_truth=lambda: ratio_truth(l1_sensitivity(dimension, adjacency, Entries.UPPER_TRIANGLE), scale),
        density=entries.density,
    )


def gaussian_moment(dimension: int, adjacency: Adjacency) -> Specimen:
    """Make the mechanism that adds Gaussian noise to the upper triangle of the second moment."""
    return Specimen(
        name=f"gaussian-moment-{adjacency.value}-{dimension}",
        note="Gaussian noise on the upper triangle, mirrored, with the exact l2 sensitivity.",
        target=additive(gram, _Entries.gaussian(deviation(adjacency), dimension).noise),
        epsilon=EPSILON,
        delta=DELTA,
        adjacency=adjacency,
        dimension=dimension,
        compute_truth=lambda: gaussian_truth(adjacency, deviation(adjacency)),
    )


def _laplace_averaged(dimension: int) -> Specimen:
    noise = averaged(everywhere(laplace(full_scale(dimension, REPLACE)), dimension))
    return Specimen(
        name="laplace-full-averaged",
        note="Independent Laplace noise on all entries, calibrated to all, then averaged with the transpose.",
        target=additive(gram, noise),
        epsilon=EPSILON,
        adjacency=REPLACE,
        dimension=dimension,
    )


def _gaussian_averaged(dimension: int) -> Specimen:
    noise = averaged(everywhere(gaussian(deviation(REPLACE)), dimension))
    return Specimen(
        name="gaussian-full-averaged",
        note="Independent Gaussian noise on all entries, averaged with the transpose: still enough on the diagonal.",
        target=additive(gram, noise),
        epsilon=EPSILON,
        delta=DELTA,
        adjacency=REPLACE,
        dimension=dimension,
        compute_truth=lambda: gaussian_truth(REPLACE, deviation(REPLACE)),
    )


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return (
        laplace_moment(3, REPLACE),
        laplace_moment(3, ADD),
        laplace_moment(4, ADD),
        laplace_moment(10, ADD),
        gaussian_moment(3, REPLACE),
        gaussian_moment(5, REPLACE),
        gaussian_moment(10, REPLACE),
        gaussian_moment(20, ADD),
        _laplace_averaged(3),
        _gaussian_averaged(5),
    )


def _too_small(parent: Specimen, name: str, cut: float, words: str, *, is_hidden: bool = False) -> Specimen:
    """Divide the noise of a parent by a factor."""
    size, adjacency = parent.dimension, parent.adjacency
    if parent.delta:
        small = deviation(adjacency) / cut
        entries, truth = _Entries.gaussian(small, size), partial(gaussian_truth, adjacency, small)
    else:
        entries = _Entries.laplace(triangle_scale(size, adjacency) / cut, size)
        truth = partial(Truth, float(cut))
    return parent.mutated(
        name=name,
        mutation=f"the scale is divided by {cut}",
        note=words,
        flags=(Flag.SCALE,),
        target=additive(gram, entries.noise),
        truth=truth,
        is_hidden=is_hidden,
        density=entries.density,
    )


def _flat_losses(dimension: int, scale: float) -> tuple[LossLaw, ...]:
    """Return the laws of the loss for records that are flat on 1, 2, ... coordinates and zero elsewhere, or absent."""
    return tuple(laplace_losses([1 / (scale * k)] * (k * (k + 1) // 2)) for k in range(1, dimension + 1))


def _wrong_sensitivity(
    parent: Specimen,
    name: str,
    entries: _Entries,
    truth: Callable[[], Truth],
    words: str,
    losses: Callable[[], tuple[LossLaw, ...]] | None = None,
) -> Specimen:
    return parent.mutated(
        name=name,
        mutation=words,
        note="The statistic can change by more than the noise was calibrated to.",
        flags=(Flag.SENSITIVITY,),
        target=additive(gram, entries.noise),
        truth=truth,
        losses=losses,
        density=entries.density,
    )


def faults() -> tuple[Specimen, ...]:
    """List mutations of the amount of noise."""
    replace, add, normal = laplace_moment(3, REPLACE), laplace_moment(3, ADD), gaussian_moment(5, REPLACE)
    ratio = triangle_scale(3, REPLACE) / triangle_scale(3, ADD)
    root = math.sqrt(deviation(REPLACE))
    return (
        _too_small(replace, "laplace-half", 2, "A factor forgotten, as between a variance and its root."),
        _too_small(
            laplace_moment(10, ADD),
            "laplace-half-10",
            2,
            "The same with 55 entries, each of which loses a little: at epsilon = 1 delta is below 1e-5.",
            is_hidden=True,
        ),
        _too_small(replace, "laplace-short-by-a-fifth", 1.2, "The smallest violation that has to be seen."),
        _too_small(gaussian_moment(10, REPLACE), "gaussian-half", 2, "A factor forgotten."),
        _too_small(gaussian_moment(20, ADD), "gaussian-half-20", 2, "The same with 210 entries."),
        _too_small(
            gaussian_moment(10, REPLACE), "gaussian-short-by-a-fifth", 1.2, "The smallest violation to be seen."
        ),
        _wrong_sensitivity(
            replace,
            "laplace-wrong-adjacency",
            _Entries.laplace(triangle_scale(3, ADD), 3),
            lambda: Truth(ratio),
            "the sensitivity is that of add/remove-one",
        ),
        _wrong_sensitivity(
            normal,
            "gaussian-wrong-adjacency",
            _Entries.gaussian(deviation(ADD), 5),
            lambda: gaussian_truth(REPLACE, deviation(ADD)),
            "the sensitivity is that of add/remove-one",
        ),
        _wrong_sensitivity(
            laplace_moment(4, ADD),
            "laplace-l2-sensitivity",
            _Entries.laplace(1.0, 4),
            lambda: Truth(triangle_scale(4, ADD)),
            "the l2 sensitivity stands in place of the l1 sensitivity",
        ),
        _wrong_sensitivity(
            laplace_moment(10, ADD),
            "laplace-l2-sensitivity-10",
            _Entries.laplace(1.0, 10),
            lambda: Truth(triangle_scale(10, ADD)),
            "the l2 sensitivity stands in place of the l1 sensitivity",
            lambda: _flat_losses(10, 1.0),
        ),
        _wrong_sensitivity(
            add,
            "laplace-spectral-sensitivity",
            _Entries.laplace(1.0, 3),
            lambda: Truth(triangle_scale(3, ADD)),
            "the spectral sensitivity stands in place of the l1 sensitivity",
        ),
        _wrong_sensitivity(
            normal,
            "gaussian-variance-for-deviation",
            _Entries.gaussian(root, 5),
            lambda: gaussian_truth(REPLACE, root),
            "the deviation is passed where the sampler takes a variance",
        ),
    )
