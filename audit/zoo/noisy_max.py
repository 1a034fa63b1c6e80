"""Report noisy max on counting queries, and what goes wrong with it."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.zoo.noise import counts
from audit.zoo.specimen import Flag, Specimen, Truth, of_one_record
from audit.zoo.truth import certain_truth, laplace_density, laplace_survival, quadrature
from audit.zoo.worst_pairs import answer_patterns
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target

LENGTH = 5
SCALE = 2.0


def _argmax(batch: FloatArray) -> FloatArray:
    return np.asarray(np.argmax(batch, axis=1), dtype=np.float64)


def _noisy(data: FloatArray, size: int, scale: float, generator: np.random.Generator) -> FloatArray:
    return np.asarray(counts(data) + generator.laplace(scale=scale, size=(size, LENGTH)))


def _index(scale: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return _argmax(_noisy(data, size, scale, generator))

    return target


def _value(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    return np.asarray(_noisy(data, size, SCALE, generator).max(axis=1))


def _index_and_value(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noisy = _noisy(data, size, SCALE, generator)
    return np.stack([np.argmax(noisy, axis=1), noisy.max(axis=1)], axis=1)


def _exponential(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noise = generator.exponential(scale=SCALE, size=(size, LENGTH))
    return _argmax(counts(data) + noise)


def _gumbel(scale: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return _argmax(counts(data) + generator.gumbel(scale=scale, size=(size, LENGTH)))

    return target


def _one_noise(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noise = generator.laplace(scale=SCALE, size=(size, 1))
    return _argmax(counts(data) + noise)


def index_truth(scale: float) -> Truth:
    """Return the least epsilon of the index with Laplace noise, over all answers of zeros and ones, by quadrature."""
    nodes, weights = quadrature(())
    density = weights * laplace_density(nodes, scale)
    logs = []
    for own in (0, 1):
        loses = [1.0 - laplace_survival(nodes + own - other, scale) for other in (0, 1)]
        for ones in range(LENGTH):
            probability = float(np.sum(density * loses[1] ** ones * loses[0] ** (LENGTH - 1 - ones)))
            logs.append(math.log(probability))
    return Truth(max(logs) - min(logs))


def softmax_truth(scale: float) -> Truth:
    """Return the same for Gumbel noise, which draws an index with probability proportional to exp(answer / scale)."""
    high = math.exp(1 / scale)
    logs = [math.log(own / (own + ones * high + LENGTH - 1 - ones)) for own in (1.0, high) for ones in range(LENGTH)]
    return Truth(max(logs) - min(logs))


_specimen = partial(of_one_record, dimension=LENGTH, telling_pairs=answer_patterns(LENGTH))


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return (
        _specimen("noisy-max-laplace", "The index of the greatest noisy count.", _index(SCALE), index_truth(SCALE)),
        _specimen("noisy-max-exponential", "The same with one-sided noise.", _exponential, None),
        _specimen("noisy-max-gumbel", "The exponential mechanism.", _gumbel(SCALE), softmax_truth(SCALE)),
    )


def faults() -> tuple[Specimen, ...]:
    """List mutations of these."""
    plain, _, soft = correct()
    return (
        plain.mutated(
            name="noisy-max-value",
            mutation="the greatest noisy count is reported, not its index",
            note="That all counts are low is as likely as the product of its parts, and all parts have changed.",
            flags=(Flag.ACCOUNTING,),
            target=_value,
            truth=lambda: Truth(LENGTH / SCALE),
        ),
        plain.mutated(
            name="noisy-max-index-and-value",
            mutation="the greatest noisy count is reported with its index",
            note="The value needs noise of its own.",
            flags=(Flag.ACCOUNTING,),
            target=_index_and_value,
            truth=lambda: Truth(LENGTH / SCALE),
        ),
        plain.mutated(
            name="noisy-max-half",
            mutation="the scale is 1 / epsilon although counts rise and fall",
            note="One index gains while the others lose: both changes count.",
            flags=(Flag.SENSITIVITY,),
            target=_index(SCALE / 2),
            truth=lambda: index_truth(SCALE / 2),
        ),
        soft.mutated(
            name="exponential-mechanism-half",
            mutation="the exponent lacks the factor one half",
            note="The normalising constant changes as well.",
            flags=(Flag.SENSITIVITY,),
            target=_gumbel(SCALE / 2),
            truth=lambda: softmax_truth(SCALE / 2),
        ),
        plain.mutated(
            name="noisy-max-one-variate",
            mutation="all counts get the same noise",
            note="The index of the greatest count is exact.",
            flags=(Flag.REUSE,),
            repeats=True,
            target=_one_noise,
            truth=lambda: certain_truth(1.0),
        ),
    )
