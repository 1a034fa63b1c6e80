"""Laplace and normal noise in floating point, in batches, by the methods whose low bits were attacked.

Uniform numbers are multiples of 2^-bits. What each method makes of them is written apart, one number at a time, in
`audit.published.words`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from audit.published.record import FloatArray
from audit.published.ziggurat import ACCEPTED, BASE, DENSITIES, LAYERS, WIDTHS
from dpmatrix.auditing import Target

Batch: TypeAlias = Callable[[int, np.random.Generator], FloatArray]
"""Called as ``batch(size, generator)``: that many numbers, or rows of them."""


def uniforms(generator: np.random.Generator, size: int, bits: int) -> FloatArray:
    """Return multiples of 2^-bits in [0, 1)."""
    return np.asarray(generator.integers(2**bits, size=size) / 2**bits, dtype=np.float64)


def _signs(generator: np.random.Generator, size: int) -> FloatArray:
    return np.asarray(2.0 * generator.integers(2, size=size) - 1.0, dtype=np.float64)


def _logs(generator: np.random.Generator, size: int, bits: int) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(uniforms(generator, size, bits)))


def laplace(scale: float, bits: int) -> Batch:
    """Invert the distribution function."""

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        return scale * (_signs(generator, size) * -np.log(1.0 - uniforms(generator, size, bits)))

    return batch


def laplace_of_four(scale: float, bits: int = 53) -> Batch:
    """Make a variate of four uniform numbers, as Holohan and Braghin (2021) do."""

    def part(size: int, generator: np.random.Generator) -> FloatArray:
        logs = np.log(1.0 - uniforms(generator, size, bits))
        return np.asarray(logs * np.cos(np.pi * uniforms(generator, size, bits)))

    return lambda size, generator: -scale * (part(size, generator) + part(size, generator))


def dense_laplace(scale: float) -> Batch:
    """Invert the distribution function at uniform numbers with 53 digits of their own, however small they are."""

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        low = np.ldexp(1.0 + uniforms(generator, size, 52), -1 - generator.geometric(0.5, size=size))
        sizes = np.where(generator.integers(2, size=size), -np.log1p(-low), -np.log(low))
        return scale * (_signs(generator, size) * sizes)

    return batch


def box_muller(deviation: float, bits: int, *, both: bool = False) -> Batch:
    """Turn a uniform radius and angle into two normal numbers, and return the first or both."""

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        radii = deviation * np.sqrt(-2.0 * _logs(generator, size, bits))
        angles = 2.0 * np.pi * uniforms(generator, size, bits)
        first = radii * np.cos(angles)
        return np.stack([first, radii * np.sin(angles)], axis=1) if both else np.asarray(first)

    return batch


def polar(deviation: float, bits: int) -> Batch:
    """Take points in the unit disc, and return the first of the two numbers of each."""

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        found = np.empty(0)
        while len(found) < size:
            first, second = (2.0 * uniforms(generator, 2 * size, bits) - 1.0 for _ in range(2))
            squares = first**2 + second**2
            inside = (squares > 0.0) & (squares < 1.0)
            first, squares = first[inside], squares[inside]
            found = np.concatenate([found, deviation * first * np.sqrt(-2.0 * np.log(squares) / squares)])
        return found[:size]

    return batch


def columns(noise: Batch, number: int) -> Batch:
    """Draw rows of so many numbers."""
    return lambda size, generator: noise(size * number, generator).reshape(size, number)


def ziggurat(deviation: float, bits: int) -> Batch:
    """Draw from the layers of a ziggurat."""

    def tail(size: int, generator: np.random.Generator) -> FloatArray:
        found = np.empty(0)
        while len(found) < size:
            over = -_logs(generator, size, bits) / BASE
            found = np.concatenate([found, BASE + over[-2.0 * _logs(generator, size, bits) > over**2]])
        return found[:size]

    def tried(size: int, generator: np.random.Generator) -> FloatArray:
        layers, shares = generator.integers(LAYERS, size=size), uniforms(generator, size, bits)
        numbers = shares * WIDTHS[layers]
        kept = shares < ACCEPTED[layers]
        lowest = ~kept & (layers == 0)
        numbers[lowest] = tail(int(np.count_nonzero(lowest)), generator)
        others = ~kept & ~lowest
        top, bottom = DENSITIES[layers[others] - 1], DENSITIES[layers[others]]
        heights = bottom + uniforms(generator, len(top), bits) * (top - bottom)
        kept[others] = heights < np.exp(-0.5 * numbers[others] ** 2)
        return np.asarray(numbers[kept | lowest])

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        found = np.empty(0)
        while len(found) < size:
            found = np.concatenate([found, tried(2 * size, generator)])
        return deviation * (_signs(generator, size) * found[:size])

    return batch


def two_normals(deviation: float) -> Batch:
    """Add two normal numbers, against attacks that know the sampler of one."""

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        first, second = (generator.standard_normal(size) for _ in range(2))
        return deviation * ((first + second) / math.sqrt(2.0))

    return batch


def four_singles(deviation: float, bits: int = 24) -> Batch:
    """Add four normal numbers in single precision and take half, against attacks that know the sampler of one."""
    scale, two, turn = np.float32(deviation), np.float32(2.0), np.float32(2.0 * math.pi)

    def batch(size: int, generator: np.random.Generator) -> FloatArray:
        total = np.zeros(size, dtype=np.float32)
        for _ in range(4):
            shares = (uniforms(generator, size, bits).astype(np.float32) for _ in range(2))
            radii, angles = np.sqrt(-two * np.log(np.float32(1.0) - next(shares))), turn * next(shares)
            total += radii * np.cos(angles) * scale
        return np.asarray(total / two, dtype=np.float64)

    return batch


def added(noise: Batch, *, single: bool = False) -> Target:
    """Add noise to the sum of the records, a number or a row of them, in double or in single precision."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        drawn = noise(size, generator)
        answers = data.sum(axis=0) if drawn.ndim == 2 else data.sum()
        if single:
            return (np.float32(answers) + drawn.astype(np.float32)).astype(np.float64)
        return np.asarray(answers + drawn, dtype=np.float64)

    return target
