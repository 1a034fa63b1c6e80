"""Checkpoints of a sliding window, kept by comparing published sums: post-processing."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.streams.dyadic import Triangle
from dpmatrix.mechanisms.streams.parameters import WindowParameters


@frozen
class WindowCheckpoint:
    """The leaf at which a sum begins, counted from 0, and the noisy total before it."""

    leaf: int
    before: Triangle


def difference(total: Triangle, before: Triangle, dimension: int) -> list[list[int]]:
    """Form the symmetric matrix of a difference of two triangles."""
    matrix = [[0] * dimension for _ in range(dimension)]
    place = 0
    for i in range(dimension):
        for j in range(i + 1):
            matrix[i][j] = matrix[j][i] = total[place] - before[place]
            place += 1
    return matrix


def real_matrix(total: Triangle, before: Triangle, parameters: WindowParameters) -> FloatArray:
    """Round the matrix of a difference of triangles to floats, in units of the data."""
    dimension = parameters.dimension
    values = np.array([a - b for a, b in zip(total, before, strict=True)], dtype=np.float64)
    matrix = np.zeros((dimension, dimension))
    matrix[np.tril_indices(dimension)] = values / 4.0**parameters.coordinate_bits
    return matrix + np.tril(matrix, -1).T


def is_close(older: FloatArray, newer: FloatArray, parameters: WindowParameters) -> bool:
    """Whether ``(1 - eta) older <= newer + slack``, up to rounding that is small against the slack."""
    gap = newer - (1 - float(parameters.eta)) * older
    gap[np.diag_indices(len(gap))] += parameters.slack
    try:
        np.linalg.cholesky(gap)
    except np.linalg.LinAlgError:
        return False
    return True


def updated(
    held: tuple[WindowCheckpoint, ...], total: Triangle, leaf: int, parameters: WindowParameters
) -> tuple[WindowCheckpoint, ...]:
    """Expire and thin out checkpoints after a leaf; ``leaf`` is the number of complete ones.

    The first checkpoint begins at or before the window and no other one does. Between two that are close, a third is
    deleted, unless a block begins there: so no sum reaches back over more than one end of a block.
    """
    begin = max(0, leaf - parameters.leaves)
    while len(held) > 1 and held[1].leaf <= begin:
        held = held[1:]
    values = [real_matrix(total, pair.before, parameters) for pair in held]
    kept = list(held)
    place = 0
    while place + 2 < len(kept):
        spared = kept[place + 1].leaf % (1 << parameters.height) == 0
        if not spared and is_close(values[place], values[place + 2], parameters):
            del kept[place + 1], values[place + 1]
        else:
            place += 1
    return tuple(kept)
