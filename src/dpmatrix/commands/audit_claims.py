"""The claim that an audit on the command line is of: epsilon and delta, or what another kind of claim says of them."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING
from fractions import Fraction

from attrs import frozen
from flint import arb

from dpmatrix.commands.numbers import decimal, read
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction
from dpmatrix.privacy.concentrated import concentrated, renyi_delta
from dpmatrix.privacy.domains import nonnegative, positive
from dpmatrix.privacy.profiles.gaussian import GaussianProfile

_DIGITS = 6


@frozen
class Claim:
    """A claim of (epsilon, delta)-differential privacy, and in words the one that it follows from, if there is one."""

    epsilon: Fraction
    delta: Fraction
    words: str | None = None


def claim_of(epsilon: str | None, delta: str | None, gdp: str | None, zcdp: str | None) -> Claim:
    """Read a claim.

    Parameters
    ----------
    epsilon, delta
        Of the claim, 1 and 0 if nothing is said. Beside another kind of claim epsilon is where that is put to the test,
        and delta follows from it.
    gdp
        mu of Gaussian differential privacy (Dong, Roth and Su 2022), which says of delta what normal noise of standard
        deviation 1 / mu for a sensitivity of 1 does. It is tested at epsilon = mu if nothing is said.
    zcdp
        rho of zero-concentrated differential privacy (Bun and Steinke 2016); delta is bounded as by `renyi_delta`. It
        is tested near epsilon = rho + (2 rho)**(1/2) if nothing is said.

    Raises
    ------
    InvalidParameterError
        If a number is none or out of its domain, or claims of two kinds are made.
    """
    if gdp is None and zcdp is None:
        return Claim(read("1" if epsilon is None else epsilon, "epsilon"), read(delta or "0", "delta"))
    if gdp is not None and zcdp is not None:
        raise InvalidParameterError("zcdp", "--gdp makes a claim of another kind", "audit one claim at a time")
    if delta is not None:
        raise InvalidParameterError("delta", "it follows from the claim that is made", "leave --delta out")
    if gdp is not None:
        mu = _positive(gdp, "gdp")
        at = mu if epsilon is None else _positive(epsilon, "epsilon")
        return _implied(f"{gdp}-Gaussian differential privacy", at, GaussianProfile(mu, 1).delta(at))
    rho = _positive(str(zcdp), "zcdp")
    at = _near(rho) if epsilon is None else _positive(epsilon, "epsilon")
    return _implied(f"{zcdp}-zero-concentrated differential privacy", at, renyi_delta(concentrated(rho), at))


def _positive(text: str, name: str) -> Fraction:
    value = read(text, name)
    positive(value, name)
    return value


def _near(rho: Fraction) -> Fraction:
    """Return rho + (2 rho)**(1/2) to three digits."""
    number = float(rho)
    return Fraction(f"{number + math.sqrt(2 * number):.3g}")


def _implied(kind: str, epsilon: Fraction, delta: arb) -> Claim:
    """Return a claim with delta rounded up, so that whatever refutes it refutes the other."""
    rounded = decimal(fraction(nonnegative(delta, "delta").upper), _DIGITS, ROUND_CEILING)
    if rounded >= 1:
        problem = f"{kind} says nothing of delta there"
        raise InvalidParameterError("epsilon", problem, "take a larger one")
    said = f"({float(epsilon):.6g}, {float(rounded):.6g})-differential privacy"
    words = f"claim: {kind} says {said}, which was audited; --epsilon takes another epsilon"
    return Claim(epsilon, Fraction(rounded), words)
