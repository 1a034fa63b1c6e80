"""Sampled outputs against a law that was computed apart from the mechanism, and a generator without noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy.stats import binom


def rows(outputs: np.ndarray) -> Counter[tuple[int, ...]]:
    """Count the different rows of a batch of integers, shape (size, k)."""
    found, counts = np.unique(outputs, axis=0, return_counts=True)
    return Counter(dict(zip(map(tuple, found.astype(int).tolist()), counts.tolist(), strict=True)))


def implausibility(outputs: Iterable[Hashable], law: Mapping[Any, float]) -> float:
    """Return a bound on the probability that outputs of this law have a frequency as odd as the oddest one here.

    It is the least two-sided binomial p-value, times the number of outputs that there are. An output that the law does
    not know has probability 0.
    """
    counts = Counter(outputs)
    size = counts.total()
    assert set(counts) <= set(law)
    assert min(law.values()) >= 0
    assert abs(sum(law.values()) - 1) < 1e-9
    places = [min(binom.cdf(counts[one], size, p), binom.sf(counts[one] - 1, size, p)) for one, p in law.items()]
    least = float(np.min(places))
    assert 0 <= least <= 1
    return min(1.0, 2 * len(law) * least)


class Silent:
    """A generator whose noise is 0; it keeps the scales."""

    def __init__(self) -> None:
        self.scales: list[float] = []

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        """Return zeros."""
        self.scales.append(scale)
        return loc + np.zeros(() if size is None else size)

    normal = laplace
