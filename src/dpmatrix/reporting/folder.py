"""What a run leaves in its folder: the ledger, and the report as a page and as a record."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims import Implementation, Ledger, Registry, findings
from dpmatrix.claims.ledger import describe, dump
from dpmatrix.reporting.bindings import add_bindings
from dpmatrix.reporting.html import render
from dpmatrix.reporting.record import report_record
from dpmatrix.reporting.snapshots import changes_since
from dpmatrix.tracing.copies import include
from dpmatrix.typesetting.registries import typeset_claims


def write_report(
    folder: Path,
    registry: Registry,
    ledger: Ledger,
    implementations: tuple[Implementation, ...],
    pending: Collection[str],
    specification: Any,  # noqa: ANN401 - a module
) -> None:
    """Write the ledger and the report of a run.

    Parameters
    ----------
    folder
        Where they are written.
    registry, ledger, implementations, pending
        What was judged, and the ids of the catalogue that are not begun.
    specification
        The module with the committed snapshot, the titles of the documents, and perhaps what the tracer found.
    """
    described = describe(registry, ledger, implementations)
    traces = getattr(specification, "traced", lambda: None)()
    add_bindings(described, registry, traces)
    write_atomically(folder / "ledger.json", dump(ledger.to_json() | {"claims": described}))
    found = findings(registry, ledger.evidence)
    changes = changes_since(ledger, specification.STANDINGS)
    include(specification.__name__)
    formulas = typeset_claims(registry, traces)
    titles = specification.documents()
    page = render(described, ledger, titles, pending, found=found, changes=changes, formulas=formulas)
    write_atomically(folder / "report.html", page)
    write_atomically(folder / "report.json", dump(report_record(described, ledger, found, changes)))
