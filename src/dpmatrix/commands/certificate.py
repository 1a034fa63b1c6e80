"""``dpmatrix certificate``: a page about one release, signed if that is wanted, and the check of a signature."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.atomic_files import refuse_unless_regular, write_atomically
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.runs import DEFAULT_LEDGER, LedgerPath, read_ledger
from dpmatrix.errors import InvalidParameterError


@one_line
def certificate_command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE.json", help="What `pca --output` wrote.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page, by default RELEASE.html; with --verify a page to compare."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An Ed25519 private key in PEM, to sign with.")
    ] = None,
    verify: Annotated[
        Path | None, typer.Option(metavar="FILE.intoto.jsonl", help="Check this envelope, and write nothing.")
    ] = None,
    public_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --verify: the Ed25519 public key in PEM.")
    ] = None,
    ledger: LedgerPath = DEFAULT_LEDGER,
) -> None:
    """Write a certificate of one release: its guarantee in words, and what that rests on.

    Every number that public parameters give is computed again, and a release whose numbers do not agree gets no
    certificate (exit code 2). Exit code 1 means that the release is NOT private, or that a claim that it rests on does
    not stand; the page says so.

    With --key the statement of the page is signed, in FILE.intoto.jsonl beside it. With --verify the signature and the
    hash of the release are checked: exit code 2, and one line, where they do not agree.
    """
    if (verify is None) != (public_key is None):
        missing = "public-key" if public_key is None else "verify"
        raise InvalidParameterError(missing, "it is missing", "pass --verify and --public-key together")
    if verify is not None and public_key is not None:
        if key is not None:
            raise InvalidParameterError("key", "nothing is signed where a signature is checked", "leave it out")
        _verify(release, verify, public_key, output)
        return
    page = release.with_suffix(".html") if output is None else output
    if page.suffix != ".html":
        raise InvalidParameterError("output", f"{str(page)!r} does not end in .html", "name an HTML file")
    _write(release, page, key, ledger)


def _verify(release: Path, envelope: Path, key: Path, page: Path | None) -> None:
    from dpmatrix.release_certificates.statement import verify

    told = verify(release, envelope, key, page)
    about = "this release" if page is None else "this release and this page"
    promised = "private" if told.get("private") is True else "NOT private"
    typer.echo(f"the key has signed a statement about {about}: {promised}")


def _write(release: Path, page: Path, key: Path | None, ledger: Path) -> None:
    # Imported here, so that other commands do not wait for it.
    from dpmatrix.release_certificates.contents import contents
    from dpmatrix.release_certificates.envelope import key_id, private_key
    from dpmatrix.release_certificates.page import Signature, render
    from dpmatrix.release_certificates.reading import read_release
    from dpmatrix.release_certificates.statement import envelope_of, signed

    beside = envelope_of(page)
    for written in (page, beside):
        refuse_unless_regular(written)
        if any(read is not None and read.resolve() == written.resolve() for read in (release, key, ledger)):
            raise InvalidParameterError("output", f"{str(written)!r} is read here", "name another file")
    said = contents(read_release(release), read_ledger(ledger))
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    signer = None if key is None else private_key(key)
    text = render(said, today, None if signer is None else Signature(beside.name, key_id(signer)))
    if signer is not None:
        write_atomically(beside, signed(said, today, text, page.name, signer))
    write_atomically(page, text)
    typer.echo(f"wrote {page}" if key is None else f"wrote {page} and {beside}")
    raise typer.Exit(0 if said.stands else 1)
