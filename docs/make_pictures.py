"""The pictures of these pages, made by the program: python docs/make_pictures.py."""

from pathlib import Path

from epcg_core.rendering.render import render

PICTURES = {
    "winner": "fling:boards?height=8&pieces=6&width=7#38012",
    "tutorial": "fling:boards?height=5&pieces=5&width=5#4421",
}
"""Name of the file, and puzzle; drawn with its solution."""
GAMES = {
    "fling": PICTURES["winner"],
    "snakebird": "snakebird:levels?path=12_a_push_for_a_friend#0",
    "tangram": "tangram:solved_boards#1234",
    "puzzlescript": "puzzlescript:levels?game=badger#1",
    "deduction": "deduction:puzzles?genre=slitherlink#1",
}
"""Domain, and the puzzle that stands for it in the README and on the first page."""


def drawn() -> dict[str, str]:
    """Draw all pictures; return their texts by the names of their files."""
    found = {f"{name}.svg": render(puzzle, "svg", solution=True) for name, puzzle in PICTURES.items()}
    found |= {f"game_{domain}.svg": render(puzzle, "svg") for domain, puzzle in GAMES.items()}
    return found | {"moving.svg": render(PICTURES["winner"], "svg", animate=True)}


def main() -> None:
    """Write them all."""
    folder = Path(__file__).with_name("pictures")
    for name, text in drawn().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
