"""Theorems 17 and 18: what the whole sequence gives away, by composition of exact profiles; and the space, measured.

Composition bounds delta from above, so it shows that a guarantee is kept. Where the noise as stated breaks it, a bound
from below shows it: the exact profile of one node whose sum holds the row several times, or the chance that the sums
which hold a row give away that it is absent.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.claims import AuditRecord, AuditVerdict, code_name
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.composition import privacy_loss
from dpmatrix.privacy.profiles import GaussianProfile, WishartProfile, support_failure
from dpmatrix.randomness.entropy import SeededEntropy

DELTA = Fraction(1, 10**6)
ADD = Adjacency.ADD_REMOVE_ONE
SEQUENCE = "sequence, every time"


def printed_degrees(dimension: int, epsilon: Fraction) -> int:
    """``floor(d + 14 log(1/delta)/epsilon^2)``, at delta = 1e-6."""
    return int(
        (dimension + 14 * arb(10**6).log() / arb(epsilon.numerator) ** 2 * arb(epsilon.denominator) ** 2)
        .floor()
        .unique_fmpz()
    )


def found(
    record_audit, mechanism: str, epsilon: Fraction, delta: float, note: str, verdict: AuditVerdict, **more
) -> None:
    promise = f"({epsilon}, {float(DELTA):.3g})"
    record_audit(AuditRecord(mechanism, SEQUENCE, verdict, promise, None, delta, "certain", note, **more))


def test_the_printed_tree_keeps_epsilon_1_by_its_lavish_noise(record_audit) -> None:
    """The noise is that for one node, and so large that 17 nodes together still keep the guarantee, but not 21."""
    epsilon = Fraction(1)
    degrees = printed_degrees(1, epsilon)
    assert degrees == 194
    node = privacy_loss(WishartProfile(1, degrees, 1, 1, ADD))
    for height in (1, 10, 16):
        delta = node.repeated(height + 1).delta(epsilon)
        assert delta <= DELTA
        note = f"composition of {height + 1} nodes with the noise of one, d = 1, tau = {degrees}"
        found(record_audit, f"Theorem 17, tree over 2^{height} rows", epsilon, delta, note, AuditVerdict.KEPT)
    assert node.repeated(21).delta(epsilon) > DELTA


def test_the_printed_tree_breaks_epsilon_7_over_2(record_audit) -> None:
    """One node keeps the row's absence with probability above 1 - delta; all on the path to the root do not."""
    epsilon, height = Fraction(7, 2), 20
    degrees = printed_degrees(1, epsilon)
    one = support_failure(1, degrees, 1)
    path = 1 - (1 - one) ** (height + 1)
    assert one < arb(1) / 10**6
    assert path > arb(1) / 10**6
    note = f"{height + 1} nodes, each giving the row's absence away with probability {float(one.mid()):.2g}"
    found(
        record_audit, f"Theorem 17, tree over 2^{height} rows", epsilon, float(path.lower()), note, AuditVerdict.BROKEN
    )


@pytest.mark.parametrize(("window", "leaves"), [(64, 8), (4096, 64)])
def test_the_printed_sub_windows_break_epsilon_1(record_audit, window: int, leaves: int) -> None:
    """W^(1/2) leaves, nested: the root of a sub-window holds a late row once for each, with the noise for one."""
    epsilon = Fraction(1)
    degrees = printed_degrees(1, epsilon)
    delta = WishartProfile(1, degrees, 1, leaves, ADD).delta(1)
    assert delta > arb(1) / 1000
    note = f"the exact profile of one node that holds a row {leaves} times"
    name = f"Theorem 18, sub-windows of {leaves} in W = {window}"
    found(record_audit, name, epsilon, float(delta.lower()), note, AuditVerdict.BROKEN)


def test_one_node_of_a_sub_window_is_caught(audited) -> None:
    """64 leaves move a root by 64, the noise is of deviation 20: certified with probability above 1 - 1e-9."""
    degrees, leaves = printed_degrees(1, Fraction(1)), 64

    def root(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return (leaves * np.sum(data**2) + generator.chisquare(degrees, size))[:, None]

    pair = NeighbouringPair("the last row of a sub-window is zero", ADD, np.array([[1.0]]), np.array([[0.0]]))
    subject = ("Theorem 18, sub-windows of 64 in W = 4096", "one node")
    sizes = {"training": 500, "confirmation": 2000, "seed": 7}
    assert audited(root, (pair,), epsilon=1, delta=DELTA, subject=subject, **sizes).violated


@pytest.mark.parametrize("window", [1, 100_000])
def test_the_private_window_keeps_its_guarantee_over_the_whole_sequence(record_audit, window: int) -> None:
    """Two ways to the same number: one Gaussian for all h + 1 sums together, and the composition of h + 1 of them."""
    parameters = WindowParameters(5, window, PrivacyGuarantee(1, DELTA, ADD))
    sums = parameters.height + 1
    together = parameters.profile.delta(1)
    assert together <= arb(1) / 10**6
    alone = privacy_loss(GaussianProfile(1, Fraction(parameters.deviation)))
    composed = alone.repeated(sums).delta(1)
    assert float(together.lower()) * (1 - 1e-6) <= composed <= float(DELTA) * 1.01
    assert alone.repeated(sums + 1).delta(1) > DELTA, "one sum more"
    note = f"exact profile of {sums} sums of discrete Gaussian noise; composed one by one {composed:.4g}"
    name = f"{SlidingWindowGram.name}, W = {window}"
    more = {"code": code_name(SlidingWindowGram), "adjacency": ADD.value}
    found(record_audit, name, Fraction(1), float(together.upper()), note, AuditVerdict.KEPT, **more)


def test_space_grows_like_the_logarithm_of_the_window(record_property) -> None:
    """Numbers in memory over two windows, against the 2 W nodes of theorem-17 and the W^(1/2) trees of theorem-18."""
    dimension, most, height = 2, [], []
    for window in (16, 128, 1024):
        parameters = WindowParameters(dimension, window, PrivacyGuarantee(50, Fraction(1, 10), ADD))
        stream = SlidingWindowGram(parameters, entropy=SeededEntropy(window))
        angles = np.linspace(0, 40, 2 * window)
        rows = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 0.99
        largest = 0
        for start in range(0, 2 * window, 16):
            stream.add(rows[start : start + 16])
            largest = max(largest, len(stream.memory))
            sums = 1 + 2 * (parameters.height + 1) + len(stream.stamps)
            assert len(stream.memory) <= parameters.entries * sums
        most.append(largest)
        height.append(parameters.height)
    assert height == [4, 7, 10]
    nodes = 2 * 1024 * parameters.entries
    assert most[2] < nodes / 8
    assert most[2] - most[1] < 2 * (most[1] - most[0]) + 10 * parameters.entries
    record_property("detail", f"numbers held for W = 16, 128, 1024: {most}; the tree over 1024 rows has {nodes}")
