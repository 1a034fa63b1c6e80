"""Classification after projection: what recorded runs on the data sets show (section 6.4)."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational

NEAR, LITTLE, CONSTANT = fmpq(1, 1000), fmpq(1, 10), fmpq(1, 200)
"""What almost as well, a little worse, and as low as the constant answer allow of the accuracy; ours."""


@attrs.frozen
class Runs:
    """Shares of right answers of a linear SVM on one data set, round by round, after each of four projections.

    Parameters
    ----------
    data_set
        Its name, as Table 1 has it.
    pca, ppca, mod_sulq, random
        The shares.
    """

    data_set: str
    pca: tuple[Exact, ...]
    ppca: tuple[Exact, ...]
    mod_sulq: tuple[Exact, ...]
    random: tuple[Exact, ...]


@attrs.frozen
class Spreads(Runs):
    """The same, with the share of the best utility that the subspaces of each algorithm keep in the mean."""

    kept: tuple[Exact, Exact, Exact, Exact]


@attrs.frozen
class AgainstConstant:
    """Shares of right answers after PCA on one data set, and of the more frequent class among what is asked."""

    data_set: str
    pca: tuple[Exact, ...]
    majority: tuple[Exact, ...]


def mean(values: tuple[Exact, ...]) -> fmpq:
    """The mean."""
    return sum((rational(value) for value in values), fmpq(0)) / len(values)


def variance(values: tuple[Exact, ...]) -> fmpq:
    """The mean square of the distance from the mean."""
    middle = mean(values)
    return mean(tuple((rational(value) - middle) ** 2 for value in values))


def almost_margin(p: Runs) -> arb:
    """PPCA within 0.001 of PCA; MOD-SULQ and random projections below both, by at most 0.1."""
    nearly = NEAR - abs(mean(p.ppca) - mean(p.pca))
    gaps = [mean(good) - mean(other) for good, other in product((p.pca, p.ppca), (p.mod_sulq, p.random))]
    return arb(min(nearly, *gaps, LITTLE - max(gaps)))


def more_varied(p: Runs) -> fmpq:
    """The lesser variance of MOD-SULQ and random projections, less the larger one of PCA and PPCA."""
    wide, narrow = (variance(p.mod_sulq), variance(p.random)), (variance(p.pca), variance(p.ppca))
    return min(wide) - max(narrow)


def variance_margin(p: Runs) -> arb:
    """By how much the variances of MOD-SULQ and random projections are larger."""
    return arb(more_varied(p))


def farther_margin(p: Spreads) -> arb:
    """What MOD-SULQ and random projections keep less, and vary more, than PCA and PPCA: the least of each."""
    nearer = min(rational(one) for one in p.kept[:2]) - max(rational(one) for one in p.kept[2:])
    return arb(min(nearer, more_varied(p)))


def constant_margin(p: AgainstConstant) -> arb:
    """0.005 minus the distance of the mean accuracy from the mean share of the more frequent class."""
    return arb(CONSTANT - abs(mean(p.pca) - mean(p.majority)))


def of_data(*names: str) -> Condition:
    """The data set is one of those that the sentence is about."""

    def margin(p: Runs | AgainstConstant) -> arb:
        return arb(0 if p.data_set in names else -1)

    return Condition(f"the data set is {' or '.join(names)}", margin, of="data_set")


PRINTED = (
    Runs("kddcup", (fmpq(9897, 10**4),), (fmpq(9895, 10**4),), (fmpq(9818, 10**4),), (fmpq(9823, 10**4),)),
    Runs("localization", (1,), (1,), (fmpq(9706, 10**4),), (fmpq(9628, 10**4),)),
)
"""The means of Table 2."""

CLASSIFICATION_STEPS = (
    Step(
        "almost-as-well",
        Statement(
            "by Table 2 the accuracy after PPCA is within 0.001 of that after PCA on kddcup and localization, and "
            "MOD-SULQ and random projections are worse than both, by at most 0.1",
            almost_margin,
            instance=True,
            data=PRINTED,
            given=(of_data("kddcup", "localization"),),
        ),
        defect=None,
        note=(
            "Of the printed numbers; the thresholds are ours. Recorded runs on kddcup agree: 0.9878, 0.9878, 0.945 and "
            "0.954, epsilon = 0.1 and delta = 0.01."
        ),
    ),
    Step(
        "more-variance",
        Statement(
            "on kddcup and localization the accuracies after MOD-SULQ and random projections have a higher variance "
            "than those after PCA and PPCA",
            variance_margin,
            instance=True,
            given=(of_data("kddcup", "localization"),),
            strict=True,
        ),
        defect=None,
        note="Of recorded runs with epsilon = 0.1 and delta = 0.01; of localization 3 of 25 sequences.",
    ),
    Step(
        "farther-is-more-variable",
        Statement(
            "on kddcup and localization the subspaces of MOD-SULQ and random projections keep less of the best utility "
            "than those of PCA and PPCA, and the accuracies after them have a higher variance",
            farther_margin,
            instance=True,
            given=(of_data("kddcup", "localization"),),
            strict=True,
        ),
        defect=None,
        note=(
            "Of recorded runs; of localization a part. Within a pair the order can be another: on kddcup MOD-SULQ "
            "keeps 0.54 of the best utility and random projections 0.04, and the accuracies after MOD-SULQ vary more."
        ),
    ),
    Step(
        "constant-answer",
        Statement(
            "on census and insurance a linear SVM after PCA is within 0.005 of always predicting the more frequent "
            "class",
            constant_margin,
            instance=True,
            given=(of_data("census", "insurance"),),
        ),
        defect=None,
        note=(
            "On insurance it always gives that answer; on the test file of census it is 0.004 better. The classes are "
            "those of the donors, an income above 50,000 and the caravan policy; the document names none."
        ),
    ),
)
