"""Say what click refuses in people's words: what is wrong, its place, and what to do."""

from __future__ import annotations

import re

import click
from click.exceptions import BadOptionUsage, NoArgsIsHelpError, NoSuchCommand, NoSuchOption

from epcg_core.base.errors import bounded

_KINDS = {
    "integer range": "whole number",
    "integer": "whole number",
    "float range": "number",
    "float": "number",
}
"""click's names of kinds of values, and what people call them."""
_BOUNDS = re.compile(
    r"(?:(?P<least>[^<>=x]+)(?P<over><=?))?x(?:(?P<under><=?)(?P<most>.+)|(?P<sign>>=?)(?P<from>.+))?"
)
_LEAST = {"<=": "{} or more", ">=": "{} or more", "<": "more than {}", ">": "more than {}"}
_MOST = {"<=": "{} or less", "<": "less than {}"}


def plainly(error: click.ClickException) -> click.ClickException:
    """Return the error to raise in the place of one of click: the same refusal in people's words."""
    if isinstance(error, NoArgsIsHelpError) or not isinstance(error, click.UsageError):
        return error
    return click.UsageError(bounded(_sentence(error)), error.ctx)


def _sentence(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx is not None else "epcg"
    if isinstance(error, NoSuchCommand):
        guess = _guess(error.possibilities)
        return f"There is no command `{command} {error.command_name}`.{guess} `{command} --help` lists all."
    if isinstance(error, NoSuchOption):
        guess = _guess(error.possibilities)
        return (
            f"There is no option {error.option_name}.{guess} `{command} --help` lists those that there are."
        )
    if isinstance(error, BadOptionUsage) and "requires" in error.message:
        return f"{error.option_name} needs a value: the command with `--help` says which."
    if isinstance(error, click.MissingParameter):
        choices = f" It is one of {', '.join(_choices(error.param))}." if _choices(error.param) else ""
        return f"{_name(error)} is missing.{choices} `{command} --help` says what to give, with examples."
    if isinstance(error, click.BadParameter):
        name = _name(error)
        listed = " `epcg runs` lists the runs." if name == "RUN" else ""
        return f"{name}: {_in_words(error.message, error.param)}{listed}"
    return re.sub(r"^Got unexpected extra arguments? \((.*)\)$", _extra, error.message, flags=re.DOTALL)


def _guess(names: list[str] | None) -> str:
    """Return a question with the names that may be meant; '' if there are none."""
    if not names:
        return ""
    quoted = [f"'{name}'" for name in names]
    return f" Did you mean {' or '.join([', '.join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)}?"


def _choices(parameter: click.Parameter | None) -> list[str]:
    kind = getattr(parameter, "type", None)
    return [str(choice) for choice in kind.choices] if isinstance(kind, click.Choice) else []


def _name(error: click.BadParameter) -> str:
    """Return an option as it is written, or an argument as the help has it."""
    if error.param_hint is not None:
        hints = [error.param_hint] if isinstance(error.param_hint, str) else error.param_hint
        return " or ".join(hint.strip("'") for hint in hints)
    if error.param is None:
        return "A value"
    if isinstance(error.param, click.Argument):
        return error.param.human_readable_name.strip("[].")
    return max(error.param.opts, key=len)


def _in_words(message: str, parameter: click.Parameter | None) -> str:
    """Return what click says of a value in people's words."""
    found = re.search(rf" is not a valid ({'|'.join(_KINDS)})\.$", message)
    if found is not None:
        taken = None if parameter is None else parameter.type
        bounds = ""
        if isinstance(taken, click.IntRange | click.FloatRange):
            bounds = _bounds_in_words(taken._describe_range())
        return f"{message[: found.start()]} is not a {_KINDS[found[1]]}{bounds and f': {bounds}'}."
    found = re.search(r" is not in the range (.+)\.$", message)
    if found is not None:
        return f"{message[: found.start()]} is not allowed: {_bounds_in_words(found[1])}."
    if found := re.match(r"(?:File|Path|Directory|Folder) ('.*') does not exist\.$", message, re.DOTALL):
        kind = "folder" if message[0] == "D" else "file"
        return f"there is no {kind} {found[1]}. Look at its name, or give its whole path."
    if found := re.fullmatch(r"(?:File|Path) ('.*') is a directory\.", message, re.DOTALL):
        return f"{found[1]} is a folder: name a file."
    if found := re.fullmatch(r"Directory ('.*') is a file\.", message, re.DOTALL):
        return f"{found[1]} is a file: name a folder."
    return message


def _bounds_in_words(bounds: str) -> str:
    """Return what click writes as '1<=x<=9' in words."""
    found = _BOUNDS.fullmatch(bounds)
    if found is None:
        return f"expected {bounds}"
    if found["over"] == found["under"] == "<=":
        return f"expected {found['least']} to {found['most']}"
    words = []
    if found["least"]:
        words.append(_LEAST[found["over"]].format(found["least"]))
    if found["sign"]:
        words.append(_LEAST[found["sign"]].format(found["from"]))
    if found["most"]:
        words.append(_MOST[found["under"]].format(found["most"]))
    return f"expected {' and '.join(words)}"


def _extra(found: re.Match[str]) -> str:
    """Return what click says of arguments that a command does not take, with what to do."""
    return f"The command does not take '{found[1]}': leave it out, or put a value with spaces into quotes."
