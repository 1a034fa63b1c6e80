"""What every small project needs that is run to see how the gate judges it."""

from __future__ import annotations

import os


def environment() -> dict[str, str]:
    """Return the environment without what an outer run of pytest leaves in it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "PYTHONOPTIMIZE"))}
    return kept | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "400"}
