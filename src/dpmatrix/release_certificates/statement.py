"""What is signed of a certificate: an in-toto statement about the file of the release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpmatrix.errors import InvalidParameterError
from dpmatrix.release_certificates.contents import Contents, predicate
from dpmatrix.release_certificates.envelope import public_key, sign, verified_payload
from dpmatrix.release_certificates.fields import read_bytes, strict_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:dpmatrix:release-certificate:v1"
_DO_NOT_TRUST = "do not trust the release, or name the one that was certified"


def envelope_of(page: Path) -> Path:
    """Return where the envelope of a page stands: beside it."""
    return page.with_suffix(".intoto.jsonl")


def signed(said: Contents, date: str, page: str, page_name: str, key: Ed25519PrivateKey) -> str:
    """Return the statement of a certificate in an envelope, as one line.

    Parameters
    ----------
    said, date
        What the page says, and when it was made.
    page, page_name
        The page and its name.
    key
        The private key.
    """
    told = {"name": page_name, "sha256": sha256(page.encode("utf-8")).hexdigest()}
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": said.file.name, "digest": {"sha256": said.file.sha256}}],
        "predicateType": PREDICATE,
        "predicate": predicate(said, date, told),
    }
    payload = json.dumps(statement, sort_keys=True, ensure_ascii=False).encode("utf-8")
    return sign(payload, key) + "\n"


def verify(release: Path, envelope: Path, key: Path, page: Path | None = None) -> Mapping[str, Any]:
    """Return the predicate of an envelope that a key has signed about the bytes of a release.

    Parameters
    ----------
    release
        The file of the release, of which no more than its bytes counts.
    envelope, key
        Files of the envelope and of the public key.
    page
        The page, if it is to be compared as well.

    Raises
    ------
    InvalidParameterError
        If something does not agree; the text says what.
    """
    remedy = "name an envelope of a certificate of this version"
    statement = strict_json(verified_payload(envelope, public_key(key)), "envelope", remedy)
    try:
        [subject] = statement["subject"]
        kinds = statement["_type"], statement["predicateType"]
        digests, told = dict(subject["digest"]), dict(statement["predicate"])
        page_digest = told["page"]["sha256"]
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidParameterError("envelope", "what is signed is no certificate of a release", remedy) from error
    if kinds != (STATEMENT, PREDICATE):
        raise InvalidParameterError("envelope", "what is signed is no certificate of a release", remedy)
    if digests != {"sha256": sha256(read_bytes(release, "release")).hexdigest()}:
        raise InvalidParameterError("release", "its SHA-256 is not the one that was signed", _DO_NOT_TRUST)
    if page is not None and page_digest != sha256(read_bytes(page, "output")).hexdigest():
        raise InvalidParameterError("output", "the SHA-256 of the page is not the one that was signed", _DO_NOT_TRUST)
    return told
