"""Pairs of covariances, and an output of the compression for each."""

from __future__ import annotations

import random

from flint import fmpq, fmpq_mat

from dpmatrix.spec.compression.covariances import CovariancePair
from dpmatrix.spec.compression.truncated_loss import OutputPoint
from proofs_checks.compression.covariance_pairs import drawn

ENTRIES = random.Random(20090625)


PAIRS = [CovariancePair(first, second) for first, second in drawn(ENTRIES)]


def outputs() -> list[OutputPoint]:
    points = []
    for i, p in enumerate(PAIRS):
        size, rows = p.first.nrows(), 2 + i % 4
        entries = [fmpq(ENTRIES.randint(-9, 9), 5) for _ in range(rows * size)]
        points.append(OutputPoint(p.first, p.second, output=fmpq_mat(rows, size, entries)))
    return points


OUTPUTS = outputs()
