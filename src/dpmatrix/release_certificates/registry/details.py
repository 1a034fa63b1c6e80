"""What only the publisher of a release can say to the registry, read from a small TOML file."""

from __future__ import annotations

import datetime
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from dpmatrix.errors import InvalidParameterError
from dpmatrix.release_certificates.fields import read_bytes
from dpmatrix.release_certificates.registry.yaml_text import MARK

MOST_BYTES, MOST_CHARACTERS = 1 << 20, 1 << 14
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "data_product_type": (
            *("Summary statistics", "Machine learning model", "Dataset", "Synthetic data"),
            *("Interactive API", "SQL queries"),
        ),
        "data_product_sector": ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance"),
        "release_type": ("One release", "Many releases"),
        "data_source_type": ("Static", "Dynamic"),
    }
)
"""Fields for which the schema lists what may stand there, at commit 3e9c812a924cf01d228f26f6c462c59c391c3f2a."""
LISTS = ("data_curators", "registry_authors")
DATE = "publication_date"
TIERS: tuple[tuple[str, ...], ...] = (
    (
        *("name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region"),
        *("publication_date", "registry_authors"),
    ),
    ("privacy_unit", "release_type", "data_source_type"),
    (
        *("data_domain", "unprotected_quantities", "actors", "release_type_details", "post_processing", "composition"),
        *("preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"),
    ),
)
"""What the publisher has to say for each of the three tiers of the registry, by the names of its schema."""
OPTIONAL = ("data_product_sector", "data_source_type_details", "sources", "notes")
"""What may stay unsaid in every tier."""
FIELDS = (*(name for tier in TIERS for name in tier), *OPTIONAL)

Details = Mapping[str, str | tuple[str, ...]]
"""What the publisher says, by the names of the schema."""


def read_details(path: Path) -> Details:
    """Read what the publisher says.

    Parameters
    ----------
    path
        A TOML file, each key a name of `FIELDS`.

    Raises
    ------
    InvalidParameterError
        If it is no TOML, a key is unknown, or a value is not what the schema of the registry allows there.
    OSError
        If it cannot be read.
    """
    content = read_bytes(path, "details", MOST_BYTES)
    try:
        record = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        problem = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else "it is not TOML"
        raise InvalidParameterError("details", problem, "write it as TOML: name = 'value', a line each") from None
    unknown = sorted(record.keys() - set(FIELDS))
    if unknown:
        _refuse(ascii(unknown[0])[:40], "the publisher cannot say this", f"use no other names than {', '.join(FIELDS)}")
    return {name: _read(name, value) for name, value in record.items()}


def tier_of(details: Details) -> int:
    """Return the highest tier of which the publisher has said everything; 1 where not even that is so.

    Parameters
    ----------
    details
        What the publisher says.
    """
    whole = [all(name in details for name in tier) for tier in TIERS]
    return max(1, whole.index(False) if False in whole else len(whole))


def slug(details: Details) -> str | None:
    """Return the slug that the registry makes of name, curators and year; None while one of them is not said.

    Parameters
    ----------
    details
        What the publisher says.
    """
    if not {"name", "data_curators", DATE} <= details.keys():
        return None
    parts = (str(details["name"]), "-".join(details["data_curators"]), str(details[DATE]).partition("-")[0])
    return "-".join(re.sub(r"\W+", "-", part.lower()).replace("_", "-") for part in parts)


def _read(name: str, value: object) -> str | tuple[str, ...]:
    if name in LISTS:
        if not isinstance(value, list) or not value:
            _refuse(name, "it is no list, or an empty one", "write a list of texts, such as ['one', 'two']")
        return tuple(_text(name, one) for one in value)
    if name == DATE:
        return _day(value)
    found = _text(name, value)
    if name in CHOICES and found not in CHOICES[name]:
        _refuse(name, "the schema of the registry does not list it", f"use one of {', '.join(CHOICES[name])}")
    return found


def _text(name: str, value: object) -> str:
    remedy = f"write a text of 1 to {MOST_CHARACTERS:,} characters"
    if not isinstance(value, str) or not _visible(value) or len(value) > MOST_CHARACTERS:
        _refuse(name, "it is no text, an empty one or a very long one", remedy)
    if any(unicodedata.category(one) in ("Cc", "Cs") and one not in "\n\t" for one in value):
        _refuse(name, "it holds a control character", remedy)
    if _visible(MARK) in _visible(value):
        _refuse(name, "it is a blank still", "fill it in, or leave it out")
    return value.strip()


def _visible(text: str) -> str:
    """Return what a reader sees, without case and spaces: a blank that was copied with other ones is a blank still."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(one for one in folded if unicodedata.category(one) != "Cf" and not one.isspace())


def _day(value: object) -> str:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    try:
        if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            return datetime.date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    return _refuse(DATE, "it is no day such as 2026-01-31", "write the day on which the data product was published")


def _refuse(name: str, problem: str, remedy: str) -> NoReturn:
    raise InvalidParameterError(f"details: {name}", problem, remedy)
