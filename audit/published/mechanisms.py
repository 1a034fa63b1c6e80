"""The mechanisms behind most records, in batches: noise on a row of answers, the greatest, and running totals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audit.published.record import FloatArray
from dpmatrix.auditing import Target


def first_columns(number: int) -> Callable[[FloatArray], FloatArray]:
    """Keep the first so many numbers of an output; one alone as a number."""
    return lambda batch: batch[:, 0] if number == 1 else batch[:, :number]


def last_column(batch: FloatArray) -> FloatArray:
    """Keep the last number of an output."""
    return batch[:, -1]


def noisy_answers(scale: float) -> Target:
    """Add Laplace noise to every answer."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(data[0] + generator.laplace(scale=scale, size=(size, data.shape[1])))

    return target


def first_noisy_answer(scale: float) -> Target:
    """Add Laplace noise to every answer, and release the first."""
    noisy = noisy_answers(scale)

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(noisy(data, size, generator)[:, 0], dtype=np.float64)

    return target


def noisy_max(scale: float, *, one_sided: bool = False, value: bool = False) -> Target:
    """Add noise to every answer, and release the place of the greatest, or that greatest noisy answer itself.

    Parameters
    ----------
    scale
        Of the noise.
    one_sided
        Whether the noise is exponential instead of Laplace.
    value
        Whether the noisy answer is released instead of its place.
    """

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        draw = generator.exponential if one_sided else generator.laplace
        noisy = data[0] + draw(scale=scale, size=(size, data.shape[1]))
        return np.asarray(noisy.max(axis=1) if value else noisy.argmax(axis=1), dtype=np.float64)

    return target


def noisy_total(scale: float) -> Target:
    """Add Laplace noise to the sum of the answers."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(data.sum() + generator.laplace(scale=scale, size=size))

    return target


def prefix_sums(scale: float) -> Target:
    """Add Laplace noise to every answer, and release the running sums of the noisy answers."""
    noisy = noisy_answers(scale)

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(np.cumsum(noisy(data, size, generator), axis=1), dtype=np.float64)

    return target


def smart_sums(scale: float, block: int, block_scale: float) -> Target:
    """Release running sums that start anew, from the exact sum of a block and noise on it, at the end of every block.

    Parameters
    ----------
    scale
        Of the Laplace noise on each answer inside of a block.
    block
        Answers in a block.
    block_scale
        Of the noise on the sum of a block; zero for none.
    """

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        length = data.shape[1]
        output = np.empty((size, length))
        total, block_sum = np.zeros(size), 0.0
        for place, answer in enumerate(data[0]):
            if (place + 1) % block == 0:
                total = block_sum + answer + generator.laplace(size=size) * block_scale
                block_sum = 0.0
            else:
                total = total + answer + generator.laplace(scale=scale, size=size)
                block_sum += answer
            output[:, place] = total
        return output

    return target
