"""Loaders of real records: what they give, and what they refuse."""

from __future__ import annotations

import gzip
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments import bundled_records, insurance_records, real_records
from dpmatrix.experiments.records import DATA_VARIABLE, INSURANCE_FILES, unit_scaled

DIRECTORY = os.environ.get(DATA_VARIABLE)


def longest_record_squared(records: np.ndarray) -> Fraction:
    """Compute the largest squared norm without rounding, over the rows that come close to 1."""
    near = records[np.einsum("ij,ij->i", records, records) > 0.99]
    return max(sum(Fraction(float(x)) ** 2 for x in row) for row in near)


def test_bundled_records_are_in_the_unit_ball_exactly() -> None:
    data = bundled_records()
    assert data.records.shape == (569, 30)
    assert 0.99 < longest_record_squared(data.records) <= 1


def test_without_a_directory_the_bundled_records_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    assert "bundled" in real_records().name


@pytest.mark.skipif(DIRECTORY is None, reason=f"{DATA_VARIABLE} names no directory with the raw insurance files")
def test_insurance_records_have_the_size_of_the_document() -> None:
    data = insurance_records(Path(DIRECTORY or ""))
    assert data.records.shape == (9822, 150)
    assert 0.99 < longest_record_squared(data.records) <= 1
    assert real_records().name == data.name


def test_a_named_directory_without_the_files_is_an_error_and_not_a_fallback(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    with pytest.raises(InvalidParameterError, match=r"ticdata2000\.txt\.gz is not in"):
        real_records()


@pytest.mark.parametrize("content", [b"", b"not gzip", gzip.compress(b"1 2 three\n", mtime=0)])
def test_an_altered_file_is_refused(tmp_path: Path, content: bytes) -> None:
    for name in INSURANCE_FILES:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidParameterError, match="sha256"):
        insurance_records(tmp_path)


def test_a_file_that_is_not_a_numeric_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in INSURANCE_FILES:
        (tmp_path / name).write_bytes(gzip.compress(b"1 2 three\n", mtime=0))
        monkeypatch.setitem(INSURANCE_FILES, name, "")
    with pytest.raises(InvalidParameterError, match="not a numeric table"):
        insurance_records(tmp_path)


@pytest.mark.parametrize("raw", [np.full((2, 2), np.nan), np.array([[np.inf]]), np.zeros((3, 2)), np.zeros((2, 0))])
def test_records_that_cannot_be_scaled_are_refused(raw: np.ndarray) -> None:
    with pytest.raises(InvalidParameterError, match="raw"):
        unit_scaled(raw)


def test_scaling_is_by_feature_then_by_one_factor() -> None:
    scaled = unit_scaled(np.array([[2.0, 0.0, 10.0], [-4.0, 0.0, 5.0]]))
    assert scaled.shape == (2, 2), "a feature that is zero everywhere is dropped"
    assert np.allclose(scaled * np.sqrt(1.25), [[0.5, 1.0], [-1.0, 0.5]], rtol=1e-9)
