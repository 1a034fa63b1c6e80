"""Accounting of opacus 1.6.0: right at usual deltas, below the truth at small ones; the Gaussian one warns of itself.

What an accountant reports after some steps is compared with what is certified from below, in ball arithmetic; no chance
is involved. With the sampling rate one a step is plain Gaussian noise, whose loss is known in closed form. The library
means that a record is added or removed.

*What understates.* ``PRVAccountant`` transforms in binary64 (``analysis/prv/compose.py``, line 28), and what should
refuse a delta below the rounding (``analysis/prv/prvs.py``, line 151) compares it with the unit of ``longdouble``, two
thousand times smaller. Number 17 of prv-accountant, from which this code comes, is about deltas near 1e-18. Not found
in the issues of either library when searched on 2026-11-30, for deltas that are let through.

``GaussianAccountant`` applies a limit theorem, and warns when it is made that it can understate; numbers 384 and 400 of
the library say so too. It is here as a control.

*How it is installed.* opacus needs torch, its accountants do not, and `requirements-peers.txt` has neither. ``python -m
pip install --no-deps opacus==1.6.0`` is enough here: where torch is missing, the module that needs it is replaced by an
empty one. Training itself was not audited.
"""

from __future__ import annotations

import importlib
import sys
import types
from importlib.util import find_spec

import pytest
from flint import arb

from audit.peers import exact_truths

pytestmark = pytest.mark.filterwarnings(
    "ignore:Optimal order is the:UserWarning", "ignore:divide by zero:RuntimeWarning"
)
ROUNDING = (
    "opacus/accountants/analysis/prv/prvs.py:151, the unit of longdouble for a transform in binary64 "
    "(prv_accountant 17 is about smaller deltas)"
)
LIMIT = "opacus/accountants/analysis/gdp.py, a limit theorem for few steps (opacus 384 and 400; the class warns)"


@pytest.fixture
def accountants(monkeypatch) -> types.ModuleType:
    """Import the accountants, without torch if it is not there."""
    if find_spec("torch") is None:
        package, optimizers = types.ModuleType("opacus"), types.ModuleType("opacus.optimizers")
        package.__path__ = list(find_spec("opacus").submodule_search_locations)
        optimizers.DPOptimizer = object
        for module in (package, optimizers):
            monkeypatch.setitem(sys.modules, module.__name__, module)
    return importlib.import_module("opacus.accountants")


def spent(accountants: types.ModuleType, kind: str, step: tuple[float, float, int], delta: float) -> float:
    """Return the epsilon that is reported after steps of one kind: noise, sampling rate and number."""
    accountant = accountants.create_accountant(kind)
    accountant.history = [step]
    return float(accountant.get_epsilon(delta))


@pytest.mark.parametrize(("deviation", "count"), [(30, 3000), (200, 100_000)])
def test_small_deltas_of_gaussian_noise_are_lost_in_rounding(
    accounted, accountants, deviation: int, count: int
) -> None:
    reported = spent(accountants, "prv", (float(deviation), 1.0, count), 1e-12)
    certified = exact_truths.gaussian(reported, deviation / arb(count).sqrt())
    what = f"opacus, PRV accountant, Gaussian noise {deviation}, {count} times"
    assert accounted(what, reported=1e-12, certified=certified, at=reported, cause=ROUNDING)


@pytest.mark.parametrize("kind", ["prv", "rdp"])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_usual_deltas_of_gaussian_noise_are_covered(accounted, accountants, kind: str, delta: float) -> None:
    reported = spent(accountants, kind, (10.0, 1.0, 100), delta)
    certified = exact_truths.gaussian(reported, 1)
    what = f"opacus, {kind} accountant, Gaussian noise 10, 100 times"
    assert not accounted(what, reported=delta, certified=certified, at=reported)


@pytest.mark.parametrize("kind", ["prv", "rdp"])
@pytest.mark.parametrize(("deviation", "rate", "steps"), [(1.0, 0.01, 1000), (4.0, 0.1, 300)])
def test_subsampled_gaussian_noise_is_covered(
    accounted, accountants, kind: str, deviation: float, rate: float, steps: int
) -> None:
    truth = exact_truths.subsampled_gaussian(deviation, rate, steps)
    for delta in (1e-2, 1e-5):
        reported = spent(accountants, kind, (deviation, rate, steps), delta)
        what = f"opacus, {kind} accountant, noise {deviation} at rate {rate}, {steps} times"
        assert not accounted(what, reported=delta, certified=float(truth(reported)), at=reported)


@pytest.mark.filterwarnings("ignore:GDP accounting is experimental:UserWarning")
def test_the_gaussian_accountant_understates_as_it_warns(accounted, accountants) -> None:
    reported = spent(accountants, "gdp", (0.6, 0.001, 100), 1e-6)
    certified = float(exact_truths.subsampled_gaussian(0.6, 0.001, 100)(reported))
    what = "opacus, GDP accountant, noise 0.6 at rate 0.001, 100 times"
    assert accounted(what, reported=1e-6, certified=certified, at=reported, cause=LIMIT)
