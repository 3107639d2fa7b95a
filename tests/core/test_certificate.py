"""Certificates: a sound one passes, with the database and without; a forged one does not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epcg_core.errors import CheckFailedError, StoreError
from epcg_core.store import Store
from epcg_core.store.records import Sample
from epcg_core.verification.certificate import certify, check_certificate
from epcg_core.verification.certificate.contents import block_size, blocks, blocks_with, from_bytes, to_bytes
from epcg_core.verification.certificate.form import FORM, Certificate, Claims, to_json
from epcg_core.verification.certificate.issue import _openings, claim
from epcg_core.verification.certificate.tree import Tree, climb, join, leaf
from tests.core.test_verify import FILTERED, LAYERS, NUMBERS, falsify
from tests.workplace import Workplace, epcg

CHECKS = ["form", "query", "sources", "openings", "sample"]


def issued(bench: Workplace, run_id: int, openings: int = 3) -> dict[str, Any]:
    """As it comes out of the file."""
    with Store.open(bench.database) as store:
        found: dict[str, Any] = json.loads(json.dumps(certify(store, run_id, openings, sample=50)))
        return found


def forged(
    bench: Workplace, run_id: int, change: Callable[[Claims], Claims], openings: int = 16
) -> dict[str, Any]:
    """What someone who has the database, and checks nothing, can issue."""
    with Store.open(bench.database) as store, store.reader() as reader:
        run = reader.run(run_id)
        claims, trees = claim(reader, run, openings)
        claims = change(claims)
        return to_json(Certificate(FORM, claims, list(_openings(reader, run, claims, trees))))


def failed(data: Any, database: Path | None = None, sample: int = 100) -> dict[str, str]:
    if database is None:
        checks = check_certificate(data, None, sample)
    else:
        with Store.open(database) as store:
            checks = check_certificate(data, store, sample)
    return {check.name: check.detail for check in checks if not check.passed}


# --- trees ------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.data())
def test_every_path_leads_to_the_root(counts: list[int], data: st.DataObject) -> None:
    starts = [sum(counts[:i]) for i in range(len(counts))]
    tree = Tree(leaf(s, n, n, 0, 0, bytes([i])) for i, (s, n) in enumerate(zip(starts, counts, strict=True)))
    assert (tree.root.start, tree.root.count, tree.root.evaluated) == (0, sum(counts), sum(counts))
    position = data.draw(st.integers(0, len(counts) - 1))
    node, path = tree.leaves[position], tree.path(position)
    assert climb(node, path) == tree.root
    assert climb(leaf(node.start, node.count, node.count, 0, 0, b"other"), path).digest != tree.root.digest
    if node.count > 1:
        less = leaf(node.start, node.count, node.count - 1, 1, 0, bytes([position]))
        assert climb(less, path).digest != tree.root.digest


def test_a_tree_has_neither_gaps_nor_leaves_that_do_not_add_up() -> None:
    with pytest.raises(CheckFailedError, match="rank 6 follows rank 4"):
        join(leaf(0, 5, 5, 0, 0, b""), leaf(6, 1, 1, 0, 0, b""))
    with pytest.raises(CheckFailedError, match="does not account"):
        leaf(0, 5, 4, 0, 0, b"")
    with pytest.raises(CheckFailedError, match="does not account"):
        leaf(0, 5, 6, -1, 0, b"")


@pytest.mark.parametrize("text", [NUMBERS, NUMBERS + FILTERED, LAYERS], ids=["whole", "filtered", "layers"])
def test_blocks_are_what_is_recorded(bench: Workplace, text: str) -> None:
    run = bench.run(text).goal

    def read(reader: Any) -> None:
        metrics = reader.metrics(run.id)
        position = run.start
        for block in blocks(reader, run, 64):
            assert block.start == position
            position += block.count
            again = from_bytes(to_bytes(block, metrics), block.start, block.count, metrics, False, False)
            for rank in range(block.start, position):
                scores = again.at(rank, metrics)
                if reader.status_at(run.id, rank) is None:
                    assert scores is None
                    continue
                assert scores is not None
                assert [value for _, value in scores] == [
                    reader.value(run.id, metric.name, rank) for metric in metrics
                ]
        assert position == run.stop
        (same,) = blocks_with(reader, run, 64, [run.stop - 1])
        assert to_bytes(same, metrics) == to_bytes(block, metrics)

    bench.read(read)


def test_blocks_divide_chunks(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.run(NUMBERS).goal
    monkeypatch.setattr("epcg_core.verification.certificate.contents.MOST_BLOCKS", 4)
    assert block_size(run) == 256
    assert block_size(attrs.evolve(run, chunk_size=128)) == 128
    assert block_size(attrs.evolve(run, chunk_size=50)) == 50


# --- sound ones -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [NUMBERS, NUMBERS + FILTERED, LAYERS], ids=["whole", "filtered", "layers"])
@pytest.mark.parametrize(("unit", "chunk"), [(64, 128), (128, 128), (1024, 1024)])
def test_a_sound_certificate_passes(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch, text: str, unit: int, chunk: int
) -> None:
    bench.cut(unit)
    # the checker makes the inputs again, with the chunk size that it finds by itself
    monkeypatch.setattr("epcg_core.runs.coordinator.chunk_size_for", lambda *_: chunk)
    for run in bench.run(text).runs:
        data = issued(bench, run.id)
        checks = check_certificate(data, None, 200)
        assert [check.name for check in checks] == CHECKS
        assert failed(data, None) == failed(data, bench.database) == {}


def test_a_part_of_a_space_and_recorded_errors_pass(bench: Workplace) -> None:
    for more in (("range.start=13",), ('evaluators=[{name = "fails"}]', "record.on_error=record")):
        data = issued(bench, bench.run(NUMBERS, *more).goal.id)
        assert failed(data) == failed(data, bench.database) == {}


def test_the_sample_is_as_large_as_was_asked_for(bench: Workplace) -> None:
    data = issued(bench, bench.run(NUMBERS).goal.id, openings=2)
    for size in (1, 2, 30, 10**6):
        done: list[int] = []
        checks = check_certificate(data, None, size, advance=done.append)
        population = sum({o["block"]["start"]: o["block"]["count"] for o in data["openings"]}.values())
        assert len(done) == min(size, population)
        assert checks[-1].detail.startswith(f"{len(done)} of the {population} opened ranks, computed again")


def test_there_is_none_of_an_unfinished_or_false_run(bench: Workplace) -> None:
    bench.run(NUMBERS, sample=Sample(20))
    with Store.open(bench.database) as store, pytest.raises(StoreError, match=r"^Run 1 is not finished"):
        certify(store, 1)
    bench.run(NUMBERS)
    falsify(bench, 1, "curve", 123)
    with Store.open(bench.database) as store, pytest.raises(CheckFailedError, match=r"^Run 1 fails .*sample"):
        certify(store, 1)
    empty = bench.run(NUMBERS, "range.stop=0").goal
    with Store.open(bench.database) as store, pytest.raises(StoreError, match="has no candidates"):
        certify(store, empty.id)


# --- forged ones ------------------------------------------------------------------------------------------

Path_ = tuple[str | int, ...]


def leaves(data: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The places of all values in a JSON document, and of empty lists and objects."""
    items = list(
        data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    )
    for key, value in items:
        yield from leaves(value, (*path, key))
    if not items:
        yield path


def other(value: Any) -> Any:
    """Something else of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        middle = len(value) // 2
        return value[:middle] + ("0" if value[middle : middle + 1] != "0" else "1") + value[middle + 1 :]
    if value is None:
        return 1
    return {"x": 1} if isinstance(value, dict) else [1]


def changed(data: Any, path: Path_) -> Any:
    found = copy.deepcopy(data)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = other(place[path[-1]])
    return found


@pytest.mark.parametrize("text", [NUMBERS + FILTERED, LAYERS], ids=["filtered", "layers"])
def test_any_change_of_any_field_is_found(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Without the database, and without computing anything again but for what the claims say."""
    bench.cut(64)
    # of 125 ranks: a single one may by chance be drawn with the changed claims, too
    data = issued(bench, bench.run(text, "range.start=1").goal.id, openings=4)
    places = [path for path in leaves(data) if path[:2] != ("claims", "sources")]
    places += [path for path in leaves(data) if path[:2] == ("claims", "sources")][::40]
    assert len(places) > 60
    missed = [path for path in places if not failed(changed(data, path), sample=0)]
    assert missed == []


def test_a_field_too_few_or_too_many_is_found(bench: Workplace) -> None:
    data = issued(bench, bench.run(NUMBERS).goal.id, openings=1)
    for part in (data, data["claims"], data["openings"][0], data["openings"][0]["unit"]):
        for key in list(part):
            value = part.pop(key)
            assert "form" in failed(data)
            part[key] = value
        part["more"] = 1
        assert "form" in failed(data)
        del part["more"]
    assert failed(data) == {}
    assert "openings" in failed(data | {"openings": []})
    documents: list[Any] = [None, [], 7, "x", {}]
    for nonsense in documents:
        assert "form" in failed(nonsense)


def test_a_forged_value_is_found_without_the_database(bench: Workplace) -> None:
    """Its digests, trees, claims and openings all fit; computing it again shows that it is false."""
    bench.run(NUMBERS)
    falsify(bench, 1, "share", 123)
    data = forged(bench, 1, lambda claims: claims, openings=40)
    assert failed(data, sample=600) == {
        "sample": "numbers:range?size=600#123: the recorded share is 18.571428571428573, computed again "
        "17.571428571428573."
    }


def test_forged_counts_do_not_follow_from_the_trees(bench: Workplace) -> None:
    run = bench.run(NUMBERS + FILTERED).goal
    for change in ({"evaluated": 301, "excluded": 299}, {"excluded": 0}, {"pruned": 5}):
        data = forged(bench, run.id, lambda claims, own=change: attrs.evolve(claims, **own))  # type: ignore[misc]
        assert failed(data)["openings"] in (
            "The sums of the units are not the claimed ones.", "The run is not semi-exhaustive.",
        )  # fmt: skip


def test_a_forged_root_leads_nowhere(bench: Workplace) -> None:
    run = bench.run(NUMBERS).goal
    for name in ("units", "blocks"):
        data = forged(bench, run.id, lambda claims, own=name: attrs.evolve(claims, **{own: "ab" * 32}))  # type: ignore[misc]
        assert failed(data) == {"openings": f"An opening does not lead to the claimed root of the {name}."}


def test_what_is_taken_on_trust_without_the_database_is_not_with_it(bench: Workplace) -> None:
    run = bench.run(NUMBERS).goal
    data = forged(bench, run.id, lambda claims: attrs.evolve(claims, digest="ab" * 32))
    assert failed(data) == {}
    assert failed(data, bench.database) == {
        "database": f"Run {run.id} has other digest: {run.digest}, not {'ab' * 32}."
    }


def test_another_database_has_no_such_run(bench: Workplace, tmp_path: Path) -> None:
    data = issued(bench, bench.run(NUMBERS).goal.id)
    elsewhere = tmp_path / "other.db"
    bench.run(LAYERS, database=elsewhere)
    assert failed(data, elsewhere) == {"database": f"The database {elsewhere} has no such run."}


def test_a_database_that_was_changed_since(bench: Workplace) -> None:
    data = issued(bench, bench.run(NUMBERS).goal.id)
    falsify(bench, 1, "digits", 77)
    assert "database" in failed(data, bench.database)


def test_inputs_computed_again_are_the_claimed_ones(bench: Workplace) -> None:
    run = bench.run(LAYERS).goal

    def change(claims: Claims) -> Claims:
        inputs = {role: attrs.evolve(known, digest="ab" * 32) for role, known in claims.inputs.items()}
        return attrs.evolve(claims, inputs=inputs)

    assert failed(forged(bench, run.id, change)) == {
        "sample": "The input 'solvable', computed again, has another digest."
    }


# --- the command line -------------------------------------------------------------------------------------


def test_the_command_line(bench: Workplace) -> None:
    bench.run(NUMBERS)
    path = bench.database.with_name("run.json")
    epcg("certificate", 1, "--output", path, "--db", bench.database)
    alone = epcg("verify", "--certificate", path, "--json")
    assert [check["name"] for check in json.loads(alone.stdout)["checks"]] == CHECKS
    beside = epcg("verify", "--certificate", path, "--db", bench.database, "--sample", 20)
    assert "both trees were made again" in beside.stdout
    printed = epcg("certificate", 1, "--db", bench.database)
    assert json.loads(printed.stdout) == json.loads(path.read_text())

    data = json.loads(path.read_text())
    data["claims"]["evaluated"] -= 1
    path.write_text(json.dumps(data))
    forged = epcg("verify", "--certificate", path, code=4)
    assert forged.stderr.startswith(f"Error: {path} is not what it claims: 1 of 4 checks failed (openings).")
    path.write_text("no JSON")
    epcg("verify", "--certificate", path, code=4)
    epcg("verify", code=2)
    epcg("verify", 1, "--certificate", path, code=2)
