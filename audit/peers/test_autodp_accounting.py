"""Accounting of autodp 0.2.3.1: Renyi accounting covers the truth, the analytical Fourier accountant does not.

What an accountant reports is compared with what is certified from below, in ball arithmetic; no chance is involved. The
library is asked at nominal parameters, with SciPy 1.17.1. It names the relation, by default that a record is added or
removed.

*What understates.* All of it belongs to the Fourier accountant (``phi_off=False``, ``ComposeAFA``) but the last two.

``get_approxDP`` ends in ``converter.py``, line 1096: the epsilon is searched by ``minimize_scalar`` with ``bounds=[0,
1]`` and no method. What is bounded so is ``exp(epsilon)``, so that no epsilon above zero can come out. That is a matter
of the version of SciPy: with 1.9.3 the bounds were passed over in silence, and the Gaussian's epsilon was right to
0.01 at deltas of 1e-2 and 1e-5. The library asks for SciPy 1.2.1 or later. Its number 40 is about the same bounds in
another function, where SciPy raises an error; this one stays silent.

``get_approx_delta`` inverts a characteristic function by 700 nodes of Gauss (``converter.py``, line 940). That is right
to eight digits for the Gaussian. Where the privacy loss has atoms, of randomised response and of Laplace noise, the
integrand does not fall, and what comes out may be below the truth, negative or in the thousands. Number 17 of the
library, which added this accountant, says that there could be numerical issues.

``NoisyScreenMechanism`` at delta = 0 (``rdp_bank.py``, line 149) returns the ratio of two probabilities where the limit
is the logarithm of the greater ratio. ``RDP_independent_noisy_screen`` (line 129) computes four divergences and returns
the last, by ``np.max(log_term)`` where ``np.max(rdp)`` belongs.

None of these was found in the library's issues, numbers 17 and 40 apart, when searched on 2026-11-30.

*What was not tried.* The sparse vector technique, calibrators, f-DP, and amplification under the Fourier accountant,
which calls ``scipy.integrate.quadrature`` that SciPy no longer has.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from autodp import mechanism_zoo, rdp_bank, transformer_zoo
from flint import arb
from scipy.stats import norm

from audit.peers import exact_truths

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
SEARCH = "autodp/converter.py:1096, exp(epsilon) is searched between 0 and 1 (autodp 40 is about its like)"
NODES = "autodp/converter.py:940, 700 nodes invert a characteristic function that does not fall"
TRUTH = 0.75
Composed = Callable[[float], float]


def fourier(mechanism: object, count: int) -> object:
    return transformer_zoo.ComposeAFA()([mechanism], [count])


def renyi(mechanism: object, count: int) -> object:
    return transformer_zoo.Composition()([mechanism], [count])


@pytest.mark.parametrize("delta", [1e-2, 1e-5])
@pytest.mark.parametrize("count", [1, 16])
def test_fourier_accountant_reports_an_epsilon_below_zero(accounted, delta: float, count: int) -> None:
    epsilon = float(fourier(mechanism_zoo.GaussianMechanism(4.0, phi_off=False), count).get_approxDP(delta))
    assert epsilon < 0
    assert accounted(
        f"autodp, Fourier accountant, Gaussian noise 4, {count} times, claimed epsilon {epsilon:.3g}",
        reported=delta,
        certified=exact_truths.gaussian(epsilon, 4 / arb(count).sqrt()),
        at=0,
        cause=SEARCH,
    )


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_fourier_accountant_has_the_delta_of_a_gaussian(epsilon: float) -> None:
    reported = float(mechanism_zoo.GaussianMechanism(1.0, phi_off=False).get_approx_delta(epsilon))
    assert reported == pytest.approx(exact_truths.gaussian(epsilon, 1), rel=1e-8)


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_fourier_accountant_understates_randomised_responses(accounted, count: int) -> None:
    """Asked at nine epsilons up to the sum of the pure ones; the error has no pattern, and the worst one is told."""
    mechanism = fourier(mechanism_zoo.RandresponseMechanism(TRUTH, phi_off=False), count)
    asked = [share / 10 * count * math.log(3) for share in range(1, 10)]
    found = [(float(mechanism.get_approx_delta(at)), exact_truths.responses(at, arb(TRUTH), count), at) for at in asked]
    reported, certified, at = min(found, key=lambda row: row[0] - row[1])
    assert certified - reported > 0.05
    what = f"autodp, Fourier accountant, {count} responses that are true with probability 3/4"
    assert accounted(what, reported=reported, certified=certified, at=at, cause=NODES)


@pytest.mark.parametrize(("scale", "epsilon"), [(1.0, 0.9), (0.5, 1.0), (0.5, 1.8)])
def test_fourier_accountant_understates_laplace_noise(accounted, scale: float, epsilon: float) -> None:
    mechanism = fourier(mechanism_zoo.LaplaceMechanism(scale, phi_off=False), 1)
    assert accounted(
        f"autodp, Fourier accountant, Laplace noise {scale}",
        reported=float(mechanism.get_approx_delta(epsilon)),
        certified=exact_truths.laplace(epsilon, scale),
        at=epsilon,
        cause=NODES,
    )


def test_noisy_screen_at_delta_zero_is_a_ratio_and_no_logarithm(record_property) -> None:
    """An outcome of probability 1/10 on one data set and 9/10 on the other: the pure loss is the logarithm of nine."""
    mechanism = mechanism_zoo.NoisyScreenMechanism({"logp": math.log(0.1), "logq": math.log(0.9)})
    reported, loss = float(mechanism.get_approxDP(0)), math.log(9)
    assert reported == pytest.approx(1 / 9)
    assert float(mechanism.get_RDP(1000)) == pytest.approx(loss, abs=1e-3)  # the same function is right at finite order
    record_property(
        "tried", f"UNDERSTATES: autodp, NoisyScreenMechanism: epsilon {reported:.3g} at delta = 0; truth: {loss:.3g}; "
        "cause: autodp/rdp_bank.py:149, the ratio instead of the logarithm"
    )  # fmt: skip


def test_independent_noisy_screen_returns_the_last_of_four_divergences(record_property) -> None:
    """The greatest divergence of the same four pairs of probabilities, at order 50 and noise 10, is thrice that."""
    settings, order = {"thresh": 60, "k": 100, "sigma": 10.0}, 50

    def divergence(votes: int, change: int) -> float:
        first, second = (norm.sf(60 - votes, scale=10.0), norm.sf(60 - votes + change, scale=10.0))
        terms = [order * math.log(p) + (1 - order) * math.log(q) for p, q in ((first, second), (1 - first, 1 - second))]
        return float(np.logaddexp(*terms)) / (order - 1)

    four = [divergence(votes, change) for change in (1, -1) for votes in (10, 60)]
    reported = float(rdp_bank.RDP_independent_noisy_screen(settings, order))
    assert reported == pytest.approx(four[-1])
    assert max(four) > 3 * reported
    record_property(
        "tried", f"UNDERSTATES: autodp, RDP_independent_noisy_screen: {reported:.3g} at order {order}; truth: "
        f">= {max(four):.3g}; cause: autodp/rdp_bank.py:129, the last of four instead of the greatest"
    )  # fmt: skip


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize("count", [1, 5, 20])
def test_renyi_accounting_covers_randomised_responses(accounted, count: int, delta: float) -> None:
    epsilon = float(renyi(mechanism_zoo.RandresponseMechanism(TRUTH), count).get_eps(delta))
    truth = exact_truths.responses(epsilon + 1e-9, arb(TRUTH), count)
    assert not accounted(f"autodp, {count} responses", reported=delta, certified=truth, at=epsilon)


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_renyi_accounting_covers_laplace_and_gaussian_noise(accounted, scale: float, delta: float) -> None:
    """A billionth is allowed: the library computes in floats and promises no more."""
    asked = {
        "Laplace": (mechanism_zoo.LaplaceMechanism(scale), exact_truths.laplace),
        "Gaussian": (mechanism_zoo.GaussianMechanism(scale), exact_truths.gaussian),
        "exact Gaussian": (mechanism_zoo.ExactGaussianMechanism(scale), exact_truths.gaussian),
        "discrete Gaussian": (mechanism_zoo.DiscreteGaussianMechanism(scale), exact_truths.discrete_gaussian),
    }
    for name, (mechanism, truth) in asked.items():
        epsilon = float(mechanism.get_eps(delta))
        certified = truth(epsilon + 1e-9, scale)
        assert not accounted(f"autodp, {name} noise {scale}", reported=delta, certified=certified, at=epsilon)


@pytest.mark.parametrize(("deviation", "rate", "steps"), [(1.0, 0.01, 1), (2.0, 0.5, 1), (1.0, 0.01, 1000)])
def test_renyi_accounting_covers_subsampled_gaussian_noise(
    accounted, deviation: float, rate: float, steps: int
) -> None:
    truth = exact_truths.subsampled_gaussian(deviation, rate, steps)
    mechanism = mechanism_zoo.SubsampleGaussianMechanism({"prob": rate, "sigma": deviation, "coeff": steps})
    for delta in (1e-2, 1e-5):
        epsilon = float(mechanism.get_eps(delta))
        what = f"autodp, noise {deviation} at rate {rate}, {steps} times"
        assert not accounted(what, reported=delta, certified=float(truth(epsilon)), at=epsilon)
