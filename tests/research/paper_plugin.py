"""Publications about the toy domain of tests/toy_plugin.py, for tests of `epcg reproduce`.

The queries are files in the working directory. Nothing here may import from the tests.
"""

from __future__ import annotations

from pathlib import Path

from epcg_core import hookimpl
from epcg_core.domain import PublicationInfo
from epcg_core.domain.publications import Ask, Exact, OutOfReach, Plot, Row, Table

EPCG_API_VERSION = 1
SUMS = Ask("sums.toml")
TOTAL = "SELECT total FROM metrics WHERE run_id = :run AND metric = 'digits'"


def sums():
    return (
        Table(
            name="digits",
            printed="Table 1",
            title="Digit sums <of> numbers",
            candidates=100,
            rows=(
                Row(label="all | of them", published=Exact(900), ask=SUMS, sql=TOTAL, quick=True),
                Row(label="two-digit numbers", published=Exact(89), ask=SUMS, quick=True, reason="an erratum",
                    sql="SELECT count(*) FROM scores WHERE run_id = :run AND rank >= 10", found=Exact(90)),
                Row(label="half", published=None, ask=Ask("sums.toml", ("generator.size=50",)), sql=TOTAL),
                Row(label="by hand", published=Exact(3), reduce=len, ask=SUMS, quick=True,
                    sql="SELECT rank FROM scores WHERE run_id = :run AND (value = 17 OR rank = 0)"),
                Row(label="in a file", published=Exact("yes"), compute=read, how="reads it", needs_data=True,
                    quick=True),
                Row(label="a library", published=Exact(1), compute=library, how="imports it", quick=True),
                Row(label="all numbers", published=None, out_of_reach=OutOfReach("size", "too many", 10**12)),
            ),
            plot=Plot(title="Sums", axis="sum"),
        ),
        Table(
            name="drawn",
            title="A picture",
            rows=(Row(label="a", published=Exact(900), ask=SUMS, sql=TOTAL, quick=True),),
            plot=Plot(title="Drawn", draw=draw),
        ),
    )  # fmt: skip


def wrong():
    return (
        Table(
            name="sums",
            title="Wrong",
            rows=(
                Row(label="too small", published=Exact(899), ask=SUMS, sql=TOTAL),
                Row(label="right", published=Exact(900), ask=SUMS, sql=TOTAL),
            ),
        ),
    )


def read(bench):
    return bench.file("answers/it.txt").read_text().strip()


def library(bench):
    bench.require("no_such_library", "epcg-papers[library]")
    return 1


def draw(bench, path: Path):
    path.write_text(
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><g id="a"/><use href="#a"/></svg>'
    )


@hookimpl
def epcg_register_publications(register):
    register(PublicationInfo(name="1999-sums", paper="1999", title="On Sums (1999)", factory=sums))
    register(PublicationInfo(name="1999-wrong", paper="1999", title="On Wrong Sums", factory=wrong))
