"""A release whose numbers its mechanism would not give, or that is none, gets no certificate."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpmatrix.errors import DpmatrixError, InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.menu import DIRECTIONS
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.release_certificates import fields
from dpmatrix.release_certificates.agreement import agreeing_mechanism
from dpmatrix.release_certificates.reading import read_release
from dpmatrix.release_certificates.record import release_record
from tests.release_certificates.releases import GAUSSIAN, NAMES, RECORDS, refused, released


def edited(record: dict[str, Any], **changes: object) -> dict[str, Any]:
    """Return a copy with other fields; ``a__b`` is field b of field a."""
    found = copy.deepcopy(record)
    for name, value in changes.items():
        *path, last = name.split("__")
        place = found
        for step in path:
            place = place[step]
        place[last] = value
    return found


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("name", NAMES)
def test_an_epsilon_that_was_edited(name, adjacency, certify) -> None:
    """In one place, and in both: less by a fifth, and by a millionth.

    The least Gaussian noise is searched for to one part in a hundred, and keeps what is less by a millionth as well.
    """
    record = released(name, adjacency, epsilon=Fraction(1))
    for epsilon in ("4/5", "999999/1000000")[: 1 if name in GAUSSIAN else 2]:
        both = {"guarantee__epsilon": epsilon, "parameters__epsilon": epsilon}
        refused(certify(edited(record, **both)), "release: noise: it is not what the mechanism gives")
        refused(certify(edited(record, guarantee__epsilon=epsilon)), "release: guarantee")
        refused(certify(edited(record, parameters__epsilon=epsilon)), "release: guarantee")


@pytest.mark.parametrize("name", ["gaussian", "mod-sulq"])
def test_a_delta_that_was_edited(name, certify) -> None:
    record = released(name)
    both = {"guarantee__delta": "1/100000000", "parameters__delta": "1/100000000"}
    refused(certify(edited(record, **both)), "release: noise")
    zero = {"guarantee__delta": "0", "parameters__delta": "0"}
    refused(certify(edited(record, **zero)), "release: delta")
    pure = edited(released("laplace"), guarantee__delta="1/10", parameters__delta="1/10")
    refused(certify(pure), "release: delta")


@pytest.mark.parametrize("name", NAMES)
def test_other_parameters_that_were_edited(name, certify) -> None:
    record = released(name)
    add = {"guarantee__adjacency": "add-remove-one", "parameters__adjacency": "add-remove-one"}
    other = edited(record, **add)
    refused(certify(other), "release: records: under add-remove-one their number is a secret")
    del other["records"]
    refused(certify(other), "release: noise")
    refused(certify(edited(record, norm_bound="1/2")), "is not what the mechanism gives")
    refused(certify(edited(record, norm_bound="-1")), "release: norm_bound")
    refused(certify(edited(record, over_norm="keep")), "release: over_norm")
    if name not in DIRECTIONS:  # between three columns and under this relation their two calibrations are one
        refused(certify(edited(record, calibration="printed")), "release: ")
    refused(certify(edited(record, calibration="loose")), "release: ")
    refused(certify(edited(record, parameters__coordinate_bits=19)), "release: parameters.coordinate_bits")
    refused(certify(edited(record, release__grid="1/3")), "release: release.grid")
    refused(certify(edited(record, claims=record["claims"][1:] or ["wishart.theorem-1"])), "release: claims")
    refused(certify(edited(record, columns=["a", "b"])), "release: ")


def test_an_edited_number_of_records_changes_the_grid(certify) -> None:
    record = released("laplace")
    refused(certify(edited(record, records=51)), "release: release.grid")
    refused(certify(edited(record, records=0)), "release: records")


@pytest.mark.parametrize("name", NAMES)
def test_an_edited_noise(name, certify) -> None:
    record = released(name)
    for field in record["noise"]:
        changed = edited(record, noise=record["noise"] | {field: record["noise"][field] + "0"})
        refused(certify(changed), "release: noise")
    refused(certify(edited(record, noise=record["noise"] | {"more": "1"})), "release: noise")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_components_that_are_not_computed_from_the_integers(name, rank, certify) -> None:
    """Among them the components of the records without noise, which no guarantee covers."""
    record = released(name, rank=rank)
    assert certify(record).exit_code == 0
    Path("release.html").unlink()
    rows = [[0.0] * 3 for _ in range(rank)]
    for place, row in enumerate(rows):
        row[place] = 1.0
    refused(certify(edited(record, components=rows)), "release: components")
    nudged = copy.deepcopy(record["components"])
    nudged[0][0] += 1e-6
    refused(certify(edited(record, components=nudged)), "release: components")
    refused(certify(edited(record, components=[row[:2] for row in nudged])), "release: components")
    refused(certify(edited(record, components=[*nudged, *nudged, *nudged, *nudged])), "release: components")
    if record["explained_variance"] is None:
        refused(certify(edited(record, explained_variance=[1.0] * rank)), "release: explained_variance")
    else:
        values = [value + 1e-3 for value in record["explained_variance"]]
        refused(certify(edited(record, explained_variance=values)), "release: explained_variance")
        refused(certify(edited(record, explained_variance=None)), "release: explained_variance")


def test_integers_that_the_mechanism_cannot_publish(certify) -> None:
    record = released("laplace")
    crooked = copy.deepcopy(record["release"]["integers"])
    crooked[0][1] += "1"
    refused(certify(edited(record, release__integers=crooked)), "release.integers: they are not symmetric")
    refused(certify(edited(record, release__integers=crooked[:2])), "release.integers")
    refused(certify(edited(record, release__integers=[*crooked[:2], crooked[2][:1]])), "rows differ in length")
    for value in ("1.5", "1e3", " 1", "", "0x1", "9" * 3000, 1, None, True, "١"):
        wrong = copy.deepcopy(record["release"]["integers"])
        wrong[0][0] = value
        refused(certify(edited(record, release__integers=wrong)), "release: release.integers")
    direction = released("ppca", rank=1)
    longer = [[str(2 * int(entry)) for entry in row] for row in direction["release"]["integers"]]
    refused(certify(edited(direction, release__integers=longer)), "a direction does not have length 1")
    projector = released("ppca", rank=2)
    longer = [[str(2 * int(entry)) for entry in row] for row in projector["release"]["integers"]]
    refused(certify(edited(projector, release__integers=longer)), "they are no projector of that rank")


def test_what_says_to_be_private_and_is_not(certify) -> None:
    seeded = released("laplace", entropy=SeededEntropy(1))
    assert (seeded["private"], seeded["guarantee"]) == (False, None)
    promise = released("laplace")["guarantee"]
    refused(certify(edited(seeded, private=True)), "release: guarantee")
    refused(certify(edited(seeded, guarantee=promise)), "release: guarantee")
    refused(certify(edited(seeded, private=True, guarantee=promise)), "release: entropy")
    refused(certify(edited(seeded, private="yes")), "release: private")


def test_fields_that_are_missing_unknown_or_doubled(certify) -> None:
    """An unknown field is one that could hold anything, and would be certified with the rest."""
    record = released("laplace")
    for name in record:
        without = {key: value for key, value in record.items() if key != name}
        refused(certify(without), "release")
    for name in ("parameters", "release", "guarantee"):
        for field in record[name]:
            inner = {key: value for key, value in record[name].items() if key != field}
            refused(certify(edited(record, **{name: inner})), f"release: {name}.{field}: it is missing")
        refused(certify(edited(record, **{name: record[name] | {"mean": "1"}})), "a release has no such field")
        refused(certify(edited(record, **{name: [1]})), f"release: {name}")
    refused(certify(record | {"mean_of_the_records": RECORDS.mean(axis=0).tolist()}), "a release has no such field")
    text = json.dumps(record)
    doubled = text[:-1] + ', "guarantee": {"epsilon": "1/100", "delta": "0", "adjacency": "replace-one"}}'
    refused(certify(doubled.encode()), "a name stands twice")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe", "it is not UTF-8"),
        (b"[1, 2", "it is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": NaN}', "NaN is no number of JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "it is not JSON"),
        (b"null", "no release"),
        (b"[]", "no release"),
        (b'{"a": 1}', "no release"),
        (b'{"mechanism": "Laplace input perturbation"}', "release: format: it is missing"),
        (b'{"mechanism": "Laplace input perturbation", "format": true}', "release: format"),
    ],
)
def test_files_that_are_no_release(content, words, certify) -> None:
    refused(certify(content), words)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("format", 2),
        ("dpmatrix", "99.0.0"),
        ("dpmatrix", 1),
        ("released", "yesterday"),
        ("released", 20261128),
        ("mechanism", "Wishart mechanism"),
        ("mechanism", "no mechanism\n<b>"),
        ("mechanism", None),
        ("claims", []),
        ("claims", "wishart.theorem-3"),
        ("columns", []),
        ("columns", ["a", "b", "c\ud800"]),
        ("columns", ["a", "b", ""]),
        ("columns", ["a", "b", "c\x00"]),
        ("columns", ["a"] * 5000),
        ("norm_bound", 1),
        ("norm_bound", "1/0"),
        ("norm_bound", "nan"),
        ("norm_bound", "9" * 3000),
        ("parameters__epsilon", "inf"),
        ("parameters__epsilon", "-1"),
        ("parameters__adjacency", "nobody"),
        ("parameters__adjacency", []),
        ("parameters__coordinate_bits", 20.0),
        ("guarantee__epsilon", "0"),
        ("guarantee__delta", "1"),
        ("components", [[1.0, 0.0, float("inf")]]),
        ("components", [[True, 0.0, 0.0]]),
        ("components", []),
        ("explained_variance", ["1"]),
        ("noise", "none"),
        ("noise", {"law": 1}),
        ("entropy", "a coin"),
        ("records", 50.0),
        ("records", "50"),
        ("records", 1 << 70),
    ],
)
def test_fields_of_another_kind(field, value, certify) -> None:
    refused(certify(edited(released("laplace"), **{field: value})), "release")


def test_a_huge_file_is_not_read(certify, monkeypatch) -> None:
    record = released("laplace")
    monkeypatch.setattr(fields.read_bytes, "__defaults__", (1000,))
    refused(certify(record), "it has more than 1,000 bytes")


def test_a_mechanism_with_a_divisor_of_its_own_is_not_written() -> None:
    mechanism = LaplaceInputPerturbation(1, divisor=7)
    with pytest.raises(InvalidParameterError, match="it divides by 7"):
        release_record(mechanism, mechanism.release(RECORDS), ["a", "b", "c"], len(RECORDS))


PALETTE = [None, True, 0, 1, -1, 1e308, "", "0", "1", "1/2", "9" * 1999, "1/" + "9" * 1999, "a", [], {}, [["1"]]]


def leaves(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to everything in a record, of lists the first entry and the last."""
    yield path
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from leaves(entry, (*path, name))
    elif isinstance(value, list) and value:
        for place in (0, len(value) - 1):
            yield from leaves(value[place], (*path, place))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_else_can_be_edited(name, tmp_path) -> None:
    """Each field by each value of the palette; what is accepted are names of columns, and numbers of no consequence.

    The number of records is one for mechanisms that divide by nothing.
    """
    record, file = released(name), tmp_path / "release.json"
    accepted, lines = set(), set()
    for path in list(leaves(record))[1:]:
        for value in PALETTE:
            found = copy.deepcopy(record)
            place = found
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
            file.write_text(json.dumps(found), encoding="utf-8")
            try:
                agreeing_mechanism(read_release(file))
            except DpmatrixError as error:
                lines.add(str(error))
                continue
            if found != record:
                accepted.add(path[0])
    assert not [line for line in lines if "\n" in line or len(line) > 600]
    assert accepted == ({"columns", "records"} if name in DIRECTIONS else {"columns"})


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_choice_that_was_edited(adjacency, certify) -> None:
    """Words of it, the delta that was asked for, the errors; and a mechanism that was not chosen."""
    record = released("auto", adjacency, delta=Fraction(1, 10**6))
    assert record["mechanism"] == "K-norm mechanism"
    refused(certify(edited(record, choice__asked="k-norm")), "release: choice.asked: it is not 'auto'")
    refused(certify(edited(record, choice__compared="the variance captured")), "release: choice: ")
    refused(certify(edited(record, choice__left_out={"ppca": "which is slow"})), "release: choice: ")
    for delta in ("0", "1/1000000000"):
        refused(certify(edited(record, choice__delta=delta)), "release: choice: it is not what follows")
    errors = record["choice"]["squared_errors"]
    refused(certify(edited(record, choice__squared_errors=dict(list(errors.items())[1:]))), "release: choice: ")
    refused(certify(edited(record, choice__squared_errors={**errors, "laplace": errors["k-norm"]})), "release: choice")
    refused(certify(edited(record, parameters__delta="1/1000000")), "release: parameters.delta")
    refused(certify(edited(record, choice=None)), "release: choice")
    refused(certify(edited(record, choice__also=1)), "release: choice.'also': a release has no such field")
    other = released("coupled-traces", adjacency)
    refused(certify({**other, "choice": record["choice"]}), "release: mechanism: 'k-norm' is what is chosen")


def test_a_page_says_how_the_mechanism_was_chosen(certify) -> None:
    record = released("auto", delta=Fraction(1, 10**6))
    assert certify(record).exit_code == 0
    page = " ".join(re.sub(r"<[^>]*>", " ", Path("release.html").read_text(encoding="utf-8")).split())
    assert "Choice It was chosen by the expected squared Frobenius error" in page
    assert all(f"{name} {error}" in page for name, error in record["choice"]["squared_errors"].items())
    del record["choice"]
    assert certify(record).exit_code == 0, "asked for by name it is the same release"
    assert "It was chosen by" not in Path("release.html").read_text(encoding="utf-8")
