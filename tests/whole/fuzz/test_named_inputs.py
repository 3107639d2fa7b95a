"""What ended in 'This is a mistake in EPCG', through the command line and Python: now a sentence each."""

from __future__ import annotations

from pathlib import Path

import pytest

import epcg_core as epcg_api
from epcg_core.base import documents
from epcg_core.base.errors import LONGEST_MESSAGE, EpcgError, StoreError
from epcg_core.query import query
from tests.workplace import epcg

DIGITS = "9" * 5000
HEAD = 'domain = "numbers"\ngenerator = { name = "range", size = 10 }\n'


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("x = " + "[" * 5000, "nested more than 40 deep"),
        ("x = " + "{ a = " * 2000, "nested more than 40 deep"),
        ("x = " + "[" * 50 + "]" * 50, "nested more than 40 deep"),
        (".".join("a" * 3000) + " = 1", "line 3: a key has more than 40 parts"),
        (f"[range]\nstart = {DIGITS}", "line 4: a number has too many digits"),
        ("[range]\nstart = 0x" + "f" * 6000, "range.start: this integer has more than 63 bits"),
        ("[range]\nstart = 9223372036854775808", "range.start: this integer has more than 63 bits"),
        ("title = 1979-05-27", "title: 1979-05-27 is a date or time; put it in quotes"),
        ("title = 07:32:00", "title: 07:32:00 is a date or time; put it in quotes"),
        ('title = "a\\u0000"', "title: 'a\\x00' holds the character NUL"),
        ('"a\\u0000" = 1', "a key: 'a\\x00' holds the character NUL"),
        ("[[select]]\nmetric = 'x'\nmin = 1e999", r"select 1.min: inf is not a finite number"),
        ("[[select]]\nmetric = 'x'\nmax = nan", r"select 1.max: nan is not a finite number"),
    ],
)
def test_a_query_file(line: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text(HEAD + line + "\n", encoding="utf-8")
    for arguments in (("run", "bad.toml"), ("curriculum", "build", "bad.toml")):
        said = epcg(*arguments, code=1).stderr
        assert said.startswith("Error: bad.toml: ")
        assert problem in said
        assert "mistake in EPCG" not in said


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        (f"range.start={DIGITS}", "too many digits"),
        ("range.start=99999999999999999999", "more than 63 bits"),
        ("x=" + "[" * 5000, "nested more than 40 deep"),
        (".".join("a" * 3000) + "=1", "at most 40 parts"),
        ("range.start=1e999", "not a finite number"),
        ("title=\udcff", "unpaired surrogate"),
        ('title="a\\u0000"', "character NUL"),
        (f"select.{DIGITS}.count=1", "is not one of a list"),
    ],
)
def test_a_setting(setting: str, problem: str) -> None:
    with pytest.raises(EpcgError) as caught:
        query.parse_query(HEAD + "[[select]]\nmetric = 'x'\n", [setting])
    assert problem in str(caught.value)
    assert len(str(caught.value)) <= LONGEST_MESSAGE


def test_a_date_in_a_setting_is_a_string() -> None:
    """There is no other meaning, and a shell takes quotes away."""
    assert query.parse_query(HEAD, ["title=1979-05-27"]).title == "1979-05-27"


def test_python_values_that_cannot_be_recorded() -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    for value in (deep, 10**400, float("inf"), float("nan"), "a\0", "\ud800", object()):
        with pytest.raises(EpcgError, match=r"The setting generator\.size"):
            query.parse_query(HEAD, [("generator.size", value)])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested more than 40 deep"),
        ('{"a":' * 100_000, "nested more than 40 deep"),
        (DIGITS, "an integer of 5000 digits"),
        ("1e999", "inf is not a finite number"),
        ("[NaN]", "NaN is not a number of JSON"),
        ('{"a": 1, "a": 2}', "the key 'a' is there twice"),
        ('["\\ud800"]', "unpaired surrogate"),
        ('{"a": ["\\u0000"]}', r"a 1: '\\x00' holds the character NUL"),
        ("{", "not valid JSON"),
    ],
)
def test_a_json_document(text: str, problem: str) -> None:
    with pytest.raises(StoreError, match=problem):
        documents.parse_json(text, "x.json", StoreError)


def test_dotted_rows_of_a_drawing_are_no_keys() -> None:
    """A board may look like a key of many parts."""
    text = "[generator]\nlevel = '''\n" + "o." * 60 + "\n'''\n"
    assert documents.parse_toml(text, "x.toml")["generator"]["level"].startswith("o.o.")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", 1_500_000)
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * 1_500_001)
    with pytest.raises(EpcgError, match=r"The plan '.*' is larger than 1\.5 MB\."):
        documents.read_text(path, "plan")
    with pytest.raises(EpcgError, match="longer than 4 million characters"):
        documents.parse_toml("#" * ((4 << 20) + 1), "x.toml")


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from tests.whole.fuzz.parsers import Place

    Place.make(tmp_path).store.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "epcg.db"


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("show", 10**30), "There is no run"),
        (("top", 10**30), "There is no run"),
        (("curriculum", "show", "a\udcff"), "unpaired surrogate"),
        (("runs", "--db", "a\udcff"), "unpaired surrogate"),
        (("runs", "--db", "sqlite://host/epcg.db"), "is a URL, and a database is a file"),
        (("runs", "--db", "postgresql://a:b@c:port/d"), "is a URL, and a database is a file"),
        (("runs", "--db", "x" * 5000), "File name too long"),
        (("sql", "SELECT 'a\udcff'"), "unpaired surrogate"),
        (("sql", "SELECT epcg_score(1, 'number', 'x')"), "epcg_score: a rank is an integer, not 'x'"),
        (("sql", "SELECT epcg_score(1, 'number', NULL)"), "epcg_score: a rank is an integer, not NULL"),
        (("sql", "SELECT epcg_puzzle(1, x'00')"), "epcg_puzzle: a rank is an integer"),
        (("export", 1, "--where", "share > '\udcff'"), "unpaired surrogate"),
        (("db", "materialize", 1, "--where", "1 = 1 UNION SELECT 'x'"), "gives other values than ranks"),
        (("db", "materialize", 1, "--where", "json(iif(rank = 30, 'x', 1))"), "malformed JSON"),
        (("render", f"fling:boards?pieces=3#{DIGITS}"), "a rank of 5000 digits is in no space"),
        (("render", "fling:boards?pieces=3#٣"), "is not a puzzle id"),
        (("fling", "analyze", DIGITS), "is not a bitboard"),
        (("fling", "analyze", "²,3"), "is not a row of a board"),
        (("verify", "--certificate", "query.toml"), "is not valid JSON"),
    ],
)  # fmt: skip
def test_a_command(arguments: tuple[object, ...], problem: str, recorded: Path) -> None:
    said = epcg(*arguments, code=None)
    assert said.exit_code in (1, 4)
    assert problem in said.stderr
    assert len(said.stderr) < LONGEST_MESSAGE + 100


def test_nul_from_standard_input(recorded: Path) -> None:
    assert "holds the character NUL" in epcg("sql", "-", stdin="SELECT 1\0", code=1).stderr


def test_names_from_python(recorded: Path) -> None:
    with pytest.raises(EpcgError, match="character NUL"):
        epcg_api.open("a\0.db")
    with pytest.raises(EpcgError, match="cannot be read"):
        query.load(Path("a\0.toml"))
    with pytest.raises(EpcgError, match="There is no run"):
        epcg_api.open(recorded).run(10**30)


def test_a_time_limit_is_finite(recorded: Path) -> None:
    assert "a finite number is expected" in epcg("run", "query.toml", "--unit-timeout", "nan", code=2).stderr


def test_the_address_of_a_scheduler(recorded: Path) -> None:
    for address in ("foo bar", "tcp://host", "tcp://host:99999", "host:٣", "a\0:1"):
        said = epcg("run", "query.toml", "--scheduler", address, "--quiet", code=None)
        assert "is not the address of a dask scheduler" in said.stderr


def test_a_small_certificate_cannot_unpack_to_any_size() -> None:
    import base64
    import zlib

    from epcg_research.certificate.form import unpacked

    whole = base64.b64encode(zlib.compress(bytes(1 << 20))).decode()
    assert unpacked(whole, 1 << 20, "blocks") == bytes(1 << 20)
    for data in (zlib.compress(bytes((1 << 20) + 1)), zlib.compress(b"a") + b"b", zlib.compress(b"a")[:-1]):
        with pytest.raises(EpcgError, match="not what the claims require"):
            unpacked(base64.b64encode(data).decode(), 1 << 20, "blocks")


def test_long_messages_keep_their_ends() -> None:
    message = str(EpcgError("begin " + "x" * 100_000 + " end."))
    assert len(message) <= LONGEST_MESSAGE
    assert message.startswith("begin x")
    assert message.endswith("x end.")


LONG = "a" * 100_000
LIBRARY = (
    'domain = "fling"\nevaluators = [{ name = "solvable" }]\n[generator]\nname = "sequences"\nlength = 2\n'
)


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (("run", "q.toml"), f'library = {{ query = "{LONG}" }}'),
        (("run", "q.toml"), f'library = {{ space = "{LONG}", ranks = [1], sha256 = "x" }}'),
        (("run", "q.toml"), f'library = {{ space = "fling:{LONG}", ranks = [1], sha256 = "x" }}'),
        (("run", "q.toml"), f'library = {{ space = "fling:boards?{LONG}=1", ranks = [1], sha256 = "x" }}'),
        (
            ("run", "q.toml"),
            f'library = {{ space = "fling:boards?pieces={LONG}", ranks = [1], sha256 = "x" }}',
        ),
        (
            ("run", "q.toml"),
            f'library = {{ space = "fling:boards?pieces=3", ranks = [1], sha256 = "{LONG}" }}',
        ),
        (
            ("run", "q.toml"),
            'library = { space = "fling:boards?pieces=3", ranks = [1], sha256 = "x", '
            f"values = {{ {LONG} = [] }} }}",
        ),
        (("run", "q.toml"), f'library = {{ texts = ["{LONG}"] }}'),
        (("render", f"fling:boards?pieces={LONG}#1"), ""),
        (("convert", LONG), ""),
        (("show", LONG), ""),
        (("runs", f"--{LONG}"), ""),
        (("runs", "--db", LONG), ""),
        ((LONG,), ""),
    ],
    ids=lambda value: value[0][:9] if isinstance(value, tuple) else value[11:30],
)
def test_a_long_name_does_not_fill_the_message(
    words: tuple[str, ...], table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.toml").write_text(LIBRARY + table + "\n", encoding="utf-8")
    said = epcg(*words, code=None)
    assert said.exit_code in (1, 2)
    assert "mistake in EPCG" not in said.stderr
    assert said.stderr.count("a" * 20) < 60
    assert len(said.stderr) < 1500


@pytest.mark.parametrize(
    "words",
    [
        ("score", f"fling:boards@{DIGITS}?pieces=3#1"),
        ("render", f"{DIGITS}#1"),
        ("render", f"fling:boards@{DIGITS}?pieces=3#1"),
        ("fling", "study", "x", "--pieces", DIGITS),
    ],
)
def test_numbers_of_thousands_of_digits_are_read_by_nobody(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = epcg(*words, code=None)
    assert said.exit_code in (1, 2)
    assert "mistake in EPCG" not in said.stderr
