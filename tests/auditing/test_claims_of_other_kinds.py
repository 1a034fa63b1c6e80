"""Claims of Gaussian and of zero-concentrated privacy, and the epsilon and delta at which the command audits them."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from dpmatrix.commands.audit_claims import claim_of
from dpmatrix.errors import InvalidParameterError
from tests.auditing.test_no_verdict import run

FEW = ("--records", "1", "--dimension", "1", "--training", "2000", "--confirmation", "20000", "--workers", "1")
NORMAL = """
import numpy as np

def normal(data, size, generator):
    return np.sum(data**2) + generator.normal(size=size)

def half(data, size, generator):
    return np.sum(data**2) + generator.normal(scale=0.5, size=size)
"""


def gaussian_delta(mu: float, epsilon: float) -> mpmath.mpf:
    with mpmath.workdps(40):
        near, far = epsilon / mpmath.mpf(mu) - mpmath.mpf(mu) / 2, epsilon / mpmath.mpf(mu) + mpmath.mpf(mu) / 2
        return mpmath.ncdf(-near) - mpmath.exp(epsilon) * mpmath.ncdf(-far)


@pytest.mark.parametrize(("mu", "epsilon"), [("1", None), ("1", "2"), ("0.25", None), ("3", "0.5"), ("0.5", "4")])
def test_delta_of_gaussian_privacy_is_rounded_up_in_its_sixth_digit(mu: str, epsilon: str | None) -> None:
    claim = claim_of(epsilon, None, mu, None)
    assert claim.epsilon == Fraction(epsilon or mu)
    truth = gaussian_delta(float(mu), float(claim.epsilon))
    assert truth <= claim.delta.numerator / mpmath.mpf(claim.delta.denominator) <= truth * (1 + mpmath.mpf(10) ** -5)


@pytest.mark.parametrize("rho", [0.125, 0.5, 2.0])
@pytest.mark.parametrize("epsilon", [None, "0.5", "4"])
def test_delta_of_concentrated_privacy_is_the_least_of_all_orders(rho: float, epsilon: str | None) -> None:
    """Normal noise has rho = mu**2 / 2 and no more: its delta is below the bound, which no order makes smaller."""
    claim = claim_of(epsilon, None, None, str(rho))
    at = float(claim.epsilon)
    assert epsilon is not None or at == pytest.approx(rho + math.sqrt(2 * rho), rel=0.01)
    assert float(gaussian_delta(math.sqrt(2 * rho), at)) < float(claim.delta) < 1
    orders = [1 + 1.01**power for power in range(-800, 800)]
    bounds = [(a - 1) * (rho * a - at) + a * math.log1p(-1 / a) - math.log(a - 1) for a in orders]
    assert float(claim.delta) == pytest.approx(min(1, math.exp(min(bounds))), rel=1e-3)


def test_without_another_claim_nothing_changes() -> None:
    assert claim_of(None, None, None, None) == claim_of("1", "0", None, None)
    given = claim_of("0.5", "1e-6", None, None)
    assert (given.epsilon, given.delta, given.words) == (Fraction(1, 2), Fraction(1, 10**6), None)


@pytest.mark.parametrize(
    ("claim", "parameter"),
    [
        ((None, None, "1", "1"), "zcdp"),
        ((None, "0", "1", None), "delta"),
        ((None, "1e-6", None, "1"), "delta"),
        ((None, None, "0", None), "gdp"),
        ((None, None, "many", None), "gdp"),
        ((None, None, None, "-1"), "zcdp"),
        (("0", None, "1", None), "epsilon"),
        (("1e-9", None, None, "100"), "epsilon"),
    ],
)
def test_what_is_no_claim_is_refused(claim: tuple[str | None, ...], parameter: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        claim_of(*claim)
    assert caught.value.parameter == parameter


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("claims")
    (place / "mine.py").write_text(NORMAL, encoding="utf-8")
    return place


def test_the_command_audits_normal_noise_at_its_own_mu_and_at_half_of_it(folder: Path) -> None:
    right = run(folder, "normal", "--gdp", "1", *FEW)
    assert right.returncode == 0, right.stdout + right.stderr
    assert "claim: 1-Gaussian differential privacy says (1, 0.126937)-differential privacy" in right.stdout
    for claim, said in ((("--gdp", "1"), "1-Gaussian"), (("--zcdp", "0.5"), "0.5-zero-concentrated")):
        wrong = run(folder, "half", *claim, *FEW, "--json", "found.json")
        assert wrong.returncode == 1, wrong.stdout + wrong.stderr
        assert f"claim: {said} differential privacy says" in wrong.stdout
        again = run(folder, "half", "--replay", "found.json")
        assert again.returncode == 1, again.stdout + again.stderr


@pytest.mark.parametrize("option", ["--gdp", "--zcdp"])
def test_a_file_says_itself_which_claim_was_audited(folder: Path, option: str) -> None:
    done = CliRunner().invoke(command_line.app, ["audit", "--replay", str(folder / "found.json"), option, "1"])
    assert done.exit_code == 2
    assert "a file that says which claim was audited has no use for it" in done.output


def test_two_claims_are_refused_in_one_line(folder: Path) -> None:
    done = CliRunner().invoke(command_line.app, ["audit", str(folder / "mine.py:half"), "--gdp", "1", "--delta", "0"])
    assert done.exit_code == 2
    assert "it follows from the claim that is made" in done.output
