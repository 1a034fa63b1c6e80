"""The errors that a caller can act on."""

from __future__ import annotations


class DpmatrixError(Exception):
    """Base class of every error that the library raises on purpose."""


class InvalidParameterError(DpmatrixError, ValueError):
    """A parameter outside its domain.

    Parameters
    ----------
    parameter
        Name of the parameter, as the caller wrote it.
    problem
        What is wrong with the value.
    remedy
        What the caller can do about it.
    """

    def __init__(self, parameter: str, problem: str, remedy: str) -> None:
        self.parameter = parameter
        self.problem = problem
        self.remedy = remedy
        super().__init__(parameter, problem, remedy)

    def __str__(self) -> str:
        return f"{self.parameter}: {self.problem}; {self.remedy}"


class RecordFileError(DpmatrixError, ValueError):
    """A file of records holds something that is not a record.

    Parameters
    ----------
    path
        The file.
    line
        Its line, or its row where it has no lines, counted from one; None where no line is meant or named.
    column
        The column, in words, or None where the whole line is meant.
    problem
        What is wrong.
    """

    def __init__(self, path: str, line: int | None, column: str | None, problem: str) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.problem = problem
        super().__init__(path, line, column, problem)

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        return f"{', '.join(filter(None, (self.path, line, self.column)))}: {self.problem}"


class MissingExtraError(DpmatrixError, ImportError):
    """Something was asked that an optional dependency does, and it is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        told = f'install dpmatrix[{extra}], which in a checkout is: pip install -e ".[{extra}]"'
        super().__init__(f"{package} is not installed; {told}", name=package)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), (self.package, self.extra)


class NotPrivateError(DpmatrixError):
    """A release was asked of a mechanism or an entropy source that cannot keep its guarantee."""


class SingleUseError(NotPrivateError):
    """Noise or an account would be used twice: in a child process, by a copy, or within another use.

    Parameters
    ----------
    problem
        What would be used twice.
    remedy
        What the caller can do about it.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(problem, remedy)

    def __str__(self) -> str:
        return f"{self.problem}; {self.remedy}"


class BudgetExceededError(DpmatrixError):
    """A release would give away more than the budget allows; nothing is released."""


class RefusedError(DpmatrixError, RuntimeError):
    """A mechanism that may draw several times found nothing to release within its number of attempts."""


class NoVerdictError(DpmatrixError, RuntimeError):
    """An audit cannot judge a mechanism: it fails, hangs, repeats its outputs, or there was too little time."""


class UndecidedError(DpmatrixError):
    """Interval arithmetic could not decide a question at the highest precision allowed."""


class EntropyError(DpmatrixError, RuntimeError):
    """The source of random bits failed, ran short, is stuck, or was shared with another process."""


class UnsoundArithmeticError(DpmatrixError, RuntimeError):
    """The machine computes otherwise than the proof of a release assumes; nothing is released."""


class TooSlowError(DpmatrixError, RuntimeError):
    """An exact draw would take longer than the caller allows; nothing is released.

    Mechanisms raise it only where a limit was asked for. Whether a draw would take longer depends on the records, and
    no guarantee covers that; the message says nothing else of them.
    """


class WorkerLostError(DpmatrixError, RuntimeError):
    """A process or machine that worked on a part of the records ended without a result; nothing is released."""


class OutOfRangeError(DpmatrixError, OverflowError):
    """An exact variate does not fit the integers that it was asked in; nothing is released."""


class UnknownClaimError(DpmatrixError, KeyError):
    """No claim has this id.

    Parameters
    ----------
    claim
        The id that was asked for.
    nearest
        Ids that may have been meant.
    """

    def __init__(self, claim: str, nearest: tuple[str, ...] = ()) -> None:
        self.claim = claim
        self.nearest = nearest
        super().__init__(claim, nearest)

    def __str__(self) -> str:
        meant = f"; did you mean {' or '.join(self.nearest)}?" if self.nearest else ""
        return f"no claim {self.claim!r}{meant} (`python -m dpmatrix claims` lists them)"


class NothingFoundError(DpmatrixError, LookupError):
    """No claim has all the words that were looked for.

    Parameters
    ----------
    words
        What was looked for.
    why
        Which of the words are nowhere, and what may have been meant.
    """

    def __init__(self, words: str, why: str) -> None:
        self.words = words
        self.why = why
        super().__init__(words, why)

    def __str__(self) -> str:
        return f"no claim has all of {self.words!r}" + (f" ({self.why})" if self.why else "")


class SnapshotError(DpmatrixError, ValueError):
    """A snapshot of standings cannot be found, or what was found is none."""
