"""The clinics, schools and sensors that came later: an event and its two probabilities for each of them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import laplace, norm

from audit.strangers.later import LATER as EVERY
from audit.strangers.later import clinics, schools, sensors
from audit.strangers.record import ADD_REMOVE, DIMENSION, RECORDS, Array, Stranger
from tests.audit_strangers.witness import N, U, V, Witness, X, Y, Z, above, first, rows, tails

RUNS = 3000
LATER = {
    stranger.name: stranger
    for stranger in EVERY
    if stranger.mechanism.__module__ in {module.__name__ for module in (clinics, schools, sensors)}
}
FEWER = RECORDS - 1
TREATED = (0.0, 0.5, 0.0)
CONTROL = (0.0, -0.5, 0.0)


def _only(event: Callable[[Any], bool]) -> Callable[[Array], bool]:
    """Return the event, of an output of any kind."""
    return event


def _outcome(stranger: Stranger, data: Array, generator: np.random.Generator) -> Any:
    """Return what the mechanism publishes; an error is published as well."""
    try:
        return stranger.mechanism(data, generator)
    except ValueError as error:
        return error


def _pattern(counts: tuple[int, ...], above_bar: tuple[bool, ...]) -> float:
    """Return the probability that noisy counts are above and below a noisy bar of ten in this way, by integration."""
    noise, step = np.linspace(-80, 80, 64_001, retstep=True)
    density = laplace.pdf(noise, scale=2)
    for count, over in zip(counts, above_bar, strict=True):
        density = density * (laplace.sf if over else laplace.cdf)(10 + noise - count, scale=4)
    return float(density.sum() * step)


def _lone_slope(dose: float, response: float) -> tuple[Array, float]:
    """Return nineteen small doses and one other patient, with the slope."""
    data = rows((dose, response, 0.0), (FEWER, (0.13, 0.99, 0.0)))
    return data, float(np.mean(data[:, 0] * data[:, 1]) / (np.mean(data[:, 0] ** 2) + 0.05))


def _plausible() -> Witness:
    """Return the event that no more than a tenth of a patient came back, by none and by one."""
    none, one = (
        (laplace.cdf(0.1, count, 5) - laplace.cdf(0, count, 5)) / (laplace.cdf(20, count, 5) - laplace.cdf(0, count, 5))
        for count in (0, 1)
    )
    return Witness(first(N, N), first(X, N), _only(lambda out: out < 0.1), none, one, attains=False)


def _slopes() -> Witness:
    high, slope = _lone_slope(0.25, 0.968)
    low, other = _lone_slope(-0.917, 0.397)
    return Witness(high, low, above(slope), *tails((slope - other) / (0.05 / 0.2 / 0.5)))


def _median() -> Witness:
    """Return the event that the second mark of the grid is drawn, beside the lowest and thirty-nine others."""
    low, next_lowest = -1.0, -0.95
    likely = rows((10, (low, 0.0, 0.0)), (next_lowest, 0.0, 0.0), (9, X))
    unlikely = rows((9, (low, 0.0, 0.0)), (next_lowest, 0.0, 0.0), (10, X))
    half = math.exp(-0.5)
    p, q = 1 / (1 + 39 * half + half**10), half / (half + 39 + half**10)
    return Witness(likely, unlikely, _only(lambda out: out == "median mark -0.95"), p, q)


def _normal(deviation: float, likely: Array, unlikely: Array, centre: float, unit: float, key: Any) -> Witness:
    """Return the event beyond which the loss of normal noise is the epsilon on record, for a shift of two units."""
    name = "total_acceleration" if key == "x" else "failure_gradient"
    epsilon, shift = LATER[name].exactly or 0.0, 2 / deviation
    at = epsilon / shift - shift / 2
    p, q = float(norm.sf(at)), float(norm.sf(at + shift))
    bar = centre + at * deviation * unit
    return Witness(likely, unlikely, _only(lambda out: out[key] > bar), p, q)


def _cauchy() -> Witness:
    """Return the event of a short interval about the point of the largest ratio of two densities, two apart."""
    scale = 1 / math.sinh(0.25)
    low, high = (1 - math.sqrt(1 + scale**2)) * 1.3, (1 - math.sqrt(1 + scale**2)) * 0.7
    p, q = ((math.atan((high - c) / scale) - math.atan((low - c) / scale)) / math.pi for c in (0, 2))
    return Witness(first(N, Z), first(X, Z), _only(lambda out: low < out + 1 < high), p, q, attains=False)


def _shown(code: str, bar: float = -math.inf) -> Callable[[Array], bool]:
    return _only(lambda out: out.get(code, -math.inf) > bar)


HONEST = math.e / (1 + math.e)
STEP = math.exp(-0.7)
LOSS = 1 + 2 * math.log(0.99)
KEPT = 0.01 * math.exp(2) / 20
ALARM = 0.5 * math.exp(-2)
BOUNDED = 0.5 - 0.01
LINE = [(t, t, 0.0) for t in np.linspace(-0.1, 0.1, FEWER)]
TEN_BADGES = (True,) * 5 + (False,) * 5
LEVELS = (False,) * 19

WITNESSES = {
    "smokers_by_coin": Witness(
        first(X, N), first(N, N), _only(lambda out: out[0] == "smoker"), (1 + HONEST) / 2, (1 - HONEST) / 2
    ),
    "plausible_readmissions": _plausible(),
    "risk_groups": Witness(first(U, V), first(V, V), _only(lambda out: min(out.values()) > 1), *tails(0.4, 0.4, 0.4)),
    "rare_diagnoses": Witness(rows(X, (FEWER, Z)), rows((FEWER, Z)), _shown("1.0"), 0.5e-3 * math.exp(2), 0.0),
    "contacts_in_bays": Witness(rows((21, Z)), rows((20, Z)), above(210), *tails(2.0)),
    "dose_slope": _slopes(),
    "small_cohort_mean": Witness(
        rows((4, TREATED), (16, CONTROL)),
        rows((5, TREATED), (15, CONTROL)),
        _only(lambda out: isinstance(out, ValueError)),
        1.0,
        0.0,
    ),
    "emergency_admissions": Witness(
        first(N, N), first(X, N), _only(lambda out: out == 0), 1 / (1 + STEP), STEP / (1 + STEP)
    ),
    "treated_rank_sum": Witness(
        first((0.5, 0.5, 0.0), CONTROL), first((0.5, -0.5, 0.0), CONTROL), above(20), *tails(1.0)
    ),
    "frequent_diagnoses": Witness(
        rows((20, Z)),
        rows((19, Z)),
        _shown("0.0", 19.5 + LOSS / 2),
        float(laplace.sf(LOSS / 2 - 0.5)),
        float(laplace.sf(LOSS / 2 + 0.5)),
    ),
    "mean_by_head_count": Witness(
        rows((FEWER, X)), rows(N, (FEWER, X)), _only(lambda out: out == 1), *tails(0.5), attains=False
    ),
    "median_mark": _median(),
    "club_members": Witness(
        first(X, N),
        first(N, N),
        _only(lambda out: out["robots"] > 1 and out["choir"] < 19),
        *tails(0.3, 0.3),
    ),
    "three_subjects": Witness(first(X, Z), first(Z, Z), _only(lambda out: round(out[0] - out[1], 6) == 0.05), 1.0, 0.0),
    "satisfaction_of_parents": Witness(first(X, CONTROL), first(N, CONTROL), above(1), *tails(2.0)),
    "mean_attendance": Witness(first((0.0, 0.0, 1.0), Z), first((0.0, 0.0, -1.0), Z), above(1 / RECORDS), *tails(2.0)),
    "badges_above_bar": Witness(
        rows((10, X), (9, Y), Z),
        rows((9, X), (10, Y), Z),
        _only(lambda out: out == "+++++-----"),
        _pattern((10,) * 5 + (9,) * 5, TEN_BADGES),
        _pattern((9,) * 5 + (10,) * 5, TEN_BADGES),
    ),
    "favourite_club": Witness(
        rows((12, X), (8, V)),
        rows((11, X), (9, V)),
        _only(lambda out: out == "robots"),
        1 / (1 + math.exp(-3) + 2 * math.exp(-9)),
        1 / (1 + math.exp(-1.5) + 2 * math.exp(-8.25)),
    ),
    "opinions_by_bit": Witness(
        first(X, Z),
        first(N, Z),
        _only(lambda out: out[0] == 1),
        math.exp(2) / (1 + math.exp(2)),
        1 / (1 + math.exp(2)),
    ),
    "mean_with_bounded_noise": Witness(
        first(Y, Z), first((0.0, -1.0, 0.0), Z), above(1 / RECORDS), 0.5, BOUNDED / math.e
    ),
    "energy_in_units": Witness(first((0.5, 0.0, 0.0), Z), first(Z, Z), _only(lambda out: out % 1 == 0.5), 1.0, 0.0),
    "median_voltage": Witness(
        rows((11, Z), (9, X)),
        rows((12, Z), (8, X)),
        above(0.5),
        0.5 * math.exp(-0.5),
        0.5 * math.exp(-5),
        attains=False,
    ),
    "mean_temperature": Witness(first(Z, Z), first(Y, Z), _only(lambda out: out == 0), math.exp(-6), 0.0),
    "sampled_alarms": Witness(first(X, N), rows((FEWER, N)), above(4), 0.75 * ALARM + 0.25 * 0.5, ALARM),
    "agreement_of_sensors": Witness(rows((0.5, 0.5, 0.0), *LINE), rows((0.5, -0.5, 0.0), *LINE), above(1), *tails(1.0)),
    "failure_gradient": _normal(2.6, first(N, Z), first(X, Z), 0.025, 0.025, 0),
    "energy_with_heavy_tails": _cauchy(),
    "first_full_level": Witness(
        rows((9, (0.0, 0.0, 0.95)), (11, (0.0, 0.0, -1.0))),
        rows((10, (0.0, 0.0, 0.95)), (10, (0.0, 0.0, -1.0))),
        _only(lambda out: out is None),
        _pattern((9,) * 19, LEVELS),
        _pattern((10,) * 19, LEVELS),
    ),
    "total_acceleration": _normal(2.25, first(X, Z), first(N, Z), 1.0, 1.0, "x"),
    "level_of_load": Witness(
        rows((6, X), (14, Z)), rows((5, X), N, (14, Z)), _only(lambda out: out == "HIGH"), *tails(0.8)
    ),
}


def test_every_mechanism_has_a_witness() -> None:
    assert list(WITNESSES) == list(LATER)
    assert [stranger.right for stranger in LATER.values()].count(False) == 20


@pytest.mark.parametrize("name", WITNESSES)
def test_the_pair_is_one_of_neighbours(name: str) -> None:
    likely, unlikely = WITNESSES[name].likely, WITNESSES[name].unlikely
    assert max(np.linalg.norm(np.concatenate([likely, unlikely]), axis=1)) <= 1 + 1e-12
    shared = (Counter(map(tuple, likely)) & Counter(map(tuple, unlikely))).total()
    sizes = {len(likely), len(unlikely)}
    assert likely.shape[1] == DIMENSION
    assert RECORDS in sizes
    assert sizes in ([{19, 20}, {20, 21}] if LATER[name].adjacency is ADD_REMOVE else [{RECORDS}])
    assert shared == max(sizes) - 1


@pytest.mark.parametrize("name", WITNESSES)
def test_the_event_loses_what_is_on_record(name: str) -> None:
    stranger, witness = LATER[name], WITNESSES[name]
    loss = witness.epsilon(stranger.delta)
    assert stranger.right == (loss <= stranger.epsilon + 1e-9)
    if stranger.at_least is not None:
        assert stranger.epsilon < stranger.at_least <= loss
    elif stranger.exactly is not None and witness.attains:
        assert loss == pytest.approx(stranger.exactly, abs=1e-9)
    elif stranger.exactly is not None:
        assert loss < stranger.exactly


@pytest.mark.parametrize("name", WITNESSES)
def test_the_mechanism_has_these_two_probabilities(name: str) -> None:
    """A share of the runs is within six standard deviations and six runs of its probability."""
    stranger, witness = LATER[name], WITNESSES[name]
    generator = np.random.default_rng([20, *name.encode()])
    for data, chance in ((witness.likely, witness.p), (witness.unlikely, witness.q)):
        hits = sum(witness.event(_outcome(stranger, data, generator)) for _ in range(RUNS))
        assert abs(hits - RUNS * chance) <= 6 * math.sqrt(RUNS * chance * (1 - chance)) + 6 * (0 < chance < 1)


def test_limits_that_no_event_attains() -> None:
    """The ratio of the densities, or of the tails, comes as near to the epsilon on record as one likes."""
    exactly = {name: stranger.exactly for name, stranger in LATER.items()}
    mass = [laplace.cdf(20, count, 5) - laplace.cdf(0, count, 5) for count in range(21)]
    ends = [0.2 + math.log(mass[b] / mass[a]) for a, b in itertools.permutations(range(21), 2) if abs(a - b) == 1]
    assert max(ends) == pytest.approx(exactly["plausible_readmissions"], abs=1e-12)

    marks = np.linspace(-1, 1, 2001)
    sums = [(n, s, x) for n in (19, 20) for s in (-n, 0, n) for x in (-1.0, 0.0, 1.0)]
    head = [math.log((n + 1) / n) + 0.25 * (abs(n * marks - s) - abs((n + 1) * marks - s - x)) for n, s, x in sums]
    assert max(map(np.max, head)) == pytest.approx(exactly["mean_by_head_count"], abs=1e-9)
    assert max(map(np.max, [-loss for loss in head])) < 0.51

    scale = 1 / math.sinh(0.25)
    at = 1 - math.sqrt(1 + scale**2)
    assert math.log(((at - 2) ** 2 + scale**2) / (at**2 + scale**2)) == pytest.approx(0.5, abs=1e-12)


def test_right_choices_on_every_pair() -> None:
    """The probabilities of each club are within a factor e^1.5 for all counts of twenty pupils and all moves."""
    counts = np.array([c for c in itertools.product(range(21), repeat=4) if sum(c) == RECORDS])
    worst = 0.0
    for left, joined in itertools.permutations(range(4), 2):
        before = counts[counts[:, left] > 0]
        after = before + np.eye(4, dtype=int)[joined] - np.eye(4, dtype=int)[left]
        old, new = (0.75 * c - np.log(np.exp(0.75 * c).sum(axis=1, keepdims=True)) for c in (before, after))
        worst = max(worst, float(np.abs(old - new).max()))
    assert 1.49 < worst <= 1.5


def test_the_rank_sum_moves_by_at_most_n() -> None:
    """One patient of a small trial with ties is replaced in every way; without noise the sum moves by up to n."""

    class Silent:
        def laplace(self, **_: float) -> float:
            return 0.0

    kinds = [(pressure, treated, 0.0) for pressure in (-0.5, 0.0, 0.5) for treated in (0.5, -0.5)]
    widest = 0.0
    for others in itertools.combinations_with_replacement(kinds, 4):
        sums = [clinics.treated_rank_sum(rows(kind, *others), Silent()) for kind in kinds]  # type: ignore[arg-type]
        widest = max(widest, max(sums) - min(sums))
    assert widest == 5
