"""What an estimator warns of: each warning names the claims that it rests on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class PrivacyWarning(UserWarning):
    """Something about the promise of a fitted estimator that its user should know."""


_LEVELS = 5
"""From `notify` up to the caller of ``fit``, the same for every notice."""


def notify(words: str, claims: Iterable[str] = ()) -> None:
    """Warn the caller of `fit`, with the claims in brackets."""
    named = ", ".join(claims)
    warnings.warn(f"{words} [{named}]" if named else words, PrivacyWarning, stacklevel=_LEVELS)
