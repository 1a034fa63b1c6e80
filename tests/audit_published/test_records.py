"""What the records of published mechanisms say: complete, once each, and true where the truth is known."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from audit.published import PUBLISHED, Published
from audit.published.__main__ import main
from audit.published.above_threshold import BELOW, NOT_ASKED, falses, reported

RECORDS = pytest.mark.parametrize("record", PUBLISHED, ids=lambda record: record.name)


def test_each_family_has_what_its_authors_published() -> None:
    assert Counter((record.family, record.right) for record in PUBLISHED) == {
        ("statdp", True): 4,
        ("statdp", False): 7,
        ("lyu-su-li", True): 2,
        ("lyu-su-li", False): 4,
        ("checkdp", True): 9,
        ("checkdp", False): 8,
        ("dp-sniper", True): 12,
        ("dp-sniper", False): 8,
        ("bug-reports", True): 2,
        ("bug-reports", False): 3,
        ("delta-siege", True): 2,
        ("delta-siege", False): 10,
        ("mironov", True): 1,
        ("mironov", False): 1,
        ("haney", False): 1,
        ("jin", False): 1,
        ("dp-recorder", True): 1,
        ("dp-recorder", False): 6,
        ("casacuberta", True): 2,
        ("casacuberta", False): 2,
    }
    assert len({record.name for record in PUBLISHED}) == len(PUBLISHED)


@RECORDS
def test_a_record_is_complete(record: Published) -> None:
    assert all(text and text == text.strip() for text in (record.name, record.source, record.summary, record.domain))
    assert record.epsilon > 0
    assert 0 <= record.delta < 1
    assert len({one.name for one in record.inputs}) == len(record.inputs) >= 1
    # The pairs are checked to be neighbours there.
    own = record.pairs()
    for pair, one in zip(own.pairs, record.inputs, strict=True):
        assert np.array_equal(own.norm_bound * pair.data, one.data)
        assert np.array_equal(own.norm_bound * pair.neighbour, one.neighbour)


@RECORDS
def test_a_mechanism_is_faulty_if_and_only_if_its_true_epsilon_exceeds_the_claim(record: Published) -> None:
    truth = record.truth()
    assert truth.how
    assert (truth.epsilon > record.epsilon * (1 + 1e-9)) == (not record.right)
    # A right one whose truth is a bound from below is right by the theorem of its authors.
    assert truth.exact or not record.right or record.name.startswith(("checkdp/gap", "checkdp/adaptive"))


@RECORDS
def test_outputs_are_batches_of_one_shape_and_depend_on_the_generator_alone(record: Published) -> None:
    for one in record.inputs:
        batches = [
            np.asarray(record.mechanism(data, 7, np.random.default_rng(seed)))
            for data, seed in ((one.data, 1), (one.data, 1), (one.data, 2), (one.neighbour, 1))
        ]
        assert np.array_equal(batches[0], batches[1])
        assert len({batch.shape for batch in batches}) == 1
        assert batches[0].shape[0] == 7
        assert batches[0].ndim <= 2


@pytest.mark.parametrize("record", [one for one in PUBLISHED if one.published_bound], ids=lambda record: record.name)
def test_what_was_measured_by_others_is_not_above_the_truth(record: Published) -> None:
    """Their bounds hold with probability 0.9 each; the one that fails does so by less than 0.001."""
    assert record.published_bound is not None
    assert record.published_bound <= record.truth().epsilon + 1e-3
    # And a fault that they found is one.
    assert record.right or record.published_bound > record.epsilon


def test_short_forms_keep_what_they_are_to_keep() -> None:
    numbers = np.array([[BELOW, 3.0, NOT_ASKED], [BELOW, BELOW, BELOW], [2.0, BELOW, 7.0]])
    assert reported(numbers).tolist() == [[1, 3], [3, 0], [1, 7]]
    assert falses(np.array([[0.0, 1.0, -1.0], [0.0, 0.0, 0.0]])).tolist() == [1, 3]


def test_the_list_says_of_every_record_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "bug-reports", "statdp/noisy"]) == 0
    lines = capsys.readouterr().out.splitlines()
    asked = [record for record in PUBLISHED if record.name.startswith(("bug-reports", "statdp/noisy"))]
    assert [line.partition(";")[0] for line in lines] == [record.name for record in asked]
    for line, record in zip(lines, asked, strict=True):
        assert line.endswith(record.fault or "right")
        assert ("true epsilon inf" in line) == math.isinf(record.truth().epsilon)


def test_truths_do_not_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A truth that ran the mechanism could agree with one that was written down wrongly."""

    def refuse(*_: object) -> None:
        raise AssertionError("a generator was asked for")

    monkeypatch.setattr(np.random, "default_rng", refuse)
    monkeypatch.setattr(np.random, "Generator", refuse)
    assert all(record.truth().epsilon > 0 for record in PUBLISHED)
