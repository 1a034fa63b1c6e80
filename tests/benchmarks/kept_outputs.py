"""Mechanisms whose outputs repeat: honestly, or because they are seeded, kept or handed out several times.

With fresh noise none would lose more than the claimed epsilon = 1 for one replaced record of three, of one number in
[-1, 1]. So a violation that an audit certifies is a false alarm, of the right ones and of those whose counts mean
nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from attrs import frozen

Data = npt.NDArray[np.float64]
_SEEDED = np.random.default_rng(7)
_TABLE = np.random.default_rng().laplace(scale=2, size=64)
_KEPT: dict[bytes, float] = {}
_HANDED_OUT: dict[int, tuple[int, float]] = {}


def _noise() -> float:
    return float(np.random.default_rng().laplace(scale=2))


def _total(data: Data) -> float:
    return float(np.sum(data))


def randomised_response(data: Data) -> bool:
    """Say whether the total is positive, or the opposite with probability 1 / (1 + e)."""
    return (_total(data) > 0) ^ bool(np.random.default_rng().random() < 1 / (1 + np.e))


def rounded_histogram(data: Data) -> Data:
    """Count positive numbers and others; the rounded counts repeat."""
    counts = np.array([np.sum(data > 0), np.sum(data <= 0)])
    return np.round(counts + np.random.default_rng().laplace(scale=2, size=2))


def cut_total(data: Data) -> float:
    """Round the noisy total and cut it to -1, 0 or 1."""
    return float(np.clip(np.round(_total(data) + _noise()), -1, 1))


def constant(data: Data) -> float:
    """Say the same of all data."""
    return 3.0


def seeded_once(data: Data) -> float:
    """Take noise from a generator of the module that is seeded when it is imported."""
    return _total(data) + float(_SEEDED.laplace(scale=2))


def seeded_at_each_call(data: Data) -> float:
    """Take the same noise always."""
    return _total(data) + float(np.random.default_rng(7).laplace(scale=2))


def seeded_by_the_data(data: Data) -> float:
    """Take noise that follows from the data."""
    return _total(data) + float(np.random.default_rng(zlib.crc32(np.asarray(data).tobytes())).laplace(scale=2))


def from_a_table(data: Data) -> float:
    """Take one of 64 numbers that were drawn when the module was imported."""
    return _total(data) + float(np.random.default_rng().choice(_TABLE))


def cached(data: Data) -> float:
    """Draw an answer once for each data set, and keep it."""
    key = np.asarray(data).tobytes()
    if key not in _KEPT:
        _KEPT[key] = _total(data) + _noise()
    return _KEPT[key]


def _handed_out(times: int) -> float:
    used, noise = _HANDED_OUT.get(times, (times, 0.0))
    if used == times:
        used, noise = 0, _noise()
    _HANDED_OUT[times] = used + 1, noise
    return noise


def noise_for_two_calls(data: Data) -> float:
    """Use noise in two calls in a row."""
    return _total(data) + _handed_out(2)


def noise_for_thirty_two_calls(data: Data) -> float:
    """Use noise in 32 calls in a row."""
    return _total(data) + _handed_out(32)


@frozen
class Keeper:
    """A mechanism, and whether it keeps its promise: its outputs are independent, and repeat by chance."""

    mechanism: Callable[[Data], object]
    independent: bool


KEEPERS: Mapping[str, Keeper] = {
    **{one.__name__: Keeper(one, True) for one in (randomised_response, rounded_histogram, cut_total, constant)},
    **{
        one.__name__: Keeper(one, False)
        for one in (
            seeded_once,
            seeded_at_each_call,
            seeded_by_the_data,
            from_a_table,
            cached,
            noise_for_two_calls,
            noise_for_thirty_two_calls,
        )
    },
}


def forget() -> None:
    """Begin as a new process would."""
    global _SEEDED, _TABLE
    _SEEDED = np.random.default_rng(7)
    _TABLE = np.random.default_rng().laplace(scale=2, size=64)
    _KEPT.clear()
    _HANDED_OUT.clear()
