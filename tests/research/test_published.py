"""`epcg verify FILE`: what is published holds, and lies in studies, archives and player models do not."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from epcg_research.studies.digests import seal

from epcg_core.base.params import canonical_json
from epcg_core.store import Store
from tests.conftest import Install
from tests.faces import only
from tests.workplace import Numbers, epcg, made_once, needs

Files = dict[str, bytes]


def verified(path: Path | str, *arguments: object, code: int = 0) -> dict[str, Any]:
    """What `epcg verify FILE` finds: its checks by name, and what they do not cover."""
    found = json.loads(epcg("verify", path, "--json", "--sample", 0, *arguments, code=code).stdout)
    return {check["name"]: check for check in found["checks"]} | {"left": found["not_covered"]}


def contradicted(path: Path | str, *arguments: object, code: int = 4) -> set[str]:
    """The checks that a lie does not pass."""
    found = verified(path, *arguments, code=code)
    return {name for name, check in found.items() if name != "left" and not check["passed"]}


@pytest.fixture
def measured(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "divisor", size=100))
    return toy


# --- studies in a database


def brought_in(place: Numbers, *people: str, name: str = "play") -> Numbers:
    rows = ["who,number,fun,ms"]
    for which, who in enumerate(people):
        for n in range(4, 99, 8):
            digits = n // 10 + n % 10
            rows.append(
                f"{who},{n},{1 + (digits * 3 + which * n) % 5},{1000 * digits + 37 * (n * which % 41)}"
            )
    (place.folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    epcg("import", "responses", f"{name}.csv", "--study", name, "--space", 1, "--puzzle", "number",
         "--person", "who", "--response", "fun:1..5", "--time", "seconds=ms[ms]")  # fmt: skip
    return place


@pytest.fixture
def studied(measured: Numbers) -> Numbers:
    return brought_in(measured, "Ann", "Kim", "Tom")


def test_a_database_with_its_runs_and_studies_holds(studied: Numbers) -> None:
    found = verified(studied.database)
    assert {"file", "schema", "run 1", "study play"} < found.keys()
    assert any("people did what a study says" in each for each in found["left"])


def test_a_false_run_of_a_database_is_found(measured: Numbers) -> None:
    measured.change("UPDATE score_histogram SET count = count + 1 WHERE run_id = 1")
    assert contradicted(measured.database) == {"run 1"}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "lie",
    [
        "UPDATE responses_value SET value = 6 - value WHERE column_id = 1",
        "DELETE FROM responses_value WHERE answer_id = 1",
        "UPDATE responses_answer SET position = 9e999 WHERE id = 1",
        "UPDATE responses_answer SET person = 'Kate' WHERE person = 'Kim'",
        "UPDATE responses_column SET high = 9 WHERE name = 'fun'",
        "UPDATE responses_study SET sha256 = 'another'",
        "UPDATE responses_study SET imported_at = '1999-01-01'",
    ],
)
def test_rows_of_a_study_are_those_that_were_imported(studied: Numbers, lie: str) -> None:
    studied.change(lie)
    assert contradicted(studied.database) == {"study play"}


def test_a_value_that_no_scale_has_is_found_though_the_digest_is_made_anew(studied: Numbers) -> None:
    studied.change("UPDATE responses_value SET value = 7 WHERE answer_id = 1 AND column_id = 1")
    sealed(studied)
    assert contradicted(studied.database) == {"study play"}


def test_answers_about_a_puzzle_that_there_is_not_are_found(studied: Numbers) -> None:
    studied.change("UPDATE responses_answer SET rank = 100 WHERE id = 1")
    sealed(studied)
    assert contradicted(studied.database) == {"study play"}


def sealed(place: Numbers) -> None:
    """Make the digests of studies anew, as a liar can."""
    with Store.open(place.database, write=True) as store, store.transaction() as connection:
        for number in connection.exec_driver_sql("SELECT id FROM responses_study").scalars().all():
            seal(connection, number)


@pytest.mark.parametrize("subject", ["the file", "the run"])
def test_a_view_that_turns_answers_round_is_found(studied: Numbers, subject: str) -> None:
    text = studied.sql("SELECT sql FROM sqlite_master WHERE name = 'responses'")[0][0]
    studied.change("DROP VIEW responses", text.replace("value.value,", "6 - value.value AS value,"))
    assert "schema" in contradicted(studied.database if subject == "the file" else "1")


@pytest.mark.parametrize("people", [("Ann", "Kim", "Tom"), ("Zoe", "Max", "Ida")], ids=["same", "other"])
def test_the_same_answers_under_two_names_are_found(studied: Numbers, people: tuple[str, ...]) -> None:
    brought_in(studied, *people, name="again")
    assert contradicted(studied.database) == {"studies apart"}


def test_two_studies_of_other_people_hold(studied: Numbers) -> None:
    brought_in(studied, "Ann", "Kim", name="more")
    assert "studies apart" in verified(studied.database)


def test_a_study_without_a_digest_cannot_be_checked(studied: Numbers) -> None:
    studied.change("UPDATE responses_study SET digest = NULL")
    assert contradicted(studied.database, code=5) == {"study play"}
    told = verified(studied.database, code=5)["study play"]["detail"]
    assert "imported before digests were recorded" in told


def test_tables_of_an_older_revision_are_upgraded_first(studied: Numbers) -> None:
    version = "UPDATE alembic_version_responses SET version_num = '0002'"
    studied.change("ALTER TABLE responses_study DROP COLUMN digest", version)
    found = verified(studied.database, code=5)
    assert "epcg db upgrade" in found["studies"]["detail"]
    epcg("db", "upgrade")
    assert contradicted(studied.database, code=5) == {"study play"}


# --- archives


def archived(place: Numbers, subject: str) -> Path:
    path = place.folder / "archive.zip"
    made_once(
        path,
        ("archive", subject, place.sql("SELECT digest FROM runs")[0]),
        lambda: epcg("bundle", subject, "--output", path) and None,
    )
    return path


def changed(path: Path, change: Callable[[Files], None], *, sums: bool = True) -> Path:
    """Write an archive after a change of its files, by default with digests made anew."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    if sums:
        own = sorted(name for name in files if name != "SHA256SUMS")
        lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in own]
        files["SHA256SUMS"] = "".join(lines).encode()
    target = path.with_name("lie.zip")
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target


def table_with(change: Callable[[dict[str, list[Any]]], None]) -> Callable[[Files], None]:
    """Change the columns of the values."""

    def lie(files: Files) -> None:
        table = pyarrow.parquet.read_table(io.BytesIO(files["values.parquet"]))
        columns = table.to_pydict()
        change(columns)
        stream = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(columns, schema=table.schema), stream)
        files["values.parquet"] = stream.getvalue()

    return lie


def put(name: str, rank: int, value: Any) -> Callable[[Files], None]:
    def change(columns: dict[str, list[Any]]) -> None:
        columns[name][rank] = value

    return table_with(change)


def without_last(columns: dict[str, list[Any]]) -> None:
    for column in columns.values():
        column.pop()


def other_question(files: Files) -> None:
    files["query.toml"] = files["query.toml"].replace(b"size = 100", b"size = 99")


def other_citation(files: Files) -> None:
    text = files["CITATION.cff"].decode()
    digest = text.partition("run:")[2][:64]
    files["CITATION.cff"] = text.replace(digest, digest[::-1]).encode()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (put("digits", 42, 7), "table"),
        (put("divisor", 0, 3), "table"),
        (put("status", 7, "none"), "table"),
        (put("puzzle", 7, "numbers:range?size=100#8"), "table"),
        (table_with(without_last), "table"),
        (other_question, "question"),
        (other_citation, "citation"),
    ],
    ids=["value", "value for none", "status", "id", "row", "query", "citation"],
)
def test_an_archive_is_bound_to_its_certificate(
    measured: Numbers, lie: Callable[[Files], None], check: str
) -> None:
    assert contradicted(changed(archived(measured, "1"), lie)) == {check}


def test_the_certificate_of_an_archive_is_a_file_of_its_own(measured: Numbers) -> None:
    with zipfile.ZipFile(archived(measured, "1")) as archive:
        archive.extract("certificate.json")
    assert {"form", "openings", "values"} < verified("certificate.json").keys()
    lie = (measured.folder / "certificate.json").read_text().replace('"evaluated": 100', '"evaluated": 99')
    (measured.folder / "certificate.json").write_text(lie)
    assert contradicted("certificate.json") == {"form"}


def test_an_archive_holds_and_says_what_is_only_digested(measured: Numbers) -> None:
    found = verified(archived(measured, "1"))
    assert "100 rows" in found["table"]["detail"]
    assert found["left"] == [
        f"what {name} says" for name in ("README.md", "environment.json", "distributions.pdf")
    ]


def test_a_file_that_was_changed_or_leads_out_of_its_archive_is_found(measured: Numbers) -> None:
    path = archived(measured, "1")
    for name, sums in (("README.md", False), ("more.txt", False), ("../out.txt", True)):
        lie = changed(path, lambda files, name=name: files.update({name: b"!"}), sums=sums)
        assert contradicted(lie) == {"files"}
    assert not (measured.folder.parent / "out.txt").exists()


HARD = """
from epcg_core import hookimpl
from epcg_core.domain import EvaluatorInfo, LimitReachedError, Metric, NoParams
EPCG_API_VERSION = 1

class Hard:
    metrics = (Metric("hard"), Metric("effort", always=True))
    def evaluate(self, number):
        if number < 9:
            raise LimitReachedError("too hard", (None, number))
        return (1, number)

@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(name="hard", domain="numbers", summary="", params=NoParams, metrics=Hard.metrics,
                           factory=lambda params, generator, tables: Hard()))
"""


@pytest.mark.slow
def test_values_of_metrics_with_statuses_of_their_own_are_bound(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", only("numbers", "hard"))
    install_plugin("hard", "epcg_hard", HARD, "epcg-hard")
    epcg("run", toy.file("divisor", "hard", size=30), "--quiet")
    path = archived(toy, "1")
    assert "30 rows" in verified(path)["table"]["detail"]
    assert contradicted(changed(path, put("effort", 3, 4))) == {"table"}
    assert contradicted(changed(path, lambda files: files.pop("statuses.parquet") and None), code=5) == {
        "table"
    }


def replacing(name: str, old: str, new: str) -> Callable[[Files], None]:
    def lie(files: Files) -> None:
        assert old.encode() in files[name]
        files[name] = files[name].replace(old.encode(), new.encode(), 1)

    return lie


def higher_correlation(files: Files) -> None:
    data = json.loads(files["findings.json"])
    data["found"][0]["estimate"]["value"] = 0.999
    files["findings.json"] = json.dumps(data).encode()


@pytest.mark.slow
@needs("statsmodels")
@pytest.mark.parametrize(
    ("lie", "checks"),
    [
        (higher_correlation, {"findings"}),
        (replacing("responses.csv", "p1,", "p2,"), {"findings"}),
        (replacing("measures.csv", "digits,1,4", "digits,1,40"), {"measures", "findings"}),
        (replacing("findings.txt", "digits", "divisor"), {"findings"}),
        (replacing("runs/1/query.toml", "size = 100", "size = 99"), {"question of run 1", "measures"}),
    ],
    ids=["number", "person", "measure", "sentence", "query"],
)
def test_an_archive_of_a_study_tells_what_follows_from_its_tables(
    studied: Numbers, lie: Callable[[Files], None], checks: set[str]
) -> None:
    path = archived(studied, "play")
    verified(path)
    assert contradicted(changed(path, lie)) == checks


# --- player models

COUNTS: dict[str, Any] = {
    "format": "epcg-player", "version": 1, "domain": "numbers", "play": "numbers:Play", "model": "counts",
    "strength": 1.0, "classes": {"nearer move": [3, 5]}, "counts": {"a": {"move left": 2, "move right": 1}},
    "fitted_on": {"people": 1, "puzzles": 1, "decisions": 3, "sha256": "0" * 64},
}  # fmt: skip


@pytest.fixture
def model(toy: Numbers) -> Callable[..., Path]:
    def write(**changes: Any) -> Path:
        path = toy.folder / "player.json"
        path.write_text(canonical_json(COUNTS | changes) + "\n")
        return path

    return write


def test_a_player_model_holds_if_it_was_fitted_to_what_it_names(model: Callable[..., Path]) -> None:
    assert contradicted(model(), code=6) == {"fit"}
    assert contradicted(model(fitted_on={}), code=5) == {"fit"}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "lie",
    [
        {"counts": {"a": {"move left": 3, "move right": 1}}},
        {"classes": {"nearer move": [3, 2]}},
        {"fitted_on": COUNTS["fitted_on"] | {"decisions": 300}},
        {"strength": -1.0},
        {"extra": 1},
        {"rules": ["x"], "classes": 7},
    ],
    ids=["count", "class", "decisions", "strength", "part", "rules"],
)
def test_numbers_of_a_player_model_go_together(model: Callable[..., Path], lie: dict[str, Any]) -> None:
    assert contradicted(model(**lie)) == {"form"}


def test_a_file_of_no_kind_is_told(toy: Numbers) -> None:
    (toy.folder / "x.txt").write_text("hello")
    assert (
        "'x.txt' is not a file that can be checked. These can: a database"
        in epcg("verify", "x.txt", code=1).stderr
    )
    assert "neither the number of a run nor a file" in epcg("verify", "y.txt", code=2).stderr
    assert "runs are numbered from 1" in epcg("verify", "0", code=2).stderr
