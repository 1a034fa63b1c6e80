"""``dpmatrix certificate``: a page about one release, signed if that is wanted, and the check of a signature."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer
from attrs import frozen

from dpmatrix.atomic_files import refuse_unless_regular, write_atomically, write_new
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
    registry: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="Write an entry for the registry of deployments as well."),
    ] = None,
    details: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="With --registry: what only the publisher knows; the rest is blank."),
    ] = None,
    ledger: LedgerPath = DEFAULT_LEDGER,
) -> None:
    """Write a certificate of one release: its guarantee in words, and what that rests on.

    Every number that public parameters give is computed again, and a release whose numbers do not agree gets no
    certificate (exit code 2). Exit code 1 means that the release is NOT private, or that a claim that it rests on does
    not stand; the page says so.

    With --key the statement of the page is signed, in FILE.intoto.jsonl beside it. With --verify the signature and the
    hash of the release are checked: exit code 2, and one line, where they do not agree.

    With --registry an entry in the schema of the registry opendp/deployments-registry-data is written beside the page.
    What only the publisher knows is marked as a blank, or taken from --details. A file that exists is not replaced, and
    a release without a certificate gets no entry.
    """
    if (verify is None) != (public_key is None):
        missing = "public-key" if public_key is None else "verify"
        raise InvalidParameterError(missing, "it is missing", "pass --verify and --public-key together")
    if details is not None and registry is None:
        raise InvalidParameterError("registry", "it is missing", "pass --details with --registry alone")
    if verify is not None and public_key is not None:
        if registry is not None:
            raise InvalidParameterError("registry", "nothing is written where a signature is checked", "leave it out")
        if key is not None:
            raise InvalidParameterError("key", "nothing is signed where a signature is checked", "leave it out")
        _verify(release, verify, public_key, output)
        return
    page = release.with_suffix(".html") if output is None else output
    if page.suffix != ".html":
        raise InvalidParameterError("output", f"{str(page)!r} does not end in .html", "name an HTML file")
    _write(_Files(release, page, key, ledger, registry, details))


@frozen
class _Files:
    """What is read and what is written."""

    release: Path
    page: Path
    key: Path | None
    ledger: Path
    registry: Path | None
    details: Path | None

    def refuse_what_is_read(self, written: Path) -> None:
        """Make sure that a file is not written over that is read."""
        refuse_unless_regular(written)
        read = (self.release, self.key, self.ledger, self.details)
        if any(one is not None and one.resolve() == written.resolve() for one in read):
            raise InvalidParameterError("output", f"{str(written)!r} is read here", "name another file")


def _verify(release: Path, envelope: Path, key: Path, page: Path | None) -> None:
    from dpmatrix.release_certificates.statement import verify

    told = verify(release, envelope, key, page)
    about = "this release" if page is None else "this release and this page"
    promised = "private" if told.get("private") is True else "NOT private"
    typer.echo(f"the key has signed a statement about {about}: {promised}")


def _write(files: _Files) -> None:
    # Imported here, so that other commands do not wait for it.
    from dpmatrix.release_certificates.contents import contents
    from dpmatrix.release_certificates.envelope import key_id, private_key
    from dpmatrix.release_certificates.page import Signature, render
    from dpmatrix.release_certificates.reading import read_release
    from dpmatrix.release_certificates.registry.details import read_details
    from dpmatrix.release_certificates.registry.entry import entry, refuse_unless_new
    from dpmatrix.release_certificates.statement import envelope_of, signed

    page, beside = files.page, envelope_of(files.page)
    for written in (page, beside):
        files.refuse_what_is_read(written)
    if files.registry is not None:
        refuse_unless_new(files.registry)
    details = {} if files.details is None else read_details(files.details)
    said = contents(read_release(files.release), read_ledger(files.ledger))
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    signer = None if files.key is None else private_key(files.key)
    text = render(said, today, None if signer is None else Signature(beside.name, key_id(signer)))
    made = [str(page)]
    registered = files.registry if said.stands else None
    if registered is not None:
        # First, since this name alone may turn out to be taken.
        write_new(registered, entry(said, today, details), "registry")
    try:
        if signer is not None:
            write_atomically(beside, signed(said, today, text, page.name, signer))
            made.append(str(beside))
        write_atomically(page, text)
    except BaseException:
        if registered is not None:
            registered.unlink(missing_ok=True)  # an entry is about a certificate that exists
        raise
    if registered is not None:
        made.append(str(registered))
    typer.echo(f"wrote {' and '.join(made)}")
    if files.registry is not None and not said.stands:
        typer.echo("no entry was written for the registry: the release has no certificate", err=True)
    raise typer.Exit(0 if said.stands else 1)
