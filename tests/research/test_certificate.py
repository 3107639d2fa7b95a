"""Certificates: a sound one passes, with the database and without; a forged one does not."""

from __future__ import annotations

import base64
import contextlib
import copy
import inspect
import json
import math
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_research.certificate import Security, certify, check_certificate, read_json
from epcg_research.certificate.contents import (
    BlockReader,
    block_size,
    blocks,
    leaf_of,
    most_bytes,
    to_bytes,
)
from epcg_research.certificate.form import (
    FORM,
    Certificate,
    Claims,
    WinnerClaim,
    opened_ranks,
    packed,
    seed_of,
    to_json,
    unpacked,
)
from epcg_research.certificate.issue import claim, opened
from epcg_research.certificate.security import ERROR_BITS, log2_missed, percent
from epcg_research.certificate.tree import Layout, join, leaf, root_of
from hypothesis import given, strategies as st

import epcg_core
from epcg_core.base.errors import CheckFailedError, EpcgError, StoreError, UncheckedError
from epcg_core.base.params import structure
from epcg_core.domain import Metric
from epcg_core.store import Store
from epcg_core.store.records import Sample
from tests.core.test_verify import FEW, FILTERED, LAYERS, NUMBERS, falsify
from tests.toy_queries import LOW_LAYERS, numbers
from tests.workplace import Workplace, epcg

CHECKS = ["form", "query", "sources", "openings", "inputs made again", "winners", "values"]
LOOSE = Security(share=0.9, tries=0)
"""Satisfied by few openings."""


def issued(bench: Workplace, run_id: int, security: Security | None = None) -> dict[str, Any]:
    """As it comes out of the file."""
    with Store.open(bench.database) as store:
        found: dict[str, Any] = json.loads(json.dumps(certify(store, run_id, security, sample=50)))
        return found


_ISSUED: dict[Security | None, str] = {}


def issued_once(bench: Workplace, security: Security | None = None) -> Any:
    """The certificate of the run of `NUMBERS`, which the database is given; issued once a process."""
    run_id = bench.given(NUMBERS).goal.id
    if security not in _ISSUED:
        _ISSUED[security] = json.dumps(issued(bench, run_id, security))
    return json.loads(_ISSUED[security])


def forged(
    bench: Workplace, run_id: int, change: Callable[[Claims], Claims], openings: int = 16
) -> dict[str, Any]:
    """What someone who has the database, and checks nothing, can issue."""
    with Store.open(bench.database) as store, store.reader() as reader:
        run = reader.run(run_id)
        claims, crown = claim(reader, run, openings)
        return to_json(opened(reader, run, change(claims), crown))


def failed(
    data: Any, database: Path | None = None, security: Security = LOOSE, **asked: Any
) -> dict[str, str]:
    if database is None:
        checks = check_certificate(data, None, security, **asked)
    else:
        with Store.open(database) as store:
            checks = check_certificate(data, store, security, **asked)
    return {check.name: check.detail for check in checks if not check.passed}


# --- how much openings show ---------------------------------------------------------------------------------


@given(st.integers(1, 60), st.data())
def test_missed_ranks_are_counted_as_draws_are(count: int, data: st.DataObject) -> None:
    false, number = data.draw(st.integers(1, count)), data.draw(st.integers(1, count))
    chance = math.comb(count - false, number) / math.comb(count, number)
    found = log2_missed(count, false, number)
    assert found == -math.inf if not chance else math.isclose(found, math.log2(chance), abs_tol=1e-9)


@given(st.integers(1, 3000), st.sampled_from([0.0, 0.01, 0.1]), st.integers(0, 60))
def test_the_smallest_number_of_openings_is_asked_for(count: int, share: float, tries: int) -> None:
    security = Security(share, tries)
    number = security.openings(count)
    assert security.unnoticed(count, number) <= share * count
    assert number == 1 or security.unnoticed(count, number - 1) > share * count
    assert security.unnoticed(count, count) == 0
    false = security.unnoticed(count, number)
    if false:
        assert log2_missed(count, false, number) > -(tries + ERROR_BITS)
    assert log2_missed(count, false + 1, number) <= -(tries + ERROR_BITS)


def test_the_default_is_met_by_four_thousand_openings_of_any_run() -> None:
    numbers = [Security().openings(count) for count in (10**12, 10**15, 2**63 - 1)]
    assert all(number == math.ceil(60 / -math.log2(0.99)) == 4139 for number in numbers)
    assert Security().openings(99) == 99
    with pytest.raises(EpcgError, match="ask for a larger share"):
        Security(share=1e-6).openings(10**9)


def test_a_share_is_rounded_up() -> None:
    assert [percent(share) for share in (0.01, 0.0099999, 0.00871, 1.0, 0.5)] == [
        "1 %", "1 %", "0.88 %", "100 %", "50 %",
    ]  # fmt: skip


def test_a_certificate_that_names_no_winner_does_not_pass(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal.id
    silent = forged(bench, run, lambda claims: attrs.evolve(claims, winners=[]))
    assert {c.name: c.verdict for c in check_certificate(silent, None, LOOSE) if not c.passed} == {
        "winners": "cannot be checked here"
    }


def test_a_certificate_cannot_name_other_winners_than_it_opens(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal.id
    others = [WinnerClaim(100, "kept"), WinnerClaim(101, "extreme")]
    false = forged(bench, run, lambda claims: attrs.evolve(claims, winners=others))
    assert "beyond the extremes of the claimed winners" in failed(false)["winners"]


def test_a_certificate_cannot_say_in_its_own_words_what_a_winner_is(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal.id
    told = WinnerClaim(1, "of all, proven")
    assert "role" in failed(forged(bench, run, lambda claims: attrs.evolve(claims, winners=[told])))["form"]


@pytest.mark.parametrize("liars", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_liars_who_try_again_are_missed_as_often_as_the_formula_says(bench: Workplace, liars: int) -> None:
    """The liars change a claim, up to 16 times, until no opened rank is a false one."""
    bench.given(NUMBERS)
    with Store.open(bench.database) as store, store.reader() as reader:
        honest = attrs.evolve(
            claim(reader, reader.run(1), 16)[0],
            sources={},
            winners=[],  # short: it is digested anew
        )
    tries, false = 16, 150
    assert honest.stop == 600
    for number in (4, 16):
        missed = single = 0
        for liar in range(liars):
            draws = [
                opened_ranks(attrs.evolve(honest, digest=f"{liar}:{i}", openings=number), number)
                for i in range(tries)
            ]
            hidden = [min(ranks) >= false for ranks in draws]
            single += sum(hidden)
            missed += any(hidden)
        chance = 2 ** log2_missed(600, false, number)
        for found, total, expected in (
            (single, liars * tries, chance),
            (missed, liars, 1 - (1 - chance) ** tries),
        ):
            deviation = math.sqrt(total * expected * (1 - expected))
            assert abs(found - total * expected) < 5 * deviation
        assert missed / liars <= tries * chance + 0.1


# --- trees ------------------------------------------------------------------------------------------------


@given(st.integers(0, 50), st.integers(1, 300), st.sampled_from([1, 4, 16]), st.data())
def test_opened_leaves_lead_to_the_crown_and_changed_ones_do_not(
    start: int, count: int, size: int, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("epcg_research.certificate.tree.MOST_IN_CROWN", 3)
        layout = Layout(start, start + count, size)
        leaves = []
        for i in range(layout.leaves):
            low, high = layout.ranks((0, i))
            leaves.append(leaf(low, high - low, high - low, 0, bytes([i % 256])))
        every = dict(layout.nodes(leaves))
        crown = [every[layout.crown, i] for i in range(layout.width(layout.crown))]
        assert len(crown) <= 3
        root = root_of(crown)
        assert (root.start, root.count, root.evaluated) == (start, count, count)
        wanted = data.draw(st.sets(st.integers(0, layout.leaves - 1), min_size=1))
        beside = {place: every[place] for place in layout.beside(wanted)}
        own = {i: leaves[i] for i in wanted}
        assert all(crown[i] == node for i, node in layout.climb(own, beside).items())
        one = data.draw(st.sampled_from(sorted(wanted)))
        old = leaves[one]
        changed = own | {one: leaf(old.start, old.count, old.evaluated, 0, b"other")}
        assert any(crown[i] != node for i, node in layout.climb(changed, beside).items())
        less = own | {one: leaf(old.start, old.count, old.evaluated - 1, 1, bytes([one % 256]))}
        assert any(crown[i] != node for i, node in layout.climb(less, beside).items())


def test_a_tree_has_neither_gaps_nor_leaves_that_do_not_add_up() -> None:
    with pytest.raises(CheckFailedError, match="rank 6 follows rank 4"):
        join(leaf(0, 5, 5, 0, b""), leaf(6, 1, 1, 0, b""))
    with pytest.raises(CheckFailedError, match="does not account"):
        leaf(0, 5, 6, 0, b"")
    with pytest.raises(CheckFailedError, match="does not account"):
        leaf(0, 5, 6, -1, b"")


@pytest.mark.sweep
@pytest.mark.parametrize("text", [NUMBERS, NUMBERS + FILTERED, LAYERS], ids=["whole", "filtered", "layers"])
def test_blocks_are_what_is_recorded(bench: Workplace, text: str) -> None:
    run = bench.given(text).goal

    def read(reader: Any) -> None:
        metrics = reader.metrics(run.id)
        every = list(blocks(reader, run, 64))
        raw = b"".join(to_bytes(block, metrics) for block in every)
        source, position = BlockReader(raw, metrics, False, False), run.start
        for block in every:
            assert block.start == position
            position += block.count
            again, node = source.block(block.start, block.count)
            own = to_bytes(block, metrics)
            assert node == leaf_of(block, own)
            assert len(own) <= (most_bytes(metrics, 64, False, False) or 0)
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
        source.end()

    bench.read(read)


@pytest.mark.parametrize(
    "chunk", [50, 1000, pytest.param(1, marks=pytest.mark.slow), pytest.param(64, marks=pytest.mark.slow)]
)
def test_the_tree_does_not_depend_on_the_chunks(bench: Workplace, tmp_path: Path, chunk: int) -> None:
    def root(reader: Any) -> list[str]:
        return [claim(reader, run, 1)[0].values for run in reader.runs()]

    text = NUMBERS + FILTERED
    bench.given(text)
    other = tmp_path / "other.db"
    bench.run(text, database=other, chunk_size=chunk, unit_size=70)
    assert bench.read(root) == bench.read(root, other)


def test_the_verifier_knows_the_size_of_blocks(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal
    metrics = bench.read(lambda reader: reader.metrics(run.id))
    assert block_size(metrics, False, 600) == block_size(metrics, False, 2**62) == 16
    assert [block_size(metrics, True, ranks) for ranks in (5, 2**24, 2**24 + 1)] == [64, 64, 128]
    flags = [metric for metric in metrics if metric.kind == "bool"][:1]
    assert block_size(flags * 2, False, 600) == 1024


# --- sound ones -------------------------------------------------------------------------------------------


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "unit", "chunk"),
    [
        (FEW, 16, 32),
        (FEW + FILTERED, 32, 32),
        (LOW_LAYERS.replace("pegs = 4", "pegs = 2"), 8, 16),
        pytest.param(LOW_LAYERS, 8, 16, marks=pytest.mark.slow),
        pytest.param(LAYERS, 64, 128, marks=pytest.mark.slow),
        pytest.param(LAYERS, 1024, 1024, marks=pytest.mark.slow),
        # what is certified does not depend on units: test_the_tree_does_not_depend_on_the_chunks
        pytest.param(NUMBERS, 64, 128, marks=pytest.mark.slow),
        pytest.param(NUMBERS, 128, 128, marks=pytest.mark.slow),
        pytest.param(NUMBERS + FILTERED, 128, 128, marks=pytest.mark.slow),
        pytest.param(NUMBERS, 1024, 1024, marks=pytest.mark.slow),
        pytest.param(NUMBERS + FILTERED, 64, 128, marks=pytest.mark.slow),
        pytest.param(NUMBERS + FILTERED, 1024, 1024, marks=pytest.mark.slow),
        pytest.param(LAYERS, 128, 128, marks=pytest.mark.slow),
    ],
    ids=[
        "few",
        "few filtered",
        "two layers",
        "low layers",
        "layers-2",
        "layers-1k",
        "whole-2",
        "whole-1",
        "filtered-1",
        "whole-1k",
        "filtered-2",
        "filtered-1k",
        "layers-1",
    ],
)
def test_a_sound_certificate_passes(bench: Workplace, text: str, unit: int, chunk: int) -> None:
    bench.cut(unit, chunk)
    for run in bench.run(text).runs:
        data = issued(bench, run.id)
        checks = check_certificate(data, None)
        assert [check.name for check in checks] == CHECKS
        assert [check for check in checks if not check.passed] == []
        assert failed(data, bench.database) == {}


def test_a_part_of_a_space_and_recorded_errors_pass(bench: Workplace) -> None:
    for more in (("range.start=13",), ('evaluators=[{name = "fails"}]', "record.on_error=record")):
        data = issued(bench, bench.run(FEW, *more).goal.id)
        assert failed(data) == failed(data, bench.database) == failed(data, recompute=1.0) == {}


def test_the_verdict_says_what_a_liar_could_have_changed(bench: Workplace) -> None:
    data = issued_once(bench, Security(0.1, 10))
    number = data["claims"]["openings"]
    assert number == Security(0.1, 10).openings(600) < 600
    for security in (Security(0.1, 10), Security(0.5, 0)):
        done: list[int] = []
        detail = check_certificate(data, None, security, advance=done.append)[-1].detail
        needed = security.openings(600)
        assert len(done) == needed <= number
        left = percent(security.unnoticed(600, needed) / 600)
        assert f"A liar with 2^{security.tries} tries could still have changed at most {left}" in detail
        assert "cannot show" in detail
    refused = failed(data, security=Security(0.1, 40))["openings"]
    assert f"Its {number} openings are not enough" in refused
    assert "accept more with --share" in refused
    assert failed(data, bench.database, Security(0.0, 200)) == {}, "the database shows every value"


def test_pieces_are_computed_again_whole(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300 ranks in blocks of 16 there are 19 leaves, above which are 10 nodes and the crown of 5."""
    bench.given(numbers(300, "mixed", "digits") + FILTERED)
    monkeypatch.setattr("epcg_research.certificate.tree.MOST_IN_CROWN", 8)
    monkeypatch.setattr("epcg_research.certificate.pieces.PIECE", 32)
    data = issued(bench, 2, LOOSE)
    done: list[int] = []
    checks = check_certificate(data, None, LOOSE, recompute=0.3, seed=5, advance=done.append)
    assert checks[-1].passed
    assert checks[-1].detail.startswith("2 of the tree's 5 pieces, drawn with seed 5 (")
    assert "That is all: counts are exact" in check_certificate(data, None, LOOSE, recompute=1.0)[-1].detail
    falsify(bench, 2, "share", 126)
    number, liar = LOOSE.openings(300), 0
    while True:  # a liar draws until the false value is not opened
        liar += 1
        data = forged(bench, 2, lambda c, own=f"{liar:x}": attrs.evolve(c, digest=own), number)  # type: ignore[misc]
        if 126 not in opened_ranks(claims_of(data), number):
            break
    assert failed(data) == {}
    assert list(failed(data, recompute=1.0)) == ["pieces"]


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
    """The document with something else at a place; it shares the other places."""
    found = place = copy.copy(data)
    for key in path[:-1]:
        place[key] = copy.copy(place[key])
        place = place[key]
    place[path[-1]] = other(place[path[-1]])
    return found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FEW + FILTERED, id="few filtered"),
        pytest.param(LOW_LAYERS, id="low layers"),
        pytest.param(NUMBERS + FILTERED, id="filtered", marks=pytest.mark.slow),
        pytest.param(LAYERS, id="layers", marks=pytest.mark.slow),
    ],
)
def test_any_change_of_any_field_is_found(bench: Workplace, text: str) -> None:
    """Without the database, and without computing anything again but for what the claims say."""
    bench.cut(64)
    data = issued(bench, bench.given(text, "range.start=1").goal.id, LOOSE)
    places = [path for path in leaves(data) if path[:2] != ("claims", "sources")]
    places += [path for path in leaves(data) if path[:2] == ("claims", "sources")][::40]
    assert len(places) > 30
    assert [path for path in places if not failed(changed(data, path))] == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FEW + FILTERED, id="few filtered"),
        pytest.param(NUMBERS + FILTERED, id="filtered", marks=pytest.mark.slow),
        pytest.param(LAYERS, id="layers", marks=pytest.mark.slow),
    ],
)
def test_a_changed_claim_with_its_own_seed_is_found(bench: Workplace, text: str) -> None:
    """Only what no value shows is left: the run's own digest, which takes the database."""
    data = issued(bench, bench.given(text, "range.start=1").goal.id, LOOSE)
    missed = []
    for path in leaves(data["claims"]):
        if path[0] != "sources":
            own = changed(data, ("claims", *path))
            try:
                own["seed"] = seed_of(claims_of(own))
            except EpcgError:
                continue
            if not failed(own):
                missed.append(path)
    assert missed == [("digest",)] or data["claims"]["stop"] - 1 < 1024


def test_a_field_too_few_or_too_many_is_found(bench: Workplace) -> None:
    data = issued_once(bench, LOOSE)
    for part in (data, data["claims"]):
        for key in list(part):
            value = part.pop(key)
            assert "form" in failed(data)
            part[key] = value
        part["more"] = 1
        assert "form" in failed(data)
        del part["more"]
    assert failed(data) == {}
    documents: list[Any] = [None, [], 7, "x", {}]
    for nonsense in documents:
        assert "form" in failed(nonsense)
    assert "issue it again" in failed({"form": "epcg certificate 1"})["form"]


def test_a_forged_value_is_found_without_the_database(bench: Workplace) -> None:
    """Its digests, tree, claims and openings all fit; computing it again shows that it is false."""
    bench.given(NUMBERS)
    falsify(bench, 1, "share", 123)
    data = forged(bench, 1, lambda claims: claims, openings=600)
    assert failed(data, security=Security()) == {
        "values": "numbers:range?size=600#123: the recorded share is 18.571428571428573, computed again "
        "17.571428571428573."
    }


@pytest.mark.parametrize("openings", [1, 16, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 100))])
def test_a_liar_does_not_choose_how_much_is_opened(bench: Workplace, openings: int) -> None:
    """Half of the values are false; the liar draws until none of these is opened, or gives up."""
    bench.given(NUMBERS)
    with Store.open(bench.database) as store, store.reader() as reader:
        run = reader.run(1)
        honest, crown = claim(reader, run, openings)
        for number in range(500):
            claims = attrs.evolve(honest, digest=f"{number:064x}")
            if min(opened_ranks(claims, openings)) >= 300:
                break
        data = to_json(opened(reader, run, claims, crown))
    assert "not enough" in failed(data, security=Security())["openings"]


@pytest.mark.parametrize(("field", "value"), [
    ("openings", 10**12), ("openings", 0), ("openings", -1), ("openings", 601), ("start", -1),
    ("stop", 2**63), ("stop", 0), ("evaluated", 2**70), ("pruned", -5), ("openings", 10**400),
])  # fmt: skip
def test_numbers_are_bounded_before_they_are_used(bench: Workplace, field: str, value: int) -> None:
    data = issued_once(bench, LOOSE)
    data["claims"][field] = value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("epcg_research.certificate.form.drawn_ranks", lambda *_: pytest.fail("drew ranks"))
        assert list(failed(data)) == ["form"]


def traced(action: Callable[[], Any]) -> int:
    """The most bytes that Python and numpy held beyond those before."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@cache
def bomb(size: int) -> str:
    """`size` zeros, packed without making them at once."""
    source = zlib.compressobj(9)
    parts = [source.compress(bytes(2**20)) for _ in range(size >> 20)] + [source.flush()]
    return base64.b64encode(b"".join(parts)).decode()


@pytest.mark.parametrize("field", ["crown", "blocks", pytest.param("beside", marks=pytest.mark.slow)])
def test_bombs_are_not_inflated(bench: Workplace, field: str) -> None:
    data = issued_once(bench)
    text = bomb(2**26)
    assert len(text) < 2**19
    own = data | {field: text}
    found: list[dict[str, str]] = []
    assert traced(lambda: found.append(failed(own))) < 2**24
    assert "at most" in found[0]["openings"]


def test_what_is_unpacked_is_no_more_than_what_may_be_there() -> None:
    assert unpacked(packed(b"x" * 100), 100, "blocks") == b"x" * 100
    for text, most in ((packed(b"x" * 101), 100), (packed(b"x")[:-4], 9), ("%", 9), ("é", 9), ("", 9)):
        with pytest.raises(CheckFailedError, match="Its blocks"):
            unpacked(text, most, "blocks")
    with pytest.raises(CheckFailedError, match="Its blocks"):
        unpacked(base64.b64encode(zlib.compress(b"a") + b"more").decode(), 9, "blocks")


@given(st.binary(max_size=300), st.booleans(), st.booleans())
def test_no_bytes_of_blocks_raise_anything_else(raw: bytes, prunes: bool, solves: bool) -> None:
    metrics = [Metric("number", "int"), Metric("flag", "bool"), Metric("share", "real")]
    source = BlockReader(raw, metrics, prunes, solves)
    with contextlib.suppress(CheckFailedError):
        source.block(32, 16)
        source.end()


def test_files_that_are_not_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    for content in (b"no JSON", b"\xff\xfe", b"[" * 100_000, b"9" * 10_000, b""):
        path.write_bytes(content)
        with pytest.raises(CheckFailedError, match="is not a certificate"):
            read_json(path)
    monkeypatch.setattr("epcg_research.certificate.form.MOST_BYTES", 10)
    path.write_text(json.dumps({"form": FORM}))
    with pytest.raises(UncheckedError, match="is larger than 10 bytes"):
        read_json(path)


def test_texts_that_are_not_unicode_are_refused(bench: Workplace) -> None:
    data = issued_once(bench, LOOSE)
    data["claims"]["space"] = "\ud800"
    assert "malformed" in failed(data)["form"]


def claims_of(data: Any) -> Claims:
    return structure(Certificate, data, "certificate").claims


def test_forged_counts_do_not_follow_from_the_tree(bench: Workplace) -> None:
    run = bench.given(NUMBERS + FILTERED).goal
    for change in ({"evaluated": 301, "excluded": 299}, {"excluded": 0}, {"pruned": 5}):
        data = forged(bench, run.id, lambda claims, own=change: attrs.evolve(claims, **own))  # type: ignore[misc]
        assert failed(data)["openings"] in (
            "The sums of its tree are not the claimed ones.", "The run is not semi-exhaustive.",
            "It prunes 5 ranks, and its search prunes nothing.",
        )  # fmt: skip


def test_a_forged_root_leads_nowhere(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal
    data = forged(bench, run.id, lambda claims: attrs.evolve(claims, values="ab" * 32))
    assert failed(data) == {"openings": "The crown of its tree does not lead to the claimed root."}


def test_what_is_taken_on_trust_without_the_database_is_not_with_it(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal
    data = forged(bench, run.id, lambda claims: attrs.evolve(claims, digest="ab" * 32))
    assert failed(data) == {}
    assert failed(data, bench.database) == {
        "database": f"Run {run.id} has other digest: {run.digest}, not {'ab' * 32}."
    }


def test_another_database_has_no_such_run(bench: Workplace, tmp_path: Path) -> None:
    data = issued_once(bench)
    elsewhere = tmp_path / "other.db"
    bench.run(LAYERS, database=elsewhere)
    assert failed(data, elsewhere) == {"database": f"The database {elsewhere} has no such run."}


def test_a_database_that_was_changed_since(bench: Workplace) -> None:
    data = issued_once(bench)
    falsify(bench, 1, "digits", 77)
    assert "database" in failed(data, bench.database)


def test_inputs_computed_again_are_the_claimed_ones(bench: Workplace) -> None:
    run = bench.given(LAYERS).goal

    def change(claims: Claims) -> Claims:
        inputs = {role: attrs.evolve(known, digest="ab" * 32) for role, known in claims.inputs.items()}
        return attrs.evolve(claims, inputs=inputs)

    assert failed(forged(bench, run.id, change)) == {
        "inputs made again": "The input 'solvable', computed again, has another digest."
    }


# --- the command line -------------------------------------------------------------------------------------


def test_the_command_line(bench: Workplace) -> None:
    bench.given(FEW)
    path = bench.database.with_name("run.json")
    epcg("certificate", 1, "--output", path, "--db", bench.database)
    alone = epcg("verify", "--certificate", path, "--json")
    assert [check["name"] for check in json.loads(alone.stdout)["checks"]] == CHECKS
    beside = epcg("verify", "--certificate", path, "--db", bench.database, "--sample", 20)
    assert "the tree over its values was made again" in beside.stdout
    whole = epcg("verify", "--certificate", path, "--recompute", "100%", "--share", "2%", "--tries", 30)
    assert "That is all: counts are exact" in whole.stdout
    assert "Try" in epcg("verify", "--certificate", path, "--share", "200%", code=2).stderr
    printed = epcg("certificate", 1, "--db", bench.database)
    assert json.loads(printed.stdout) == json.loads(path.read_text())

    data = json.loads(path.read_text())
    data["claims"]["evaluated"] -= 1
    path.write_text(json.dumps(data))
    forged = epcg("verify", "--certificate", path, code=4)
    assert forged.stderr.startswith(f"Error: {path} is not what it claims: 1 of 1 checks failed (form).")
    few = epcg("certificate", 1, "--share", "90%", "--tries", 0, "--db", bench.database)
    path.write_text(few.stdout)
    epcg("verify", "--certificate", path, code=4)
    epcg("verify", "--certificate", path, "--share", "90%", "--tries", 0)
    path.write_text("no JSON")
    epcg("verify", "--certificate", path, code=4)
    epcg("verify", code=2)
    epcg("verify", 1, "--certificate", path, code=2)


# --- in Python ----------------------------------------------------------------------------------------------


def test_python_checks_a_certificate_as_the_command_does(bench: Workplace) -> None:
    path = bench.folder / "run.json"
    path.write_text(json.dumps(issued_once(bench)), encoding="utf-8")
    assert [check.name for check in epcg_core.check_certificate(path)] == CHECKS
    checks = epcg_core.check_certificate(str(path), bench.database, sample=20, seed=3)
    assert "database" in {check.name for check in checks}
    assert all(check.passed for check in checks)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"share": 2}, "check_certificate.share: 2.0 is not allowed; expected a number from 0.0 to 1.0."),
        ({"share": "1%"}, r"share must be a number, not '1%' \(str\)."),
        ({"tries": -1}, "check_certificate.tries: -1 is not allowed; expected an integer from 0 to 256."),
        ({"sample": -1}, "check_certificate.sample: -1 is not allowed; expected an integer, 0 or more."),
        (
            {"recompute": 1.5},
            "check_certificate.recompute: 1.5 is not allowed; expected a number from 0.0 to 1.0.",
        ),
    ],
)
def test_a_bad_argument_is_told(bench: Workplace, options: dict[str, Any], says: str) -> None:
    path = bench.folder / "run.json"
    path.write_text(json.dumps(issued_once(bench)), encoding="utf-8")
    with pytest.raises(EpcgError, match=says):
        epcg_core.check_certificate(path, **options)


def test_an_argument_that_no_method_has_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'shares'"):
        epcg_core.check_certificate("run.json", shares=0.1)


def test_a_function_of_a_plugin_describes_itself() -> None:
    assert "share: 'float' = 0.01" in str(inspect.signature(epcg_core.check_certificate))
    assert inspect.getdoc(epcg_core.check_certificate).startswith("Check a certificate")
    assert "run" not in inspect.signature(epcg_core.Run.__new__(epcg_core.Run).plot).parameters
