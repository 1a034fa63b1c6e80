"""What is on record of each stranger: claims, neighbours and exact losses, and that the functions behave like that."""

from __future__ import annotations

import itertools
import math
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm

from audit.strangers import DIMENSION, RECORDS, STRANGERS, Stranger
from audit.strangers.record import ADD_REMOVE, Array
from audit.strangers.truth import gaussian_epsilon
from tests.audit_strangers.of_choices import WITNESSES as OF_CHOICES
from tests.audit_strangers.of_choices import pair_drawn
from tests.audit_strangers.of_sums import WITNESSES as OF_SUMS

WITNESSES = OF_SUMS | OF_CHOICES
BY_NAME = {stranger.name: stranger for stranger in STRANGERS}
FAULTY = [stranger.name for stranger in STRANGERS if not stranger.right]
RIGHT = [stranger.name for stranger in STRANGERS if stranger.right]
RUNS = 2000


def outputs(stranger: Stranger, data: Array, generator: np.random.Generator) -> list[Array]:
    """Return independent outputs, by whichever arguments the function takes."""
    if stranger.takes == "data, size, generator":
        return list(np.asarray(stranger.mechanism(data, RUNS, generator)))
    arguments = (generator,) if stranger.takes == "data, generator" else ()
    return [np.asarray(stranger.mechanism(data, *arguments)) for _ in range(RUNS)]


def test_every_mechanism_of_the_package_is_listed_once() -> None:
    folder = Path(__file__).parents[2] / "audit/strangers"
    source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py") if path.stem != "record")
    assert len(STRANGERS) == len(BY_NAME) == source.count("\n@right(") + source.count("\n@faulty(")
    assert len(FAULTY) >= 40
    assert len(RIGHT) >= 20


@pytest.mark.parametrize("name", FAULTY)
def test_an_event_shows_the_fault(name: str) -> None:
    stranger, witness = BY_NAME[name], WITNESSES[name]
    shown = witness.epsilon(stranger.delta)
    assert shown > stranger.epsilon
    assert (stranger.exactly is None) != (stranger.at_least is None)
    if stranger.at_least is not None:
        assert (shown >= stranger.at_least) == witness.attains
    elif stranger.exactly is not None and witness.attains:
        assert shown == pytest.approx(stranger.exactly, rel=1e-9)
    else:
        assert stranger.exactly is not None
        assert shown < stranger.exactly


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_says_why_and_loses_what_is_on_record(name: str) -> None:
    stranger = BY_NAME[name]
    assert len((stranger.mechanism.__doc__ or "").splitlines()) > 3
    assert stranger.at_least is None
    if stranger.exactly is None or stranger.delta:
        assert name not in WITNESSES
    else:
        shown = WITNESSES[name].epsilon(0)
        assert shown == pytest.approx(stranger.exactly, rel=1e-9)
        assert stranger.exactly <= stranger.epsilon


@pytest.mark.parametrize("name", WITNESSES)
def test_the_pair_is_one_of_neighbours(name: str) -> None:
    one, two = WITNESSES[name].likely, WITNESSES[name].unlikely
    assert one.shape[1] == two.shape[1] == DIMENSION
    assert max(np.linalg.norm(one, axis=1).max(), np.linalg.norm(two, axis=1).max()) <= 1 + 1e-12
    extra = [*map(tuple, one)]
    missing = 0
    for record in map(tuple, two):
        if record in extra:
            extra.remove(record)
        else:
            missing += 1
    if BY_NAME[name].adjacency is ADD_REMOVE:
        assert sorted([len(one), len(two)]) == [RECORDS - 1, RECORDS]
        assert len(extra) + missing == 1
    else:
        assert len(one) == len(two) == RECORDS
        assert len(extra) == missing == 1


@pytest.mark.parametrize("name", WITNESSES)
def test_the_function_has_these_probabilities(name: str) -> None:
    witness, generator = WITNESSES[name], np.random.default_rng(zlib.crc32(name.encode()))
    for data, probability in ((witness.likely, witness.p), (witness.unlikely, witness.q)):
        hits = sum(witness.event(output) for output in outputs(BY_NAME[name], data, generator))
        # Two-sided at 1e-9: a few mechanisms draw their own noise and cannot be seeded.
        assert min(binom.cdf(hits, RUNS, probability), binom.sf(hits - 1, RUNS, probability)) > 1e-9


def test_top_two_loses_what_is_on_record() -> None:
    pairs = list(itertools.permutations(range(3), 2))
    worst = 0.0
    for low in range(RECORDS + 1):
        for middle in range(RECORDS + 1 - low):
            counts = (low, middle, RECORDS - low - middle)
            for out, into in pairs:
                if counts[out]:
                    moved = [count - (i == out) + (i == into) for i, count in enumerate(counts)]
                    ratios = [
                        pair_drawn(counts, *pair) / pair_drawn((moved[0], moved[1], moved[2]), *pair) for pair in pairs
                    ]
                    worst = max(worst, *map(math.log, ratios))
    assert worst == pytest.approx(BY_NAME["top_two"].exactly, abs=1e-6)


@pytest.mark.parametrize(("shift", "delta"), [(0.1, 1e-5), (1.0, 0.01), (2.0, 0.2), (4.0, 1e-10)])
def test_epsilon_of_normal_noise_is_that_of_its_worst_event(shift: float, delta: float) -> None:
    epsilon = gaussian_epsilon(shift, 1.0, delta)
    bar = epsilon / shift + shift / 2
    assert math.log((norm.sf(bar - shift) - delta) / norm.sf(bar)) == pytest.approx(epsilon, rel=1e-6)
