"""The report of a run as one offline HTML file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpmatrix.claims import Ledger


def render(
    described: Sequence[Mapping[str, Any]],
    ledger: Ledger,
    titles: Mapping[str, str],
    pending: Collection[str],
    constants: Mapping[str, Any] | None = None,
) -> str:
    """Render the claims of one run.

    Parameters
    ----------
    described
        Claims as `dpmatrix.claims.describe` returns them.
    ledger
        The run.
    titles
        The title of each document by its name.
    pending
        Ids of the catalogue that have not been begun.
    constants
        The table of printed constants: an ``explanation``, the ``headings`` and the ``rows``; left out by default.
    """
    templates = Environment(
        loader=PackageLoader("dpmatrix.reporting"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    begun = {claim["document"] for claim in described}
    return templates.get_template("report.html.j2").render(
        documents={name: titles[name] for name in titles if name in begun},
        claims=described,
        verdicts=Counter(claim["verdict"] for claim in described),
        states=Counter(claim["standing"] for claim in described),
        pending=sorted(pending),
        constants=constants,
        audits=ledger.audits,
        violations=ledger.violations,
        environment=ledger.environment,
        items=len(ledger.evidence),
        seconds=sum({item.node: item.seconds for item in ledger.evidence}.values()),
    )
