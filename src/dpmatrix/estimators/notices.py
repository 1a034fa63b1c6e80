"""What an estimator warns of."""

from __future__ import annotations

import warnings


class PrivacyWarning(UserWarning):
    """Something about the guarantee of a fitted estimator that its user should know."""


_LEVELS = 4
"""From `notify` up to the caller of ``fit``, the same for every notice."""


def notify(words: str) -> None:
    """Warn the caller of `fit`."""
    warnings.warn(words, PrivacyWarning, stacklevel=_LEVELS)
