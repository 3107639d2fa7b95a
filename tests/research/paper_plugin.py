"""Publications about the toy domain of tests/toy_plugin.py, for tests of `epcg reproduce`.

Their tables are paper_sums.toml and paper_wrong.toml; the queries are files in the working directory. Nothing
here may import from the tests.
"""

from __future__ import annotations

from pathlib import Path

from epcg_research.parts import PublicationInfo

from epcg_core import hookimpl

EPCG_API_VERSION = 1


def read(bench):
    return bench.file("answers/it.txt").read_text().strip(), "one line"


def library(bench, name):
    bench.require(name, "epcg-papers[library]")
    return 1


def number_of(rows):
    return len(rows)


def draw(bench, path: Path, mark: str):
    path.write_text(
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">'
        f'<g id="{mark}"/><use href="#{mark}"/></svg>'
    )


@hookimpl
def epcg_register_publications(register):
    sums, wrong = "epcg_papers:paper_sums.toml", "epcg_papers:paper_wrong.toml"
    register(PublicationInfo(name="1999-sums", paper="1999", title="On Sums (1999)", tables=sums))
    register(PublicationInfo(name="1999-wrong", paper="1999", title="On Wrong Sums", tables=wrong))
