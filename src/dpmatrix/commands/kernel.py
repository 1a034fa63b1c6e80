"""``dpmatrix kernel``: propositions of the statements, and the check of their proofs by Rocq."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims import Grade, claim_of
from dpmatrix.claims.ledger import dump
from dpmatrix.commands.failures import one_line
from dpmatrix.errors import InvalidParameterError
from dpmatrix.kernel import checking
from dpmatrix.kernel.certificate import PACKAGES, Certificate, certify, wanted_packages
from dpmatrix.kernel.generated import generate
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.sources import CERTIFICATE, FOLDER
from dpmatrix.kernel.theorems import AXIOMS, Theorem
from dpmatrix.kernel.whole import Report, check
from dpmatrix.spec import load

NOT_INSTALLED = 2


@one_line
def kernel_command(
    claim: Annotated[
        list[str] | None, typer.Argument(help="With --table: only theorems about these claims.", metavar="[CLAIM]...")
    ] = None,
    *,
    write: Annotated[bool, typer.Option("--write", help="Write the propositions of the traced statements.")] = False,
    check_all: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Compile everything and compare with the certificate; eight to ten minutes on two free cores.",
        ),
    ] = False,
    certificate: Annotated[
        bool, typer.Option("--certify", help="Compile everything and write the certificate.")
    ] = False,
    table: Annotated[bool, typer.Option("--table", help="One row a theorem, by claim, from the certificate.")] = False,
    independent: Annotated[bool, typer.Option("--independent", help="With a check: let coqchk read it again.")] = False,
    reasons: Annotated[bool, typer.Option("--reasons", help="Why statements have no proposition.")] = False,
    folder: Annotated[Path, typer.Option(help="The folder of the proofs.")] = FOLDER,
) -> None:
    """Write the propositions of the statements, or have their proofs checked."""
    if (write or check_all or certificate or table) and not (folder / AXIOMS).is_file():
        remedy = "run it in the checkout, or name the folder with --folder"
        raise InvalidParameterError("folder", f"there are no proofs in {folder}", remedy)
    registry = load()
    if claim and not table:
        raise InvalidParameterError("claim", "it goes with --table alone", "pass --table as well, or leave it out")
    for unknown in (name for name in claim or () if name not in registry.claims):
        raise registry.unknown(unknown)
    if write or reasons:
        generated = generate(registry)
        for file, text in generated.files().items() if write else ():
            write_atomically(folder / file, text)
        if reasons:
            for reason, count in Counter(generated.reasons.values()).most_common():
                typer.echo(f"{count:4} {reason}")
        typer.echo(f"{len(generated.propositions)} statements as propositions, {len(generated.reasons)} without one")
    if check_all or certificate:
        if not checking.installed():
            typer.echo(f"Rocq is not installed; the packages of Debian are listed in {folder / PACKAGES}", err=True)
            raise typer.Exit(NOT_INSTALLED)
        report = check(folder, registry, typer.echo, against_certificate=not certificate, independent=independent)
        for line in report.lines():
            typer.echo(line, err=True)
        wanted = wanted_packages(folder)
        here = checking.packages(wanted)
        if certificate and not report.wrong:
            today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
            found = certify(report.proofs, report.compiled, registry, today, checking.version(), here)
            write_atomically(folder / CERTIFICATE, dump(found.to_json()))
        typer.echo(_counted(report))
        _compare_packages(wanted, here)
        if report.wrong:
            raise typer.Exit(1)
    if table:
        _print(Proofs.read(folder), Certificate.read(folder), claim or registry.claims)


def _compare_packages(wanted: Iterable[str], here: Iterable[str]) -> None:
    """Say which packages are others than those that the check is meant for."""
    installed = dict(one.split("=", 1) for one in here)
    for name, version in (one.split("=", 1) for one in wanted):
        if installed.get(name) != version:
            typer.echo(f"{name}: {installed.get(name, 'no package')} here, {version} in {PACKAGES}", err=True)


def _counted(report: Report) -> str:
    kinds = Counter(theorem.kind.value for theorem in report.proofs.theorems.values())
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "no theorem"
    return f"{told}; {sum(report.compiled.seconds.values()):.0f} s; {'FAILED' if report.wrong else 'all checked'}"


def _print(proofs: Proofs, certificate: Certificate, claims: Collection[str]) -> None:
    shown = Table("statement", "theorem", "kind", "role", "axioms", "file", "lines", "seconds", caption_justify="left")
    shown.caption = f"by the certificate of {certificate.date}, Rocq {certificate.rocq}; seconds are those of the file"
    listed = {
        name: theorem
        for name, theorem in proofs.theorems.items()
        if any(claim_of(statement) in claims for statement in theorem.statements)
    }
    shown.caption += f"\nfiles are below {proofs.folder}; {_spoken_of(listed.values())}"
    for name, theorem in sorted(listed.items(), key=lambda pair: pair[1].statements):
        entry = certificate.theorems.get(name)
        axioms, *rest = ("?", "", "") if entry is None else (_in_words(entry.axioms), entry.lines, entry.seconds)
        for statement in (one for one in theorem.statements if claim_of(one) in claims):
            about = (statement, theorem.name, theorem.kind.value, theorem.role.value, axioms, theorem.file)
            shown.add_row(*about, *map(str, rest))
    Console(width=220).print(shown)


def _spoken_of(theorems: Collection[Theorem]) -> str:
    """Count the claims, and the steps of their proofs, of which some theorem speaks."""
    names = {name for theorem in theorems for name in theorem.statements}
    laws = {name for theorem in theorems if theorem.kind is Grade.KERNEL_LAW for name in theorem.statements}
    claims, by_law = ({claim_of(name) for name in some} for some in (names, laws))
    steps = sum("/" in name for name in names)
    return f"{len(claims)} claims, {len(by_law)} of them with a theorem about laws or matrices; {steps} steps of proofs"


def _in_words(axioms: Iterable[str]) -> str:
    return ", ".join(name.rpartition(".")[2] if not name.endswith(".*") else name for name in axioms) or "none"
