"""The row of the record that changes: pairs are tried with it elsewhere, and faults of some rows are found.

Every audit here is wrong with probability at most 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from dpmatrix.auditing import (
    AuditPlan,
    NeighbouringPair,
    PrivacyViolationError,
    audit,
    audit_mechanism,
    from_single_draw,
    neighbouring_pairs,
)
from dpmatrix.auditing.certify.checkpoint import load
from dpmatrix.auditing.search.rows import MOST_ELSEWHERE, changed_row, in_row, other_rows, pairs_elsewhere
from dpmatrix.privacy import Adjacency

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
RECORDS = 20


def test_other_rows_are_the_first_the_middle_and_such_as_meet_every_period() -> None:
    assert other_rows(1, 0, 6) == []
    assert sorted(other_rows(5, 4, 6)) == [0, 1, 2, 3]
    for records in (12, 20, 37, 100):
        rows = [records - 1, *other_rows(records, records - 1, 6)]
        assert len(set(rows)) == 7
        assert {0, records // 2} < set(rows)
        for period in (2, 3, 4):
            assert {row % period for row in rows} == set(range(period)), (records, period)


@pytest.mark.parametrize("delete_rows", [False, True])
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_record_moves_and_the_rest_keeps_its_order(adjacency: Adjacency, delete_rows: bool) -> None:
    for pair in neighbouring_pairs(2, 4, adjacency, delete_rows=delete_rows):
        assert changed_row(pair) <= 3
        for row in range(4):
            moved = in_row(pair, row)
            for old, new in ((pair.data, moved.data), (pair.neighbour, moved.neighbour)):
                assert sorted(map(tuple, old)) == sorted(map(tuple, new))
            rest = np.delete(max(pair.data, pair.neighbour, key=len), changed_row(pair), axis=0)
            assert np.array_equal(np.delete(max(moved.data, moved.neighbour, key=len), row, axis=0), rest)


def first_row(data: np.ndarray, size: int, generator: np.random.Generator) -> Any:
    return data[0].sum() + generator.laplace(scale=1.0, size=size)


def every_fourth_row(data: np.ndarray, size: int, generator: np.random.Generator) -> Any:
    return data[1::4].sum() + generator.laplace(scale=1.0, size=size)


def all_but_the_last(data: np.ndarray, size: int, generator: np.random.Generator) -> Any:
    return np.abs(data[:-1]).max() + generator.laplace(scale=0.2, size=size)


def weighted_at_the_front(data: np.ndarray, size: int, generator: np.random.Generator) -> Any:
    weights = np.where(np.arange(len(data)) < len(data) // 2, 2.0, 1.0)
    return (weights * data[:, 0]).sum() + generator.laplace(scale=2.0, size=size)


@pytest.mark.parametrize("mechanism", [first_row, every_fourth_row, all_but_the_last, weighted_at_the_front])
def test_a_fault_of_some_rows_is_found(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(PrivacyViolationError) as found:
        audit_mechanism(
            mechanism, epsilon=1, adjacency=REPLACE, records=RECORDS, dimension=2, seconds=8, generator=1, learned=False
        )
    result = found.value.result
    assert changed_row(result.pair) < RECORDS - 1
    assert f"{MOST_ELSEWHERE} times in all" in result.message()


def test_without_other_rows_it_is_not() -> None:
    """The control: of the pairs as they are none shows a fault of the first row."""
    result = audit(
        first_row, neighbouring_pairs(2, RECORDS, REPLACE), epsilon=1, training=500, confirmation=20_000, generator=1
    )
    assert not result.violated
    assert result.epsilon_lower_bound == 0


def weighted(data: np.ndarray, generator: np.random.Generator) -> float:
    return float(np.arange(len(data), 0, -1) @ data[:, 0]) + float(generator.laplace(scale=1.0))


def test_an_audit_that_is_resumed_looks_at_the_same_rows(tmp_path: Path) -> None:
    pairs = neighbouring_pairs(1, 6, REPLACE)[:5]
    file = tmp_path / "state.json"
    plan = AuditPlan(elsewhere=4, replay=False)
    sizes: dict[str, Any] = {"epsilon": 1, "training": 60, "confirmation": 2000, "generator": 3}
    whole = audit(from_single_draw(weighted), pairs, **sizes, plan=plan)
    assert whole.pairs_tried == 9
    assert whole.violated
    assert changed_row(whole.pair) != 5

    class Interrupted(Exception):  # noqa: N818 - it stands for a signal
        pass

    for last in (2, 5, 7, 9):
        said: list[str] = []

        def stop(sentence: str, said: list[str] = said, last: int = last) -> None:
            said.append(sentence)
            if len(said) == last:
                raise Interrupted

        file.unlink(missing_ok=True)
        kept = evolve(plan, checkpoint=file, checkpoint_seconds=1e-9)
        with pytest.raises(Interrupted):
            audit(from_single_draw(weighted), pairs, **sizes, plan=evolve(kept, progress=stop))
        again = audit(from_single_draw(weighted), pairs, **sizes, plan=kept)
        assert np.array_equal(again.pair.data, whole.pair.data)
        assert (again.counts, again.event, again.pairs_tried) == (whole.counts, whole.event, 9)
        over = audit(from_single_draw(weighted), pairs, **sizes, plan=kept)
        assert (over.counts, over.pair.name) == (whole.counts, whole.pair.name)
        facts = {"elsewhere": 4}
        assert len(load(file, facts, pairs).explored) == 9


def test_no_pair_is_proposed_before_all_were_looked_at_nor_one_that_was() -> None:
    pairs = neighbouring_pairs(1, 3, REPLACE)
    result = audit(
        from_single_draw(weighted),
        pairs,
        epsilon=1,
        training=16,
        confirmation=200,
        generator=0,
        plan=AuditPlan(elsewhere=4),
    )
    events = [[result.counted_event]] * len(pairs)
    assert pairs_elsewhere(pairs, events[:-1], 4) == ()
    assert pairs_elsewhere(pairs, events, 0) == ()
    further = pairs_elsewhere(pairs, events, 4)
    assert 0 < len(further) <= 4
    seen = {(one.data.tobytes(), one.neighbour.tobytes()) for one in pairs}
    assert all((one.data.tobytes(), one.neighbour.tobytes()) not in seen for one in further)
    alike = NeighbouringPair("alike", REPLACE, np.ones((3, 1)) * 0.5, np.array([[0.5], [0.5], [1.0]]))
    assert len(pairs_elsewhere([alike], events[:1], 2)) >= 1
