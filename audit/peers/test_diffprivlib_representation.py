"""Float noise of diffprivlib 0.6.6: its samplers use several uniforms, and the last addition gives the input away.

``Laplace.randomise`` returns ``value - scale * standard_laplace``, with a standard variate made of four uniforms so
that it cannot be inverted (Holohan and Braghin 2021). That hides the uniforms, not the value. With a value of zero an
output below one half has bits beyond 2**-53; with a value of one such an output takes noise between one half and three
halves, whose own bits end at 2**-53, and the sum has none beyond. ``Gaussian``, ``Staircase`` and ``Uniform`` end in
the same addition, and truncating or folding its result, or drawing again, keeps its low bits. ``Geometric`` adds a
float, ``floor(log(u) / scale)``, before it rounds to an integer: beyond 53 bits that is the same addition again.

That such noise leaks was known: Mironov (2012) for its own bits, Haney et al. (2022, arXiv 2207.13793) for those of the
sum, and the library's numbers 19 and 94. Its README says that its public release is for research and education only.

``Snapping`` rounds the sum to a public grid not finer than the scale, and no low bit is left.

An event of probability 1/50 on one input and none on the other is certified by `confirmation` but for 1e-9: of 20,000
outputs fewer than 250 with probability below 1e-12, and 250 against none certify epsilon = 1.
"""

from __future__ import annotations

import numpy as np
import pytest
from diffprivlib import mechanisms
from scipy.stats import binom

from dpmatrix.auditing import EventCounts, adversarial_centres, violation_is_certified

BOUNDS = {"lower": -8.0, "upper": 8.0}
LEAKING = {
    "Laplace": ({"epsilon": 1, "sensitivity": 1.0}, 1, 0),
    "LaplaceTruncated": ({"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0),
    "LaplaceFolded": ({"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0),
    "LaplaceBoundedDomain": ({"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0),
    "LaplaceBoundedNoise": ({"epsilon": 1, "delta": 1e-5, "sensitivity": 1.0}, 1, 1e-5),
    "Gaussian": ({"epsilon": 1, "delta": 1e-5, "sensitivity": 1.0}, 1, 1e-5),
    "GaussianAnalytic": ({"epsilon": 1, "delta": 1e-5, "sensitivity": 1.0}, 1, 1e-5),
    "Staircase": ({"epsilon": 1, "sensitivity": 1.0, "gamma": 0.5}, 1, 0),
    # It claims epsilon = 0, which the audit takes only as a limit.
    "Uniform": ({"delta": 0.1, "sensitivity": 1.0}, 1e-9, 0.1),
    "Geometric": ({"epsilon": 1, "sensitivity": 2**56}, 1, 0),
}
KEEPING = {
    "Snapping": ({"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0),
    "Geometric": ({"epsilon": 1, "sensitivity": 1}, 1, 0),
}


def outputs(name: str, arguments: dict[str, float]):
    mechanism = getattr(mechanisms, name)(**arguments)
    return lambda centre, size, _: np.array([mechanism.randomise(centre) for _ in range(size)])


def centres(sensitivity: float):
    return [pair for pair in adversarial_centres(sensitivity) if abs(pair.data) <= 8 * sensitivity][:4]


def test_so_many_outputs_are_enough() -> None:
    assert binom.cdf(249, 20_000, 0.02) < 1e-12
    counts = EventCounts(250, 20_000, 0, 20_000)
    assert violation_is_certified(counts, epsilon=1, delta=1e-5, failure_probability=5e-10)


@pytest.mark.parametrize("name", LEAKING)
def test_float_noise_of_diffprivlib_gives_the_input_away(audited_low_bits, name: str) -> None:
    arguments, epsilon, delta = LEAKING[name]
    result = audited_low_bits(outputs(name, arguments), centres(arguments["sensitivity"]), epsilon=epsilon, delta=delta)
    assert result.leaks
    assert result.delta_lower_bound > delta + 0.01


@pytest.mark.parametrize("name", KEEPING)
def test_grids_of_diffprivlib_have_no_low_bits(audited_low_bits, name: str) -> None:
    arguments, epsilon, delta = KEEPING[name]
    result = audited_low_bits(outputs(name, arguments), centres(arguments["sensitivity"]), epsilon=epsilon, delta=delta)
    assert not result.leaks
    assert result.counts is None
