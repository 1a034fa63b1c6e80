"""What the schema of the registry of deployments asks of an entry, written down again in words of our own.

It is that of opendp/deployments-registry-data (schemas/deployments-schema.yaml) at commit
3e9c812a924cf01d228f26f6c462c59c391c3f2a of 15 July 2026. Taken over are
names of fields and listed values, and no more.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Check = Callable[[Any], bool]


def text(value: object) -> bool:
    return isinstance(value, str)


def anything(value: object) -> bool:
    """Take everything: the schema names no type."""
    return value is not None


def amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def amount_or_text(value: object) -> bool:
    return amount(value) or text(value)


def texts(value: object) -> bool:
    return isinstance(value, list) and len(value) >= 1 and all(map(text, value))


def day(value: object) -> bool:
    """Tell whether it is a day in a text: YAML may read one without quotation marks as something else."""
    if not isinstance(value, str) or len(value) != len("2026-01-31"):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def listed(*allowed: object) -> Check:
    return lambda value: value in allowed and not isinstance(value, bool)


KINDS = ("Summary statistics", "Machine learning model", "Dataset", "Synthetic data", "Interactive API", "SQL queries")
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom")
STATES = (
    *("Converted", "Draft", "Pending", "Changes Required", "Approved"),
    *("Approved (Update Requested)", "Approved (Pending)"),
)
FIELDS: Mapping[str, Any] = {
    "url_slug": text,
    "status": listed(*STATES),
    "tier": listed(1, 2, 3),
    "deployment": {
        "basic": {
            "name": text,
            "data_curators": texts,
            "intended_use": text,
            "data_product_type": listed(*KINDS),
            "data_product_region": text,
            "description": text,
            "publication_date": day,
            "data_product_sector": listed(*SECTORS),
        },
        "dp_variant": {"variant_name": listed(*VARIANTS), "data_domain": text, "unprotected_quantities": text},
        "privacy_loss": {
            "privacy_unit": text,
            "privacy_unit_details": text,
            "privacy_parameters": {"epsilon": amount, "delta": amount_or_text, "rho": amount},
            "privacy_parameters_details": anything,
        },
        "deployment_model": {
            "model_name": listed("Local", "Central", "Shuffle", "Federated", "Varies"),
            "model_name_details": text,
            "actors": text,
            "release_type": listed("One release", "Many releases"),
            "release_type_details": text,
            "data_source_type": listed("Static", "Dynamic"),
            "data_source_type_details": anything,
            "access_type": listed("Interactive", "Non-interactive"),
            "access_type_details": text,
        },
        "accounting": {"post_processing": text, "composition": text},
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": text,
            "mechanisms": text,
            "justification": text,
        },
        "administrative": {"sources": text, "notes": text, "registry_authors": texts},
    },
}
"""Each field with what may stand there; no other fields are allowed."""
NEEDED: Mapping[str, Sequence[str]] = {
    "": ("url_slug", "status", "tier", "deployment"),
    "deployment": ("basic",),
    "deployment.basic": (
        *("name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region"),
        "publication_date",
    ),
    "deployment.administrative": ("registry_authors",),
}


def faults(entry: object, fields: Mapping[str, Any] = FIELDS, place: str = "") -> Iterator[str]:
    """Yield the place of each thing in an entry that the schema does not allow, or misses."""
    if not isinstance(entry, dict):
        yield place
        return
    for name in NEEDED.get(place, ()):
        if name not in entry:
            yield f"{place}.{name}".lstrip(".")
    for name, value in entry.items():
        where, check = f"{place}.{name}".lstrip("."), fields.get(name)
        if check is None:
            yield where
        elif isinstance(check, Mapping):
            yield from faults(value, check, where)
        elif not check(value):
            yield where
