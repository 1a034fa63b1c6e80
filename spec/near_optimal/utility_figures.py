"""Figures 3, 4 and 5: the utility of PPCA and of MOD-SULQ (sections 6.3 and 6.5)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import equality, positive
from dpmatrix.spec.near_optimal.data_sets import SPECTRUM, Eigenvalues, captured_by, trace_of
from dpmatrix.spec.near_optimal.subset_runs import SUBSET_STEPS
from dpmatrix.spec.near_optimal.vanishing_noise import VANISHING_STEPS

TENTH = fmpq(1, 10)


@attrs.frozen
class Utilities:
    """Expected q_F on one data set, as enclosures.

    Parameters
    ----------
    best
        q_F(V_k), that of PCA.
    ppca, mod_sulq, random
        Of PPCA, of MOD-SULQ and of a uniformly random subspace.
    data_set
        The name of the data set, as Table 1 has it.
    """

    best: Real
    ppca: Real
    mod_sulq: Real
    random: Real
    data_set: str = attrs.field(default="", kw_only=True)


@attrs.frozen
class NoisyUtilities(Utilities):
    """The same, with the standard deviation beta of the noise, the dimension and the largest eigenvalue of A.

    ``records`` is the number of records.
    """

    deviation: Real
    dimension: int
    largest: Real
    records: int = attrs.field(default=0, kw_only=True)


def of_data(*names: str) -> Condition:
    """The data set is one of those of the figure's panels."""

    def margin(p: Utilities) -> arb:
        return arb(0 if p.data_set in names else -1)

    return Condition(f"the data set is {' or '.join(names)}", margin, of="data_set")


def above(p: Utilities) -> arb:
    """Utility of PPCA less that of MOD-SULQ."""
    return ball(p.ppca) - ball(p.mod_sulq)


def on_par(p: Utilities) -> arb:
    """A tenth of the best utility, less the distance between MOD-SULQ and random subspaces."""
    return ball(p.best) * TENTH - abs(ball(p.mod_sulq) - ball(p.random))


def figure_3_margin(p: Utilities) -> arb:
    """PPCA is above MOD-SULQ, and MOD-SULQ on par with random subspaces."""
    return above(p).min(on_par(p))


def noise_margin(p: NoisyUtilities) -> arb:
    """``beta sqrt(d) - 2 l_1``: the noise has a spectral norm of about 2 beta sqrt(d)."""
    return ball(p.deviation) * arb(p.dimension).sqrt() - 2 * ball(p.largest)


SUBSET = 24_701
"""The size of the subset of kddcup on which the repair was measured."""


def subset_margin(p: NoisyUtilities) -> arb:
    """Zero for so many records."""
    return equality(arb(p.records), arb(SUBSET))


FIGURE_3 = Claim(
    id="near-optimal.figure-3",
    kind=Kind.EXPERIMENT,
    source=Locator(
        "near-optimal",
        "Figure 3",
        "census (k = 8) and kddcup (k = 4), eps = 0.1, delta = 0.01: PPCA is significantly better than MOD-SULQ, which "
        "is nearly indistinguishable from random projections; the only exception is localization",
    ),
    statement=Statement(
        "PPCA is above MOD-SULQ, and MOD-SULQ differs from random subspaces by at most a tenth of the best utility",
        figure_3_margin,
        instance=True,
        given=(positive("best"), of_data("census", "kddcup")),
    ),
    verdict=Verdict.REPRODUCED_WITH_DIFFERENCE,
    because=(
        "MOD-SULQ is like chance only while its noise, of norm 2 beta sqrt(d), hides the largest eigenvalue. On census "
        "it does at every size (12.9 against 0.51 at n = 99,762), but the utilities there were not measured. On kddcup "
        "it does not: at all 494,021 records the norm is 0.255 and the eigenvalue 0.478, and MOD-SULQ has a utility of "
        "0.474 in the mean of some hundred draws, random subspaces 0.024, the best 0.665. So localization is no "
        "exception, and it is n eps / d^(3/2) rather than d that decides. PPCA is better all the same (0.656 there). "
        "Which n are plotted is not said."
    ),
    reading=(
        "For subsets of every size up to all records, which the document does not say: were the plots of kddcup to end "
        "where the repair does, the caption would be right. The conclusion speaks for the reading: it lays MOD-SULQ's "
        "failure to the size of the data sets, not of subsets. q_F is that of all records. On par: within a tenth of "
        "the best. The utilities are those of the second moment with the recorded spectrum, along the coordinate axes."
    ),
    repair=Repair(
        "kddcup, 24,701 records, where beta sqrt(d) >= 2 l_1",
        Statement(
            "with 24,701 records of kddcup, where beta sqrt(d) is at least twice the largest eigenvalue, PPCA is above "
            "MOD-SULQ, and MOD-SULQ differs from random subspaces by at most a tenth of the best utility",
            figure_3_margin,
            instance=True,
            given=(
                positive("best"),
                of_data("kddcup"),
                Condition("n = 24,701", subset_margin, of="records"),
                Condition("beta sqrt(d) >= 2 l_1", noise_margin),
            ),
        ),
    ),
    steps=SUBSET_STEPS,
)


def above_chance_margin(p: Utilities) -> arb:
    """PPCA above MOD-SULQ, and MOD-SULQ above random subspaces."""
    return above(p).min(ball(p.mod_sulq) - ball(p.random))


FIGURE_4 = Claim(
    id="near-optimal.figure-4",
    kind=Kind.EXPERIMENT,
    source=Locator(
        "near-optimal",
        "Figure 4",
        "localization (k = 10) and insurance (k = 11), eps = 0.1, delta = 0.01: PPCA is above MOD-SULQ, nearly "
        "indistinguishable from random projections for insurance, which diverges from them for localization",
    ),
    statement=Statement(
        "on insurance PPCA is above MOD-SULQ, and MOD-SULQ differs from random subspaces by at most a tenth of the "
        "best utility",
        figure_3_margin,
        instance=True,
        given=(positive("best"), of_data("insurance")),
    ),
    verdict=Verdict.REPRODUCED,
    because=(
        "The panel of insurance, on all of its 9,822 records: the best utility is 0.519, PPCA about 0.24, MOD-SULQ "
        "and chance 0.05. PPCA is still far from the optimum, and below n = 1,000 all three are alike. The panel of "
        "localization is not judged, as a tenth of its records could be had: there MOD-SULQ has about 0.48, chance "
        "0.34, PPCA 0.63 and the best 0.71, where table-1 prints 0.5672 for all of them."
    ),
    reading=(
        "What the text says of the figure, for insurance; values on the axes are not given. Of localization 16,486 of "
        "the 164,860 records were at hand, 3 of 25 sequences, so that d = 22: a step, and no verdict on its panel. On "
        "par: within a tenth of the best utility."
    ),
    steps=(
        Step(
            "part-of-localization",
            Statement(
                "on the part of localization that was at hand PPCA is above MOD-SULQ, and MOD-SULQ above random "
                "subspaces",
                above_chance_margin,
                instance=True,
                given=(of_data("localization"),),
            ),
            defect=None,
            note="3 of 25 sequences, 22 of 44 dimensions.",
        ),
    ),
)


@attrs.frozen
class SyntheticRecord:
    """A record of the synthetic data, through its norm: every norm can occur; and epsilon."""

    norm: Real
    epsilon: Real


DIMENSION, COLUMNS = 10, 2
"""d and k of the synthetic data."""


def score_of(p: SyntheticRecord, along: int) -> arb:
    """``(eps/2) tr V'XX'V`` at V = (e_2, e_3) for the record ``norm e_along`` among zeros: sum of <v, x>^2."""
    record = [ball(p.norm) * int(i == along) for i in range(DIMENSION)]
    columns = [[int(i == place) for i in range(DIMENSION)] for place in range(1, COLUMNS + 1)]
    products = [sum((x * y for x, y in zip(record, column, strict=True)), arb(0)) for column in columns]
    return ball(p.epsilon) / 2 * sum((product * product for product in products), arb(0))


def replacement_loss(p: SyntheticRecord) -> arb:
    """The privacy loss at V = (e_2, e_3) when the record along e_1 becomes one along e_2, all others being zero.

    The two exponents differ by a rotation, under which the uniform law does not change: the normalisers are equal.
    """
    return score_of(p, 1) - score_of(p, 0)


def promised(p: SyntheticRecord) -> arb:
    """``eps``."""
    return ball(p.epsilon)


@attrs.frozen
class ClippedUtilities:
    """Utilities on the synthetic data, clipped to norm 1: the best, and both algorithms at one epsilon."""

    best: Real
    ppca: Real
    mod_sulq: Real
    epsilon: Exact


def tenth_margin(p: ClippedUtilities) -> arb:
    """``epsilon = 1/10``."""
    return equality(arb(rational(p.epsilon) - TENTH), arb(0))


PPCA_SHARE, MOD_SULQ_SHARE = fmpq(9, 10), fmpq(7, 10)


def clipped_margin(p: ClippedUtilities) -> arb:
    """PPCA has at least 0.9 of the best utility, MOD-SULQ at most 0.7."""
    best = ball(p.best)
    return (ball(p.ppca) - PPCA_SHARE * best).min(MOD_SULQ_SHARE * best - ball(p.mod_sulq))


COVARIANCE = Eigenvalues(tuple(fmpq(share, 1000) for share in (500, 300, 40, 30, 20, 10, 4, 3, 1, 1)), COLUMNS)
"""(27), and k."""


def energy_margin(p: Eigenvalues) -> arb:
    """``l_1 + ... + l_k`` minus half of the trace."""
    return arb(captured_by(p) - trace_of(p) / 2)


FIGURE_5 = Claim(
    id="near-optimal.figure-5",
    kind=Kind.EXPERIMENT,
    source=Locator(
        "near-optimal",
        "Figure 5",
        "n = 5,000 Gaussian records, d = 10, k = 2, covariance (27): q_F against eps; for moderate eps PPCA captures "
        "most of the utility, and the gap to MOD-SULQ (delta = 0.05) becomes quite large",
    ),
    statement=Statement.of_law(
        "on the data as described, Gaussian records, PPCA with parameter epsilon has privacy loss at most epsilon",
        replacement_loss,
        at_most=promised,
        given=(positive("norm"), positive("epsilon")),
        probability=False,
    ),
    verdict=Verdict.REPRODUCED_WITH_DIFFERENCE,
    because=(
        "The records of a Gaussian law are not in the unit ball, and the trace of (27) is 0.909: a third of them is "
        "longer than 1, and among 5,000 the longest has a norm of about 2.8, so the horizontal axis is not the privacy "
        "that was kept: a record of norm 3 costs 4.5 epsilon or more. Clipped to norm 1 it is as described: with "
        "exact draws PPCA has 0.94 of the best utility at epsilon = 0.1, MOD-SULQ 0.57. It turns at large epsilon: "
        "from about 1.3 on MOD-SULQ has the larger utility of the two."
    ),
    reading=(
        "Nothing is said of clipping or scaling, and a Gaussian record may have any norm. The loss is computed at one "
        "output for one pair of data sets: a record r e_1 among zeros against r e_2. The epsilons that are plotted are "
        "not given; the shares 0.9 and 0.7 that stand for 'most of the utility' and 'a large gap' are ours."
    ),
    repair=Repair(
        "records clipped to norm 1, epsilon = 0.1",
        Statement(
            "at epsilon = 0.1, PPCA has at least 0.9 of the best utility and MOD-SULQ at most 0.7",
            clipped_margin,
            instance=True,
            given=(
                positive("best"),
                Condition("epsilon = 1/10", tenth_margin, of="epsilon"),
            ),
        ),
    ),
    steps=(
        Step(
            "most-of-the-trace",
            Statement(
                "the first two eigenvalues of (27) are more than half of its trace",
                energy_margin,
                instance=True,
                data=(COVARIANCE,),
                given=SPECTRUM,
                strict=True,
            ),
            defect=None,
            note="They are 88 per cent of it.",
        ),
        *VANISHING_STEPS,
    ),
)
