"""The commands that look something up, and the empty command line that all commands are added to."""

from __future__ import annotations

import typer

from dpmatrix.commands.claims import claims_command
from dpmatrix.commands.findings import findings_command
from dpmatrix.commands.help_texts import Commands
from dpmatrix.commands.sentences import sentences_command


def command_line() -> typer.Typer:
    """Return the command line with the commands that look something up."""
    app = Commands(
        help="Differentially private matrix analysis: what the documents state, and what holds.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.command(name="claims")(claims_command)
    app.command(name="findings")(findings_command)
    app.command(name="sentences")(sentences_command)
    return app


look_ups = command_line()
