"""Texts of genres and puzzles: every fault has its line and column, and what is written reads back."""

from __future__ import annotations

import random

import pytest
from epcg_deduction.genres import genre, shipped
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules import problem_of, rules_of
from epcg_deduction.texts import DeductionTextError, Document, genre_document, read, read_text
from epcg_deduction.texts.writer import write, written_puzzle

from tests.deduction.random_genres import random_puzzles

SLITHERLINK = """title = "Slitherlink"
lattice = "squares"
[marks]
edges = ["line", "none"]
[clues.n]
on = "cells"
values = "0..4"
[[rules]]
loop = "edges"
[[rules]]
each = "clue n"
look = "edges"
count = "line"
is = "clue"
[puzzle]
drawing = '''
..
.0
'''
"""
SHADE = """[marks]
cells = ["shaded", "blank"]
[clues.n]
on = "cells"
values = "0..9"
[[rules]]
"""
PUZZLE = "\n[puzzle]\nsize = [2, 3]\n"


def told(text: str) -> list[tuple[int, int, str]]:
    return [(fault.line, fault.column, fault.message) for fault in read(text).faults if fault.serious]


def notes(text: str) -> list[str]:
    found = read(text)
    assert found.usable
    return [fault.message for fault in found.faults]


def test_a_text_is_read_into_a_genre_and_a_puzzle() -> None:
    found = read_text(SLITHERLINK, "loops")
    assert (found.genre.name, found.genre.title) == ("loops", "Slitherlink")
    assert found.genre.marks.edges == ("line", "none")
    (puzzle,) = found.puzzles
    assert (puzzle.board.width, puzzle.board.height, puzzle.clues) == (2, 2, (Clue("n", 3, 0),))
    assert puzzle.clues[0].value == 0


def test_a_text_of_puzzles_names_its_genre() -> None:
    found = read_text('genre = "slitherlink"\n[[puzzles]]\nsize = [1, 2]\n[[puzzles]]\ndrawing = "3.3"\n')
    assert found.genre is genre("slitherlink")
    assert [len(puzzle.clues) for puzzle in found.puzzles] == [0, 2]


@pytest.mark.parametrize(
    ("drawing", "places"),
    [
        ("'''\n.x\n..\n'''", [(17, 2)]),
        ("'''\n5.\n..\n'''", [(17, 1)]),
        ("'''\n..\n.\n'''", [(18, 1)]),
        ("'''\n. x .\n9 . y\n'''", [(17, 3), (18, 5)]),
        ('"3z"', [(16, 13)]),
        ('""', [(16, 1)]),
    ],
)
def test_a_fault_of_a_drawing_has_its_line_and_column(drawing: str, places: list[tuple[int, int]]) -> None:
    text = SLITHERLINK.replace("'''\n..\n.0\n'''", drawing)
    assert [place[:2] for place in told(text)] == places


@pytest.mark.parametrize(
    ("rule", "line", "said"),
    [
        (
            "each = 'regoin'\ncount = 'shaded'\nis = 1",
            7,
            "Unknown selection 'regoin'. Did you mean 'region'?",
        ),
        ("each = 'row'\ncount = 'shadde'\nis = 1", 8, "Unknown mark 'shadde'. Did you mean 'shaded'?"),
        ("each = 'row'\ncount = 'shaded'", 6, "The rule does not say what the measure is"),
        ("each = 'row'\nis = 1", 6, "Nothing is measured"),
        ("each = 'row'\ncount = 'shaded'\nsize = true\nis = 1", 9, "count and size are two measures"),
        ("each = 'row'\nlook = 'around'\ncount = 'shaded'\nis = 1", 8, "'around' is for single cells"),
        ("each = 'row'\nsum = true\nis = 3", 8, "'sum' needs cells whose marks are digits"),
        ("each = 'clue m'\ncount = 'shaded'\nis = 'clue'", 7, "Unknown kind of clues 'm'"),
        ("each = 'row'\ncount = 'shaded'\nis = 'different'", 9, "'count' is a number, not a list"),
        ("each = 'region'\nruns = 'shaded'\nis = 'different'", 8, "'runs' are counted along a line"),
        (
            "each = 'clue n'\nlook = 'ring'\nruns = 'shaded'\nis = 'clue'",
            10,
            "Runs are compared with clues that are lists",
        ),
        (
            "each = 'clue n'\nlook = 'arrow'\ncount = 'shaded'\nis = 1",
            8,
            "'arrow' needs clues that are arrows",
        ),
        ("each = 'row'\ncount = 3\nis = 1", 8, "'count' is a text, not 3"),
        ("each = 'row'\nmarks = false\nis = 'different'", 8, "'marks' is true, not false"),
        ("each = 'piece'\nsize = true\nis = 2", 7, "The genre has no pieces"),
        ("never = '##'", 6, "The drawing has '#', and 'signs' does not say which mark it is"),
        ("loop = 'edges'", 7, "The genre has no marks on edges"),
        ("at = 'n'", 6, "The rule does not say which mark is there"),
        ("connected = 'shaded'\nin = 'rom'", 8, "Unknown place 'rom'"),
        ("paths = 'links'\nends = 'n'", 7, "The genre has no marks on links"),
        ("matched = 'shaded'\nwith = 'm'", 8, "Unknown kind of clues 'm'"),
        ("distinct = 'rows'", 7, "Unknown list 'rows'. Did you mean 'row'?"),
        ("fills = 'shaded'\nfrom = 'below'", 8, "Unknown side 'below'"),
        ("connectd = 'shaded'", 6, "The kind of this rule is missing: give one of at, each, never"),
        ("loop = 'edges'\nnever = '##'", 6, "A rule has one kind"),
    ],
)
def test_a_fault_of_a_rule_has_its_line(rule: str, line: int, said: str) -> None:
    found = told(SHADE + rule + PUZZLE)
    assert (found[0][0], found[0][2][: len(said)]) == (line, said)


@pytest.mark.parametrize(
    ("rule", "puzzle", "line", "said"),
    [
        ("each = 'region'\ncount = 'shaded'\nis = 1", "size = [2, 2]", 11, "This rule is about regions"),
        ("each = 'row'\ncount = 'shaded'\nis = 'half'", "size = [2, 3]", 11, "Half of row 1 (and 1 more)"),
        (
            "connected = 'shaded'\nin = 'region'",
            "regions = '''\naab\nbba\n'''",
            11,
            "Region a is in several parts",
        ),
        ("each = 'row'\ncount = 'shaded'\nis = 'stars'", "size = [2, 2]", 11, "'stars' is not a number."),
    ],
)
def test_a_rule_that_does_not_fit_the_board_is_told(rule: str, puzzle: str, line: int, said: str) -> None:
    found = told(SHADE + rule + "\n[puzzle]\n" + puzzle)
    assert said in found[0][2]
    assert "Rule 1 (" in found[0][2]
    assert 9 <= found[0][0] <= line


@pytest.mark.parametrize(
    ("puzzle", "said"),
    [
        ("title = 'x'", "The board has no size: give size = [rows, columns], or a drawing."),
        ("size = [100, 100]", "The board has 10,000 cells; at most 4,096 are possible."),
        ("size = [2]", "'size' is [rows, columns], as in [4, 6], not [2]."),
        (
            "size = [2, 2]\ndrawing = '...'",
            "'drawing' has 1 rows of 3, and 'size' 2 of 2: they must be the same.",
        ),
        ("size = [2, 2]\nrows = [1, 2]", "The genre has no clues on lines or stretches: leave 'rows' away."),
        ("size = [2, 2]\nroom = { a = 1 }", "The genre has no clues in regions: leave 'room' away."),
        ("drawing = '__'", "The board has no cell: '_' is a hole."),
        ("sise = [2, 2]", "Unknown key 'sise'. Did you mean 'size'?"),
        ("regions = 'a1a'\n", "'1' means nothing here. A region is a letter"),
        ("regions = 'a1 a1'\n", "'a1' occurs twice"),
        ("size = [3, 3]\nboxes = [2, 2]", "'boxes' is [rows, columns] of a box, which divide 3 and 3"),
    ],
)
def test_a_fault_of_a_puzzle_is_told(puzzle: str, said: str) -> None:
    found = told(SHADE + "connected = 'shaded'\n[puzzle]\n" + puzzle)
    assert any(message.startswith(said) and line >= 8 for line, _, message in found)


def test_all_faults_are_told_at_once() -> None:
    text = SHADE + "each = 'rwo'\ncount = 'shaded'\nis = 1\n[[rules]]\nconnected = 'x'\n[[rules]]\nlop = 1\n"
    assert [line for line, _, _ in told(text)] == [12]  # a kind that is missing comes before the fields
    assert [line for line, _, _ in told(text.replace("[[rules]]\nlop = 1\n", ""))] == [7, 11]


def test_text_that_is_not_toml_is_told_with_its_place() -> None:
    assert [place[:2] for place in told("[marks\ncells = 1")] == [(1, 7)]
    with pytest.raises(DeductionTextError, match=r"^mine, line 4, column 5: "):
        read_text("\n\n\nx = = 3", "mine")


def test_clues_and_rules_that_can_never_be_met_are_noted() -> None:
    mosaic = 'genre = "mosaic"\n[puzzle]\ndrawing = "9.\\n.."\n'
    assert notes(mosaic) == ["The clue 9 in r1c1 can never be met by rule 1: there is no solution."]
    ripple = 'genre = "ripple"\n[puzzle]\nregions = "ab"\ndrawing = "2."\n'
    assert notes(ripple)[0] == "The clue 2 in r1c1 is not a mark of its cell: there is no solution."
    rules = "each = 'row'\ncount = 'shaded'\nis = 4\n[[rules]]"
    rules += '\nnever = "##\\n##\\n##"\nsigns = { "#" = "shaded" }'
    found = notes(SHADE + rules + PUZZLE.replace("3", "2"))
    assert found[0] == "Rule 2 (never): The drawing is larger than the board, so the rule asks nothing."
    assert found[1] == "Rule 1 (each) can never hold in row 1: there is no solution."


def test_large_numbers_are_told_or_read_without_a_list_of_them() -> None:
    latin = "genre = 'latin'\n[puzzle]\nsize = [2, 2]\nn = 1000000\n"
    assert [fault.message for fault in read(latin).faults] == [
        "A cell can have 1,000,000 marks here; at most 100 are possible."
    ]
    text = SHADE.replace("0..9", "1..1000000") + "connected = 'shaded'\n[puzzle]\ndrawing = '999999 . 1'\n"
    assert [clue.value for clue in read_text(text).puzzles[0].clues] == [999_999, 1]
    assert "1000001 is outside the values of 'n'" in told(text.replace("999999", "1000001"))[0][2]
    text = SHADE.replace("0..9", "arrows 1..") + "connected = 'shaded'\n[puzzle]\ndrawing = '>5 . ^0'\n"
    assert "^0 is outside the values of 'n'" in told(text)[0][2]
    assert read_text(text.replace("^0", "^77")).puzzles[0].clues[1].value == ("up", 77)


def test_rules_that_contradict_each_other_are_noted() -> None:
    rules = (
        "each = 'row'\ncount = 'shaded'\nis = '..1'\n[[rules]]\neach = 'line'\ncount = 'blank'\nis = '..1'"
    )
    (first, second) = notes(SHADE + rules + PUZZLE)
    assert first == "Rule 1 (each) and Rule 2 (each) contradict each other in row 1: there is no solution."
    assert second.endswith("in row 2: there is no solution.")
    assert notes(SHADE + rules + PUZZLE.replace("[2, 3]", "[2, 2]")) == []


def test_numbers_beside_the_board_are_read_in_each_form() -> None:
    text = 'genre = "nonogram"\n[puzzle]\nrows = ["1 1", [3], 0]\ncolumns = ["2", ".", "2"]\n'
    clues = [(clue.place, clue.value) for clue in read_text(text).puzzles[0].clues]
    assert clues == [(0, (1, 1)), (1, (3,)), (2, ()), (3, (2,)), (5, (2,))]
    text = 'genre = "skyscrapers"\n[puzzle]\nsize = [2, 2]\ntop = "1 ."\nright = [".", 2]\n'
    assert [clue.place for clue in read_text(text).puzzles[0].clues] == [0, 7]


def test_sums_stand_in_walls() -> None:
    text = "genre = 'kakuro'\n[puzzle]\ndrawing = '''\n#   3\\  4\\\n\\3   .   .\n\\4   .   .\n'''\n"
    (puzzle,) = read_text(text).puzzles
    sums = {puzzle.board.stretches[clue.place]: clue.value for clue in puzzle.clues}
    assert sums == {(4, 7): 3, (5, 8): 4, (4, 5): 3, (7, 8): 4}


def test_order_of_a_thermometer_is_that_of_its_numbers() -> None:
    text = "genre = 'thermometers'\n[puzzle]\nregions = '''\na2 a1\na3 b1\n'''\n"
    board = read_text(text).puzzles[0].board
    assert (board.regions, board.names) == (((1, 0, 2), (3,)), ("a", "b"))


@pytest.mark.sweep(10)
@pytest.mark.parametrize("name", shipped())
def test_what_is_written_reads_back(name: str) -> None:
    document = genre_document(name)
    for named in (False, True):
        back = read_text(write(document, named), name)
        assert (back.genre.marks, back.genre.clues) == (document.genre.marks, document.genre.clues)
        assert [rule.fields for rule in back.genre.rules] == [rule.fields for rule in document.genre.rules]
        assert [contents(puzzle) for puzzle in back.puzzles] == [
            contents(puzzle) for puzzle in document.puzzles
        ]


@pytest.mark.parametrize("seed", range(5))
def test_random_puzzles_read_back(seed: int) -> None:
    rng = random.Random(f"texts {seed}")
    read_back = 0
    for puzzle in random_puzzles(rng, 20):
        stretches = [kind.name for kind in puzzle.genre.clues.values() if kind.on == "stretches"]
        clues = tuple(clue for clue in puzzle.clues if clue.kind not in stretches and clue.value != ())
        if len({clue.place for clue in clues if on(puzzle, clue) == "cells"}) == puzzle.board.width == 1:
            continue
        puzzle = Puzzle(puzzle.genre, puzzle.board, clues, puzzle.numbers)
        back = read(write(Document(puzzle.genre, (puzzle,))), "random")
        assert [fault.message for fault in back.faults if fault.serious] == []
        assert back.puzzles[0] is not None
        ambiguous = len({(on(puzzle, clue)) for clue in clues}) < len({clue.kind for clue in clues})
        if not ambiguous:
            read_back += 1
            values = [(clue.place, clue.value) for clue in back.puzzles[0].clues]
            assert sorted(values, key=repr) == sorted([(clue.place, clue.value) for clue in clues], key=repr)
        assert back.puzzles[0].board == puzzle.board
    assert read_back > 5


def on(puzzle: Puzzle, clue: Clue) -> str:
    return puzzle.genre.clues[clue.kind].on


def contents(puzzle: Puzzle) -> object:
    clues = [(clue.kind, clue.place, clue.value) for clue in puzzle.clues]
    return puzzle.board, clues, dict(puzzle.numbers), puzzle.title


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["slitherlink", "kakuro", "tents", "kenken", "yajilin", "thermometers"])
def test_damaged_texts_are_read_without_an_error(name: str) -> None:
    rng = random.Random(name)
    text = shipped()[name].read_text(encoding="utf-8")
    for _ in range(12):
        at, length = rng.randrange(len(text)), rng.choice((0, 1, 3, 20))
        new = rng.choice(("", "x", "9", "[", '"', "\n", ".", "#", " ", "= 3"))
        found = read(text[:at] + new + text[at + length :], name)
        lines = text.count("\n") + 3
        assert all(0 <= fault.line <= lines and fault.message for fault in found.faults)
        assert found.usable or any(fault.serious for fault in found.faults)


WORDS = (
    *(
        '"n"',
        '"region"',
        '"clue n"',
        '"clue"',
        '"different"',
        '"half"',
        '"mark"',
        "true",
        "3",
        '"1..2"',
        '"shaded"',
    ),
    *(
        '"links"',
        '"group equal"',
        '"piece"',
        '"linked"',
        "[1, 2]",
        "{}",
        '""',
        '"lists"',
        '"arrows 0..2"',
        '"walls"',
    ),
)


@pytest.mark.parametrize("seed", range(3))
def test_texts_with_other_words_are_read_without_an_error(seed: int) -> None:
    """What can be read has problems and sentences, too."""
    rng = random.Random(f"words {seed}")
    for _ in range(40):
        name = rng.choice(list(shipped()))
        lines = shipped()[name].read_text(encoding="utf-8").split("\n")
        for at in rng.sample([at for at, line in enumerate(lines) if "=" in line], 2):
            lines[at] = f"{lines[at].partition('=')[0]}= {rng.choice(WORDS)}"
        found = read("\n".join(lines), name)
        assert found.usable or any(fault.serious for fault in found.faults)
        for puzzle in found.puzzles:
            assert puzzle is None or problem_of(puzzle).sites is not None
        assert found.genre is None or all(rule.sentence() for rule in rules_of(found.genre))


def test_keys_of_a_puzzle_are_as_people_write_them() -> None:
    assert written_puzzle(genre_document("yajilin").puzzles[0]).startswith("title = ")
    text = 'genre = "tapa"\n[puzzle]\ndrawing = """\n. .   .\n. 1,1 .\n. .   ?\n"""\n'
    assert "'?' means nothing here" in read(text).faults[0].message
    (puzzle,) = read_text(text.replace("?", "0")).puzzles
    assert [clue.value for clue in puzzle.clues] == [(1, 1), ()]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", sorted(shipped()))
def test_puzzles_may_stand_anywhere_in_a_text(name: str) -> None:
    """Rules below a puzzle were lost from its own text, and words in strings cut the text."""
    from epcg_deduction.formats.own import document_of, format_puzzle, parse_puzzle
    from epcg_deduction.workshop.puzzle_texts import PuzzleTexts

    text = shipped()[name].read_text("utf-8").replace('about = """', 'about = """\n[puzzle]', 1)
    below = text.index("[[puzzles]]")
    moved = text[:below].replace("[marks]", f"{text[below:].rstrip()}\n\n# the marks\n[marks]", 1)
    usual, other = document_of(text), document_of(moved)
    assert [sentences(each) for each in (usual.genre, other.genre)] == [sentences(usual.genre)] * 2
    for one, two in zip(usual.puzzles, other.puzzles, strict=True):
        assert (two.board, two.clues) == (one.board, one.clues)
        again = parse_puzzle(format_puzzle(two))
        assert sentences(again.genre) == sentences(usual.genre)
        assert (again.board, again.clues) == (one.board, one.clues)
    sheet = PuzzleTexts().read(moved)
    assert not any(fault.serious for fault in sheet.faults)
    assert [parse_puzzle(piece.text).clues for piece in sheet.pieces] == [
        each.clues for each in usual.puzzles
    ]


def sentences(genre: Genre) -> list[str]:
    return [rule.sentence() for rule in rules_of(genre)]


def test_a_puzzle_in_a_line_or_two_ways_of_writing_them_is_a_fault() -> None:
    head = 'genre = "slitherlink"\n'
    line = read(f"puzzle = {{ size = [2, 2] }}\n{head}").faults
    assert "write [puzzle] above its keys" in line[0].message
    both = read(f"{head}[puzzle]\nsize = [2, 2]\n[[puzzles]]\nsize = [2, 2]\n").faults
    assert any("write the latter" in fault.message for fault in both)


@pytest.mark.parametrize(
    "text", ["", "\n", "o..o", 'genre = "sudoku"\n', "[puzzle]", "[[puzzles]]\n[[puzzles]]", "[[rules]]"]
)
def test_texts_with_few_tables_are_read_without_a_traceback(text: str) -> None:
    from epcg_deduction.formats.own import definition_of
    from epcg_deduction.workshop.puzzle_texts import PuzzleTexts

    assert "puzzle" not in definition_of(text)
    PuzzleTexts().read(text)
