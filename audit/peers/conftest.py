"""Other libraries under audit: collected only where they are installed, see `make peers`. Nothing here is evidence."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import pytest

from dpmatrix.auditing import InputPair, RepresentationAuditResult, RepresentationTarget, audit_representation

PEERS = {"diffprivlib": "test_diffprivlib_representation.py", "opendp": "test_opendp_representation.py"}

collect_ignore = [file for package, file in PEERS.items() if find_spec(package) is None]


@pytest.fixture
def audited_low_bits(note_representation, failure_probability) -> Callable[..., RepresentationAuditResult]:
    """Audit the low bits of a peer's outputs, 25,000 on each input of the pair that is confirmed."""

    def run(target: RepresentationTarget, pairs: list[InputPair], *, epsilon, delta=0) -> RepresentationAuditResult:
        result = audit_representation(
            target,
            pairs,
            epsilon=epsilon,
            delta=delta,
            training=5000,
            confirmation=20_000,
            failure_probability=failure_probability,
            generator=1,
        )
        note_representation(result)
        return result

    return run
