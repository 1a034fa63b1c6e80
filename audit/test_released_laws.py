"""The noise of releases against the law that the statement describes: an exact two-sample test, no asymptotics.

Releases on known data, in the lattice or the rounding that they come in, are compared with draws of the stated law that
numpy makes with noise of the least scale, computed from adversarial pairs and not by the library. The lattice is finer
than the noise by 2^20 and more, so that a continuous law stands for a discrete one.

A comparison says that a law differs with probability at most 1e-9 if it does not. The control of each is the law of a
larger epsilon, the smallest of a list that would be noticed with probability 0.99: the same releases must be told from
the law of an epsilon as much smaller. At the fixed seeds there is no luck left. PPCA for a plane takes
a tenth of a second, so its law is not compared: that its releases are the sampler's is checked beside.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from audit.released.coverage import SUBJECTS
from audit.released.settings import ADDED, REPLACED, Setting, settings
from audit.released.subjects import Subject
from dpmatrix.auditing.certify.laws import compare_laws, would_differ
from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Way, code_name

PLACES = {REPLACED: (0, 2), ADDED: (1, 2)}
FACTORS = tuple(Fraction(k, 20) for k in (23, 25, 28, 32, 40, 60, 80, 120, 200, 400))
LARGEST = Fraction(4)
"""No more than this may be passed over."""

DRAWS = 12
"""Draws of the law for each release."""

LAWS = [
    pytest.param(subject, settings(adjacency)[place], id=f"{type(subject).__name__}-{adjacency.value}-{place}")
    for subject in SUBJECTS
    for adjacency, places in PLACES.items()
    for place in places
    if not subject.slow and not subject.blind(settings(adjacency)[place])
]


def law_of(subject: Subject, setting: Setting, epsilon: Fraction, seed: int) -> dict[str, np.ndarray]:
    """Draw the statistics of outputs on the known data, with the noise of some epsilon."""
    size = DRAWS * subject.law_draws
    return subject.statistics(setting, subject.law(setting, epsilon, size, np.random.default_rng(seed)))


@pytest.mark.parametrize(("subject", "setting"), LAWS)
def test_the_noise_of_a_release_has_the_stated_law(
    record_audit, record_property, say, failure_probability, subject: Subject, setting: Setting
) -> None:
    setting = subject.at(setting)
    released = subject.statistics(setting, subject.draws(setting, subject.known_data(setting), subject.law_draws, 31))
    law = law_of(subject, setting, setting.epsilon, 32)
    found = compare_laws(released, law, failure_probability=failure_probability)
    say(f"{subject.kind.__name__} at {setting}\n{found.message()}")
    assert not found.differs, found.message()

    counts = {name: len(values) for name, values in released.items()}
    noticed = next(
        factor
        for factor in FACTORS
        if would_differ(
            counts,
            law,
            law_of(subject, setting, setting.epsilon * factor, 33),
            failure_probability=failure_probability,
        )
    )
    assert noticed <= LARGEST
    weaker = law_of(subject, setting, setting.epsilon / noticed, 34)
    assert compare_laws(released, weaker, failure_probability=failure_probability).differs, "control"

    guarantee = subject.guarantee(setting)
    unnoticed = Excess(Way.LAW, float(guarantee.epsilon), float(guarantee.epsilon * noticed), certain=False)
    record_property("detail", f"{found.message()}\n{unnoticed.words}")
    record_audit(
        AuditRecord(
            subject.kind.name,
            f"law of what is released on known data, d = {setting.dimension}, norm bound {setting.norm_bound}",
            AuditVerdict.NOT_REFUTED,
            f"({guarantee.epsilon}, {float(guarantee.delta):.3g})",
            None,
            None,
            f"1 - {failure_probability}",
            f"exact two-sample test of {', '.join(released)} against the law that the statement describes",
            code=code_name(subject.kind),
            adjacency=setting.adjacency.value,
            samples=subject.law_draws,
            unnoticed=unnoticed,
        )
    )
