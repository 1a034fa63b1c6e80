"""What a release costs on adversarial pairs, computed: the noise is frozen by a seed, and the change is read off.

From one seed two data sets are released with the same random bits, so that their integers differ by what the data
change and by nothing else; the loss of that change under noise of the scale that the mechanism names is exact, or
certified by a privacy profile. That a release has the noise of that very scale is checked on its numbers: they are the
sampler's from the same seeds. What is wrong with the sampler itself is for the laws in the file beside this one.

Nothing here is statistical. The pairs are finitely many: with records removed down to none, with records at the bound
and, as they are clipped by default, beyond it: all of them at five times the bound, or the record alone in which a pair
differs, a little or as far as floats go. Controls: at the noise of 1.03 times epsilon the worst pair costs
more than is guaranteed, for every mechanism whose calibration is tight; and the numbers of a sampler at the noise of
5/4 of epsilon are others, though not each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from audit.released.coverage import SUBJECTS
from audit.released.excess import FIRST, largest_unnoticed
from audit.released.settings import ADDED, REPLACED, Setting, beyond, settings
from audit.released.subjects import Subject
from audit.released.subspaces import Gap
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Way, code_name
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

LOUDER = Fraction(5, 4)
CASES = [
    pytest.param(subject, setting, id=f"{type(subject).__name__}-{adjacency.value}-{place}")
    for subject in SUBJECTS
    for adjacency in (REPLACED, ADDED)
    for place, setting in enumerate(settings(adjacency))
    if not isinstance(subject, Gap)
]


@pytest.mark.parametrize(("subject", "setting"), CASES)
def test_a_release_has_the_noise_that_its_mechanism_names(subject: Subject, setting: Setting) -> None:
    setting = subject.at(setting)
    mechanism = subject.build(setting)
    assert all(subject.replayed(mechanism, setting, seed) for seed in range(subject.seeds))
    if not subject.blind(setting):
        louder = subject.build(evolve(setting, epsilon=setting.epsilon * LOUDER))
        assert not all(replayed_as(subject, mechanism, louder, setting, seed) for seed in range(subject.seeds)), (
            "control"
        )


def replayed_as(subject: Subject, released: object, named: object, setting: Setting, seed: int) -> bool:
    """Compare the releases of one mechanism with the noise that another one names."""
    impostor = copy(subject)
    impostor.publish = lambda _mechanism, data, entropy, method: subject.publish(released, data, entropy, method)
    return impostor.replayed(named, setting, seed)


@pytest.mark.parametrize(("subject", "setting"), CASES)
def test_no_pair_costs_more_than_is_guaranteed(
    record_audit, record_property, subject: Subject, setting: Setting
) -> None:
    setting = subject.at(setting)
    guarantee, pairs = subject.guarantee(setting), subject.pairs(setting)
    for calibration in subject.calibrations() or (None,):
        chosen = {} if calibration is None else {"calibration": calibration}
        mechanism = subject.build(setting, **chosen)
        try:
            loss = subject.loss(mechanism, setting, pairs, 1.0)
        except InvalidParameterError:
            assert calibration == "printed", "a printed noise that keeps nothing is refused"
            continue
        say = f"{subject.kind.__name__}, {calibration}, at {setting}: epsilon {loss.epsilon:.6g} on '{loss.pair}'"
        assert loss.kept, say
        assert loss.epsilon <= float(guarantee.epsilon) * (1 + 1e-6), say
        worst = [pair for pair in pairs if pair.name == loss.pair]
        clipped = subject.loss(mechanism, setting, [*pairs[:3], *worst], 5.0)
        assert clipped.kept, f"clipped: {say}"
        alone = subject.loss(
            mechanism, setting, [longer for pair in (pairs[0], *worst) for longer in beyond(pair)], 1.0
        )
        assert alone.kept, f"one record clipped, {alone.pair}: {say}"
        reached = loss.epsilon / float(guarantee.epsilon)
        if subject.tight and not subject.blind(setting) and calibration != "printed":
            assert reached * FIRST > 1, f"no pair comes close, so that the check would miss much: {say}"
            weaker = subject.build(evolve(setting, epsilon=setting.epsilon * FIRST), **chosen)
            assert not kept_as(subject, weaker, setting, worst), "control"
        unnoticed = None if subject.blind(setting) else missed(subject, setting, chosen, worst)
        record_property("detail", say if unnoticed is None else f"{say}; {unnoticed.words}")
        record_audit(
            AuditRecord(
                subject.kind.name,
                f"loss of {len(pairs)} pairs, noise frozen, d = {setting.dimension}, norm bound {setting.norm_bound}"
                + (f", {calibration} noise" if calibration else ""),
                AuditVerdict.NOT_REFUTED,
                f"({guarantee.epsilon}, {float(guarantee.delta):.3g})",
                loss.epsilon,
                None,
                "computed",
                f"worst pair: {loss.pair}; other pairs were not looked at",
                code=code_name(subject.kind),
                adjacency=setting.adjacency.value,
                unnoticed=unnoticed,
            )
        )


@pytest.mark.parametrize("limit", [Fraction(2), Fraction(2001, 1000), Fraction(11, 5), Fraction(100), None])
def test_the_largest_epsilon_that_passes_is_found(limit: Fraction | None) -> None:
    """Control of the search: it ends just below a known limit, and says so where there is none."""
    found = largest_unnoticed(Way.LOSSES, Fraction(2), lambda epsilon: limit is None or epsilon <= limit)
    assert found.claimed == 2
    if limit is None:
        assert found.epsilon is None
    else:
        assert float(limit) * (1 - 1.1e-3) <= found.epsilon <= float(limit)


@pytest.mark.parametrize("bound", [Fraction(1), Fraction(4, 3), Fraction(1, 2**30)])
def test_a_clipped_record_keeps_the_bound_to_the_last_digit(bound: Fraction) -> None:
    """With noise frozen, on a lattice that holds every digit of a float: the trace is the square of the norm."""
    mechanism = LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE, norm_bound=bound, coordinate_bits=200)
    generator, largest = np.random.default_rng(3), Fraction(0)
    for dimension in (1, 2, 3, 7):
        nothing = mechanism.release(np.empty((0, dimension)), entropy=SeededEntropy(1)).integers
        for place in range(24):
            record = generator.standard_normal((1, dimension)) * float(bound) * 10.0 ** (place % 8)
            changed = mechanism.release(record, entropy=SeededEntropy(1)).integers - nothing
            square = Fraction(int(np.trace(changed)), 4**200)
            assert square <= bound**2
            largest = max(largest, square)
    assert largest >= bound**2 * (1 - Fraction(1, 2**40)), "control: records at the bound"


def kept_as(subject: Subject, mechanism: object, setting: Setting, pairs: Sequence[NeighbouringPair]) -> bool:
    """Whether pairs show the guarantee of a setting kept by a mechanism that was built for another."""
    return subject.loss(mechanism, setting, pairs, 1.0).kept


def missed(subject: Subject, setting: Setting, chosen: dict[str, str], worst: Sequence[NeighbouringPair]) -> Excess:
    """Find the largest epsilon whose noise the worst pair would have let pass."""
    claimed = subject.guarantee(setting).epsilon

    def passes(epsilon: Fraction) -> bool:
        try:
            louder = subject.build(evolve(setting, epsilon=setting.epsilon * epsilon / claimed), **chosen)
            return kept_as(subject, louder, setting, worst)
        except InvalidParameterError:
            return False

    return largest_unnoticed(Way.LOSSES, claimed, passes)
