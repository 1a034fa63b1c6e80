"""Figures 3 to 5 of `near-optimal`: what of them can be decided exactly."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import attrs
import numpy as np
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.experiments.near_optimal_tables import PRINTED_TABLE_1
from dpmatrix.experiments.privacy_figure import SPECTRUM, SYNTHETIC_RECORDS
from dpmatrix.experiments.spectra import recorded_spectra
from dpmatrix.experiments.subspaces import noise_deviation
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.classification import TABLE_2
from dpmatrix.spec.near_optimal.data_sets import Eigenvalues
from dpmatrix.spec.near_optimal.utility_figures import COVARIANCE, SUBSET, ClippedUtilities, SyntheticRecord, score_of
from proofs_checks.near_optimal.panels import (
    LOCALIZATION,
    NOISE,
    PANELS_OUTSIDE,
    SIZE,
    SUBSET_OUTSIDE,
    bind_clipped,
    bind_insurance,
    bind_localization,
    bind_names,
    bind_slack,
    changed,
)

figure_3 = cite("near-optimal.figure-3@4cc2ed96")
figure_4 = cite("near-optimal.figure-4@8adf498a")
figure_5 = cite("near-optimal.figure-5@da3232ce")

OUTSIDE = {"norm > 0": SyntheticRecord(0, 1), "epsilon > 0": SyntheticRecord(1, 0)}


@figure_5.refutes(grade="interval", region="a record of norm 3 at epsilon = 1/10, others zero; the loss at one output")
def test_gaussian_records_are_too_long(statement):
    """At V = (e_2, e_3) tr V'XX'V is 0 for the record r e_1 and r^2 for r e_2; the normalisers agree by a rotation.

    So the loss there is eps r^2 / 2, which exceeds eps for r^2 > 2.
    """
    points = [SyntheticRecord(Fraction(r, 3), Fraction(e, 7)) for r in range(1, 8) for e in (1, 4, 9)]
    bind(statement, [(p, p.epsilon - p.epsilon * p.norm**2 / 2) for p in points])
    deviations = np.sqrt([float(value) for value in SPECTRUM])
    size = (SYNTHETIC_RECORDS, len(SPECTRUM))
    draws = [np.random.default_rng(seed).standard_normal(size) * deviations for seed in range(100)]
    longest = [np.linalg.norm(records, axis=1).max() for records in draws]
    figure_5.tells("among {} the longest has a norm of about {},", len(draws[0]), float(np.median(longest)))
    figure_5.tells("a record of norm 3 costs {} epsilon", score_of(SyntheticRecord(3, 1), 1))
    assert [score_of(SyntheticRecord(3, 1), along) for along in (0, 1, 2, 3)] == [0, 4.5, 4.5, 0]
    assert statement.at(SyntheticRecord(3, Fraction(1, 10))) is Truth.FALSE
    assert statement.at(SyntheticRecord(1, Fraction(1, 10))) is Truth.TRUE
    bind_hypotheses(statement, SyntheticRecord(1, 1), OUTSIDE)
    assert statement.law is not None


def test_figures_of_the_recorded_spectra():
    """The best utility is the sum of the k largest eigenvalues, that of chance k/d of the trace."""
    spectra = recorded_spectra()

    def largest(name):
        """Return the norm 2 beta sqrt(d) of the noise, the largest eigenvalue and the number of records."""
        p = spectra[name]
        deviation = noise_deviation(p.dimension, p.records, 0.1, 0.01)
        return 2 * deviation * sqrt(p.dimension), p.eigenvalues[0], p.records

    def utilities(name):
        """Return the utility of random subspaces and the best one."""
        p = spectra[name]
        return p.rank / p.dimension * sum(p.eigenvalues), sum(p.eigenvalues[: p.rank])

    kddcup, insurance, localization = (utilities(name) for name in ("kddcup", "insurance", "localization"))
    noise, value, size = largest("kddcup")
    figure_3.tells("({} against {} at n = {})", *largest("census"))
    figure_3.tells("at all {} records the norm is {} and the eigenvalue {}, and", size, noise, value)
    figure_3.tells("random subspaces {}, the best {}.", *kddcup)
    figure_4.tells("on all of its {} records: the best utility is {},", spectra["insurance"].records, insurance[1])
    figure_4.tells("MOD-SULQ and chance {}.", insurance[0])
    records, dimension, _, captured, _ = PRINTED_TABLE_1["localization"]
    figure_4.tells("chance {}, PPCA", localization[0])
    figure_4.tells("and the best {}, where table-1 prints {} for all of them", localization[1], captured)
    part, sequences = spectra["localization"], TABLE_2.statement.data[0].sequences
    figure_4.tells("Of localization {} of the {} records were at hand, 3 of {}", part.records, records, sequences)
    figure_4.tells("3 of {} sequences, {} of {} dimensions", sequences, part.dimension, dimension)


@figure_3.controls(grade="symbolic", region="utilities with either slack the smaller one, and PPCA below MOD-SULQ")
@figure_3.controls("+repair", grade="symbolic", region="the same, and a little less noise than is asked for")
def test_what_the_figure_of_two_panels_asks(statements):
    outside = {"near-optimal.figure-3": PANELS_OUTSIDE, "near-optimal.figure-3+repair": SUBSET_OUTSIDE}
    panels = {"near-optimal.figure-3": ("census", "kddcup"), "near-optimal.figure-3+repair": ("kddcup",)}
    for name, statement in statements.items():
        asked = statement.elsewhere()
        bind_slack(statement)
        assert asked.is_equality(changed(ppca=fmpq(1, 9))), "PPCA as good as MOD-SULQ is enough"
        assert asked.at(changed(ppca=fmpq(1, 10))) is Truth.FALSE
        bind_hypotheses(statement, changed(), outside[name])
        bind_names(statement, panels[name])
    level = changed(deviation=fmpq(1, 2), dimension=16)
    quieter = {NOISE: attrs.evolve(level, deviation=fmpq(12, 25))}
    fewer = {SIZE: changed(records=SUBSET - 1)}
    bind_hypotheses(statements["near-optimal.figure-3+repair"], level, SUBSET_OUTSIDE | quieter | fewer)


@figure_4.controls(grade="symbolic", region="utilities with either slack the smaller one, and PPCA below MOD-SULQ")
@figure_4.controls("part-of-localization", grade="symbolic", region="MOD-SULQ below chance")
def test_what_the_figure_of_the_other_panels_asks(statements):
    panel, part = (statements[f"near-optimal.figure-4{name}"] for name in ("", "/part-of-localization"))
    bind_insurance(panel)
    bind_names(panel, ("insurance",))
    bind_localization(part)
    bind_names(part, ("localization",))
    bind_hypotheses(part, changed("localization"), {LOCALIZATION: changed()})
    worse = {"insurance": {"ppca": fmpq(1, 10)}, "localization": {"random": fmpq(1, 8)}}
    for asked, name in ((panel.elsewhere(), "insurance"), (part.elsewhere(), "localization")):
        assert asked.is_equality(changed(name, ppca=fmpq(1, 9))), "PPCA as good as MOD-SULQ is enough"
        assert asked.at(changed(name, **worse[name])) is Truth.FALSE


@figure_5.controls("+repair", grade="symbolic", region="shares of 0.88 and 0.82 of the best utility")
def test_what_is_asked_of_clipped_records(statement):
    bind_clipped(statement)
    asked = statement.elsewhere()
    edge = ClippedUtilities(fmpq(1, 2), fmpq(45, 100), fmpq(35, 100), fmpq(1, 10))
    assert asked.is_equality(edge)
    (least,) = (p for p in (edge,) if asked.is_equality(p))
    figure_5.tells("the shares {} and {} that stand", least.ppca / least.best, least.mod_sulq / least.best)
    assert asked.at(ClippedUtilities(fmpq(1, 2), fmpq(44, 100), fmpq(20, 100), fmpq(1, 10))) is Truth.FALSE
    assert asked.at(ClippedUtilities(fmpq(1, 2), fmpq(50, 100), fmpq(41, 100), fmpq(1, 10))) is Truth.FALSE


PRINTED_COVARIANCE = ("0.5", "0.30", "0.04", "0.03", "0.02", "0.01", "0.004", "0.003", "0.001", "0.001")


def spectrum(values, rank: int) -> Eigenvalues:
    return Eigenvalues(tuple(Fraction(value, 20) for value in values), rank)


@figure_5.supports("most-of-the-trace", grade="symbolic", region="the ten printed eigenvalues, exactly")
def test_two_eigenvalues_hold_most_of_the_trace(statement):
    """0.8 of 0.909, which is between 0.88 and 0.89."""
    assert statement.data == (COVARIANCE,)
    assert Eigenvalues(tuple(fmpq(*Fraction(one).as_integer_ratio()) for one in PRINTED_COVARIANCE), 2) == COVARIANCE
    assert statement.at(COVARIANCE) is Truth.TRUE
    share = Fraction("0.8") / Fraction("0.909")
    trace = sum(statement.data[0].values)
    assert (Fraction(str(sum(COVARIANCE.values[:2]))), Fraction(str(trace))) == (Fraction("0.8"), Fraction("0.909"))
    figure_5.tells("the trace of (27) is {}:", trace)
    figure_5.tells("They are {} per cent of it", 100 * sum(statement.data[0].values[:2]) / trace)
    assert Fraction("0.88") < share < Fraction("0.89")
    points = [spectrum((a, b, c, 1), k) for a in (12, 8) for b in (4, 2) for c in (2, 1) for k in (1, 2, 3)]
    values = [(p, sum(p.values[: p.rank]) - sum(p.values) / 2) for p in points]
    bind(statement.elsewhere(), values)
    outside = {
        "1 <= k <= d": Eigenvalues(COVARIANCE.values, 11),
        "l_1 >= ... >= l_d >= 0": spectrum((1, 2), 1),
        "tr A <= 1": spectrum((20, 1), 1),
    }
    bind_hypotheses(statement, COVARIANCE, outside)
    assert statement.strict


@figure_5.controls("most-of-the-trace", grade="symbolic", region="one eigenvalue of two that are equal")
def test_half_of_the_trace_is_not_most_of_it(statement):
    assert statement.elsewhere().at(spectrum((5, 5), 1)) is Truth.FALSE
