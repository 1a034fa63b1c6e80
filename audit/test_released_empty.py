"""No record at all is a data set like any other where records are added and removed: a refusal would tell it apart.

Nothing is statistical. Where records are replaced all neighbours have as many, and no record is refused.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from audit.released.coverage import SUBJECTS
from audit.released.settings import ADDED, REPLACED, settings
from audit.released.streams import Stream
from audit.released.subjects import Subject
from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.entropy import SeededEntropy

WHOLE = [subject for subject in SUBJECTS if not isinstance(subject, Stream)]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("subject", WHOLE, ids=lambda subject: type(subject).__name__)
def test_no_record_is_released_as_a_zero_record_is(subject: Subject, place: int) -> None:
    """From the same bits, on every method; what it says of itself is the same."""
    setting = subject.at(settings(ADDED)[place])
    mechanism = subject.build(setting)
    for method in subject.methods:
        nothing, zero = (subject.publish(mechanism, setting.empty(rows), SeededEntropy(1), method) for rows in (0, 1))
        assert np.array_equal(subject.seen(nothing), subject.seen(zero))
        secret = subject.publish(mechanism, setting.empty(0), None, method)
        assert {release.guarantee for release in secret} == {subject.guarantee(setting)}


@pytest.mark.parametrize("subject", WHOLE, ids=lambda subject: type(subject).__name__)
def test_no_record_is_refused_where_neighbours_have_as_many(subject: Subject) -> None:
    setting = subject.at(settings(REPLACED)[0])
    for method in subject.methods:
        with pytest.raises(InvalidParameterError):
            subject.publish(subject.build(setting), setting.empty(0), SeededEntropy(1), method)


@pytest.mark.parametrize("subject", WHOLE, ids=lambda subject: type(subject).__name__)
def test_blocks_without_a_record_change_nothing(subject: Subject) -> None:
    if "release_blocks" not in dir(subject.kind):
        assert "blocks" not in inspect.signature(subject.kind.release).parameters
        return
    for adjacency in (ADDED, REPLACED):
        setting = subject.at(settings(adjacency)[0])
        mechanism, data = subject.build(setting), subject.pairs(setting)[0].data * setting.factor
        empty, columns = data[:0], setting.dimension
        one, other = (
            mechanism.release_blocks(blocks, columns, entropy=SeededEntropy(1))
            for blocks in ([data], [empty, data[:1], empty, data[1:]])
        )
        assert one.integers.tolist() == other.integers.tolist()
