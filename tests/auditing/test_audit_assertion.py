"""The audit as an assertion, the mechanisms that it takes, and the time that it keeps."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.auditing import PrivacyViolationError, as_target, audit_mechanism, neighbouring_pairs
from dpmatrix.auditing.planning.budget import resolution_for, sizes_within
from dpmatrix.errors import DpmatrixError, InvalidParameterError, NoVerdictError
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.privacy.adjacency import Adjacency

DATA = np.eye(2)
REPLACE = Adjacency.REPLACE_ONE
HERE = Path(__file__).resolve()
IN_TIME = {"seconds": 4, "clock": time.process_time, "generator": 1}
"""The clock is that of the processor, so that other work on the machine costs an audit nothing."""


def total(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.sum(data**2) + generator.laplace(size=size)


def halved(data: np.ndarray) -> float:
    return float(np.sum(data**2) + np.random.default_rng().laplace(scale=0.5))


def test_a_broken_mechanism_fails_the_assertion_with_what_was_found() -> None:
    with pytest.raises(AssertionError, match="is violated, confidence 1 - 1e-09") as caught:
        audit_mechanism(halved, epsilon=1, adjacency=REPLACE, records=1, dimension=1, **IN_TIME)
    assert isinstance(caught.value, PrivacyViolationError)
    assert caught.value.result.epsilon_lower_bound > 1
    assert "counts: " in str(caught.value)


def share(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Return the mean of numbers in [0, 1], which one of them moves by 1/n."""
    return data.mean() + generator.laplace(scale=1 / len(data), size=size)


def test_a_mechanism_that_admits_no_negative_entries_is_told_of_them() -> None:
    """Its loss is exactly 1 on records in [0, 1], and 2 on the two opposite ones that the library has."""
    asked = {"epsilon": 1, "adjacency": REPLACE, "records": 1, "dimension": 1} | IN_TIME
    with pytest.raises(PrivacyViolationError, match="with negative entries in this pair; if") as caught:
        audit_mechanism(share, **asked)
    assert caught.value.result.pair.has_negative_entries()
    result = audit_mechanism(lambda data, size, generator: share(abs(data), size, generator), **asked)
    assert "data sets" not in result.message()


def found(mechanism: object, **other: object) -> pytest.ExceptionInfo[BaseException]:
    """Return what an audit without a generator raises, with the frames that pytest shows of it."""
    asked = {"epsilon": 1, "adjacency": REPLACE, "records": 1, "dimension": 1, "seconds": 4} | other
    with pytest.raises((AssertionError, DpmatrixError)) as caught:
        audit_mechanism(mechanism, clock=time.process_time, **asked)
    return caught


@pytest.mark.parametrize(
    ("mechanism", "other", "kind"),
    [
        (halved, {}, PrivacyViolationError),
        (lambda data: data.sum(), {}, NoVerdictError),
        (halved, {"seconds": -1}, InvalidParameterError),
        (halved, {"records": 0}, InvalidParameterError),
        (LaplaceInputPerturbation, {}, InvalidParameterError),
    ],
)
def test_a_failure_shows_the_line_that_asked_and_no_line_of_the_library(mechanism, other, kind) -> None:
    caught = found(mechanism, **other)
    assert caught.type is kind
    shown = [frame.path for frame in caught.traceback.filter(caught)]
    assert shown
    assert set(shown) == {HERE}


def test_what_the_mechanism_raised_is_still_shown() -> None:
    cause = found(lambda data: len(data) / 0).value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert cause.__traceback__ is not None


@pytest.mark.parametrize(("kind", "made"), [(LaplaceInputPerturbation, "epsilon=1"), (dict, "...")])
def test_who_names_a_class_is_told_how_an_instance_is_audited(kind: type, made: str) -> None:
    words = re.escape(f"write `m = {kind.__name__}({made})` in a file and audit file.py:m")
    with pytest.raises(InvalidParameterError, match=words):
        as_target(kind)


def test_a_private_mechanism_passes_within_the_time() -> None:
    begin = time.process_time()
    result = audit_mechanism(total, epsilon=1, adjacency=REPLACE, records=1, dimension=1, **IN_TIME)
    assert time.process_time() - begin < 8
    assert not result.violated
    assert result.detectable.smallest_epsilon < 1.5


def test_a_library_mechanism_passes() -> None:
    mechanism = LaplaceInputPerturbation(1)
    result = audit_mechanism(mechanism, epsilon=1, adjacency=REPLACE, records=2, dimension=2, **IN_TIME)
    assert result.replay is not None
    assert result.replay.additive


def of_data(data: np.ndarray) -> np.ndarray:
    return np.random.normal(size=3)


def of_a_generator(data: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    return generator.normal(size=3)


def of_batches(data: np.ndarray, size: int, generator: np.random.Generator, scale: float = 1.0) -> np.ndarray:
    return generator.normal(scale=scale, size=(size, 3))


def of_nothing() -> float:
    return 0.0


def of_four(data: np.ndarray, size: int, generator: np.random.Generator, scale: float) -> float:
    return 0.0


def constant(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.ones(size)


@pytest.mark.parametrize("mechanism", [of_data, of_a_generator, of_batches])
def test_functions_of_one_two_and_three_arguments_are_targets(mechanism) -> None:
    target = as_target(mechanism)
    first, again, other = (target(DATA, 5, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.shape == (5, 3)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len(np.unique(first)) == 15


@pytest.mark.parametrize("mechanism", [3, LaplaceInputPerturbation, of_nothing, of_four])
def test_what_is_no_mechanism_is_refused(mechanism) -> None:
    with pytest.raises(InvalidParameterError):
        as_target(mechanism)


def test_sizes_follow_the_time() -> None:
    pairs = neighbouring_pairs(2, 2, REPLACE)

    def slow(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        time.sleep(0.001 * size)
        return total(data, size, generator)

    short, long = (sizes_within(slow, pairs, seconds=seconds, workers=1) for seconds in (10, 100))
    assert short.confirmation < long.confirmation < 10**5
    assert short.pairs * short.training < long.pairs * long.training
    assert short.chunk <= 250
    for seconds in (0, math.inf, -1):
        with pytest.raises(InvalidParameterError):
            sizes_within(total, pairs, seconds=seconds, workers=1)
    with pytest.raises(InvalidParameterError):
        sizes_within(total, [], seconds=1, workers=1)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 3e20])
def test_the_resolution_follows_the_spread(scale: float) -> None:
    """The quartiles of Laplace noise are 2 log 2 scales apart; 64 outputs tell that within a factor of 8."""
    noise = np.random.default_rng(1).laplace(scale=scale, size=(2, 64))
    resolution = float(resolution_for(list(noise)))
    assert math.frexp(resolution)[0] == 0.5
    assert scale * 2**-24 < resolution < scale * 2**-17


def test_coordinates_have_resolutions_of_their_own() -> None:
    """What has no spread is not rounded, and what is seldom noisy is rounded by its noise."""
    noise = np.random.default_rng(1).laplace(size=(2, 64, 1))
    seldom = np.where(np.arange(64)[:, None] % 5 == 0, 1e-6 * noise, 0.0)
    batches = np.concatenate([2e7 * noise, np.ones_like(noise), np.full_like(noise, np.nan), seldom], axis=2)
    large, flag, missing, rare = resolution_for(list(batches))
    assert 1 < large < 2**12
    assert flag == missing == 0
    assert 2**-48 < rare < 2**-36
