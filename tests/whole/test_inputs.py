"""Whatever a run read is a row of its inputs: each kind of param that carries something has one."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import attrs
import pytest

from epcg_core.base.params import fields_of
from epcg_core.domain import GeneratorInfo
from epcg_core.domain.kinds import KINDS
from epcg_core.domain.lazy import WithParams
from epcg_core.plugins.registry import registry
from epcg_core.query.inputs import read_by
from epcg_core.query.library import Library
from epcg_core.query.spec import PartSpec, SpaceSpec
from tests.workplace import epcg

PLAIN = {int, float, str, bool, type(None), dict, Any}


def params() -> Iterator[tuple[str, str, str, Any]]:
    """Yield (domain, part, key, field) of every param of every installed part."""
    for kind in KINDS:
        if issubclass(kind.info, WithParams):
            for info in registry().all(kind.info):
                for key, field in fields_of(info.params).items():
                    yield getattr(info, "domain", "") or "", info.name, key, field


def leaves(kind: Any) -> Iterator[Any]:
    """Yield the types that a type is made of."""
    if get_origin(kind) is Literal:
        return
    if get_origin(kind) in (Union, types.UnionType, tuple, list, dict):
        for part in get_args(kind):
            if part is not Ellipsis:
                yield from leaves(part)
    elif attrs.has(kind) and kind is not Library:
        for field in fields_of(kind).values():
            yield from leaves(field.type)
    else:
        yield kind


def test_every_param_is_plain_or_an_input() -> None:
    """A type that carries values of something else would need rows of its own."""
    odd = {
        (domain, part, key, kind)
        for domain, part, key, field in params()
        for kind in leaves(field.type)
        if kind not in PLAIN and kind is not Library
    }
    assert not odd


def rows(domain: str, generator: str, key: str, value: Any) -> set[tuple[str, str]]:
    part = PartSpec(generator, {key: value, "sha256": "d1"})
    spec = types.SimpleNamespace(space=SpaceSpec(domain, part), evaluators=())
    return {(read.kind, read.digest) for read in read_by(registry(), spec)}  # type: ignore[arg-type]


def test_every_library_and_file_that_a_param_names_is_an_input() -> None:
    table = {"space": "fling:boards?pieces=1", "ranks": [0], "sha256": "d2", "run": "d3"}
    tried = set()
    for domain, part, key, field in params():
        if domain and any(info.name == part for info in registry().all(GeneratorInfo, domain)):
            if Library in leaves(field.type):
                several = get_origin(field.type) is tuple
                found = rows(domain, part, key, [table, table] if several else table)
                assert ("library", "d3") in found, (domain, part, key)
                tried.add("library")
            elif field.metadata.get("names_file"):
                assert ("file", "d1") in rows(domain, part, key, "some.file"), (domain, part, key)
                tried.add("file")
    assert tried == {"library", "file"}


def test_the_model_of_a_player_is_an_input() -> None:
    """It stands in the params of a policy, which are params of an evaluator."""
    policy = {"name": "player", "model": "m.json", "sha256": "d4"}
    spec = types.SimpleNamespace(
        space=SpaceSpec("witness", PartSpec("pieces", {})),
        evaluators=(PartSpec("entropy", {"policy": policy}),),
    )
    found = {(read.role, read.digest) for read in read_by(registry(), spec)}  # type: ignore[arg-type]
    assert found == {("file m.json", "d4")}


@pytest.mark.parametrize(
    "place",
    [
        "secret.txt",
        pytest.param(".", marks=pytest.mark.slow),
        pytest.param("/dev/zero", marks=pytest.mark.slow),
    ],
)
def test_a_place_that_no_param_names_is_a_contradiction_and_is_not_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A database of others could name any file of whoever makes an archive of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("a private key")
    epcg("run", "fling/layers", "--set", "generator.pieces=1", "--db", "a.db", "--quiet")
    text = json.dumps({"notes.txt": str(tmp_path / place)})
    with contextlib.closing(sqlite3.connect("a.db")) as database, database:
        database.execute("UPDATE run SET files = ?", (text,))
    assert "inputs" in epcg("verify", 1, "--db", "a.db", "--sample", 1, code=4).output
    epcg("bundle", 1, "--db", "a.db", "--output", "a.zip", code=4)
    assert not (tmp_path / "a.zip").exists()
