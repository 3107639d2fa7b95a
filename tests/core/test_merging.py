"""Parts of a run, computed into databases of their own, become the run that one process computes."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import Result

from epcg_core.base.errors import CheckFailedError, ParamsError, StoreError
from epcg_core.query.query import Query, parse_query
from epcg_core.runs import merging
from epcg_core.runs.coordinator import execute
from epcg_core.store import Store
from epcg_core.store.records import Part, Sample
from tests.core.search.breadth_first.conftest import place as graphs  # noqa: F401
from tests.core.search.breadth_first.place import Graphs
from tests.core.search.exact_cover.conftest import place as tilings  # noqa: F401
from tests.core.search.exact_cover.place import Tilings
from tests.workplace import SERIAL, Numbers, Workplace, made_once, new_database, recorded, sweep

KEPT = '[[select]]\nmetric = "digits"\ncount = 5\n[record]\nrows = "{}"\n'
ODD = '[filter]\nmetric = "even"\nmax = 0\nsearch = {{ name = "exhaustive" }}\n'
ODD += 'evaluators = [{{ name = "even" }}]\n'


def compute(
    place: Workplace,
    query: Query,
    index: int,
    of: int,
    base: Path | None = None,
    name: str = "part",
    **sizes: Any,
) -> Path:
    """Compute a part into a database of its own, without a base once a process; returns the file."""
    path = place.folder / f"{name}{index}.db"

    def make() -> None:
        new_database(path)
        with Store.open(path, write=True) as store:
            if base is not None:
                merging.take_needed(query, str(base), store)
            execute(query, store, attrs.evolve(SERIAL, **sizes), part=Part(index, of))

    if base is None:
        made_once(path, (type(place), "part", repr(query), index, of, repr(sizes)), make)
    else:
        make()
    return path


def compute_all(place: Workplace, query: Query, of: int, **more: Any) -> list[Path]:
    return [compute(place, query, index, of, **more) for index in range(1, of + 1)]


def merge(into: Path, parts: Sequence[Path], incomplete: bool = False) -> merging.Merged:
    (found,) = merging.merge(str(into), [*map(str, parts)], incomplete=incomplete, options=SERIAL)
    return found


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("rows", "filtered", "unit", "chunk", "of"),
    [
        ("all", False, 16, 64, 2),
        ("kept", True, 16, 64, 2),
        pytest.param("all", False, 16, 64, 3, marks=pytest.mark.slow),
        pytest.param("all", True, 128, 64, 3, marks=pytest.mark.slow),
        pytest.param("kept", False, 8, 1024, 3, marks=pytest.mark.slow),
        pytest.param("kept", True, 16, 64, 3, marks=pytest.mark.slow),
        pytest.param("none", False, 64, 64, 3, marks=pytest.mark.slow),
    ],
)
def test_merged_parts_are_the_run_in_one_piece(
    bench: Numbers, rows: str, filtered: bool, unit: int, chunk: int, of: int
) -> None:
    """Values, statuses, rows, histograms, kept candidates and digests; in any order of the parts."""
    more = ((ODD if filtered else "") + KEPT).format(rows)
    query = bench.query("digits", "root", "even", "divisor", size=300, more=more)
    whole = bench.folder / "whole.db"
    one = bench.run(query, database=whole, unit_size=unit, chunk_size=chunk)
    parts = compute_all(bench, query, of, unit_size=unit, chunk_size=chunk)
    random.Random(unit).shuffle(parts)
    merged = merge(bench.folder / "all.db", parts)
    assert merged.run.digest == one.goal.digest
    assert merged.outcome is not None
    assert merged.outcome.kept == one.kept
    assert recorded(bench.folder / "all.db") == recorded(whole)
    assert merged.run.rows == one.goal.rows
    assert {check.name: check.detail for check in bench.verify(
        merged.run.id, 100, database=bench.folder / "all.db").checks if not check.passed} == {}  # fmt: skip


@pytest.mark.parametrize("of", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_errors_are_carried(bench: Numbers, of: int) -> None:
    query = bench.query("fails", size=100, more='[record]\non_error = "record"\n')
    one = bench.run(query, database=bench.folder / "whole.db", unit_size=16, chunk_size=64)
    parts = compute_all(bench, query, of, unit_size=16, chunk_size=64)
    assert merge(bench.folder / "all.db", parts).run.digest == one.goal.digest
    assert recorded(bench.folder / "all.db") == recorded(bench.folder / "whole.db")
    assert recorded(bench.folder / "all.db")["candidates"] != []


def test_parts_are_cut_alike_on_any_machine(bench: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit sizes follow from the run and the number of parts, not from how fast it is."""
    query = bench.query("digits", size=5000)
    sizes = set()
    for index, speed in enumerate((1, 10**6), 1):
        monkeypatch.setattr("epcg_core.runs.coordinator.block_size", lambda *_, speed=speed: speed)
        path = compute(bench, query, index, 2)
        sizes.add(bench.sql("SELECT unit_size, chunk_size FROM run", path)[0])
    assert sizes == {(32, 65_536)}


@pytest.mark.parametrize("seed", sweep(range(9), lambda seed: seed == 4))
def test_parts_that_stopped_anywhere_are_merged_step_by_step(bench: Numbers, seed: int) -> None:
    """Incomplete parts, merged as they come, again and again, with chunks that cross their borders.

    Seed 4 means two parts of a hundred numbers.
    """
    chance = random.Random(seed)
    of, unit = chance.choice([2, 3, 5]), chance.choice([8, 16, 64])
    query = bench.query("mixed_array", "digits", size=chance.randrange(150, 450))
    one = bench.run(query, database=bench.folder / "whole.db", unit_size=unit, chunk_size=64)
    parts = compute_all(bench, query, of, unit_size=unit, chunk_size=64)
    into = bench.folder / "all.db"
    done = False
    for _ in range(4):
        some = []
        for path in parts:
            copy = path.with_name(f"copy-{path.name}")
            copy.write_bytes(path.read_bytes())
            place = bench.other(copy.stem)
            starts = [start for (start,) in place.sql("SELECT start FROM unit ORDER BY start")]
            keep = chance.randrange(len(starts) + 1)
            cut = starts[keep] if keep < len(starts) else 10**9
            whole = place.sql(f"SELECT max(start + count) FROM score_chunk WHERE start < {cut}")[0][0] or 0
            if cut < whole:  # inside a chunk that is merged already: a kill leaves no such part
                cut = whole
            place.change(
                f"DELETE FROM unit WHERE start >= {cut}", f"DELETE FROM score_chunk WHERE start >= {cut}"
            )
            if place.sql("SELECT count(*) FROM unit")[0][0]:
                some.append(copy)
        if some:
            done = merge(into, some, incomplete=True).gaps == ()
    merged = merge(into, parts)
    assert merged.gaps == ()
    assert merged.run.digest == one.goal.digest
    assert recorded(into) == recorded(bench.folder / "whole.db")
    assert done or merged.units
    assert not bench.other("all").failed(merged.run.id, sample=20)


def test_gaps_are_refused_or_computed_later(bench: Numbers) -> None:
    query = bench.query("digits", size=640)
    parts = compute_all(bench, query, 4)
    into = bench.folder / "all.db"
    with pytest.raises(StoreError, match=r"Ranks 160 to 319 are missing \(part 2/4 is not among the files\)"):
        merge(into, [parts[0], parts[2], parts[3]])
    assert not into.exists()
    merged = merge(into, [parts[0], parts[3]], incomplete=True)
    assert merged.gaps == ((160, 480),)
    assert not merged.run.done
    with pytest.raises(StoreError, match="Ranks 160 to 319 are missing"):
        merge(into, [parts[2]])
    whole = bench.other("whole").given(query).goal
    with Store.open(into, write=True) as store:
        assert execute(query, store, SERIAL).goal.digest == whole.digest
    again = merge(into, [parts[1]])
    assert (again.units, again.run.digest) == (0, whole.digest)


@pytest.mark.parametrize("of", sweep([1, 2, 7], lambda of: of == 2))
def test_the_parts_of_a_run_over_a_range_tile_it(bench: Numbers, of: int) -> None:
    query = bench.query("digits", size=1000, more="[range]\nstart = 37\nstop = 901\n")
    one = bench.run(query, database=bench.folder / "whole.db", unit_size=16, chunk_size=64)
    parts = compute_all(bench, query, of, unit_size=16, chunk_size=64)
    assert merge(bench.folder / "all.db", parts).run.digest == one.goal.digest


@pytest.mark.parametrize("of", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_solutions_are_carried(tilings: Tilings, of: int) -> None:  # noqa: F811
    query = tilings.query()
    one = tilings.given(query, unit_size=4)
    into = tilings.other("all")
    merged = merge(into.database, compute_all(tilings, query, of, unit_size=4))
    assert merged.run.digest == one.goal.digest
    assert into.solutions() == tilings.solutions() != []
    assert into.verify(1).passed


def test_a_part_is_verified_as_a_part(bench: Numbers) -> None:
    path = compute(bench, bench.query("digits", "even", size=640), 2, 3, unit_size=16, chunk_size=64)
    place = bench.other(path.stem)
    report = place.verify(1)
    assert report.passed, [check for check in report.checks if not check.passed]
    coverage = next(check.detail for check in report.checks if check.name == "coverage")
    assert "ranks 208 to 415, part 2/3 of the run" in coverage
    place.change("DELETE FROM unit WHERE start = 256")
    assert "coverage" in place.failed(1, 10)
    place.change("UPDATE run SET part = 1")
    assert "coverage" in place.failed(1, 10)


@pytest.mark.parametrize(("last", "of"), [(2, 2), pytest.param(3, 3, marks=pytest.mark.slow)])
def test_a_retrograde_layer_is_merged_before_the_next(bench: Numbers, last: int, of: int) -> None:
    """The parts of a layer read the merged layers below, which they take from the merged database."""
    text = 'domain = "pegs"\nsearch = {{ name = "retrograde" }}\n'
    text += 'generator = {{ name = "line", cells = 8, pegs = {} }}\n'
    one = bench.run(parse_query(text.format(last)), database=bench.folder / "whole.db")
    base = bench.folder / "all.db"
    bench.run(parse_query(text.format(1)), database=base)
    for pegs in range(2, last + 1):
        parts = compute_all(bench, parse_query(text.format(pegs)), of, base=base, name=f"layer{pegs}-")
        assert bench.sql("SELECT count(*) FROM run WHERE state = 'done'", parts[0]) == [(pegs - 1,)]
        merge(base, parts)
    assert [run.digest for run in one.runs] == [
        digest for (digest,) in bench.sql("SELECT digest FROM run ORDER BY id", base)
    ]
    assert bench.verify(last, database=base).passed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "search"),
    [(6, "layer = 1"), *(pytest.param(size, "", marks=pytest.mark.slow) for size in (6, 8))],
)
def test_a_breadth_first_search_goes_on_layer_by_layer(
    graphs: Graphs,  # noqa: F811
    size: int,
    search: str,
) -> None:
    query = graphs.query(form="both", size=size, lost=1, search=search)
    one = graphs.run(query, database=graphs.folder / "whole.db", unit_size=8)
    base, used = graphs.folder / "all.db", None
    for _ in range(30):  # the parts' databases stay: what they lack of a merged layer is taken from the base
        parts = compute_all(graphs, query, 2, base=used, unit_size=8)
        if not graphs.sql("SELECT 1 FROM run WHERE state <> 'done'", parts[0]):
            break
        merged, used = merge(base, parts), base
    assert merged.outcome is not None
    assert merged.outcome.goal.digest == one.goal.digest
    runs = "SELECT layer, digest FROM run ORDER BY id"
    assert graphs.sql(runs, base) == graphs.sql(runs, graphs.folder / "whole.db")
    assert graphs.verify(merged.outcome.goal.id, database=base).passed


# --- what does not fit


def test_parts_that_differ_are_refused(bench: Numbers) -> None:
    query = bench.query("digits", size=640)
    parts = compute_all(bench, query, 2)
    other = compute(bench, query, 1, 2, name="other")
    place = bench.other("other1")
    place.change("UPDATE unit SET digest = zeroblob(32) WHERE start = 0")
    into = bench.folder / "all.db"
    with pytest.raises(StoreError, match=r"Ranks 0 to 3 are recorded twice, with different values"):
        merge(into, [*parts, other])
    assert not into.exists()


def test_bytes_that_are_not_what_was_recorded_are_refused(bench: Numbers) -> None:
    parts = compute_all(bench, bench.query("digits", size=640), 2)
    bench.other("part2").change("UPDATE score_chunk SET data = zeroblob(length(data)), codec = 'raw'")
    with pytest.raises(CheckFailedError, match="is damaged"):
        merge(bench.folder / "all.db", parts)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            "UPDATE run SET spec = json_set(spec, '$.versions[0]', 'epcg-core 0.0.9')",
            "computed with epcg-core",
        ),
        ("UPDATE run SET parts = 3", "parts of 2 and of 3"),
        ("UPDATE run SET unit_size = 2 * unit_size", "units of other sizes"),
        ("UPDATE run SET identity = 'other'", "the runs that they read have other values"),
        ('UPDATE sources SET files = \'{"a": "b"}\'', "other sources"),
        ("UPDATE unit SET start = start - 320", "does not belong to part 2/2"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(bench: Numbers, change: str, sentence: str) -> None:
    parts = compute_all(bench, bench.query("digits", size=640), 2)
    bench.other("part2").change(change)
    into = bench.folder / "all.db"
    with pytest.raises(StoreError, match=sentence):
        merge(into, parts)
    assert not into.exists()


def test_databases_that_cannot_be_merged(bench: Numbers, toy: Numbers) -> None:
    query = bench.query("digits", size=640)
    parts = compute_all(bench, query, 2)
    bench.run(query, database=bench.folder / "whole.db")
    for names, sentence in (
        (["all.db", "part1.db", "part1.db"], "part1.db is named twice"),
        (["part1.db", "part1.db", "part2.db"], "part1.db cannot be merged into itself"),
        (["all.db", "part1.db", "lost.db"], "There is no database lost.db: a part of the run is missing"),
        (["all.db", "part1.db", "whole.db"], "whole.db has no part of a run"),
        (["part2.db", "part1.db"], "is a part itself"),
    ):
        before = {path: path.read_bytes() for path in (*parts, bench.folder / "whole.db")}
        refused = toy.epcg("merge", *names, code=1).stderr
        assert sentence in refused
        assert "Traceback" not in refused
        assert {path: path.read_bytes() for path in before} == before
        assert not (bench.folder / "all.db").exists()


def test_the_number_of_parts_stays_between_merges(bench: Numbers) -> None:
    query = bench.query("digits", size=640)
    into = bench.folder / "all.db"
    merge(into, [compute(bench, query, 1, 2)], incomplete=True)
    with pytest.raises(StoreError, match=r"is merged of parts of 2, and .*other4\.db is one of 4"):
        merge(into, [compute(bench, query, 4, 4, name="other")], incomplete=True)


def test_a_run_begun_in_another_way_is_not_merged_into(bench: Numbers) -> None:
    query = bench.query("digits", size=640)
    parts = compute_all(bench, query, 2)
    into = bench.folder / "all.db"
    bench.run(query, database=into, sample=Sample(10), unit_size=128, chunk_size=128)
    with pytest.raises(StoreError, match="finish it with epcg resume 1, or forget it"):
        merge(into, parts)


def test_what_was_computed_with_other_sources_needs_a_word(
    bench: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = compute_all(bench, bench.query("digits", size=640), 2)
    for path in parts:
        bench.other(path.stem).change(
            "UPDATE sources SET files = json_set(files, '$.new', 'x'), digest = 'y'"
        )
    with pytest.raises(StoreError, match="compute the parts again, or merge them with --accept-older"):
        merge(bench.folder / "all.db", parts)


# --- the command line


def test_the_commands_of_parts(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", "even", size=640, more=KEPT.format("all"))
    said = cli("run", query, "--part", "1/2", "--db", "a.db", "--quiet")
    assert "Part 1/2 is computed: ranks 0 to 319. All parts: epcg merge INTO a.db ..." in said.stderr
    assert "Part 1/2 is computed" in cli("resume", 1, "--db", "a.db").stderr
    assert "1/2: ranks 0 to 319" in cli("show", 1, "--db", "a.db").stdout


def test_the_command_that_merges(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", "even", size=640, more=KEPT.format("all"))
    cli("run", query, "--db", "whole.db", "--quiet")
    cli("run", query, "--part", "1/2", "--db", "a.db", "--quiet")
    assert json.loads(cli("run", query, "--part", "2/2", "--db", "b.db", "--json").stdout)["part"] == "2/2"
    merged = cli("merge", "all.db", "a.db", "b.db")
    assert "of 2 parts" in cli("show", 1, "--db", "all.db").stdout
    digest = toy.other("whole").sql("SELECT digest FROM run")[0][0]
    assert merged.stdout == f"{digest}\n"
    assert "640 candidates evaluated, 5 kept" in merged.stderr
    data = json.loads(cli("merge", "all.db", "a.db", "b.db", "--json").stdout)
    assert (data["runs"][0]["digest"], data["runs"][0]["units_merged"], data["runs"][0]["missing"]) == (
        digest,
        0,
        [],
    )
    assert cli("verify", 1, "--db", "all.db", "--sample", 50).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--part", "3/2"), "of four parts, write 1/4, 2/4, 3/4 or 4/4"),
        (("--part", "0/2"), "of four parts, write 1/4"),
        (("--part", "two"), "of four parts, write 1/4"),
        (("--base", "x.db"), "--base belongs to --part"),
    ],
)
def test_mistakes(
    toy: Numbers, cli: Callable[..., Result], arguments: tuple[object, ...], sentence: str
) -> None:
    assert sentence in " ".join(cli("run", toy.file("digits"), *arguments, code=2).stderr.split())
    assert not toy.database.exists()


def test_a_sample_of_a_part_speaks_for_the_part_and_goes_on(
    toy: Numbers, cli: Callable[..., Result], tmp_path: Path
) -> None:
    query = toy.file("digits", size=640)
    alone = tmp_path / "alone.db"
    cli("run", query, "--part", "2/2", "--quiet", "--db", alone)
    first = ("--part", "2/2", "--sample", 20)
    answer = json.loads(cli("run", query, *first, "--quiet", "--json").stdout)
    assert (answer["estimates"]["size"], answer["estimates"]["population"]) == (20, 320)
    said = cli("run", query, *first).stdout
    assert "Run 1 is a sample: 20 of part 2/2, which has 320 candidates" in said
    checked = json.loads(cli("verify", 1, "--json", "--sample", 3).stdout)
    drawn = {check["name"]: check["detail"] for check in checked["checks"]}["coverage"]
    assert "draws of 320 are recorded" in drawn
    ranks = [rank for (rank,) in toy.sql("SELECT start FROM unit")]
    assert len(ranks) == 20
    assert all(320 <= rank < 640 for rank in ranks)
    cli("resume", 1, "--quiet")
    assert "is a sample" not in cli("resume", 1).stdout
    assert "Part 2/2 is computed" in cli("run", query, "--part", "2/2").stderr
    units = "SELECT start, count, hex(digest) FROM unit ORDER BY start"
    with closing(sqlite3.connect(alone)) as other:
        assert toy.sql(units) == other.execute(units).fetchall()


def test_a_part_of_which_there_is_a_sample_alone_is_not_merged(bench: Numbers) -> None:
    query = bench.query("digits", size=640)
    sampled, other = bench.folder / "sampled.db", compute(bench, query, 2, 2)
    with Store.open(str(sampled), write=True) as store:
        execute(query, store, SERIAL, sample=Sample(20), part=Part(1, 2))
    for incomplete in (False, True):
        with pytest.raises(StoreError, match=r"a sample of some units of part 1/2: .* epcg resume 1 --db"):
            merge(bench.folder / "all.db", [sampled, other], incomplete)


def test_a_dry_run_of_a_part_speaks_of_the_part(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", size=640)
    told = json.loads(cli("run", query, "--part", "1/4", "--dry-run", "--json").stdout)
    assert [run["remaining"] for run in told["runs"]] == [160]
    both = ("--part", "1/4", "--sample", 10, "--dry-run")
    assert [run["remaining"] for run in json.loads(cli("run", query, *both, "--json").stdout)["runs"]] == [10]
    assert "10 of part 1/4, drawn with seed" in cli("run", query, *both).stderr
    assert not toy.database.exists()


def test_a_sample_as_large_as_its_part_is_the_part(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", size=640)
    cli("run", query, "--part", "1/2", "--sample", 1000, "--quiet")
    assert toy.sql("SELECT sum(count), sample_size FROM unit, run") == [(320, None)]


def test_a_part_is_computed_again_beside_an_older_one(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", size=640)
    cli("run", query, "--part", "1/2", "--quiet")
    cli("run", query, "--part", "1/2", "--again", "--quiet")
    assert toy.sql("SELECT id, part, parts, again_of FROM run") == [(1, 1, 2, None), (2, 1, 2, 1)]


def test_a_part_and_the_whole_do_not_share_a_database(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", size=640)
    cli("run", query, "--part", "1/2", "--quiet")
    for arguments in ((), ("--part", "2/2"), ("--part", "1/4")):
        refused = cli("run", query, *arguments, "--quiet", code=1).stderr
        assert "Run 1 of epcg.db is part 1/2: go on with epcg resume 1 --db epcg.db" in refused
    assert "There is no database lost.db" in cli(
        "run", query, "--part", "1/2", "--base", "lost.db", "--db", "new.db", code=1).stderr  # fmt: skip
    assert not Path("new.db").exists()
    assert (
        "epcg.db is the database itself"
        in cli("run", query, "--part", "1/2", "--base", "epcg.db", code=1).stderr
    )


def test_units_of_parts_fit_chunks(bench: Numbers) -> None:
    with pytest.raises(ParamsError, match="unit_size: 48 does not fit chunks of 64 ranks"):
        compute(bench, bench.query("digits", size=640), 1, 2, unit_size=48, chunk_size=64)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("of", [1, 3, 64, 1000])
def test_limits_tile_the_range(bench: Numbers, of: int) -> None:
    outcome = bench.run(
        bench.query("digits", size=777, more="[range]\nstart = 5\n"), unit_size=16, chunk_size=64
    )
    limits = [Part(index, of).limits(outcome.goal) for index in range(1, of + 1)]
    assert limits[0][0] == 5
    assert limits[-1][1] == 777
    assert all(one[1] == other[0] for one, other in pairwise(limits))
