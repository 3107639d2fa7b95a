"""`epcg score`: measures of a puzzle, and its place among the candidates of recorded runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.workplace import Numbers, epcg

ROOT = Path(__file__).parents[3]


def measures(result: Result) -> dict[tuple[str, str], dict[str, Any]]:
    """(evaluator, measure) -> what is said of it."""
    return {(m["evaluator"], m["measure"]): m for m in json.loads(result.stdout)["measures"]}


@pytest.mark.usefixtures("answered")
def test_percentiles_are_those_of_all_values(toy: Numbers, cli: Callable[..., Result]) -> None:
    sums = [sum(map(int, str(number))) for number in range(100)]
    for asked in ("1#57", "numbers:range?size=100#57"):
        found = measures(cli("score", asked, "--json"))
        [place, *_] = found["digits", "digits"]["standings"]
        lower, equal = sum(s < 12 for s in sums), sums.count(12)
        assert found["digits", "digits"]["value"] == 12
        assert (place["run"], place["candidates"], place["lower"], place["equal"]) == (1, 100, lower, equal)
        assert place["percentile"] == lower + equal / 2
    divisors = [min(d for d in range(2, n + 1) if n % d == 0) for n in range(2, 100)]
    [place] = found["divisor", "divisor"]["standings"]
    assert (place["run"], place["candidates"]) == (2, 98)
    assert (place["lower"], place["equal"]) == (divisors.count(2), divisors.count(3))


@pytest.mark.usefixtures("answered")
def test_what_has_no_value_says_why(cli: Callable[..., Result]) -> None:
    found = measures(cli("score", "1#0", "--json"))
    assert found["divisor", "divisor"]["value"] is None
    assert found["divisor", "divisor"]["reason"] == "no value"
    unlucky = measures(cli("score", "1#13", "--json"))
    assert "13 brings bad luck" in unlucky["fails", "survived"]["reason"]


@pytest.mark.usefixtures("answered")
def test_the_own_space_comes_first(toy: Numbers, cli: Callable[..., Result]) -> None:
    for size in (20, 30, 40, 50):
        cli("run", toy.file("digits", size=size), "--quiet")
    runs = [
        place["run"] for place in measures(cli("score", "1#5", "--json"))["digits", "digits"]["standings"]
    ]
    assert runs == [1, 6, 5]
    table = cli("score", "1#5").stdout
    assert table.startswith("numbers:range?size=100#5\n* 5 *\n")
    assert "Numbers range: size 100" in table
    assert "Numbers range: size 50" in table


def test_without_a_database_there_are_measures(cli: Callable[..., Result], toy: Numbers) -> None:
    result = cli("score", "numbers:range?size=100#57")
    assert "digits" in result.stdout
    assert "so there is nothing to compare with" in result.stderr
    assert "Not measured" not in result.stderr


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("9#1", "There is no run 9"),
        ("1#100", "has ranks 0 to 99, not 100"),
        ("numbers:range?size=9#9", "has ranks 0 to 8, not 9"),
        ("what is this", "no generator reads it as a puzzle"),
    ],
)
@pytest.mark.usefixtures("answered")
def test_mistakes_are_sentences(cli: Callable[..., Result], asked: str, sentence: str) -> None:
    assert sentence in cli("score", asked, code=1).stderr


@pytest.mark.usefixtures("answered")
def test_a_filtered_run_says_among_what_it_compares(toy: Numbers, cli: Callable[..., Result]) -> None:
    limits = (
        '[filter]\nmetric = "digits"\nmin = 10\nsearch = { name = "exhaustive" }\n'
        'evaluators = [{ name = "digits" }]\n'
    )
    cli("run", toy.file("root", size=90, more=limits), "--quiet")
    cli("run", toy.file("root", size=80, more="[range]\nstart = 10\nstop = 60"), "--quiet")
    shown = cli("score", "numbers:range?size=90#57")
    among = {
        place["run"]: place["among"]
        for measure in json.loads(cli("score", "numbers:range?size=90#57", "--json").stdout)["measures"]
        for place in measure["standings"]
    }
    filtered, part = sorted(among)[-2:]
    assert among[filtered] == "only candidates with digits of 10 or more"
    assert among[part] == "only candidates of ranks 10 to 59"
    assert [run for run, told in among.items() if told] == [filtered, part]
    assert f"Run {filtered} compares with only candidates with digits of 10 or more." in shown.stderr


# --- the domains of this repository


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_board_of_any_size_from_a_file_or_a_text(folder: Path) -> None:
    size = ("--set", "generator.width=4", "--set", "generator.height=4", "--set", "generator.pieces=3")
    epcg("run", "fling/layers", *size, "--quiet")
    (folder / "board.txt").write_text("o..o\n....\n....\n...o\n")
    by_text = epcg("score", "o..o/..../..../...o", "--json")
    assert by_text.stdout == epcg("score", "board.txt", "--json").stdout
    data = json.loads(by_text.stdout)
    assert data["puzzle"].startswith("fling:boards?height=4&pieces=3&width=4#")
    found = measures(by_text)
    assert found["legal_moves", "legal_moves"]["value"] == 4
    [place, *_] = found["solvable", "solvable"]["standings"]  # recorded by retrograde analysis
    assert (place["run"], place["candidates"]) == (3, 560)
    assert found["unique", "unique"]["standings"]
    epcg("run", "fling/layers", *size, "--set", "search.uniqueness=moves", "--db", "moves.db", "--quiet")
    other = measures(epcg("score", "board.txt", "--db", "moves.db", "--json"))
    assert other["unique", "unique"]["standings"] == []  # counted by another convention
    assert other["solvable", "solvable"]["standings"]
    assert "has 2 cells, but the board is 4 wide" in epcg("score", "o..o/..", code=1).stderr


def test_a_level_by_its_file_or_name(folder: Path) -> None:
    epcg("run", "snakebird/single_edits", "--quiet")
    level = ROOT / "plugins/snakebird/levels/01_first_bite.txt"
    for asked in (level, "01_first_bite"):
        found = measures(epcg("score", asked, "--json"))
        moves = found["shortest_solution", "moves"]
        assert moves["value"] == 18
        assert [place["candidates"] for place in moves["standings"]] == [88]  # variants with a solution
    shut = folder / "shut.txt"
    shut.write_text("name: Shut\n>1#..E\n######\n")
    assert "no solution (proven)" in epcg("score", shut).stdout
    shut.write_text("name: Shut\n>1#..F\n######\n")
    assert "there is no exit" in epcg("score", shut, code=1).stderr


def test_a_drawn_panel(folder: Path) -> None:
    drawing = "+---+---E\n| b | w |\n+---+---+\n|   |   |\nS---+---+\n"
    (folder / "panel.txt").write_text(drawing + "b: square black\nw: square white\n")
    found = measures(epcg("score", "panel.txt", "--json"))
    assert found["solutions", "solutions"]["value"] > 0
    assert "muse" in {name for _, name in found}


def test_other_generators_read_their_own_texts(folder: Path) -> None:
    found = json.loads(epcg("score", "1 2 3 / 4 5 6 / 0 7 8", "--json").stdout)
    assert found["puzzle"].startswith("sliding:boards?")
    assert any(m["measure"] == "moves" and m["value"] == 2 for m in found["measures"])


def test_the_domain_that_read_most_of_a_text_says_what_is_wrong(folder: Path) -> None:
    text = epcg("deduction", "genres", "slitherlink").stdout.replace("count =", "cuont =", 1)
    (folder / "own.deduction").write_text(text, encoding="utf-8")
    said = epcg("score", "own.deduction", code=1).stderr
    assert said.startswith(
        "Error: No generator reads own.deduction as a puzzle. Most of it was read by deduction: "
    )
    first, others = said.split("\nOthers say (--domain NAME asks one):\n")
    assert "cuont" in first
    assert others.startswith("  fling: ")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            "fling:boards?height=4&pieces=3&width=4",
            "is a space, not a puzzle: an id ends with a rank, as in fling:",
        ),
        ("query.toml", "query.toml is a query: `epcg run` answers it."),
        ("plan.toml", "plan.toml is a plan: `epcg curriculum build` builds it."),
        ("qeury.toml", "There is no file 'qeury.toml'. Did you mean 'query.toml'?"),
    ],
)
def test_what_is_no_puzzle_is_called_what_it_is(folder: Path, asked: str, sentence: str) -> None:
    (folder / "query.toml").write_text('domain = "fling"\n[generator]\nname = "boards"\n')
    (folder / "plan.toml").write_text('title = "x"\n[[chapters]]\nname = "one"\n')
    assert sentence in epcg("score", asked, code=1).stderr


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file_is_called_empty(folder: Path, text: str) -> None:
    (folder / "empty.txt").write_text(text, encoding="utf-8")
    said = epcg("score", "empty.txt", code=1).stderr
    assert said.endswith("Error: empty.txt is empty: write a puzzle there, or name another file or an id.\n")


def test_a_text_that_no_domain_takes_has_a_reason_from_each(folder: Path) -> None:
    (folder / "odd.txt").write_text("o..o\n...x\n")
    for asked, begins in (
        ("odd.txt", "No generator reads odd.txt"),
        ("what", "This is neither a puzzle's id"),
    ):
        first, *reasons = epcg("score", asked, code=1).stderr.splitlines()
        assert first.startswith(f"Error: {begins}")
        assert [line.split(":")[0].strip() for line in reasons] == [
            "deduction",
            "fling",
            "hanoi",
            "pcgbench",
            "puzzlescript",
            "rushhour",
            "segments",
            "sliding",
            "snakebird",
            "tangram",
            "witness",
        ]
        assert "is not a board: expected 16 cells" in reasons[5]
        assert "is not a board of 3 x 3" in reasons[7]
        assert "is neither a line of a drawing nor" in reasons[-1]
    assert len(epcg("score", "odd.txt", "--domain", "witness", code=1).stderr.splitlines()) == 1
    assert (
        "unknown generator 'bords'. Did you mean 'boards'?" in epcg("score", "fling:bords#5", code=1).stderr
    )


def test_what_looks_like_an_id_is_not_read_as_a_text(folder: Path) -> None:
    said = epcg("score", "fling:boards?height=3&pieces=3&width=4#abc", code=1).stderr
    assert "what stands behind its # is not a rank: write a whole number there" in said
    assert (
        "unknown generator 'bords'. Did you mean 'boards'?" in epcg("score", "fling:bords#5", code=1).stderr
    )


# --- what is compared with what


def places(puzzle: str, *arguments: object) -> dict[str, dict[int, dict[str, Any]]]:
    """By measure and run: where a puzzle stands."""
    found = json.loads(epcg("score", puzzle, "--json", *arguments).stdout)
    return {m["measure"]: {place["run"]: place for place in m["standings"]} for m in found["measures"]}


def test_boards_are_compared_with_boards_of_as_many_pieces(folder: Path) -> None:
    """The layers below are recorded, too, and boards of fewer pieces are others' kind."""
    size = ("--set", "generator.width=4", "--set", "generator.height=4", "--set", "generator.pieces=4")
    epcg("run", "fling/layers", *size, "--quiet")
    for pieces, text in ((4, "o..o/..../.o../...o"), (3, "o..o/..../..../...o")):
        runs = {run for by_run in places(text).values() for run in by_run}
        assert runs == {pieces}
    drawn = {place["run"]: place for place in places("o..o/..../.o../...o")["solvable"].values()}
    assert drawn[4]["candidates"] == 1820


def test_variants_are_compared_with_their_original(folder: Path) -> None:
    epcg("run", "snakebird/single_edits", "--quiet")
    epcg(
        "run",
        "snakebird/single_edits",
        "--set",
        "generator.level=02_the_long_way_round",
        "--quiet",
        code=None,
    )
    assert set(places("01_first_bite")["moves"]) == {1}


@pytest.mark.usefixtures("answered")
def test_lower_equal_and_higher_are_all_candidates(toy: Numbers, cli: Callable[..., Result]) -> None:
    sums = [sum(map(int, str(number))) for number in range(100)]
    place = places("1#57")["digits"][1]
    counts = [sum(s < 12 for s in sums), sums.count(12), sum(s > 12 for s in sums)]
    assert [place[name] for name in ("lower", "equal", "higher")] == counts
    assert sum(counts) == place["candidates"]
    lines = cli("score", "1#57").stdout.splitlines()
    (header,) = (line.split() for line in lines if line.startswith("measure"))
    assert header == ["measure", "value", "lower", "equal", "higher", "of", "run", "space"]
    line = next(line for line in lines if line.startswith("digits"))
    assert [text.strip() for text in line.split("  ") if "%" in text] == [f"{n} ({n}.0 %)" for n in counts]


@pytest.mark.usefixtures("answered")
def test_yes_and_no_have_no_percentages(cli: Callable[..., Result]) -> None:
    place = places("1#57")["even"][1]
    assert (place["percentile"], place["lower"], place["equal"], place["higher"]) == (None, 0, 50, 50)
    (row,) = (line for line in cli("score", "1#57").stdout.splitlines() if line.startswith("even"))
    assert "%" not in row


@pytest.mark.usefixtures("answered")
def test_runs_that_are_not_finished_say_of_how_many(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", size=5000), "--sample", 40, "--quiet")
    place = places("numbers:range?size=5000#57")["digits"]
    assert list(place) == [3, 1]
    assert place[3]["candidates"] == 40
    assert place[3]["among"].startswith("40 of 5,000 candidates, drawn by chance; of all, ")
    assert sum(place[3][name] for name in ("lower", "equal", "higher")) == 40
