"""Two processes with laws of their own are told apart; two with one law never are."""

from __future__ import annotations

import numpy as np
import pytest

from dpmatrix.auditing.independence.one_law import are_of_two_laws
from dpmatrix.auditing.independence.repeats import CALLS, Drawn, are_periodic, repetition

RANDOM = np.random.default_rng(20160213)
FEW, MANY = CALLS + 240, CALLS + 240 + 1792


def noise_of_a_table(table: np.ndarray, size: int) -> np.ndarray:
    return RANDOM.choice(table, size=size)


@pytest.mark.parametrize("size", [CALLS, FEW, MANY])
@pytest.mark.parametrize("values", [1, 2, 64, 300, 10_000])
def test_one_table_for_both_processes_is_one_law(values: int, size: int) -> None:
    """Each comparison is wrong with probability at most exp(-40)."""
    for _ in range(50):
        table = RANDOM.laplace(size=values)
        assert not are_of_two_laws(noise_of_a_table(table, size), noise_of_a_table(table, size))


@pytest.mark.parametrize("size", [FEW, MANY])
def test_a_table_of_its_own_in_each_process_is_noticed(size: int) -> None:
    own, other = (noise_of_a_table(RANDOM.laplace(size=64), size) for _ in range(2))
    assert are_of_two_laws(own, other)
    mean = RANDOM.laplace(size=(size, 3))
    assert are_of_two_laws(np.column_stack([mean, own]), np.column_stack([mean[::-1], other]))


def test_a_vector_of_a_table_is_noticed_as_a_whole() -> None:
    """Every coordinate is 0 or 1 with the same probability, and the process keeps which come together."""
    tables = [RANDOM.integers(2, size=(40, 12)).astype(float) for _ in range(2)]
    own, other = (table[RANDOM.integers(40, size=MANY)] for table in tables)
    assert are_of_two_laws(own, other)
    assert not are_of_two_laws(own, tables[0][RANDOM.integers(40, size=MANY)])


@pytest.mark.parametrize(("size", "offset"), [(FEW, 2.0), (MANY, 0.8)])
def test_a_number_added_to_every_output_of_a_process_is_noticed(size: int, offset: float) -> None:
    own, other = RANDOM.normal(size=(2, size))
    assert are_of_two_laws(own, other + offset)
    assert not are_of_two_laws(own, other)


def test_few_outputs_say_nothing() -> None:
    own, other = RANDOM.normal(size=(2, CALLS))
    assert not are_of_two_laws(own, other + 10)


def test_what_is_not_finite_is_compared_as_well() -> None:
    own, other = RANDOM.normal(size=(2, MANY))
    assert are_of_two_laws(own, np.full(MANY, np.nan))
    assert not are_of_two_laws(np.where(own > 0, np.nan, own), np.where(other > 0, np.nan, other))
    assert are_of_two_laws(own, np.column_stack([other, other])), "outputs of another shape are of another law"


def test_a_repetition_names_it_across_processes_and_not_within_one() -> None:
    batches = [(RANDOM.normal(size=CALLS), RANDOM.normal(size=1792) + mean) for mean in (0.0, 3.0)]
    own, other = (Drawn(process, drawn) for process, drawn in enumerate(batches))
    assert "two processes draw from two laws" in str(repetition([own, other]))
    assert repetition([own, Drawn(0, batches[1])]) is None, "one process may change its law as it counts calls"


@pytest.mark.parametrize("times", [2, 3, 8, 32])
def test_few_outputs_that_are_handed_out_several_times_are_periodic(times: int) -> None:
    for size in (FEW, MANY):
        noise = np.repeat(RANDOM.normal(size=size), times)[times // 2 :][:size]
        assert are_periodic(noise)
        assert not are_periodic(RANDOM.permutation(noise))
