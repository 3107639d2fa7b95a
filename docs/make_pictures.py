"""The pictures of these pages, made by the program: python docs/make_pictures.py."""

from pathlib import Path

from epcg_core.rendering.render import render

PICTURES = {
    "winner": "fling:boards?height=8&pieces=6&width=7#38012",
    "tutorial": "fling:boards?height=5&pieces=5&width=5#4421",
}
"""Name of the file, and puzzle."""


def main() -> None:
    """Write them all."""
    folder = Path(__file__).with_name("pictures")
    for name, puzzle in PICTURES.items():
        (folder / f"{name}.svg").write_text(render(puzzle, "svg", solution=True), encoding="utf-8")
    (folder / "moving.svg").write_text(render(PICTURES["winner"], "svg", animate=True), encoding="utf-8")


if __name__ == "__main__":
    main()
