"""The certificate of a release as one HTML file that needs nothing else."""

from __future__ import annotations

from dpmatrix.release_certificates.contents import NO_RUN, UNKNOWN, Contents
from dpmatrix.release_certificates.topics import VERSION
from dpmatrix.reporting.html import templates


def render(said: Contents, date: str) -> str:
    """Write the page; whatever comes from the file is escaped.

    Parameters
    ----------
    said
        What it says.
    date
        The day on which it is written.
    """
    template = templates().get_template("release.html.j2")
    return template.render(said=said, file=said.file, date=date, unknown=UNKNOWN, no_run=NO_RUN, nist=VERSION)
