"""Randomised response and RAPPOR: one record, answered with noise of its own."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np

from audit.zoo.specimen import Flag, Specimen, Truth, of_one_record
from audit.zoo.truth import finite_truth
from audit.zoo.worst_pairs import basis, one_record
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.targets.target import Target

CATEGORIES = 5
_HASHES = 2
_REPORTS = 3
_INSTANT_ONE, _INSTANT_ZERO = 0.75, 0.25


def _category(data: FloatArray) -> int:
    return int(np.argmax(np.abs(data[-1])))


def _bits(category: int) -> FloatArray:
    """Return the Bloom filter of a category: two bits, shared with the next one."""
    bits = np.zeros(CATEGORIES)
    bits[[(category + step) % CATEGORIES for step in range(_HASHES)]] = 1.0
    return bits


def _kept(bits: FloatArray, size: int, keep: float, generator: np.random.Generator) -> FloatArray:
    kept = generator.uniform(size=(size, CATEGORIES)) < keep
    return np.where(kept, bits, 1.0 - bits)


def keep_probability(epsilon: float, bits: int) -> float:
    """Return the probability to tell the truth about a bit where so many may differ."""
    return 1 / (1 + math.exp(-epsilon / bits))


def _once(keep: float) -> Target:
    return lambda data, size, generator: _kept(_bits(_category(data)), size, keep, generator)


def _remembered(keep: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        permanent = _kept(_bits(_category(data)), size, keep, generator)
        chance = np.where(permanent == 1, _INSTANT_ONE, _INSTANT_ZERO)
        return np.concatenate(
            [(generator.uniform(size=chance.shape) < chance).astype(np.float64) for _ in range(_REPORTS)], axis=1
        )

    return target


def _redrawn(keep: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        bits = _bits(_category(data))
        return np.concatenate([_kept(bits, size, keep, generator) for _ in range(_REPORTS)], axis=1)

    return target


def once_truth(keep: float, epsilon: float) -> Truth:
    """Return the truth of one report, by enumeration."""
    outputs = [np.array(bits) for bits in itertools.product((0.0, 1.0), repeat=CATEGORIES)]
    laws = [
        np.array([np.prod(np.where(output == _bits(category), keep, 1 - keep)) for output in outputs])
        for category in range(CATEGORIES)
    ]
    return finite_truth(laws, epsilon)


def _response(keep: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        lies = (_category(data) + generator.integers(1, CATEGORIES, size=size)) % CATEGORIES
        return np.where(generator.uniform(size=size) < keep, _category(data), lies).astype(np.float64)

    return target


def response_truth(keep: float, epsilon: float) -> Truth:
    """Return the truth of randomised response among the categories."""
    lie = (1 - keep) / (CATEGORIES - 1)
    laws = [np.where(np.arange(CATEGORIES) == category, keep, lie) for category in range(CATEGORIES)]
    return finite_truth(laws, epsilon)


def _pairs() -> tuple[NeighbouringPair, ...]:
    zero = basis(CATEGORIES, 0)
    return tuple(one_record(f"categories 0 and {other}", zero, basis(CATEGORIES, other)) for other in (1, 2))


_specimen = partial(of_one_record, dimension=CATEGORIES, telling_pairs=_pairs)


_RIGHT = keep_probability(1.0, 2 * _HASHES)
_HONEST = math.e / (math.e + CATEGORIES - 1)


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return (
        _specimen("rappor-once", "Randomised response on a Bloom filter.", _once(_RIGHT), once_truth(_RIGHT, 1.0)),
        _specimen("rappor-reports", "Reports on one remembered answer.", _remembered(_RIGHT), None),
        _specimen(
            "randomised-response",
            "The category or another one.",
            _response(_HONEST),
            response_truth(_HONEST, 1.0),
        ),
    )


def faults() -> tuple[Specimen, ...]:
    """List mutations of these."""
    once, reports, response = correct()
    short, binary = keep_probability(1.0, _HASHES), math.e / (math.e + 1)
    return (
        once.mutated(
            name="rappor-one-filter",
            mutation="only the bits of one filter are paid for",
            note="Between two categories the bits of both change.",
            flags=(Flag.SENSITIVITY,),
            target=_once(short),
            truth=lambda: once_truth(short, 1.0),
        ),
        reports.mutated(
            name="rappor-forgetful",
            mutation="the permanent answer is drawn again for every report",
            note="Every report costs epsilon.",
            flags=(Flag.ACCOUNTING,),
            target=_redrawn(_RIGHT),
            truth=lambda: Truth(float(_REPORTS)),
        ),
        response.mutated(
            name="randomised-response-binary",
            mutation="the probability of the truth is that for two categories",
            note="A lie is shared by all other categories, so that each is rarer.",
            flags=(Flag.SAMPLER,),
            target=_response(binary),
            truth=lambda: response_truth(binary, 1.0),
        ),
    )
