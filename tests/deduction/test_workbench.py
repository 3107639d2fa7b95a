"""The workbench: clues are put and taken away, boards are painted, puzzles are played to their solution."""

from __future__ import annotations

import random

import pytest
from epcg_deduction.formats.own import format_puzzle, parse_puzzle, shipped_puzzles
from epcg_deduction.model.puzzles import Clue
from epcg_deduction.rendering.renderers import first_solutions
from epcg_deduction.states.changes import resized, with_clue, with_square
from epcg_deduction.states.layout import layout_of
from epcg_deduction.states.play import OPEN, PlayModel, completed
from epcg_deduction.texts import genre_document, shipped
from epcg_deduction.workshop.boards import GenreWorkshop
from epcg_deduction.workshop.editor import PuzzleEditor, examples, new_puzzle
from epcg_deduction.workshop.puzzle_file import PuzzleFile, read_puzzles
from epcg_deduction.workshop.puzzle_texts import write_puzzle
from epcg_workbench.jobs import answer

from epcg_core.base.errors import EpcgError
from epcg_core.editing.editing import Document, open_document
from epcg_core.editing.play import Play
from epcg_core.plugin import ERASE, Piece

SHOP = GenreWorkshop()
FILE = PuzzleFile()
SMALL = """# a comment that stays
title = "Small" # and this
[marks]
cells = ["shaded", "blank"]
[clues.n]
on = "cells"
values = "0..9"
[[rules]] # the only one
each = "clue n"
look = "nine"
count = "shaded"
is = "clue"

[[puzzles]]
title = "first"
drawing = '''
1.
..
'''

# a comment between
[[puzzles]]
drawing = '''
4.
..
'''
"""


def opened(name: str) -> PuzzleEditor:
    return PuzzleEditor(format_puzzle(shipped_puzzles(name)[0]))


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_clue_can_be_taken_away_and_put_again(name: str) -> None:
    editor = opened(name)
    before = editor.scene(editor.content).marks
    for site in before:
        if site.startswith("pad"):
            continue
        try:
            without = editor.put(editor.content, site, ERASE)
        except EpcgError:  # a wall that the text draws
            continue
        assert site not in editor.scene(without).marks
        again = without
        for mark in before[site]:
            again = editor.put(again, site, mark)
        assert editor.scene(again).marks[site] == before[site]


@pytest.mark.parametrize("name", sorted(shipped()))
def test_play_by_the_easiest_steps_reaches_the_solution(name: str) -> None:
    editor, model = opened(name), PlayModel()
    position = model.initial(editor.content)
    actions = model.solution(position)
    assert actions
    for action in actions:
        assert not model.is_goal(position)
        assert action in list(model.actions(position))
        gesture = editor.gesture(editor.content, position, action)
        assert gesture.sites[0] in {site.id for site in editor.scene(editor.content).sites}
        position = model.apply(position, action)
    assert model.is_goal(position)
    (marks,) = first_solutions(editor.content)
    assert completed(position) == marks


def test_a_touch_turns_a_mark_on_and_a_wrong_one_is_turned_away_again() -> None:
    editor, model = PuzzleEditor('genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n4\n"""\n'), PlayModel()
    position = model.initial(editor.content)
    seen = []
    for _ in range(3):
        action = next(action for action in model.actions(position) if action.site == 0)
        position = model.apply(position, action)
        seen.append(position.marks[0])
    assert seen == [0, 1, OPEN]
    assert position == model.initial(editor.content)


def test_a_digit_is_chosen_from_the_pad_or_by_its_key() -> None:
    editor, model = opened("latin"), PlayModel()
    position = model.initial(editor.content)
    gestures = [editor.gesture(editor.content, position, action) for action in model.actions(position)]
    first = [gesture for gesture in gestures if gesture.sites[0] == gestures[0].sites[0]]
    assert [gesture.sites[1] for gesture in first] == ["pad 1", "pad 2", "pad 3", "pad 4"]
    assert [gesture.keys for gesture in first] == [("1",), ("2",), ("3",), ("4",)]


def test_a_puzzle_with_two_solutions_is_solved_by_either() -> None:
    puzzle = parse_puzzle('genre = "latin"\n\n[puzzle]\nsize = [2, 2]\n')
    model = PlayModel()
    for marks in ((0, 1, 1, 0), (1, 0, 0, 1)):
        position = model.initial(puzzle)
        for site, mark in enumerate(marks):
            assert not model.is_goal(position)
            position = model.apply(position, next(
                action for action in model.actions(position) if (action.site, action.mark) == (site, mark)
            ))  # fmt: skip
        assert model.is_goal(position)


def test_the_core_asks_the_model_for_a_solution_and_whether_there_is_none() -> None:
    text = 'genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n{}.\n..\n"""\n'
    fair: Document = open_document("deduction", text.format("4"))
    found = Play(fair).solvability()
    assert found.actions is not None
    assert len(found.actions) == 4
    assert not found.is_shortest
    position = Play(fair, Play(fair).numbers(found.actions)).position()
    assert position.solved
    assert Play(fair).dead(10) == [False] * 12
    none: Document = open_document("deduction", 'genre = "latin"\n\n[puzzle]\ndrawing = """\n11\n..\n"""\n')
    assert Play(none).solvability().is_proven
    assert all(Play(none).dead(10))


def test_a_hint_says_why_and_tells_that_a_mark_is_wrong() -> None:
    document = open_document("deduction", 'genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n4.\n..\n"""\n')
    play = Play(document)
    assert play.reason().startswith("Look at the clue 4 in r1c1.")
    first = play.solvability().actions
    assert first is not None
    assert document.editor.gesture(document.editor.content, play.state, first[0]).text in (
        "above r1c1: line", "left of r1c1: line", "below r1c1: line", "right of r1c1: line",
        "above r2c1: line", "left of r1c2: line",
    )  # fmt: skip
    model = PlayModel()
    wrong = next(action for action in model.actions(play.state) if action.site == 5)  # far from the 4
    after = Play(document, [list(model.actions(play.state)).index(wrong)])
    assert "wrong" in after.reason()
    actions = after.solvability().actions
    assert actions is not None
    assert actions[0].site == 5


def test_marks_of_the_solver_and_sites_of_the_pad_are_refused_with_a_sentence() -> None:
    editor = opened("latin")
    with pytest.raises(EpcgError, match="The solver writes these marks, in play"):
        editor.put(editor.content, "c1,1", "cell: 1")
    with pytest.raises(EpcgError, match="The pad is not part of the board"):
        editor.put(editor.content, "pad 1", "given 1")
    with pytest.raises(EpcgError, match="stands on cells, so it cannot stand here"):
        opened("skyscrapers").put(opened("skyscrapers").content, "row1", "given 1")


def test_a_sign_between_two_cells_must_fit_them() -> None:
    editor = opened("futoshiki")
    level = next(site.id for site in editor.scene(editor.content).sites if site.id.startswith("r"))
    assert editor.put(editor.content, level, "less <")
    with pytest.raises(EpcgError, match="cannot have this value here"):
        editor.put(editor.content, level, "less ^")


def test_a_number_of_akari_makes_its_square_a_wall_and_takes_it_with_it() -> None:
    editor = PuzzleEditor('genre = "akari"\n\n[puzzle]\nsize = [2, 2]\n')
    walled = editor.put(editor.content, "c1,1", "n 2")
    assert editor.scene(walled).marks["c1,1"] == ("wall", "n 2")
    assert editor.put(walled, "c1,1", ERASE) == editor.content


def test_boards_are_cut_and_grown_with_the_clues_that_have_a_place() -> None:
    puzzle = parse_puzzle(
        'genre = "skyscrapers"\n\n[puzzle]\nsize = [3, 3]\nleft = [1, ".", 3]\ntop = [".", 2, "."]\n'
    )
    larger = resized(puzzle, 4, 4)
    assert resized(larger, 3, 3) == puzzle
    assert len(larger.clues) == 3
    smaller = resized(puzzle, 1, 3)
    assert [clue.value for clue in smaller.clues] == [1, 3]
    with pytest.raises(EpcgError, match="1 to 60 columns"):
        resized(puzzle, 0, 3)
    with pytest.raises(EpcgError, match="divided into regions"):
        resized(shipped_puzzles("sudoku")[0], 9, 9)


def test_the_clues_of_stretches_stay_with_their_stretch_when_a_wall_is_put() -> None:
    puzzle = parse_puzzle(
        'genre = "kakuro"\n\n[puzzle]\ndrawing = """\n...\n...\n...\n"""\nrows = [6, ".", "."]\n'
    )
    (clue,) = puzzle.clues
    walled = with_square(puzzle, 8, 1)
    assert [(own.place, own.value) for own in walled.clues] == [(clue.place, 6)]
    assert with_square(walled, 8, 0) == puzzle


def test_new_contents_and_examples_open() -> None:
    assert parse_puzzle(new_puzzle(5, 3)).board.width == 5
    assert len(examples()) == len(shipped())


# ---- files


def test_a_file_holds_its_puzzles_and_comments_stay() -> None:
    sheet = FILE.read(SMALL)
    assert [piece.title for piece in sheet.pieces] == ["first", ""]
    assert sheet.usable
    new = with_clue(parse_puzzle(sheet.pieces[1].text), Clue("n", 3, 2))
    found = FILE.replace(SMALL, 1, Piece(format_puzzle(new)))
    assert found.startswith(SMALL[: SMALL.index("# a comment between")])
    assert parse_puzzle(FILE.read(found).pieces[1].text) == new
    assert FILE.replace(SMALL, 0, sheet.pieces[0]) == SMALL


def test_a_puzzle_is_inserted_and_removed_without_a_trace() -> None:
    piece = FILE.read(SMALL).pieces[0]
    for before in range(3):
        longer = FILE.insert(SMALL, before, piece)
        assert len(FILE.read(longer).pieces) == 3
        assert FILE.read(FILE.remove(longer, before)).pieces == FILE.read(SMALL).pieces
    with pytest.raises(EpcgError, match="never without a puzzle"):
        FILE.remove(FILE.remove(SMALL, 0), 0)


def test_puzzles_of_several_genres_stand_below_each_other() -> None:
    own = [format_puzzle(shipped_puzzles(name)[0]) for name in ("akari", "latin", "masyu")]
    text = "\n\n".join(own) + "\n"
    assert [piece.text for piece in FILE.read(text).pieces] == own
    assert FILE.replace(text, 1, Piece(own[1])) == text
    changed = FILE.replace(text, 1, Piece(own[2]))
    assert [piece.text for piece in FILE.read(changed).pieces] == [own[0], own[2], own[2]]
    assert [piece.text for piece in FILE.read(FILE.remove(text, 0)).pieces] == own[1:]
    assert [piece.text for piece in FILE.read(FILE.insert(text, 3, Piece(own[0]))).pieces] == [*own, own[0]]
    with pytest.raises(EpcgError, match="belongs into a file of its own"):
        FILE.insert(text, 0, FILE.read(SMALL).pieces[0])


def test_a_puzzle_of_another_genre_is_refused() -> None:
    with pytest.raises(EpcgError, match="another genre than that of the file"):
        FILE.replace(SMALL, 0, Piece(format_puzzle(shipped_puzzles("mosaic")[0])))


def test_faults_are_told_with_their_line_and_the_rest_is_there() -> None:
    sheet = FILE.read(SMALL.replace("4.", "x."))
    assert not sheet.usable
    assert [fault.line for fault in sheet.faults] == [24]


@pytest.mark.slow
def test_every_shipped_genre_is_a_file_of_its_puzzles() -> None:
    for name in shipped():
        text = genre_document(name).genre.text
        pieces = FILE.read(text).pieces
        assert [parse_puzzle(piece.text).clues for piece in pieces] == [
            p.clues for p in shipped_puzzles(name)
        ]
        assert read_puzzles(write_puzzle(pieces[0].text, ""), name) == [pieces[0].text]


# ---- the workshop


def test_a_board_is_painted_with_walls_and_the_text_keeps_its_comments() -> None:
    text = genre_document("akari").genre.text
    found = SHOP.paint(text, "board", ["c1,1", "c2,1"], "wall")
    board = parse_puzzle(FILE.read(found).pieces[0].text).board
    assert board.kinds[:2] == b"\1\1"
    assert found.splitlines()[0] == text.splitlines()[0]
    with pytest.raises(EpcgError, match="mark"):
        SHOP.paint(text, "board", ["c1,1"], "region z")


def test_regions_are_painted_and_keep_their_numbers() -> None:
    chance = random.Random(1)
    text = genre_document("heyawake").genre.text
    puzzle = parse_puzzle(FILE.read(text).pieces[0].text)
    layout = layout_of(puzzle)
    rooms = {place_of(puzzle, clue): clue.value for clue in puzzle.clues}
    for _ in range(10):
        square = chance.randrange(len(puzzle.board.kinds))
        name = chance.choice(puzzle.board.names)
        text = SHOP.paint(text, "board", [layout.square_id(square)], f"region {name}")
        after = parse_puzzle(FILE.read(text).pieces[0].text)
        own = after.board.names[after.board.region_of[square]]
        assert set(after.board.regions[after.board.region_of[square]]) >= {square}
        assert own
    left = {place_of(after, clue): clue.value for clue in after.clues}
    assert set(left.values()) <= set(rooms.values())


def place_of(puzzle: object, clue: Clue) -> str:
    return str(puzzle.board.names[clue.place])  # type: ignore[attr-defined]


def test_what_is_known_at_once_is_the_number_of_solutions() -> None:
    text = 'title = "Own"\n' + SMALL.split("\n", 2)[2]
    one = SHOP.answer(text.replace("1.\n..", "4.\n.."))
    assert (one.title, one.solved) == ("One solution", True)
    assert {fact.title: fact.value for fact in one.facts}["clues that can go, one at a time"] == "0"
    two = SHOP.answer(text)
    assert (two.title, two.solved) == ("4 solutions", True)
    assert two.svg.count("<svg") == 3
    none = SHOP.answer(text.replace("1.\n..", "9.\n.."))
    assert (none.title, none.solved) == ("No solution", False)


def test_the_fair_puzzles_of_a_board_are_told_by_their_clues() -> None:
    kinds = SHOP.kinds(genre_document("slitherlink").genre.text.replace("...3\n1211\n2.1.\n...3", ".1\n.."))
    assert [(kind.title, kind.puzzles) for kind in kinds] == [
        ("1 clue", 8), ("2 clues, all needed in 20", 40), ("3 clues", 36),
        ("4 clues", 9),
    ]  # fmt: skip
    for kind in kinds:
        assert len(first_solutions(parse_puzzle(kind.example))) == 1


def test_questions_name_generators_and_measures_that_there_are() -> None:
    asked = {
        (question.query["name"], *question.measures) for name in shipped()
        for question in SHOP.questions(genre_document(name).genre.text)
    }  # fmt: skip
    assert {("fair", "clues", "steps"), ("clues", "solutions"), ("layouts", "solutions")} == asked


def test_another_genre_and_a_title_are_set() -> None:
    text = SHOP.set(SMALL, "", "title", "Other")
    assert text.splitlines()[1] == 'title = "Other"'
    assert SHOP.settings(text)[0].value == "Other"
    assert SHOP.set(SMALL, "", "genre", "sudoku") == genre_document("sudoku").genre.text
    wider = SHOP.set(SMALL, "board", "columns", 3)
    assert parse_puzzle(FILE.read(wider).pieces[0].text).board.width == 3
    assert len(FILE.read(SHOP.add(SMALL)).pieces) == 3


def test_candidates_become_a_game_or_join_one() -> None:
    own = parse_puzzle(FILE.read(SMALL).pieces[0].text)
    assert len(FILE.read(SHOP.take(SMALL, [own, own])).pieces) == 4
    assert FILE.read(SHOP.made(own)).usable


def test_a_clue_is_seen_on_a_cell_that_the_solver_fills() -> None:
    puzzle = parse_puzzle(SMALL.split("[[puzzles]]")[0] + '[puzzle]\ndrawing = """\n4.\n..\n"""\n')
    document = open_document("deduction", format_puzzle(puzzle))
    first = Play(document, (0,)).position().scene.marks["c1,1"]
    assert first == ("cell: shaded", "n 4")
    colours = {mark.name: mark.colour for mark in document.editor.palette}
    assert colours["cell: shaded"] == "#a39a8e"  # dark numbers are read on it


@pytest.mark.parametrize(("drawing", "good"), [("4.\n..", True), ("1.\n..", False)])
def test_a_puzzle_is_judged_by_whether_it_has_one_solution(drawing: str, good: bool) -> None:
    puzzle = parse_puzzle(SMALL.split("[[puzzles]]")[0] + f'[puzzle]\ndrawing = """\n{drawing}\n"""\n')
    found = open_document("deduction", format_puzzle(puzzle)).judgement
    assert found is not None
    assert found.good is good


def test_questions_rank_by_what_is_hard_or_by_fairness() -> None:
    request = {
        "do": "workshop_questions",
        "domain": "deduction",
        "format": "deduction",
        "file": "a.deduction",
    }
    found = {each["title"]: each["question"] for each in answer({**request, "text": SMALL})}
    assert 'metric = "hardest_step"' in found["Which need each of their clues?"]
    assert 'metric = "fair"' in found["Which one clue 'n'?"]


def test_a_hint_says_that_no_step_leads_on() -> None:
    text = SMALL.split("[[puzzles]]")[0] + '[puzzle]\ndrawing = """\n1.\n..\n"""\n'
    game = Play(open_document("deduction", text))
    assert game.reason() == "No step leads to it: it is a mark of the solution."


def test_a_game_of_one_board_offers_no_further_parts() -> None:
    request = {"do": "workshop", "domain": "deduction", "format": "deduction", "text": SMALL}
    [found] = list(answer(request))
    assert found["is_whole"] is True
    assert found["canvases"][0]["subtitle"] == "2 by 2, 1 clue"


def test_the_rules_stand_below_the_board_in_play() -> None:
    puzzle = shipped_puzzles("nurikabe")[0]
    note = Play(open_document("deduction", format_puzzle(puzzle))).position().scene.note
    assert note.startswith("Shade some cells.")
