"""`epcg new-domain`: a complete plugin, small enough to be read at once, as the beginning of another."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

import click

from epcg_core.inside import FACES, say, show
from epcg_core.plugin import DomainInfo, QueryError, command, registry

SAMPLE = "lamps"
"""The domain that the template is; its name is replaced, in texts and in the names of files."""
_SUFFIX = ".template"
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@command("new-domain")
@click.argument("name")
@click.pass_context
def new_domain(ctx: click.Context, name: str) -> None:
    """Write ./epcg-NAME, a plugin with a small puzzle in it: generator, evaluator, inference rule, renderers,
    editor, query and tests. It can be installed and passes its tests; replace the puzzle by yours.

    \b
    Examples:
      epcg new-domain demo
      pip install -e './epcg-demo[test]'
      pytest epcg-demo
      epcg run demo/hardest
    """
    root = ctx.find_root()
    commands = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    check_name(name, {*commands, *(info.name for info in registry().all(DomainInfo))})
    folder = Path(f"epcg-{name.replace('_', '-')}")
    if folder.exists():
        raise QueryError(f"'{folder}' is there already, and nothing in it is changed: choose another name.")
    for path, text in sorted(plugin_files(name).items()):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        show(str(target))
    say(f"\nInstall it with `pip install -e './{folder}[test]'`, then try `epcg check {name}`,")
    say(f"`pytest {folder}` and `epcg run {name}/hardest`. Begin with {folder / 'README.md'}.")


def check_name(name: str, taken: set[str]) -> None:
    """Raise QueryError if a new domain cannot have this name."""
    if keyword.iskeyword(name):
        raise QueryError(f"'{name}' is a keyword of Python and cannot be a package's name: choose another.")
    if not _NAME.fullmatch(name):
        raise QueryError(
            f"'{name}' cannot be a domain's name: it begins with a letter and consists of small letters, "
            "digits and single underscores, like 'peg_rows'."
        )
    if name in taken:
        raise QueryError(f"'{name}' is the name of a domain or a command already: choose another.")
    if name in ("core", "epcg", *FACES) or find_spec(f"epcg_{name}") is not None:
        raise QueryError(
            f"The package epcg_{name} would hide one that is there already: choose another name."
        )


def plugin_files(name: str) -> dict[str, str]:
    """Return the files of the plugin by their paths in its folder."""
    return {
        _named(path.removesuffix(_SUFFIX), name): _named(text, name)
        for path, text in _texts(files(__package__) / "domain_template", "")
    }


def _named(text: str, name: str) -> str:
    """Replace the name of the sample in all its forms."""
    title = name.replace("_", " ").capitalize()
    dashed = text.replace(f"epcg-{SAMPLE}", f"epcg-{name.replace('_', '-')}")
    classes = dashed.replace(f"Test{SAMPLE.capitalize()}", "Test" + title.title().replace(" ", ""))
    return classes.replace(SAMPLE.capitalize(), title).replace(SAMPLE, name)


def _texts(folder: Traversable, above: str) -> list[tuple[str, str]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{above}{entry.name}"
        if entry.is_dir():
            found += _texts(entry, f"{path}/")
        elif entry.name.endswith(_SUFFIX):
            found.append((path, entry.read_text(encoding="utf-8")))
    return found
