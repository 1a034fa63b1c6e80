"""Figures 2 to 5 of `near-optimal`, measured: bounds on expected utilities at a stated confidence, from spectra alone.

PPCA needs no chain. With density exp(t q) the mean of q grows with t, and log Z(t), Z(t) the mean of exp(t q) over
uniform subspaces, is convex with log Z(0) = 0: the mean at t is at least log Z(t) / t. And for any positive definite S,
Z is the mean of ``exp(t q) |V'SV|^{d/2} |S|^{-k/2}`` over proposals V = S^{-1/2} Z (Z'S^{-1}Z)^{-1/2}, so that it is at
least ``exp(x)`` times the probability that the logarithm of this weight exceeds x.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from flint import arb, fmpq
from scipy.stats import beta

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import ball
from dpmatrix.experiments.gibbs import HoffChain
from dpmatrix.experiments.privacy_figure import exponent, synthetic_moment
from dpmatrix.experiments.spectra import recorded_spectra
from dpmatrix.experiments.subspaces import energy, mod_sulq, noise_deviation, top_subspace
from dpmatrix.experiments.trace_figure import statistic
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.gibbs_traces import FlippedStates
from dpmatrix.spec.near_optimal.utility_figures import ClippedUtilities, NoisyUtilities
from proofs_checks.near_optimal.panels import (
    NOISE,
    PANELS,
    SIZE,
    SUBSET_OUTSIDE,
    bind_clipped,
    bind_insurance,
    bind_localization,
    bind_slack,
    changed,
)

figure_3 = cite("near-optimal.figure-3@4cc2ed96")
figure_4 = cite("near-optimal.figure-4@8adf498a")
figure_5 = cite("near-optimal.figure-5@da3232ce")
figure_2 = cite("near-optimal.figure-2@11916ec4")


EPSILON, DELTA = 0.1, 0.01
WRONG = 1e-10
"""Probability that one bound is wrong; no item uses more than five."""
PROPOSALS, DRAWS = 400, 4000


def within(center, radius):
    return arb(float(center), float(radius))


def mean_of(values, largest):
    """Enclose a mean of values in [0, largest] (Maurer and Pontil 2009, both sides)."""
    values, count = np.asarray(values), len(values)
    level = np.log(4 / WRONG)
    radius = np.sqrt(2 * np.var(values, ddof=1) * level / count) + 7 * largest * level / (3 * (count - 1))
    return within(values.mean(), radius)


def linear(scale):
    return lambda values, t: 1 + scale * t * (values[0] - values)


def reciprocal(scale):
    return lambda values, t: 1 / (1 + scale * t * values)


def least_ppca_utility(eigenvalues, rank, t, shape, seed):
    """Bound the mean of q_F under PPCA with density exp(t q_F) from below; any shape is right, some are sharp."""
    d = len(eigenvalues)
    precisions = shape(eigenvalues, t)
    z = np.random.default_rng(seed).standard_normal((PROPOSALS, d, rank))
    y = z / np.sqrt(precisions)[:, None]
    gram, form = y.transpose(0, 2, 1) @ y, y.transpose(0, 2, 1) @ (t * eigenvalues[:, None] * y)
    ratios = np.linalg.slogdet(z.transpose(0, 2, 1) @ z)[1] - np.linalg.slogdet(gram)[1]
    logs = np.trace(np.linalg.solve(gram, form), axis1=1, axis2=2) + d / 2 * ratios
    logs -= rank / 2 * np.sum(np.log(precisions))
    # A fourth of the proposals is left below; Clopper and Pearson bound the probability of the others.
    place = PROPOSALS // 4
    share = beta.ppf(WRONG, PROPOSALS - place, place + 1)
    return (np.sort(logs)[place] + np.log(share)) / t


def utilities_on(name, size, draws, shape, seed):
    """Enclose the expected utilities on the second moment with a recorded spectrum, along the axes."""
    record = recorded_spectra()[name]
    values, rank = np.array(record.eigenvalues), record.rank
    best, d = float(np.sum(values[:rank])), len(values)
    moment, generator = np.diag(values), np.random.default_rng(seed)
    noisy = [energy(mod_sulq(moment, size, rank, EPSILON, DELTA, generator), moment) for _ in range(draws)]
    ppca = least_ppca_utility(values, rank, size * EPSILON / 2, shape, seed)
    # From the lower bound up to the best.
    return NoisyUtilities(
        best=within(best, 1e-9),
        ppca=within((ppca + best) / 2, (best - ppca) / 2 + 1e-9),
        mod_sulq=mean_of(noisy, best + 1e-9),
        random=within(rank / d * values.sum(), 1e-9),
        deviation=noise_deviation(d, size, EPSILON, DELTA),
        dimension=d,
        largest=float(values[0]),
        data_set=name,
        records=size,
    )


def said(p):
    return f"PPCA at least {float(p.ppca.lower()):.3f}, MOD-SULQ {p.mod_sulq.str(3)}, random {p.random.str(3)}"


@figure_3.refutes(grade="statistical", region="the spectrum of kddcup, n = 494,021; confidence 1 - 1e-9")
def test_mod_sulq_is_far_from_chance_on_all_of_kddcup(statement, record_property):
    bind_slack(statement)
    bind_hypotheses(statement, changed(), {"best > 0": changed(best=fmpq(0)), PANELS: changed("insurance")})
    found = utilities_on("kddcup", 494_021, 300, linear(0.79), 1)
    record_property("detail", said(found))
    assert statement.at(found) is Truth.FALSE
    assert found.mod_sulq - found.random > found.best / 4
    figure_3.tells("MOD-SULQ has a utility of {} in the mean of some hundred draws", found.mod_sulq.mid())


@figure_3.supports_repair(grade="statistical", region="the spectrum of kddcup, n = 24,701; confidence 1 - 1e-9")
@figure_3.controls("+repair", grade="statistical", region="kddcup, all records")
def test_mod_sulq_is_like_chance_where_its_noise_hides_the_data(statement, record_property):
    bind_slack(statement)
    found = utilities_on("kddcup", 24_701, 1500, linear(0.566), 2)
    record_property("detail", said(found))
    assert statement.at(found) is Truth.TRUE
    # beta sqrt(d) = 2 l_1 at beta = 1, d = 4, l_1 = 1: met exactly, and not below.
    assert statement.applies(changed()) is Truth.TRUE
    bind_hypotheses(statement, changed(), SUBSET_OUTSIDE)
    figure_3.tells("kddcup, {} records, where", found.records)
    for fields in ({"largest": fmpq(101, 100)}, {"dimension": 3}):
        assert statement.applies(changed(**fields)) is Truth.FALSE
    everything = utilities_on("kddcup", 494_021, 300, linear(0.79), 3)
    assert statement.applies(everything) is Truth.FALSE
    bind_hypotheses(statement, changed(), SUBSET_OUTSIDE | {NOISE: everything, SIZE: everything})
    assert statement.without(NOISE).without(SIZE).at(everything) is Truth.FALSE


@cache
def on_insurance():
    """Enclose the utilities on all records of insurance."""
    return utilities_on("insurance", 9_822, 900, linear(0.107), 4)


@cache
def on_localization():
    """Enclose the utilities on the three sequences of localization that are at hand."""
    return utilities_on("localization", 16_486, 1500, reciprocal(0.405), 5)


@figure_4.supports(grade="statistical", region="the spectrum of insurance, all records; confidence 1 - 1e-9")
def test_the_panel_of_insurance(statement, record_property):
    bind_insurance(statement)
    record_property("detail", said(on_insurance()))
    assert statement.at(on_insurance()) is Truth.TRUE
    figure_4.tells("MOD-SULQ and chance {}.", on_insurance().mod_sulq.mid())


@figure_4.supports(
    "part-of-localization",
    grade="statistical",
    region="the spectrum of 3 of 25 sequences of localization; confidence 1 - 1e-9",
)
def test_the_part_of_localization_that_is_at_hand(statement, record_property):
    bind_localization(statement)
    record_property("detail", said(on_localization()))
    assert statement.at(on_localization()) is Truth.TRUE
    figure_4.tells("there MOD-SULQ has about {}, chance", on_localization().mod_sulq.mid())


@figure_4.controls(grade="statistical", region="insurance, what is said reversed")
def test_the_reverse_of_the_panel_is_refuted(statement):
    found = on_insurance()
    assert statement.nudged(margin=lambda p: ball(p.mod_sulq) - ball(p.ppca)).at(found) is Truth.FALSE
    apart = statement.nudged(margin=lambda p: abs(ball(p.mod_sulq) - ball(p.random)) - ball(p.best) / 10)
    assert apart.at(found) is Truth.FALSE


def clipped_utilities(records):
    """Enclose the mean utilities of exact PPCA draws and of MOD-SULQ on so many clipped synthetic records."""
    moment = synthetic_moment(6)
    best, generator = energy(top_subspace(moment, 2), moment), np.random.default_rng(7)
    sampler = MatrixBinghamSampler(exponent(moment, records, EPSILON), 2)
    draws, _ = sampler.approximate_draws(DRAWS, SeededEntropy(8))
    noisy = [mod_sulq(moment, records, 2, EPSILON, 0.05, generator) for _ in range(DRAWS)]
    ppca, other = ([energy(subspace, moment) for subspace in each] for each in (draws, noisy))
    return ClippedUtilities(within(best, 1e-9), mean_of(ppca, best + 1e-9), mean_of(other, best + 1e-9), fmpq(1, 10))


@figure_5.supports_repair(
    grade="statistical",
    region="one draw of the synthetic records, clipped; epsilon = 0.1, exact draws; confidence 1 - 1e-9",
)
def test_clipped_records(statement, record_property):
    bind_clipped(statement)
    found = clipped_utilities(5000)
    record_property("detail", f"PPCA {found.ppca.str(3)}, MOD-SULQ {found.mod_sulq.str(3)}, best {found.best.str(3)}")
    assert statement.at(found) is Truth.TRUE
    best = found.best.mid()
    shares = found.ppca.mid() / best, found.epsilon, found.mod_sulq.mid() / best
    figure_5.tells("PPCA has {} of the best utility at epsilon = {}, MOD-SULQ {}.", *shares)
    figure_5.tells(
        "records clipped to norm 1, epsilon = {}", min(p.epsilon for p in (found,) if statement.speaks_of(p))
    )


@figure_5.controls("+repair", grade="statistical", region="a tenth of the records")
def test_a_tenth_of_the_clipped_records_is_told_apart(statement):
    assert statement.elsewhere().at(clipped_utilities(500)) is Truth.FALSE


@figure_2.supports_repair(
    grade="statistical", region="the chain itself, d = 4, k = 2, four steps from the lowest plane; confidence 1 - 1e-9"
)
@figure_2.controls("+repair", grade="statistical", region="a chain that keeps its signs")
def test_mean_square_of_the_chain_is_one_over_t(statement):
    """F^2 is in [0, 1]: Hoeffding, 1,500 chains."""
    count, steps, generator = 1500, 4, np.random.default_rng(9)
    radius = np.sqrt(np.log(2 / WRONG) / (2 * count))
    exponents, start, found, kept = np.array([30.0, 9.0, 1.0, 0.0]), np.eye(4)[:, 2:], [], []
    for _ in range(count):
        chain, total, other = HoffChain(exponents, start, generator), np.zeros((4, 2)), np.zeros((4, 2))
        for _ in range(steps):
            state = chain.step()
            total += state
            other += state * np.sign(state[np.argmax(np.abs(state), axis=0), [0, 1]])
        found.append(statistic(total, steps) ** 2)
        kept.append(statistic(other, steps) ** 2)
    expected = 1 / steps
    assert abs(np.mean(found) - expected) <= radius
    assert abs(np.mean(kept) - expected) > radius
    first, second = (fmpq(3, 5), fmpq(4, 5)), (fmpq(0), fmpq(1))
    assert statement.at(FlippedStates((first, second, second, first))) is Truth.TRUE
    assert statement.without("each state has norm 1").at(FlippedStates((first, (fmpq(1), fmpq(1))))) is Truth.FALSE
