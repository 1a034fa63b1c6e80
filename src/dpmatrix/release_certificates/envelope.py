"""DSSE envelopes: a text, its type, and Ed25519 signatures over both.

The form is that of version 1 of the DSSE specification (secure-systems-lab, dsse): what is signed is the
pre-authentication encoding of type and text, so that neither can be taken for something else.
"""

from __future__ import annotations

import base64
import binascii
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.release_certificates.fields import read_bytes, strict_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
MOST_BYTES, MOST_KEY_BYTES, MOST_SIGNATURES = 1 << 22, 1 << 14, 16
_REMEDY = "name an envelope that `dpmatrix certificate --key` wrote, as it was written"


@frozen
class Envelope:
    """A signed text: its type, its bytes, and signatures."""

    payload_type: str
    payload: bytes
    signatures: tuple[bytes, ...]


def encoding(payload_type: str, payload: bytes) -> bytes:
    """Return what is signed: PAE(type, text), lengths in bytes as decimals."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def key_id(key: Ed25519PrivateKey) -> str:
    """Return the SHA-256 of the raw public key, in hexadecimal digits."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return sha256(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()


def sign(payload: bytes, key: Ed25519PrivateKey) -> str:
    """Return an envelope as one line of JSON."""
    signature = key.sign(encoding(PAYLOAD_TYPE, payload))
    return json.dumps(
        {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(payload).decode("ascii"),
            "signatures": [{"keyid": key_id(key), "sig": base64.b64encode(signature).decode("ascii")}],
        }
    )


def verified_payload(path: Path, key: Ed25519PublicKey) -> bytes:
    """Return the text of an envelope that a key has signed as an in-toto statement.

    The key id is no more than a hint and is not looked at.

    Raises
    ------
    InvalidParameterError
        If the file is no envelope, its text is of another type, or no signature is one of the key.
    """
    from cryptography.exceptions import InvalidSignature

    envelope = _read(path)
    if envelope.payload_type != PAYLOAD_TYPE:
        _refuse(f"its payload is not of type {PAYLOAD_TYPE}")
    for signature in envelope.signatures:
        try:
            key.verify(signature, encoding(envelope.payload_type, envelope.payload))
        except InvalidSignature:
            continue
        return envelope.payload
    problem = "no signature over its type and payload is one of the public key"
    raise InvalidParameterError("envelope", problem, "do not trust it, or pass the key that signed it")


def private_key(path: Path) -> Ed25519PrivateKey:
    """Read an Ed25519 private key in PEM, without a password.

    Raises
    ------
    InvalidParameterError
        If it is none.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = read_bytes(path, "key", MOST_KEY_BYTES)
    try:
        found = load_pem_private_key(content, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, Ed25519PrivateKey):
        raise InvalidParameterError("key", "it is no Ed25519 private key in PEM without a password", "pass such a key")
    return found


def public_key(path: Path) -> Ed25519PublicKey:
    """Read an Ed25519 public key in PEM.

    Raises
    ------
    InvalidParameterError
        If it is none.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    content = read_bytes(path, "public-key", MOST_KEY_BYTES)
    try:
        found = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, Ed25519PublicKey):
        raise InvalidParameterError("public-key", "it is no Ed25519 public key in PEM", "pass such a key")
    return found


def _read(path: Path) -> Envelope:
    content = read_bytes(path, "envelope", MOST_BYTES)
    if not content.endswith(b"\n") or content.count(b"\n") != 1:
        _refuse("it is not one whole line")
    record = strict_json(content, "envelope", _REMEDY)
    if not isinstance(record, dict) or record.keys() != {"payloadType", "payload", "signatures"}:
        _refuse("it is no DSSE envelope")
    kind, signatures = record["payloadType"], record["signatures"]
    if not isinstance(kind, str) or not isinstance(signatures, list) or not 1 <= len(signatures) <= MOST_SIGNATURES:
        _refuse("it is no DSSE envelope with a type and signatures")
    if any(not isinstance(one, dict) or not {"sig"} <= one.keys() <= {"sig", "keyid"} for one in signatures):
        _refuse("a signature of it is no signature")
    return Envelope(kind, _decoded(record["payload"]), tuple(_decoded(one["sig"]) for one in signatures))


def _decoded(text: object) -> bytes:
    if not isinstance(text, str):
        _refuse("something in it is not Base64")
    try:
        found = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        _refuse("something in it is not Base64")
    if base64.b64encode(found).decode("ascii") != text:
        _refuse("something in it is not Base64 in its one form")
    return found


def _refuse(problem: str) -> NoReturn:
    raise InvalidParameterError("envelope", problem, _REMEDY)
