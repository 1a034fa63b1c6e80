"""Reading of data: malformed input is refused, and the norm bound is decided exactly."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism, WishartMechanism, norms
from dpmatrix.mechanisms.lattice import LatticeGram
from dpmatrix.mechanisms.norms import clip_records, rows_over_norm, squared_norm
from dpmatrix.mechanisms.records import as_records, bounded_records
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

ONE = Fraction(1)
MECHANISMS = [
    LaplaceInputPerturbation(1),
    SymmetrisedWishartMechanism(1),
    WishartMechanism(1, acknowledge="wishart.theorem-4"),
]


@pytest.mark.parametrize(
    "data",
    [
        [[np.nan, 0.0]],
        [[np.inf, 0.0]],
        [[0.0, -np.inf]],
        [[1j, 0.0]],
        np.array([[1j, 0]], dtype=object),
        [["a", "b"]],
        [[None, 0.0]],
        [],
        [[]],
        np.zeros((0, 3)),
        0.5,
        [0.1, 0.2],
        np.zeros((2, 2, 2)),
        [[0.1], [0.1, 0.2]],
        [[Fraction(1, 3)]],
        [[2**53 + 1]],
        np.array([[2**53 + 1]]),
        [["0.5"]],
        np.array([["0.5"]], dtype=object),
        [[10**400]],
    ],
    ids=repr,
)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_malformed_data_are_refused(mechanism, data):
    with pytest.raises(InvalidParameterError, match="data"):
        mechanism.release(data)
    with pytest.raises(InvalidParameterError, match="data"):
        mechanism.simulate(data, 1, np.random.default_rng(0))


@pytest.mark.parametrize(
    "data",
    [[[1, 0]], [[True, False]], np.float32([[0.5, 0.1]]), np.longdouble([[0.5]]), [[Fraction(3, 8), 0]]],
    ids=repr,
)
def test_exact_values_of_any_real_type_are_read_unchanged(data):
    assert (as_records(data) == np.asarray(data)).all()


def test_the_data_set_without_records_exists_only_under_add_remove():
    for adjacency, allowed in ((Adjacency.ADD_REMOVE_ONE, True), (Adjacency.REPLACE_ONE, False)):
        for mechanism in (LaplaceInputPerturbation(1, adjacency), SymmetrisedWishartMechanism(1, adjacency)):
            if allowed:
                assert mechanism.release(np.zeros((0, 2))).integers.shape == (2, 2)
            else:
                with pytest.raises(InvalidParameterError, match="data"):
                    mechanism.release(np.zeros((0, 2)))


def test_one_ulp_over_the_bound_is_refused():
    longer = math.nextafter(1.0, 2.0)
    assert len(rows_over_norm(np.array([[1.0], [-1.0]]), ONE)) == 0
    for mechanism in MECHANISMS:
        refusing = attrs.evolve(mechanism, over_norm="reject")
        refusing.release([[1.0], [-1.0]])
        with pytest.raises(InvalidParameterError, match=r"longer than norm_bound.*no guarantee covers this refusal"):
            refusing.release([[1.0], [longer]])
        same = [mechanism.release([[1.0], [last]], entropy=SeededEntropy(1)) for last in (1.0, longer)]
        assert same[0] == same[1], "by default it is shortened to the bound"


def test_a_tiny_coordinate_beside_a_unit_one_is_too_much():
    # In binary64 the squared norm rounds to one, even for the smallest positive number.
    for tiny in (1e-9, 1e-200, 5e-324):
        record = np.array([[1.0, tiny]])
        assert float(np.sum(record**2)) <= 1.0 + 1e-15
        with pytest.raises(InvalidParameterError, match="longer than norm_bound"):
            bounded_records(record, ONE, "reject")
    assert len(rows_over_norm(np.array([[0.6, 0.8]]), ONE)) == (1 if Fraction(0.6) ** 2 + Fraction(0.8) ** 2 > 1 else 0)


finite = st.floats(-1, 1, allow_nan=False) | st.sampled_from([5e-324, -1e-308, 2.0**-30, 0.0])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(finite, min_size=3, max_size=3), min_size=1, max_size=4), st.booleans())
def test_norm_check_agrees_with_fractions(rows, normalise):
    records = np.array(rows)
    if normalise:
        lengths = np.sqrt(np.sum(records**2, axis=1, keepdims=True))
        records = np.divide(records, lengths, where=lengths > 0, out=np.zeros_like(records))
    expected = [i for i, row in enumerate(records) if sum(Fraction(x) ** 2 for x in row.tolist()) > 1]
    assert rows_over_norm(records, ONE).tolist() == expected


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5), st.fractions(Fraction(1, 99), 9)
)
def test_clipped_records_satisfy_the_bound_exactly_and_keep_their_direction(row, bound):
    record = np.array(row)
    clipped = bounded_records([row], bound, "clip")[0]
    assert squared_norm(clipped) <= bound**2
    if squared_norm(record) <= bound**2:
        assert (clipped == record).all()
    else:
        # Nothing more than rounding is lost.
        assert squared_norm(clipped) >= bound**2 * (1 - Fraction(1, 10**12))
        assert (clipped * np.sign(record) >= 0).all()


def test_clipping_leaves_other_rows_and_the_callers_array_alone():
    data = np.array([[3.0, 4.0], [0.3, 0.4]])
    clipped = bounded_records(data, ONE, "clip")
    assert data.tolist() == [[3.0, 4.0], [0.3, 0.4]]
    assert clipped[1].tolist() == [0.3, 0.4]
    assert clipped[0] == pytest.approx([0.6, 0.8])


def test_unit_records_are_decided_without_fractions(monkeypatch):
    """Normalised records lie within rounding of the bound, all of them: the second filter settles these."""
    calls = []
    monkeypatch.setattr(norms, "squared_norm", lambda row: calls.append(row) or squared_norm(row))
    records = np.random.default_rng(3).standard_normal((3000, 30))
    records /= np.sqrt(np.sum(records**2, axis=1, keepdims=True))
    found = rows_over_norm(records, ONE)
    assert not calls
    assert found.tolist() == [i for i, row in enumerate(records) if sum(Fraction(x) ** 2 for x in row.tolist()) > 1]
    assert 0 < len(found) < 3000
    # What is cut off below 80 digits decides here, and only fractions see it.
    assert rows_over_norm(np.array([[1.0, 2.0**-200], [1.0, 0.0]]), ONE).tolist() == [0]
    assert len(calls) == 1


@settings(max_examples=200, deadline=None)
@given(
    st.fractions(Fraction(1, 10**9), 10**9) | st.sampled_from([norms.LARGEST_NORM_BOUND, 1 / norms.LARGEST_NORM_BOUND]),
    st.lists(st.integers(-3, 3), min_size=1, max_size=6),
    st.integers(1, 5),
)
def test_norms_near_any_bound_are_decided_exactly(bound, steps, size):
    """Coordinates are bound / sqrt(size), give or take a few units in the last place."""
    entry = float(bound) / math.sqrt(size)
    records = np.full((len(steps), size), entry)
    for row, step in enumerate(steps):
        for _ in range(abs(step)):
            records[row, 0] = np.nextafter(records[row, 0], math.inf if step > 0 else 0)
    expected = [i for i, row in enumerate(records) if sum(Fraction(x) ** 2 for x in row.tolist()) > bound**2]
    assert rows_over_norm(records, bound).tolist() == expected


def test_many_columns_are_summed_in_parts():
    # More columns than one exact sum of squares of digits may have.
    record = np.full((2, 10_000), 0.01)
    record[1, 0] = 0.0
    exact = [sum(Fraction(x) ** 2 for x in row.tolist()) for row in record]
    bound = Fraction(1)
    assert rows_over_norm(record, bound).tolist() == [i for i in range(2) if exact[i] > 1]
    assert (exact[0] > 1) is True


def test_a_clipped_record_does_not_depend_on_its_neighbours():
    records = np.random.default_rng(4).standard_normal((300, 37)) * 2.0 ** np.arange(300)[:, None]
    together = clip_records(records, ONE)
    for number, row in enumerate(records):
        assert (clip_records(row[None, :], ONE)[0] == together[number]).all()
        assert (bounded_records([row], ONE, "clip")[0] == together[number]).all()


def peak_of(call) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("over_norm", ["reject", "clip"])
def test_memory_is_bounded_by_a_block_and_by_one_copy_where_the_records_are_returned(over_norm):
    records = np.random.default_rng(6).uniform(-0.15, 0.15, (60_000, 40))
    if over_norm == "clip":
        records[::3] *= 9
    mechanism = LaplaceInputPerturbation(1, over_norm=over_norm)
    blocks = 12 * 4096 * 40 * 8
    assert peak_of(lambda: mechanism.release(records)) < blocks
    assert records.nbytes < peak_of(lambda: bounded_records(records, ONE, over_norm)) < records.nbytes + blocks
    # Control: a copy and a temporary of the same size exceed both.
    assert peak_of(lambda: np.square(records.copy()).sum(axis=1)) > records.nbytes + blocks


def test_rows_are_counted_over_the_blocks():
    records = np.zeros((10_000, 2))
    records[9_000, 1] = math.nan
    with pytest.raises(InvalidParameterError, match=r"row 9000 .*NaN"):
        bounded_records(records, ONE, "reject")
    whole = np.zeros((10_000, 2), dtype=np.int64)
    whole[9_001, 0] = 2**53 + 1
    with pytest.raises(InvalidParameterError, match=r"row 9001 .*rounds"):
        as_records(whole)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"epsilon": "x"}, "epsilon"),
        ({"adjacency": "replace-one"}, "adjacency"),
        ({"norm_bound": 0}, "norm_bound"),
        ({"norm_bound": math.inf}, "norm_bound"),
        ({"norm_bound": Fraction(2) ** 401}, "norm_bound"),
        ({"over_norm": "ignore"}, "over_norm"),
        ({"divisor": 0}, "divisor"),
        ({"divisor": 1.5}, "divisor"),
        ({"divisor": True}, "divisor"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", [LaplaceInputPerturbation, SymmetrisedWishartMechanism, WishartMechanism])
def test_public_parameters_outside_their_domain_are_refused(kind, parameters, name):
    extra = {"acknowledge": "wishart.theorem-4"} if kind is WishartMechanism else {}
    with pytest.raises(InvalidParameterError, match=name):
        kind(**{"epsilon": 1, **extra, **parameters})


@pytest.mark.parametrize(
    ("name", "value"), [("calibration", "loose"), ("coordinate_bits", -1), ("coordinate_bits", 2.0)]
)
def test_laplace_parameters_are_checked(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        LaplaceInputPerturbation(1, **{name: value})


def test_which_record_is_too_long_is_not_said():
    """Neither the row nor anything else of the data: the message is the same wherever the record stands."""
    messages = set()
    for row, value in ((0, 1.5), (3, 2.0), (9, 700.0)):
        records = np.zeros((10, 2))
        records[row] = value
        for mechanism in MECHANISMS:
            with pytest.raises(InvalidParameterError) as caught:
                attrs.evolve(mechanism, over_norm="reject").release(records)
            messages.add(str(caught.value))
    (message,) = messages
    assert "without looking at the records" in message
    assert "over_norm='clip', which costs no privacy" in message
    assert "raise" not in message


@pytest.mark.parametrize("mask", [True, False])
def test_masked_arrays_are_refused(mask: bool):
    """What is under the mask, such as a record that was taken back, is not read; nor does the mask decide."""
    rows = np.ma.array([[0.5, 0.1], [0.9, 0.2]], mask=[[False, False], [mask, mask]])
    for data in (rows, list(rows), [[0.1, 0.2], rows[1]], [np.ma.array(0.5, mask=mask) for _ in range(2)]):
        for mechanism in MECHANISMS:
            with pytest.raises(InvalidParameterError, match="masked"):
                mechanism.release(data)
        with pytest.raises(InvalidParameterError, match="masked"):
            as_records(data)
    with pytest.raises(InvalidParameterError, match="masked"):
        LatticeGram(2, 10).add(rows)


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an error with all that it keeps of others, shown or not."""
    found = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


SECRETS = [
    [["0.1", "SSN 123-45-6789"]],
    np.array([[0.1, "SSN 123-45-6789"]], dtype=object),
    [[0.1, 0.2], ["SSN 123-45-6789"]],
    np.array([["SSN 123-45-6789", "SSN 123-45-6789"]]),
]


@pytest.mark.parametrize("data", SECRETS)
def test_no_error_holds_an_entry(data):
    for mechanism in MECHANISMS:
        with pytest.raises(InvalidParameterError) as caught:
            mechanism.release(data)
        assert not any("123" in repr(error) + str(error) for error in chain_of(caught.value))
        assert chain_of(caught.value) == [caught.value]


def test_how_long_text_is_is_not_said():
    messages = set()
    for text in ("x", "x" * 40):
        with pytest.raises(InvalidParameterError) as caught:
            as_records([[text]])
        messages.add(str(caught.value))
    assert len(messages) == 1
