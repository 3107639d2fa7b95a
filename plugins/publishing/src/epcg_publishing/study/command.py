"""`epcg study site`: a plan becomes pages on which the study runs.

Imports inside functions keep its help light.
"""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.inside import json_option, say, write_json
from epcg_core.plugin import command, db_option, documents, find
from epcg_publishing.limits import MOST_POSITIONS


@command("site")
@click.argument("plan", metavar="PLAN")
@click.option("--output", "folder", metavar="FOLDER", type=click.Path(path_type=Path),
              help="A new or empty folder. Default: the name of the study.")  # fmt: skip
@click.option("--positions", type=click.IntRange(1, 10_000_000), default=MOST_POSITIONS, show_default=True,
              help="The most positions of a puzzle. One that has more carries a fifth of them, those nearest "
              "to its solution.")  # fmt: skip
@db_option
@json_option
def site(plan: str, folder: Path | None, positions: int, location: str, as_json: bool) -> None:
    """Make the pages of a study from PLAN, a TOML file or a plan that a plugin ships: consent, training, the
    puzzles in each person's order, questions, and at the end one file to save.

    The pages need no server and no network, and send nothing. A person is named by the address,
    index.html?p=17, or asked for a number or code. `epcg import study` reads the saved files, and needs the
    folder's study.json: keep it.

    \b
    Examples:
      epcg study site my_study.toml --output study
      epcg study site snakebird/design_of_2020
    """
    from epcg_core.inside import study_file
    from epcg_publishing.study.laid import lay
    from epcg_publishing.study.plan import load_study
    from epcg_publishing.study.site import PLAN, write_study

    path = study_file(plan)
    read = load_study(path)
    with find.reading(location) as reader:
        laid = lay(read, path.name, path.parent, reader, location)
    folder = folder or Path(documents.file_name(read.name))
    shown = write_study(laid, folder, positions, where=path.name, quiet=False)
    for each in shown:
        if not each.solvable:
            say(f"{each.name}: no solution is known; the pages cannot tell whether it has one.")
        if not each.complete:
            say(f"{each.name} carries only the positions nearest to a solution (see --positions).")
    rows, cycle = len(laid.design.rows), laid.design.cycle
    balanced = (
        f"everything occurs equally often after {cycle:,} people" if cycle > 1 else "all people get the same"
    )
    say(
        f"{read.name}: {len(shown)} puzzles; {balanced}, and person {rows + 1:,} gets what person 1 got. "
        f"Open {folder / 'index.html'}, and keep {folder / PLAN} for `epcg import study`."
    )
    if as_json:
        digest = laid.data()["digest"]
        data = {"name": read.name, "output": str(folder), "puzzles": len(shown), "rows": rows}
        write_json({**data, "cycle": cycle, "digest": digest})
