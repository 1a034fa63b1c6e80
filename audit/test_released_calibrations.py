"""The noise that mechanisms name, against the sensitivities and the profiles recomputed from what is public.

Pairs of data sets meet a sensitivity up to the lattice, so a scale that is short by one part in a thousand million, or
a printed noise at an epsilon at which it keeps nothing, costs no pair that is tried beside this file more than is
promised. Here the scale is held against the whole sensitivity, with twice the digits, on coarse lattices and fine ones,
at epsilons from 1/7 to 160 and deltas up to 9/10. What is promised is either certified, or refused.

Nothing is statistical. The controls are the same checks of mechanisms that were built for a larger epsilon; for each
mechanism the largest epsilon that would have passed is found, and stands in its certificate.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from flint import arb

from audit.released.coverage import SUBJECTS
from audit.released.excess import largest_unnoticed
from audit.released.settings import ADDED, REPLACED, settings
from audit.released.subjects import Subject
from dpmatrix.claims import AuditRecord, AuditVerdict, Way, code_name
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, fraction, precision
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    CoupledTracesMechanism,
    GaussianOrthogonal,
    KNormMechanism,
    LaplaceInputPerturbation,
    ModSulq,
    OnlinePerturbedLeader,
    Ppca,
    PrivateSubspaceRecovery,
    SequentialPpca,
    StaircaseMechanism,
    Sulq,
    SymmetrisedWishartMechanism,
)
from dpmatrix.mechanisms.stairs import MOST_EPSILON
from dpmatrix.mechanisms.streams import BandedWindowGram, BandedWindowParameters, SlidingWindowGram, WindowParameters
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.privacy.sensitivity import Entries, frobenius_sensitivity, l1_sensitivity, nuclear_sensitivity
from dpmatrix.randomness.entropy import SeededEntropy

EPSILONS = (Fraction(1, 7), Fraction(1), Fraction(9), Fraction(160))
DELTAS = (Fraction(1, 10**9), Fraction(9, 10))
BOUNDS = (Fraction(1), Fraction(4, 3), Fraction(1, 3))
BITS = (0, 3, 20)
DIMENSIONS = (1, 2, 4, 6)
DIGITS = 600
RELATIONS = (REPLACED, ADDED)
LOUDER = Fraction(11, 10)
WEIGHTS = {1: (2**16,), 2: (2**16, 2**15, -(2**13)), 3: (2**16, 2**15, 3 * 2**13, -3 * 2**12, 3 * 2**9)}
"""Of a window by factorisation: the first terms of the root of 1, 1 + x, and 1 + x + x^2, times 2^16."""
SHAPES = list(product(RELATIONS, DIMENSIONS, BOUNDS))


@pytest.fixture
def record(record_audit, record_property) -> Callable[..., None]:
    """Leave in the report which larger epsilon the recomputed calibration of a mechanism would have passed over."""

    def write(kind: Any, promise: PrivacyGuarantee, what: str, passes: Callable[[Fraction], bool]) -> None:
        def taken(epsilon: Fraction) -> bool:
            try:
                return passes(epsilon)
            except InvalidParameterError:
                return False  # a noise that cannot be had is refused

        unnoticed = largest_unnoticed(Way.CALIBRATION, promise.epsilon, taken)
        record_property("detail", f"{kind.__name__}, {promise.adjacency.value}, {what}: {unnoticed.words}")
        record_audit(
            AuditRecord(
                kind.name,
                f"calibration, {what}",
                AuditVerdict.NOT_REFUTED,
                f"({promise.epsilon}, {float(promise.delta):.3g})",
                None,
                None,
                "certain",
                "the noise that the mechanism names against the sensitivity or the profile, recomputed",
                code=code_name(kind),
                adjacency=promise.adjacency.value,
                unnoticed=unnoticed,
            )
        )

    return write


def pure(kind: type, **options: Any) -> Callable[[Fraction, Adjacency, Fraction], Any]:
    """Return a maker of mechanisms without delta."""
    return lambda epsilon, adjacency, bound: kind(epsilon, adjacency=adjacency, norm_bound=bound, **options)


def laplace_loss(mechanism: Any, dimension: int) -> arb:
    """Enclose the l1 sensitivity on the lattice over the scale."""
    change = l1_sensitivity(dimension, mechanism.adjacency, Entries.UPPER_TRIANGLE, mechanism.norm_bound)
    return change * 4**mechanism.coordinate_bits / ball(mechanism.noise_scale(dimension))


def wishart_loss(mechanism: Any, dimension: int) -> arb:
    """Enclose the nuclear sensitivity over 2 n c, for n = 7."""
    change = nuclear_sensitivity(dimension, mechanism.adjacency, mechanism.norm_bound)
    return change / ball(2 * 7 * mechanism.noise_scale(dimension, 7))


def part_loss(mechanism: Any, dimension: int) -> arb:
    """Enclose the largest trace of a part of either sign of a change, r^2, over n c, for n = 7."""
    return ball(mechanism.norm_bound) ** 2 / ball(7 * mechanism.noise_scale(dimension, 7))


def score_loss(mechanism: Any, dimension: int) -> arb:
    """Enclose the range of the score times its weight: of all steps, each of which has its share."""
    return nuclear_sensitivity(dimension, mechanism.adjacency, mechanism.norm_bound) * ball(mechanism.weight(dimension))


LOSSES = {
    "laplace": (pure(LaplaceInputPerturbation), laplace_loss),
    "laplace, printed": (pure(LaplaceInputPerturbation, calibration="printed"), laplace_loss),
    "laplace, coarse": (pure(LaplaceInputPerturbation, coordinate_bits=0), laplace_loss),
    "symmetrised wishart": (pure(SymmetrisedWishartMechanism), wishart_loss),
    "coupled traces": (pure(CoupledTracesMechanism), part_loss),
    "K-norm": (pure(KNormMechanism), part_loss),
    "ppca": (pure(Ppca), score_loss),
    "ppca, printed": (pure(Ppca, calibration="printed"), score_loss),
    "sequential ppca": (pure(SequentialPpca, rank=2), score_loss),
}


GAUSSIAN = (AnalyzeGauss, ModSulq, Sulq)


def test_the_calibration_of_every_mechanism_is_recomputed() -> None:
    pure_ones = {type(make(Fraction(1), REPLACED, Fraction(1))) for make, _ in LOSSES.values()}
    others = {
        *GAUSSIAN,
        GaussianOrthogonal,
        OnlinePerturbedLeader,
        SlidingWindowGram,
        BandedWindowGram,
        PrivateSubspaceRecovery,
        StaircaseMechanism,
    }
    assert pure_ones | others == {subject.kind for subject in SUBJECTS}


@pytest.mark.parametrize("name", LOSSES)
def test_a_pure_promise_covers_the_whole_sensitivity(record, name: str) -> None:
    make, loss = LOSSES[name]

    def covers(mechanism: Any, dimension: int, epsilon: Fraction) -> bool:
        found = parameter_range(loss(mechanism, dimension), "loss")
        # Where the sensitivity is a rational number the loss may be epsilon itself, up to the digits used.
        return fraction(found.upper) <= epsilon * (1 + Fraction(1, 2**500))

    with precision(DIGITS):
        for epsilon, (adjacency, dimension, bound) in product(EPSILONS, SHAPES):
            assert covers(make(epsilon, adjacency, bound), dimension, epsilon), (adjacency, dimension, bound)
            if "printed" not in name:
                assert loss(make(epsilon * LOUDER, adjacency, bound), dimension) > ball(epsilon), "control"
        for adjacency in RELATIONS:
            mechanism = make(Fraction(1), adjacency, Fraction(1))
            record(
                type(mechanism),
                mechanism.guarantee,
                f"{name}, d = 4",
                lambda epsilon, adjacency=adjacency: covers(make(epsilon, adjacency, Fraction(1)), 4, Fraction(1)),
            )


def test_a_change_passes_no_more_than_one_step(record) -> None:
    """Steps are as wide as c, and the density falls by exp(-epsilon) from one to the next."""

    def loss(mechanism: Any, dimension: int) -> Fraction:
        steps = fraction(parameter_range(part_loss(mechanism, dimension), "loss").upper)
        # As many steps as the change has widths, up to the digits used.
        return mechanism.epsilon * math.ceil(steps * (1 - Fraction(1, 2**500)))

    make = pure(StaircaseMechanism)
    with precision(DIGITS):
        for epsilon, (adjacency, dimension, bound) in product((Fraction(1, 7), Fraction(1), Fraction(27)), SHAPES):
            assert loss(make(epsilon, adjacency, bound), dimension) <= epsilon, (adjacency, dimension, bound)
            assert loss(make(epsilon * LOUDER, adjacency, bound), dimension) > epsilon, "control"
        for adjacency in RELATIONS:
            mechanism = make(Fraction(1), adjacency, Fraction(1))
            record(
                type(mechanism),
                mechanism.guarantee,
                "staircase, d = 4",
                lambda epsilon, adjacency=adjacency: (
                    epsilon <= MOST_EPSILON and loss(make(epsilon, adjacency, Fraction(1)), 4) <= 1
                ),
            )


def certified(square: Fraction | arb, variance: Fraction, coordinates: int, promise: PrivacyGuarantee) -> bool:
    """Whether discrete Gaussian noise hides integers that change by so much in sum of squares."""
    whole = math.floor(fraction(parameter_range(square, "square").upper) if isinstance(square, arb) else square)
    total = math.isqrt(whole) ** 2 if coordinates == 1 else whole
    return meets(DiscreteGaussianProfile(max(total, 1), variance, coordinates), promise)


def matrices(kind: type, calibration: str) -> Iterator[tuple[Any, int]]:
    """Build the Gaussian mechanisms, with the d at which each is asked."""
    for epsilon, delta, bits in product(EPSILONS, DELTAS, BITS):
        for adjacency, dimension, bound in SHAPES[:: 3 if calibration == "tight" else 1]:
            options = {"delta": delta, "norm_bound": bound, "coordinate_bits": bits, "calibration": calibration}
            yield kind(epsilon, adjacency=adjacency, **options), dimension


def kept(mechanism: Any, dimension: int, promise: PrivacyGuarantee) -> bool:
    """Whether the noise that a mechanism names keeps a promise."""
    variance = mechanism.noise_variance(dimension)
    whole = mechanism.entries is Entries.FULL
    with precision(DIGITS):
        change = frobenius_sensitivity(dimension, mechanism.adjacency, mechanism.norm_bound)
        square = change * change * 16**mechanism.coordinate_bits
        coordinates = dimension**2 if whole else dimension * (dimension + 1) // 2
        return certified(square, variance, coordinates, promise)


@pytest.mark.parametrize("kind", GAUSSIAN)
def test_the_certificate_counts_every_entry_with_noise_of_its_own(kind: type) -> None:
    """Entries of a release that are not copies of others; and on the coarsest lattice every unit of a change counts."""
    promise = PrivacyGuarantee(9, Fraction(1, 10**6), REPLACED)
    for dimension in (1, 2, 3, 5):
        mechanism = kind(promise.epsilon, REPLACED, delta=promise.delta, coordinate_bits=0)
        found = kind(promise.epsilon, REPLACED, delta=promise.delta).release(
            [[0.0] * dimension], entropy=SeededEntropy(1)
        )
        copied = dimension > 1 and (found.integers == found.integers.T).all()
        assert mechanism.count_of_places(dimension) == (dimension * (dimension + 1) // 2 if copied else dimension**2)
        assert kept(mechanism, dimension, promise)
        assert not kept(evolve(mechanism, epsilon=promise.epsilon * LOUDER), dimension, promise), "control"


def orthogonal_kept(mechanism: GaussianOrthogonal, dimension: int, promise: PrivacyGuarantee) -> bool:
    """Whether the noise that it names keeps a promise: squares of norms are integers, and sums have one number more."""
    largest = math.floor(mechanism.norm_bound**2 * 4**mechanism.coordinate_bits)
    more = promise.adjacency is REPLACED
    square = largest**2 * (2 if more else 1)
    coordinates = dimension**2 + (1 if more else 0)
    return certified(Fraction(square), mechanism.noise_variance(dimension), coordinates, promise)


def test_symmetric_noise_is_certified_for_all_entries_and_the_trace(record) -> None:
    """On lattices of every fineness, down to the coarsest; the controls are the noise of a louder epsilon."""
    for epsilon, delta, bits in product(EPSILONS, DELTAS, BITS):
        for adjacency, dimension, bound in SHAPES:
            options = {"delta": delta, "norm_bound": bound, "coordinate_bits": bits}
            mechanism = GaussianOrthogonal(epsilon, adjacency, **options)
            assert orthogonal_kept(mechanism, dimension, mechanism.guarantee), (mechanism, dimension)
    for adjacency, dimension, bits in product(RELATIONS, (1, 2, 3, 5), (0, 20)):
        if bits == 0 and dimension == 1 and adjacency is not REPLACED:
            continue  # one number on the coarsest lattice, where noise for a louder epsilon may do
        promise = PrivacyGuarantee(9, Fraction(1, 10**6), adjacency)
        mechanism = GaussianOrthogonal(9, adjacency, delta=promise.delta, coordinate_bits=bits)
        assert orthogonal_kept(mechanism, dimension, promise)
        assert not orthogonal_kept(evolve(mechanism, epsilon=9 * LOUDER), dimension, promise), "control"
    for adjacency in RELATIONS:
        mechanism = GaussianOrthogonal(1, adjacency, delta=Fraction(1, 10**6))
        record(
            GaussianOrthogonal,
            mechanism.guarantee,
            "noise, d = 3",
            lambda epsilon, mechanism=mechanism: orthogonal_kept(
                evolve(mechanism, epsilon=epsilon), 3, mechanism.guarantee
            ),
        )


@pytest.mark.parametrize("bits", [13, 29, 30, 31, 40])
@pytest.mark.parametrize("adjacency", RELATIONS)
def test_symmetric_noise_does_not_wrap_what_a_record_changes(adjacency: Adjacency, bits: int) -> None:
    """With the noise frozen, on lattices where sums or their multiples need more than 64 bits: exactly."""
    data = np.full((3, 4), 0.5)
    other = np.vstack([data[:2], np.zeros(4)]) if adjacency is REPLACED else data[:2]
    mechanism = GaussianOrthogonal(1, adjacency, delta=Fraction(1, 1000), coordinate_bits=bits)
    first, second = (mechanism.release(one, entropy=SeededEntropy(3)) for one in (data, other))
    fine = 10 if adjacency is REPLACED else 2
    assert set((first.integers - second.integers).ravel().tolist()) == {fine * 4**bits // 4}


@pytest.mark.parametrize("kind", GAUSSIAN)
def test_printed_noise_on_the_coarsest_lattice_is_certified_for_all_entries_together(kind: type) -> None:
    """The control is the noise of a large epsilon, which rounds away."""
    options = {"delta": Fraction(1, 4), "coordinate_bits": 0, "calibration": "printed"}
    for dimension in (2, 3):
        mechanism = kind(1, REPLACED, **options)
        assert kept(mechanism, dimension, mechanism.guarantee)
        with pytest.raises(InvalidParameterError, match="not certified"):
            kind(1000, REPLACED, **options).noise_variance(dimension)


def test_noise_of_a_stream_on_the_coarsest_lattice_is_certified_for_all_its_matrices() -> None:
    """The controls are the noise of a louder epsilon, and printed noise that falls short and is refused."""
    for adjacency, dimension, steps in product(RELATIONS, (1, 2), (1, 2, 3)):
        promise = PrivacyGuarantee(1, Fraction(1, 4), adjacency)
        options = {"delta": promise.delta, "coordinate_bits": 0, "steps": steps, "norm_bound": 2}
        change = 16 * (2 if adjacency is REPLACED and dimension > 1 else 1)
        asked = Fraction(steps * change), promise
        half = dimension * (dimension + 1) // 2

        def keeps(leader: OnlinePerturbedLeader, asked=asked, dimension=dimension, count=steps * half) -> bool:
            return certified(asked[0], leader.noise_variance(dimension), count, asked[1])

        assert keeps(OnlinePerturbedLeader(1, adjacency, **options))
        assert keeps(OnlinePerturbedLeader(1, adjacency, calibration="printed", **options))
        assert not keeps(OnlinePerturbedLeader(LOUDER, adjacency, **options)), "control"
    for adjacency, bound, epsilon, delta, dimension, steps in (
        (REPLACED, 1, 20, Fraction(1, 10**9), 2, 3),
        (REPLACED, 1, 20, Fraction(1, 10**9), 3, 2),
        (ADDED, 2, 40, Fraction(1, 4), 2, 3),
    ):
        options = {"delta": delta, "coordinate_bits": 0, "steps": steps, "norm_bound": bound}
        with pytest.raises(InvalidParameterError, match="not certified"):
            OnlinePerturbedLeader(epsilon, adjacency, calibration="printed", **options).noise_variance(dimension)


DELTAS_OF_THEIR_OWN = [subject for subject in SUBJECTS if "delta" in inspect.signature(subject.kind).parameters]


@pytest.mark.parametrize("subject", DELTAS_OF_THEIR_OWN, ids=lambda subject: type(subject).__name__)
def test_a_delta_that_gaussian_noise_cannot_keep_or_that_promises_nothing_is_refused(subject: Subject) -> None:
    setting = subject.at(settings(REPLACED)[0])
    for delta in (Fraction(-1, 10), 0, 1, Fraction(11, 10)):
        with pytest.raises(InvalidParameterError):
            subject.build(evolve(setting, delta=delta))
    taken = evolve(setting, delta=0.125)
    assert subject.build(taken).guarantee == subject.guarantee(evolve(taken, delta=Fraction(1, 8))), "control"


DIGITAL = [subject for subject in SUBJECTS if "coordinate_bits" in inspect.signature(subject.kind).parameters]


@pytest.mark.parametrize("subject", DIGITAL, ids=lambda subject: type(subject).__name__)
def test_a_number_of_digits_is_an_integer_whose_powers_do_not_overflow(subject: Subject) -> None:
    """4**40 is zero where 40 is an integer of numpy, and so would be the noise; none below 0 or above 512 is taken."""
    setting = subject.at(settings(REPLACED)[0])
    for digits in (-1, 513, True, 20.0, np.int64(40), np.int8(20)):
        with pytest.raises(InvalidParameterError):
            subject.build(setting, coordinate_bits=digits)
    mechanism = subject.build(setting, coordinate_bits=40)
    assert mechanism.coordinate_bits == 40, "control"
    assert subject.publish(mechanism, setting.empty(), SeededEntropy(1), subject.methods[0]), "control"


@pytest.mark.parametrize("calibration", ["tight", "printed"])
@pytest.mark.parametrize("kind", GAUSSIAN)
def test_gaussian_noise_is_certified_or_refused(record, kind: type, calibration: str) -> None:
    refused = 0
    for mechanism, dimension in matrices(kind, calibration):
        try:
            mechanism.noise_variance(dimension)
        except InvalidParameterError:
            assert calibration == "printed"
            refused += 1
            continue
        assert kept(mechanism, dimension, mechanism.guarantee), (mechanism, dimension)
    # The deviation of MOD-SULQ is d + 1 times what is needed; it is refused where it is no number.
    assert bool(refused) is (calibration == "printed")
    if calibration == "tight":
        mechanism = kind(1, delta=Fraction(1, 10**6))
        assert not kept(evolve(mechanism, epsilon=LOUDER), 3, mechanism.guarantee), "control"
    for adjacency in RELATIONS:
        mechanism = kind(1, adjacency=adjacency, delta=Fraction(1, 10**6), calibration=calibration)
        record(
            kind,
            mechanism.guarantee,
            f"{calibration} noise, d = 3",
            lambda epsilon, one=mechanism: kept(evolve(one, epsilon=epsilon), 3, one.guarantee),
        )


@pytest.mark.parametrize("adjacency", RELATIONS)
def test_the_noise_of_a_stream_hides_a_row_in_all_its_sums(record, adjacency: Adjacency) -> None:
    for dimension, bits, epsilon in product((1, 3), (0, 8), (Fraction(1), Fraction(40))):
        promise = PrivacyGuarantee(epsilon, Fraction(1, 10**6), adjacency)
        half = dimension * (dimension + 1) // 2
        change = 2 if adjacency is REPLACED and dimension > 1 else 1
        for steps, calibration in product((1, 4), ("tight", "printed")):
            leader = OnlinePerturbedLeader(
                epsilon, adjacency, steps=steps, delta=promise.delta, coordinate_bits=bits, calibration=calibration
            )
            try:
                variance = leader.noise_variance(dimension)
            except InvalidParameterError:
                assert calibration == "printed"
                continue
            assert certified(Fraction(steps * change * 16**bits), variance, steps * half, promise), leader
        for window, sums in ((1, 1), (2, 2), (5, 4), (8, 4)):
            variance = WindowParameters(dimension, window, promise, coordinate_bits=bits).variance
            assert certified(Fraction(sums * change * 16**bits), variance, sums * half, promise), (window, dimension)
            if bits:
                assert not certified(Fraction(2 * sums * change * 16**bits), variance, sums * half, promise), "control"
        for window, weights in WEIGHTS.items():
            squares = Fraction(sum(weight**2 for weight in weights) * change * 16**bits)
            variance = BandedWindowParameters(dimension, window, promise, coordinate_bits=bits).variance
            assert certified(squares, variance, len(weights) * half, promise), (window, dimension)
            if bits:
                assert not certified(2 * squares, variance, len(weights) * half, promise), "control"
    promise = PrivacyGuarantee(1, Fraction(1, 10**6), adjacency)
    square, coordinates = Fraction(4 * (2 if adjacency is REPLACED else 1) * 16**8), 4 * 6

    def leads(epsilon: Fraction) -> bool:
        leader = OnlinePerturbedLeader(epsilon, adjacency, steps=4, delta=promise.delta, coordinate_bits=8)
        return certified(square, leader.noise_variance(3), coordinates, promise)

    def slides(epsilon: Fraction) -> bool:
        window = WindowParameters(3, 8, evolve(promise, epsilon=epsilon), coordinate_bits=8)
        return certified(square, window.variance, coordinates, promise)

    record(OnlinePerturbedLeader, promise, "four steps, d = 3", leads)
    record(SlidingWindowGram, promise, "a window of eight rows, d = 3", slides)
    combined = sum(weight**2 for weight in WEIGHTS[2]) * square / 4

    def combines(epsilon: Fraction) -> bool:
        window = BandedWindowParameters(3, 2, evolve(promise, epsilon=epsilon), coordinate_bits=8)
        return certified(combined, window.variance, 3 * 6, promise)

    record(BandedWindowGram, promise, "a window of two rows, d = 3", combines)


def recovers(mechanism: PrivateSubspaceRecovery, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the noise of gap and projector keeps (2 epsilon, 2 delta)."""
    change = 2 if mechanism.adjacency is REPLACED else 1
    # The published integer is within one unit of the exact gap, of which 2**20 are one.
    if Fraction(2**20 * change + 2) / mechanism.gap_scale > epsilon * change / 2:
        return False
    with precision(DIGITS):
        reach = ball(mechanism.gap_scale) * (1 / ball(delta)).log()
        # Noise beyond this has probability at most delta / 2; a gap that noise alone makes publishes nothing.
        beyond = mechanism.bracket(math.ceil(fraction(parameter_range(reach, "reach").upper)) + 1)
    if beyond > -2 or mechanism.noise_variance(beyond, 3) is not None:
        return False
    promise = PrivacyGuarantee(epsilon, Fraction(3, 2) * delta, mechanism.adjacency)
    for bracket in (Fraction(1, 2**20), Fraction(5), Fraction(80)):
        variance = mechanism.noise_variance(bracket, 3)
        if variance is None:
            assert mechanism.calibration == "printed"
            continue
        with precision(DIGITS):
            # The exact gap is at least 2 + r: the projector turns by half the angle of sine s/(2 + r).
            moved = arb(2).sqrt() * ((change / (2 + ball(bracket))).asin() / 2).sin()
            units = moved * 2**mechanism.projector_bits + 6
            if not certified(units * units, variance, 6, promise):
                return False
    return True


@pytest.mark.parametrize("adjacency", RELATIONS)
def test_subspace_recovery_splits_its_promise(record, adjacency: Adjacency) -> None:
    """The gap has half of epsilon for each unit of its change; the rest of it is the projector's, after a margin."""

    def built(epsilon: Fraction, delta: Fraction, calibration: str) -> PrivateSubspaceRecovery:
        return PrivateSubspaceRecovery(epsilon, adjacency, rank=1, delta=delta, calibration=calibration)

    for epsilon, delta in product((Fraction(1, 7), Fraction(1), Fraction(40)), (Fraction(1, 10**9), Fraction(1, 4))):
        for calibration in ("tight", "printed"):
            mechanism = built(epsilon, delta, calibration)
            assert mechanism.guarantee == PrivacyGuarantee(2 * epsilon, 2 * delta, adjacency)
            assert recovers(mechanism, epsilon, delta), mechanism
        assert not recovers(built(epsilon * LOUDER, delta, "tight"), epsilon, delta), "control"
    delta = Fraction(1, 10**6)
    record(
        PrivateSubspaceRecovery,
        PrivacyGuarantee(2, 2 * delta, adjacency),
        "d = 3",
        lambda epsilon: recovers(built(epsilon / 2, delta, "tight"), Fraction(1), delta),
    )
