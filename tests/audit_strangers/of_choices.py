"""Witnesses against histograms, choices, streams, surveys, and what is done to missing values and samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.stats import binom, laplace

from audit.strangers.record import Array
from tests.audit_strangers.witness import WARDS, N, U, V, Witness, X, Z, above, equals, first, rows, tails

ONE, _, _, FOUR = WARDS
S = math.sqrt(0.5)
HOURS = [(-0.9 + 0.2 * hour, 0.0, 0.0) for hour in range(10)]
HONEST = 1 / (1 + math.exp(-1))
INNER = math.log(1 + 2 * (math.e - 1))
ODD = (2 / math.pi, 0.0, 0.0)


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def flags(bits: tuple[int, ...], counts: tuple[int, ...]) -> float:
    """Return the probability of these flags where counts and the threshold 10 have Laplace noise of scale 2."""
    noise = laplace(scale=2)

    def density(z: float) -> float:
        sides = (noise.sf(10 + z - c) if bit else noise.cdf(10 + z - c) for bit, c in zip(bits, counts, strict=True))
        return float(noise.pdf(z)) * math.prod(float(side) for side in sides)

    edges = (-60, -1, 0, 1, 60)
    return sum(float(quad(density, a, b, limit=200)[0]) for a, b in itertools.pairwise(edges))


def first_hour(lead: int) -> float:
    """Return the probability that one geometric noise exceeds the largest of nine others by the lead at least."""
    values = np.arange(-50, 51)
    mass = np.exp(-np.abs(values)) * (1 - math.exp(-1)) / (1 + math.exp(-1))
    largest = np.diff(np.cumsum(mass) ** 9, prepend=0)
    return float(sum(largest[i] * mass[values >= value + lead].sum() for i, value in enumerate(values)))


def pair_drawn(counts: tuple[int, int, int], one: int, two: int) -> float:
    """Return the probability of this ordered pair in two draws without replacement, with weights exp(count / 2)."""
    weights = [math.exp(count / 2) for count in counts]
    return weights[one] / sum(weights) * weights[two] / (sum(weights) - weights[one])


def low_products(output: Array) -> bool:
    return set(output) == {0, 1}


def steps_all_high(curve: Array) -> bool:
    before = np.concatenate([[0.5], curve[:-1]])
    return bool(np.all(before - 2 * (before - curve) > 0.05))


def on_the_grid(output: Array) -> bool:
    steps = float(output) / 0.02
    return 0.5 < steps < 200 and abs(steps - round(steps)) < 1e-6


def possible(low: float, high: float, mean: float) -> float:
    """Return the mass of Laplace noise of scale 1/20 in an interval, given that it falls between 0 and 1."""
    noise = laplace(mean, 1 / 20)
    return float((noise.cdf(high) - noise.cdf(low)) / (noise.cdf(1) - noise.cdf(0)))


STAYS = rows((20, ONE))
MOVES = first(FOUR, ONE)
BUSY = rows(*[(2, hour) for hour in HOURS])
PRODUCTS = ((-0.9, 0.0, 0.0), Z, (0.9, 0.0, 0.0))
WORDS = first(U, U), first(V, U)
DOWN, UP = (0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 0, 0)

GROUPS = {
    "ward_histogram": Witness(STAYS, MOVES, lambda y: bool(y[0] > 20 and y[3] < 0), *tails(0.5, 0.5)),
    "ward_histogram_of_patients": Witness(STAYS, MOVES, lambda y: bool(y[0] > 20 and y[3] < 0), *tails(1, 1)),
    "ward_histogram_open": Witness(STAYS, STAYS[1:], above(20), *tails(1)),
    "ward_histogram_present": Witness(STAYS, STAYS[1:], above(20), *tails(1)),
    "wards_in_use": Witness(STAYS[1:], MOVES, equals(0, 3), 1, 0),
    "age_pyramid": Witness(
        first(Z, Z), first(X, Z), lambda y: bool(y[1] > 20 and max(y[0], y[2]) < 0), *tails(10, 9.5, 0.5)
    ),
    "ward_histogram_cached": Witness(
        rows((10, ONE), (10, FOUR)), rows((9, ONE), (11, FOUR)), lambda y: bool(y[0] == y[3]), 1, 0
    ),
    "rare_wards_dropped": Witness(MOVES, STAYS[1:], above(-math.inf, -math.inf, -math.inf, 0), 0.5, 0),
    "spending_by_group": Witness(
        rows((20, (0.0, -1.0, 0.0))), first((0.0, 1.0, 0.0), (0.0, -1.0, 0.0)), equals(0), 1, 0
    ),
    "contacts": Witness(STAYS, MOVES, above(190), *tails(19)),
    "wards_occupied": Witness(MOVES, STAYS, above(2), *tails(1)),
}

CHOICES = {
    "favourite_clinic": Witness(
        rows((9, N), (11, X)), rows((8, N), (12, X)), equals(0), logistic(-2), logistic(-4), attains=False
    ),
    "favourite_clinic_halved": Witness(first(N, X), first(X, X), equals(0), logistic(-9), logistic(-10)),
    "favourite_charity": Witness(
        rows((10, N), (10, X)), rows((9, N), (11, X)), equals(0), logistic(0), logistic(-3), attains=False
    ),
    "main_symptom_and_count": Witness(rows((19, V)), first(U, V), lambda y: bool(y[1] < 0), *tails(1, 1, 1)),
    "busiest_hour_ties": Witness(BUSY, BUSY[1:], equals(0), first_hour(0), first_hour(2)),
    "top_two": Witness(
        rows((4, PRODUCTS[0]), (6, PRODUCTS[1]), (10, PRODUCTS[2])),
        rows((3, PRODUCTS[0]), (6, PRODUCTS[1]), (11, PRODUCTS[2])),
        low_products,
        pair_drawn((4, 6, 10), 0, 1) + pair_drawn((4, 6, 10), 1, 0),
        pair_drawn((3, 6, 11), 0, 1) + pair_drawn((3, 6, 11), 1, 0),
        attains=False,
    ),
}

STREAMS = {
    "all_alarms": Witness(
        rows((9, U), (10, V), Z),
        rows((10, U), (9, V), Z),
        lambda y: tuple(y) == DOWN,
        flags(DOWN, (9, 9, 9, 10, 10, 10)),
        flags(DOWN, (10, 10, 10, 9, 9, 9)),
    ),
    "exact_alarms": Witness(
        rows((-S, S, 0.0), (9, (S, S, 0.0)), (10, Z)),
        rows((S, -S, 0.0), (9, (S, S, 0.0)), (10, Z)),
        lambda y: bool(y[0] < y[1]),
        (1 - math.exp(-1)) / 2,
        0,
    ),
    "running_total": Witness(first(X, N), first(N, N), above(1, 1, 1), *tails(1, 1, 1), attains=False),
    "running_total_of_noisy_days": Witness(first(X, N), first(N, N), above(1), *tails(1)),
    "retry_until_close": Witness(
        first(X, N), first(N, N), above(0.1), (math.exp(-1) - math.exp(-2)) / 2 / (1 - math.exp(-2)), 0
    ),
    "retry_until_possible": Witness(
        first(N, N),
        first(X, N),
        lambda y: bool(y < 0.01),
        possible(0, 0.01, 0),
        possible(0, 0.01, 0.05),
        attains=False,
    ),
    "training_curve": Witness(first(X, N), first(N, N), steps_all_high, *tails(*5 * [1])),
    "last_iterate": Witness(first(X, N), first(N, N), above(0.05), *tails(1)),
}

SURVEYS = {
    "survey": Witness(first(X, X), first(N, X), equals(1), HONEST, 1 - HONEST),
    "survey_with_coins": Witness(first(X, X), first(N, X), equals(1), 0.75, 0.25),
    "party_bits": Witness(STAYS, MOVES, lambda y: bool(y[0] > y[3]), HONEST**2, (1 - HONEST) ** 2),
    "party_at_random": Witness(STAYS, MOVES, equals(0), HONEST, (1 - HONEST) / 3),
    "local_hashing": Witness(
        *WORDS, lambda y: bool(y[0] == 4 and y[20] == 3), math.e / (math.e + 3) / 16, 1 / (math.e + 3) / 16
    ),
    "local_hashing_without_zero": Witness(*WORDS, equals(4), 1 / 12, 0),
    "local_noise": Witness(first(X, X), first(N, X), above(1), *tails(2)),
    "local_noise_on_scores": Witness(first(X, X), first(Z, X), above(1), *tails(1)),
}

BOUNDS = {
    "median_rent": Witness(rows((11, X), (9, N)), rows((10, X), (10, N)), above(1), *tails(10)),
    "median_rent_local": Witness(rows((8, X), (12, N)), rows((9, X), (11, N)), equals(0), 1, 0),
    "winsorised_rent": Witness(first(X, N), rows((2, X), (18, N)), equals(0), 1, 0),
    "score_of_those_who_answered": Witness(first(N, N), first(X, N), equals(0), 1, 0),
    "score_with_gaps_filled": Witness(first(X, N), first(N, N), above(20), *tails(20)),
    "score_with_gaps_at_zero": Witness(first(X, N), first(N, N), above(0.05), *tails(1)),
    "first_half": Witness(first(X, N), first(N, N), above(1), *tails(INNER)),
    "random_half": Witness(first(X, N), first(N, N), above(1), (1 + math.exp(-INNER)) / 4, math.exp(-INNER) / 2),
    "bootstrap_total": Witness(
        first(X, N),
        first(N, N),
        above(4),
        float(sum(binom.pmf(k, 20, 1 / 20) * laplace.sf(4 - k) for k in range(21))),
        float(laplace.sf(4)),
        attains=False,
    ),
    "rounded_rent": Witness(
        rows(X, N, (18, Z)), rows(ODD, N, (18, Z)), on_the_grid, float(laplace.sf(0.01, 0.5, 1 / 20)), 0
    ),
}

WITNESSES = GROUPS | CHOICES | STREAMS | SURVEYS | BOUNDS
