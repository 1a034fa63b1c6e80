"""Histograms, prefix sums and counts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from audit.zoo.noise import Noise, additive, coordinates, counts, histogram, laplace
from audit.zoo.specimen import Flag, Specimen, Truth
from audit.zoo.truth import certain_truth
from audit.zoo.worst_pairs import answer_patterns
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target
from dpmatrix.privacy.adjacency import Adjacency

ADD, REPLACE = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
BINS = 5
_HALF = Fraction(1, 2)


def _discrete_laplace(scale: float, *, zero_twice: bool = False) -> Noise:
    """Draw a sign and a geometric magnitude; minus zero is drawn again, unless ``zero_twice``."""
    success = -math.expm1(-1 / scale)

    def noise(size: int, generator: np.random.Generator) -> FloatArray:
        def draw(count: int) -> tuple[FloatArray, FloatArray]:
            signs = np.sign(generator.uniform(size=count) - 0.5)
            return np.asarray(signs), np.asarray(generator.geometric(success, size=count) - 1.0)

        signs, magnitudes = draw(size * BINS)
        while not zero_twice:
            again = np.flatnonzero((signs < 0) & (magnitudes == 0))
            if again.size == 0:
                break
            signs[again], magnitudes[again] = draw(again.size)
        return np.asarray((signs * magnitudes).reshape(size, BINS))

    return noise


def _one_sided(size: int, generator: np.random.Generator) -> FloatArray:
    return np.asarray(generator.geometric(-math.expm1(-1.0), size=(size, BINS)) - 1.0)


def _prefix_sums(noisy: Target) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.cumsum(noisy(data, size, generator), axis=1)

    return target


def _bins_that_occur(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    true = histogram(data)
    return np.where(true > 0, true + generator.laplace(size=(size, BINS)), 0.0)


def _clamped(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noisy = histogram(data) + _discrete_laplace(1.0)(size, generator)
    return np.clip(noisy, 0.0, 1.0)


def _specimen(name: str, note: str, target: Target, adjacency: Adjacency, epsilon: int | Fraction = 1) -> Specimen:
    return Specimen(
        name=name,
        note=note,
        target=target,
        epsilon=epsilon,
        adjacency=adjacency,
        dimension=BINS,
        compute_truth=lambda: Truth(float(epsilon)),
        telling_pairs=answer_patterns(BINS) if adjacency is REPLACE else lambda: (),
    )


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    noisy = additive(histogram, coordinates(laplace(1.0), BINS))
    return (
        _specimen("histogram-laplace", "A noisy histogram at add/remove-one.", noisy, ADD),
        _specimen(
            "histogram-half-epsilon",
            "A noisy histogram at epsilon = 1/2.",
            additive(histogram, coordinates(laplace(2.0), BINS)),
            ADD,
            _HALF,
        ),
        _specimen(
            "histogram-replace",
            "A noisy histogram at replace-one, where two bins change.",
            additive(histogram, coordinates(laplace(2.0), BINS)),
            REPLACE,
        ),
        _specimen("histogram-discrete", "Discrete Laplace noise.", additive(histogram, _discrete_laplace(1.0)), ADD),
        _specimen("histogram-clamped", "The truncated geometric mechanism.", _clamped, ADD),
        _specimen("prefix-sums", "Prefix sums of a noisy histogram: post-processing.", _prefix_sums(noisy), ADD),
        _specimen(
            "counts-laplace",
            "Counts that one record may change all.",
            additive(counts, coordinates(laplace(float(BINS)), BINS)),
            REPLACE,
        ),
    )


def _prefixes(data: FloatArray) -> FloatArray:
    return np.cumsum(histogram(data))


def faults() -> tuple[Specimen, ...]:
    """List mutations of these."""
    plain, half, replace, discrete, _, prefix, many = correct()

    def one_noise(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(_prefixes(data) + generator.laplace(size=(size, 1)))

    return (
        half.mutated(
            name="histogram-inverted-scale",
            mutation="the scale is epsilon, not 1 / epsilon",
            note="Right at epsilon = 1, where it was tried.",
            flags=(Flag.SCALE,),
            target=additive(histogram, coordinates(laplace(0.5), BINS)),
            truth=lambda: Truth(2.0),
        ),
        replace.mutated(
            name="histogram-wrong-adjacency",
            mutation="the sensitivity is one, as if one bin changed",
            note="A record that moves leaves one bin and enters another.",
            flags=(Flag.SENSITIVITY,),
            target=additive(histogram, coordinates(laplace(1.0), BINS)),
            truth=lambda: Truth(2.0),
        ),
        plain.mutated(
            name="histogram-bins-that-occur",
            mutation="only bins that are not empty get noise",
            note="An empty bin is recognised by its exact zero.",
            flags=(Flag.SUPPORT, Flag.DATA_DEPENDENT),
            target=_bins_that_occur,
            truth=lambda: certain_truth(1.0),
        ),
        discrete.mutated(
            name="histogram-zero-twice",
            mutation="minus zero is not drawn again",
            note="The test that is missing from the rejection sampler makes zero twice as likely.",
            flags=(Flag.SAMPLER,),
            target=additive(histogram, _discrete_laplace(1.0, zero_twice=True)),
            truth=lambda: Truth(1 + math.log(2)),
        ),
        discrete.mutated(
            name="histogram-one-sided",
            mutation="the sign of the noise is left out",
            note="A count below the true one is impossible.",
            flags=(Flag.SUPPORT,),
            target=additive(histogram, _one_sided),
            truth=lambda: certain_truth(-math.expm1(-1.0)),
        ),
        prefix.mutated(
            name="prefix-sums-fresh-noise",
            mutation="noise for a histogram is added to its prefix sums",
            note="One record changes all prefix sums after its bin.",
            flags=(Flag.SENSITIVITY,),
            target=additive(_prefixes, coordinates(laplace(1.0), BINS)),
            truth=lambda: Truth(float(BINS)),
        ),
        prefix.mutated(
            name="prefix-sums-one-variate",
            mutation="all prefix sums get the noise of the first",
            note="Differences of prefix sums are exact counts.",
            flags=(Flag.REUSE,),
            target=one_noise,
            truth=lambda: certain_truth(1.0),
        ),
        many.mutated(
            name="counts-largest-change",
            mutation="the scale is for the largest change of one count, not for the sum of the changes",
            note="One record can change all counts.",
            flags=(Flag.SENSITIVITY,),
            target=additive(counts, coordinates(laplace(1.0), BINS)),
            truth=lambda: Truth(float(BINS)),
        ),
    )
