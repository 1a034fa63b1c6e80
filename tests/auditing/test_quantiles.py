"""Quantiles by the special functions are those of the distributions of scipy, which take a second to import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scipy.stats import beta, binom

from dpmatrix.auditing.certify.quantiles import beta_quantile, binomial_quantile

PROBABILITIES = (0.0, 1e-12, 1e-3, 0.25, 0.5, 0.75, 1 - 2**-20, 1.0)
LEVELS = (1e-12, 0.005, 0.26, 0.51, 0.76, 0.995, 1 - 1e-12)


@pytest.mark.parametrize("trials", [1, 2, 3, 10, 97, 1000, 10**6])
def test_quantiles_of_hits(trials: int) -> None:
    for probability in PROBABILITIES:
        for level in LEVELS:
            assert binomial_quantile(level, trials, probability) == int(binom.ppf(level, trials, probability))


@pytest.mark.parametrize("probability", [0.25, 0.5, 0.75])
def test_a_level_that_is_attained_needs_no_further_hit(probability: float) -> None:
    """Of powers of two the levels are floats, and the law function returns them without a rounding."""
    below = [float(binom.cdf(hits, 3, probability)) for hits in range(4)]
    assert [binomial_quantile(level, 3, probability) for level in below[:3]] == [0, 1, 2]


def test_quantiles_of_beta_laws() -> None:
    for first, second in ((1, 1), (2, 3), (1, 10**6), (500, 501)):
        for level in LEVELS:
            assert beta_quantile(first, second, level) == pytest.approx(float(beta.ppf(level, first, second)), rel=1e-9)


def test_what_watches_an_audit_and_what_draws_start_without_scipy() -> None:
    program = (
        "import sys, dpmatrix.commands.audit; assert 'numpy' not in sys.modules; "
        "import dpmatrix.auditing.independence.processes; assert 'scipy.special' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
