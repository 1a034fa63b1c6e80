"""All commands in one command line."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims import describe, findings, nearest
from dpmatrix.claims.ledger import dump
from dpmatrix.commands.audit import audit_mechanism_command
from dpmatrix.commands.certificate import certificate_command
from dpmatrix.commands.claims import exit_code
from dpmatrix.commands.completion import claim_ids
from dpmatrix.commands.constants import constants, report_section
from dpmatrix.commands.documentation import documentation_command
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.kernel import kernel_command
from dpmatrix.commands.look_ups import command_line
from dpmatrix.commands.new_document import new_document_command
from dpmatrix.commands.notebook import notebook_command
from dpmatrix.commands.pca import pca
from dpmatrix.commands.privacy import calibrate, profile
from dpmatrix.commands.reproduce import REPRODUCED, reproduce
from dpmatrix.commands.runs import DEFAULT_LEDGER, LedgerPath, read_ledger
from dpmatrix.commands.trace import trace_command
from dpmatrix.errors import InvalidParameterError, UnknownClaimError
from dpmatrix.experiments.targets import TARGETS
from dpmatrix.reporting.bindings import add_bindings
from dpmatrix.reporting.figures import reproduced
from dpmatrix.reporting.html import render
from dpmatrix.reporting.implementations import implementations
from dpmatrix.reporting.record import report_record
from dpmatrix.reporting.restamp import FOLDERS, citations, restamp
from dpmatrix.reporting.snapshots import changes_since
from dpmatrix.reporting.specifications import fingerprints
from dpmatrix.spec import STANDINGS, catalogue, documents, load, traced
from dpmatrix.typesetting.registries import typeset_claims

app = command_line()


@app.command()
@one_line
def report(
    *,
    ledger: LedgerPath = DEFAULT_LEDGER,
    output: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("build/audit/report.html"),
    figures: Annotated[Path, typer.Option(help="Where `reproduce` left its files.")] = REPRODUCED,
    since: Annotated[
        str | None,
        typer.Option(metavar="REVISION|FILE", help="To compare with another snapshot."),
    ] = None,
) -> None:
    """Write the HTML report of the last run, with the figures that were reproduced, and its JSON beside it."""
    run = read_ledger(ledger)
    if run is None:
        raise typer.BadParameter(f"no ledger at {ledger}; run `make audit` first", param_hint="--ledger")
    if output.suffix == ".json":
        raise typer.BadParameter(f"{output} is where the data would go; name the HTML file", param_hint="--output")
    registry = load()
    described = describe(registry, run, implementations())
    traces = traced()
    add_bindings(described, registry, traces)
    found = findings(registry, run.evidence)
    try:
        shown = reproduced(TARGETS, figures)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--figures") from error
    changes = changes_since(run, STANDINGS, since)
    page = render(
        described,
        run,
        documents(),
        catalogue().pending,
        report_section(),
        found,
        shown,
        changes,
        typeset_claims(registry, traces),
    )
    write_atomically(output, page)
    data = output.with_suffix(".json")
    write_atomically(data, dump(report_record(described, run, found, changes)))
    typer.echo(f"wrote {output} and {data}")
    raise typer.Exit(exit_code(described))


@app.command(name="restamp")
@one_line
def restamp_command(
    claim: Annotated[
        list[str],
        typer.Argument(help="Claims whose citations have been read again, or `all`.", autocompletion=claim_ids),
    ],
    *,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    specification: Annotated[
        str | None, typer.Option(metavar="MODULE", help="Module of the claims, in a project of your own.")
    ] = None,
) -> None:
    """Write the present fingerprint of claims into everything that cites them, once it has been read again."""
    try:
        known = load().fingerprints if specification is None else fingerprints(root, specification)
    except ModuleNotFoundError as error:
        raise typer.BadParameter(f"{error} in {root}", param_hint="--specification") from error
    wanted = set(known) if claim == ["all"] else set(claim)
    unknown = sorted(wanted - set(known))
    if unknown:
        told = [UnknownClaimError(name, nearest(name, known)) for name in unknown]
        own = "" if specification is not None else "; of a project of your own pass --specification MODULE as well"
        raise typer.BadParameter("; ".join(map(str, told)) + own, param_hint="CLAIM")
    changed = restamp(root, {name: known[name] for name in wanted})
    for path, count in changed.items():
        typer.echo(f"{path}: {count}")
    if not changed:
        _explain_that_nothing_changed(root, wanted, specification)


def _explain_that_nothing_changed(root: Path, wanted: Collection[str], specification: str | None) -> None:
    """Say that every citation is of the present text.

    Raises
    ------
    InvalidParameterError
        If there is no citation.
    """
    count = citations(root, wanted)
    if count:
        typer.echo(f"nothing to write; citations that have the present fingerprint: {count}")
        return
    problem = f"nothing in {', '.join(FOLDERS)} of {root.resolve()} cites these claims"
    if specification is None:
        remedy = "in a project of your own pass --specification MODULE, and --root for another folder"
        raise InvalidParameterError("specification", f"{problem}, which are the library's", remedy)
    raise InvalidParameterError("root", problem, "pass --root for the folder of the project")


app.command(name="audit")(audit_mechanism_command)
app.command()(profile)
app.command()(calibrate)
app.command()(constants)
app.command()(reproduce)
app.command()(pca)
app.command(name="certificate")(certificate_command)
app.command(name="trace")(trace_command)
app.command(name="kernel")(kernel_command)
app.command(name="documentation")(documentation_command)
app.command(name="notebook")(notebook_command)
app.command(name="new-document")(new_document_command)
