"""Arguments that have to be of one class."""

from __future__ import annotations

from dpmatrix.errors import InvalidParameterError


def refuse_unless(kind: type, value: object, name: str) -> None:
    """Make sure that an argument is of a class.

    Parameters
    ----------
    kind
        The class that it has to be of, or of a subclass.
    value
        The argument.
    name
        Its name, for messages.

    Raises
    ------
    InvalidParameterError
        If it is of another class. The message names both classes, and nothing of the value.
    """
    if not isinstance(value, kind):
        found, wanted = type(value).__name__, kind.__name__
        raise InvalidParameterError(name, f"it is of the class {found}, not {wanted}", f"pass an object of {wanted}")
