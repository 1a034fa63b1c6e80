"""Drafts of reports to the maintainers of other libraries, each of one page with a reproduction that a test runs.

`make peers` writes them below ``build/audit/reports``. They are drafts: a person reads one, and looks whether it is
known by then, before it goes anywhere.
"""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

SEARCHED = "2026-11-30"


@frozen
class Draft:
    """One finding as its maintainers would want to read it.

    Attributes
    ----------
    name
        Of the file, without its ending.
    title, library, package
        What is said first; whose issues it belongs to, and what to install; the name to import.
    expected, reproduction, cause, remedy, known
        Paragraphs; the reproduction is a session of Python.
    """

    name: str
    title: str
    library: str
    package: str
    expected: str
    reproduction: str
    cause: str
    remedy: str
    known: str

    def text(self) -> str:
        """Return the page in Markdown."""
        return (
            f"# {self.title}\n\nFor: {self.library}\n\n"
            f"## What was expected\n\n{self.expected}\n\n"
            f"## What happens\n\n```python\n{self.reproduction.strip()}\n```\n\n"
            f"## Cause\n\n{self.cause}\n\n## What would mend it\n\n{self.remedy}\n\n"
            f"## Known before\n\n{self.known} Searched on {SEARCHED}.\n"
        )


DRAFTS = (
    Draft(
        "google-gaussian-noise-low-bits",
        "Gaussian noise of doubles gives the value away in the last bit",
        "google/differential-privacy (C++), seen through PyDP: python-dp 1.1.5",
        "pydp",
        "Noise for epsilon = 1 and delta = 1e-5 hides whether the value is 0 or 1, but for what that allows.",
        """
>>> import numpy as np
>>> from pydp.algorithms.numerical_mechanisms import GaussianMechanism
>>> mechanism = GaussianMechanism(1.0, 1e-5, 1.0)
>>> grid = 2.0**-54  # the least power of two from 2 * std / 2**57 on
>>> def odd(value):
...     outputs = np.array([mechanism.add_noise(value) for _ in range(20_000)])
...     return int(np.sum(np.abs(outputs / grid) % 2 == 1))
>>> odd(0.0) > 500, odd(1.0)
(True, 0)
""",
        "`GaussianDistribution::SampleBinomial` (cc/algorithms/distributions.cc, read in the repository) returns an "
        "integer of up to about 57 bits as a `double`, which has 53. An odd one is possible below 2**53 alone, that "
        "is for noise below one half here. With the value 0 about 5 % of the outputs are odd multiples of the "
        "granularity; with the value 1 none is, since the sum is then near 1, or its noise near -1, and neither has "
        "that bit. So delta is at least 0.05 at every epsilon. Laplace noise has integers of about 40 bits and was "
        "not refuted.",
        "A bound such that the integers stay below 2**52, say 2**45 instead of 2**57 for `kBinomialBound`; or the "
        "sum in integers before the one conversion.",
        "Not found in the issues of google/differential-privacy, PyDP and PipelineDP. Number 126 of the first is "
        "about sums of floats before the noise. Haney et al. (2022, arXiv 2207.13793) describe the attack in "
        "general.",
    ),
    Draft(
        "prv-accountant-pure-mechanisms",
        "The upper bound for composed pure mechanisms is below the truth",
        "microsoft/prv_accountant: prv-accountant 0.2.0",
        "prv_accountant",
        "`compute_epsilon` returns a bound from above. Twenty randomised responses of epsilon 3 lose 59.97 at delta "
        "= 0.01, by the binomial sum: their greatest loss, 60, has probability 0.38.",
        """
>>> import math
>>> from prv_accountant import PRVAccountant
>>> from prv_accountant.privacy_random_variables import PureDPMechanism
>>> accountant = PRVAccountant(PureDPMechanism(3.0), eps_error=0.05, delta_error=1e-5, max_self_compositions=20)
>>> upper = accountant.compute_epsilon(1e-2, 20)[2]
>>> round(upper, 1)
41.8
>>> all_true = (1 / (1 + math.exp(-3))) ** 20  # that the loss is 60, and a bound from below on delta at 41.8
>>> round(all_true * (1 - math.exp(upper - 60)), 2)
0.38
""",
        "`PureDPMechanism.rdp` (privacy_random_variables/pure_dp_mechanism.py, line 17) is (alpha - 1) epsilon / "
        "alpha. The Renyi divergence of a randomised response is greater: 2.95 at order 2 and epsilon 3, where 1.5 "
        "is returned. `compute_safe_domain_size` takes the range of losses from it, and what exceeds the range wraps "
        "around. `ApproximateDPMechanism` uses the same function.",
        "The divergence of a randomised response: log(p**a q**(1-a) + q**a p**(1-a)) / (a - 1), with p = e**eps / (1 "
        "+ e**eps) and q = 1 - p.",
        "Not found in the library's issues.",
    ),
    Draft(
        "prv-accountant-small-deltas",
        "Upper bounds at delta = 1e-12 are below the truth, and not refused",
        "microsoft/prv_accountant: prv-accountant 0.2.0; and meta-pytorch/opacus: opacus 1.6.0, whose code is the same",
        "prv_accountant",
        "A thousand releases of Gaussian noise 20 lose 12.4975 at delta = 1e-13, by the closed form.",
        """
>>> from prv_accountant import GaussianMechanism, PRVAccountant
>>> accountant = PRVAccountant(
...     GaussianMechanism(20.0), eps_error=0.01, delta_error=1e-16, max_self_compositions=1000
... )
>>> accountant.compute_epsilon(1e-13, 1000)[2] < 12.49
True
""",
        "The transform (composers.py, line 63; in opacus accountants/analysis/prv/compose.py, line 28) is in "
        "binary64, so that each probability is off by about 1e-16, and sums of many of them by more. What refuses a "
        "delta that is too small (discrete_privacy_random_variable.py, line 29; in opacus "
        "accountants/analysis/prv/prvs.py, line 151) compares it with the unit of `longdouble`. In opacus 100,000 "
        "steps of noise 200 at rate one lose 11.99 at delta = 1e-12, and 11.57 is returned.",
        "The unit of binary64 in that comparison; or a bound on the rounding of the transform, added to `delta_error`.",
        "Number 17 of prv_accountant is about deltas near 1e-18, and number 18 added the refusal. For deltas that it "
        "lets pass nothing was found in the issues of either library.",
    ),
    Draft(
        "autodp-fourier-epsilon",
        "The Fourier accountant reports a negative epsilon with current SciPy",
        "yuxiangw/autodp: autodp 0.2.3.1 with SciPy 1.17.1",
        "autodp",
        "Gaussian noise 1 has epsilon 4.38 at delta = 1e-5.",
        """
>>> from autodp.mechanism_zoo import GaussianMechanism
>>> from autodp.transformer_zoo import ComposeAFA
>>> from contextlib import redirect_stdout
>>> from io import StringIO
>>> composed = ComposeAFA()([GaussianMechanism(1.0, phi_off=False)], [1])
>>> with redirect_stdout(StringIO()):  # it prints its search
...     epsilon = composed.get_approxDP(1e-5)
>>> bool(epsilon < 0)
True
""",
        "`numerical_inverse` (converter.py, line 1096) calls `minimize_scalar` with `bounds=[0, 1]`, the range of "
        "delta, for a variable that is exp(epsilon), and without a method. Such bounds are obeyed by SciPy 1.17.1. "
        "With SciPy 1.9.3 they were not, and the same call returned 4.38.",
        "No bounds in that call, and `root_scalar` on epsilon in place of a minimum of a distance; a test that an "
        "epsilon is positive.",
        "Number 40 of the library is about the same bounds in `rdp_to_approxdp`, where SciPy raises. This one is "
        "silent.",
    ),
    Draft(
        "autodp-fourier-atoms",
        "The Fourier accountant returns deltas below the truth, and below zero, for losses with atoms",
        "yuxiangw/autodp: autodp 0.2.3.1",
        "autodp",
        "Laplace noise of scale 1/2 has delta 1 - exp((1 - 2) / 2) = 0.39 at epsilon = 1.",
        """
>>> from autodp.mechanism_zoo import LaplaceMechanism
>>> from autodp.transformer_zoo import ComposeAFA
>>> composed = ComposeAFA()([LaplaceMechanism(0.5, phi_off=False)], [1])
>>> round(float(composed.get_approx_delta(1.0)), 2)
-0.61
""",
        "`phi_to_cdf` (converter.py, line 940) integrates over the whole line by `fixed_quad` with 700 nodes. Where "
        "the privacy loss has atoms, as of Laplace noise and randomised response, the characteristic function does "
        "not fall, and the sum is not near the integral. The error is not estimated.",
        "A discrete loss composed by its probabilities; or at least an error where the characteristic function is "
        "not small at the outer nodes.",
        "Number 17 of the library, which added the accountant, says that there could be numerical issues. Numbers "
        "for these mechanisms were not found in its issues.",
    ),
    Draft(
        "autodp-noisy-screen",
        "Two slips in the Renyi divergences of noisy screening",
        "yuxiangw/autodp: autodp 0.2.3.1",
        "autodp",
        "An outcome of probability 1/10 against 9/10 has the pure loss log 9 = 2.2.",
        """
>>> import math
>>> from autodp.mechanism_zoo import NoisyScreenMechanism
>>> screen = NoisyScreenMechanism({"logp": math.log(0.1), "logq": math.log(0.9)})
>>> round(float(screen.get_approxDP(0)), 2), round(float(screen.get_RDP(1000)), 2)
(0.11, 2.2)
""",
        "rdp_bank.py, lines 123 and 149: for an infinite order the ratio of two probabilities is returned where the "
        "greatest absolute logarithm of a ratio belongs. rdp_bank.py, line 129: `np.max(log_term)` is the last of "
        "four values; `np.max(rdp)` was meant.",
        "`max(abs(logp - logq), abs(log1p - log1q))`, and `np.max(rdp)`.",
        "Not found in the library's issues.",
    ),
)


def write_drafts(folder: Path) -> list[Path]:
    """Write every draft into a folder that is made if need be, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for draft in DRAFTS:
        path = folder / f"{draft.name}.md"
        path.write_text(draft.text(), encoding="utf-8")
        written.append(path)
    return written
