"""A signed certificate: an envelope that any change of release, payload, type, signature or key makes worthless."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.documentation import pages
from dpmatrix.errors import InvalidParameterError
from dpmatrix.release_certificates.envelope import PAYLOAD_TYPE, encoding
from dpmatrix.release_certificates.statement import PREDICATE, STATEMENT
from dpmatrix.release_certificates.statement import verify as check
from tests.release_certificates.releases import released

ENVELOPE = Path("release.intoto.jsonl")
KEY, PUBLIC, OTHER = Path("key.pem"), Path("public.pem"), Path("other.pem")


def write_key(key: Ed25519PrivateKey, path: Path) -> None:
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def write_public(key: Ed25519PrivateKey, path: Path) -> None:
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


@pytest.fixture
def key(certify) -> Ed25519PrivateKey:
    """Return a key that has signed a release in the current directory."""
    found = Ed25519PrivateKey.generate()
    write_key(found, KEY)
    write_public(found, PUBLIC)
    write_public(Ed25519PrivateKey.generate(), OTHER)
    done = certify(released(), "--key", KEY)
    assert done.exit_code == 0, done.output
    assert done.stdout == "wrote release.html and release.intoto.jsonl\n"
    return found


def verify(*more: object, public: Path = PUBLIC, envelope: Path = ENVELOPE, release: str = "release.json"):
    arguments = ["certificate", release, "--verify", envelope, "--public-key", public, *more]
    return CliRunner().invoke(app, [str(one) for one in arguments])


def fails(done: Any, words: str) -> None:
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def envelope() -> dict[str, Any]:
    return json.loads(ENVELOPE.read_text(encoding="utf-8"))


def payload() -> dict[str, Any]:
    return json.loads(base64.b64decode(envelope()["payload"]))


def signed(key: Ed25519PrivateKey, content: bytes, kind: str = PAYLOAD_TYPE) -> None:
    """Write an envelope that the key has truly signed."""
    signature = base64.b64encode(key.sign(encoding(kind, content))).decode()
    found = {"payloadType": kind, "payload": base64.b64encode(content).decode(), "signatures": [{"sig": signature}]}
    ENVELOPE.write_text(json.dumps(found) + "\n", encoding="utf-8")


def test_the_encoding_is_that_of_the_specification() -> None:
    """The example of the DSSE protocol, and lengths in bytes."""
    assert encoding("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert encoding("", "é".encode()) == b"DSSEv1 0  2 \xc3\xa9"


def test_what_is_signed(key) -> None:
    done = verify()
    assert (done.exit_code, done.stdout) == (0, "the key has signed a statement about this release: private\n")
    statement = payload()
    assert (statement["_type"], statement["predicateType"]) == (STATEMENT, PREDICATE)
    digest = sha256(Path("release.json").read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": "release.json", "digest": {"sha256": digest}}]
    told, record = statement["predicate"], json.loads(Path("release.json").read_text(encoding="utf-8"))
    for field in ("guarantee", "mechanism", "noise", "dpmatrix", "norm_bound", "over_norm", "private"):
        assert told[field] == record[field]
    assert [one["statement"] for one in told["claims"]] == record["claims"]
    assert all(one["verdict"] and one["standing"] and one["proof"] for one in told["claims"])
    assert told["page"]["sha256"] == sha256(Path("release.html").read_bytes()).hexdigest()
    signature = base64.b64decode(envelope()["signatures"][0]["sig"])
    key.public_key().verify(signature, encoding(PAYLOAD_TYPE, base64.b64decode(envelope()["payload"])))


def test_any_changed_byte_of_the_release_is_noticed(key) -> None:
    content = Path("release.json").read_bytes()
    for place in (0, len(content) // 2, len(content) - 1):
        Path("release.json").write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        fails(verify(), "release: its SHA-256 is not the one that was signed")
    for other in (content + b"\n", content[:-1], b""):
        Path("release.json").write_bytes(other)
        fails(verify(), "release: its SHA-256 is not the one that was signed")
    Path("release.json").unlink()
    fails(verify(), "release: there is no file")


def test_a_changed_page_is_noticed_where_it_is_named(key) -> None:
    assert verify("--output", "release.html").exit_code == 0
    page = Path("release.html")
    page.write_text(page.read_text(encoding="utf-8").replace("2.72", "1.72"), encoding="utf-8")
    fails(verify("--output", "release.html"), "output: the SHA-256 of the page is not the one that was signed")


def test_every_changed_byte_of_the_envelope_is_noticed(key) -> None:
    """One bit of every byte: of the names, of the type, of the payload and of the signature; a key id is a hint."""
    content = ENVELOPE.read_bytes()
    hint = range(content.index(b'"keyid"') + len('"keyid": "'), content.index(b'", "sig"'))
    for place in set(range(len(content))) - set(hint):
        ENVELOPE.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(InvalidParameterError, match=r"^envelope: "):
            check(Path("release.json"), ENVELOPE, PUBLIC)


def test_a_truncated_envelope(key) -> None:
    content = ENVELOPE.read_bytes()
    for length in (0, 1, len(content) // 2, len(content) - 2, len(content) - 1):
        ENVELOPE.write_bytes(content[:length])
        fails(verify(), "envelope: ")
    ENVELOPE.write_bytes(content + content)
    fails(verify(), "envelope: it is not one whole line")


def test_another_payload_under_the_same_signature(key) -> None:
    statement, found = payload(), envelope()
    statement["predicate"]["guarantee"]["epsilon"] = "1/100"
    found["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
    ENVELOPE.write_text(json.dumps(found) + "\n", encoding="utf-8")
    fails(verify(), "no signature over its type and payload is one of the public key")


def test_another_key(key) -> None:
    fails(verify(public=OTHER), "no signature over its type and payload is one of the public key")
    found = envelope()
    found["signatures"] = [{"sig": base64.b64encode(b"\0" * 64).decode()}]
    ENVELOPE.write_text(json.dumps(found) + "\n", encoding="utf-8")
    fails(verify(), "no signature")
    found["signatures"] = []
    ENVELOPE.write_text(json.dumps(found) + "\n", encoding="utf-8")
    fails(verify(), "envelope: ")


def test_a_payload_type_that_was_swapped(key) -> None:
    """Under the old signature, and under one that the key has made for the other type."""
    found, content = envelope(), base64.b64decode(envelope()["payload"])
    found["payloadType"] = "application/json"
    ENVELOPE.write_text(json.dumps(found) + "\n", encoding="utf-8")
    fails(verify(), "its payload is not of type")
    signed(key, content, "application/json")
    fails(verify(), "its payload is not of type")
    # A signature for another type does not count for this one.
    found = envelope() | {"payloadType": PAYLOAD_TYPE}
    ENVELOPE.write_text(json.dumps(found) + "\n", encoding="utf-8")
    fails(verify(), "no signature")


@pytest.mark.parametrize(
    "change",
    [
        lambda statement: statement | {"_type": "https://in-toto.io/Statement/v0.1"},
        lambda statement: statement | {"predicateType": "https://slsa.dev/provenance/v1"},
        lambda statement: statement | {"subject": []},
        lambda statement: statement | {"subject": statement["subject"] * 2},
        lambda statement: statement | {"subject": "release.json"},
        lambda statement: statement | {"predicate": None},
        lambda statement: {"subject": statement["subject"]},
        lambda statement: [statement],
        lambda _: None,
    ],
)
def test_something_else_that_the_key_has_signed(change: Callable[[Any], Any], key) -> None:
    signed(key, json.dumps(change(payload())).encode())
    fails(verify(), "envelope: what is signed is no certificate of a release")


def test_a_digest_of_another_kind_is_no_digest(key) -> None:
    statement = payload()
    statement["subject"][0]["digest"] = {"sha1": "0" * 40}
    signed(key, json.dumps(statement).encode())
    fails(verify(), "release: its SHA-256 is not the one that was signed")


def test_keys_that_are_none(key, certify) -> None:
    record = json.loads(Path("release.json").read_text(encoding="utf-8"))
    Path("release.html").unlink()
    ENVELOPE.unlink()
    curve = generate_private_key(SECP256R1())
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word"))
    unfit = {
        "curve.pem": curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        "locked.pem": locked,
        "public.pem": PUBLIC.read_bytes(),
        "none.pem": b"none",
        "empty.pem": b"",
        "long.pem": KEY.read_bytes() + b"\n" * 20_000,
    }
    for name, content in unfit.items():
        Path(name).write_bytes(content)
        fails(certify(record, "--key", name), "key: ")
    fails(certify(record, "--key", "missing.pem"), "key: there is no file")
    assert not Path("release.html").exists()
    assert not ENVELOPE.exists()
    assert certify(record, "--key", KEY).exit_code == 0
    for name in ("key.pem", "none.pem", "curve.pem"):
        fails(verify(public=Path(name)), "public-key: it is no Ed25519 public key")


def test_options_that_do_not_fit(key) -> None:
    def run(*arguments: str):
        return CliRunner().invoke(app, ["certificate", "release.json", *arguments])

    fails(run("--verify", str(ENVELOPE)), "public-key: it is missing")
    fails(run("--public-key", str(PUBLIC)), "verify: it is missing")
    fails(verify("--key", KEY), "key: nothing is signed")


def test_a_refused_release_is_not_signed(key, certify) -> None:
    Path("release.html").unlink()
    ENVELOPE.unlink()
    record = json.loads(Path("release.json").read_text(encoding="utf-8"))
    record["guarantee"]["epsilon"] = record["parameters"]["epsilon"] = "1/10"
    fails(certify(record, "--key", KEY), "release: noise")
    assert not ENVELOPE.exists()
    assert not Path("release.html").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_keys_that_the_page_for_a_regulator_makes_with_openssl_sign_and_verify(certify) -> None:
    (text,) = (page.text for page in pages() if page.name == "regulator")
    commands = re.findall(r"`(openssl [^`]*)`", text)
    assert len(commands) == 2
    for command in commands:
        subprocess.run(command.split(), check=True, timeout=60)
    assert certify(released(), "--key", KEY).exit_code == 0
    done = verify()
    assert done.exit_code == 0, done.output
