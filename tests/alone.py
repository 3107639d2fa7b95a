"""The engine without any face, and each face alone on it, in an environment of their own: `make faces`.

`python -m tests.alone FOLDER [FACE ...]` makes an environment in a folder, with the engine, the domains and
what tests need, and installs one face after the other into it. Without a face, a shipped query runs and is
verified, and the commands of faces say what to install. With one face alone, its own tests pass.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.faces import FACES

ROOT = Path(__file__).parents[1]
DOMAINS = (
    "plugins/fling",
    "plugins/witness",
    "plugins/snakebird",
    "plugins/tangram",
    "plugins/puzzlescript",
    "plugins/deduction",
    "examples/epcg-sliding",
    "examples/epcg-rushhour",
    "examples/epcg-segments",
    "examples/epcg-hanoi",
    "examples/epcg-pcgbench",
)
TOOLS = (
    "duckdb",
    "hypothesis",
    "jsonschema",
    "mypy",
    "pandas",
    "polars",
    "psutil",
    "pytest",
    "pytest-xdist",
    "httpx",
    "scipy",
)
EXTRAS = {"publishing": "[pdf]", "research": "[parquet,plot,statistics]", "workbench": "[datasette]"}
MORE_TESTS = {"testing": ["fling/test_conformance.py"]}
"""Tests of faces that are not in the folder of the face."""


class Environment:
    """A virtual environment with the engine and the domains."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "bin" / "python"
        self.epcg = folder / "bin" / "epcg"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.install("-e", ROOT, *(part for name in DOMAINS for part in ("-e", ROOT / name)), *TOOLS)

    def install(self, *what: object) -> None:
        pip = [self.python, "-m", "pip", "install", "--disable-pip-version-check", "-q"]
        subprocess.run([*pip, "-c", ROOT / "constraints.txt", *what], check=True)

    def remove(self, face: str) -> None:
        subprocess.run([self.python, "-m", "pip", "uninstall", "-q", "-y", f"epcg-{face}"], check=True)

    def command(self, *arguments: str, folder: Path, code: int = 0) -> str:
        """What a command prints. It ends with `code`."""
        done = subprocess.run(
            [self.epcg, *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"epcg {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def test(self, face: str) -> bool:
        files = [ROOT / "tests" / name for name in (face, *MORE_TESTS.get(face, ()))]
        arguments = ["-q", "-n", "auto", "--dist", "worksteal", "-W", "ignore"]
        return (
            subprocess.run(
                [self.python, "-m", "pytest", *arguments, *files], cwd=ROOT, check=False
            ).returncode
            == 0
        )


def without_faces(made: Environment, folder: Path) -> None:
    """Run and verify a shipped query; ask for a part of each face."""
    made.command("run", "fling/layers", "--set", "generator.pieces=4", folder=folder)
    made.command("verify", "4", folder=folder)
    for command, face in (
        ("certificate 4", "research"),
        ("workbench", "workbench"),
        ("check fling", "testing"),
        ("curriculum export x", "publishing"),
        ("run fling/layers --executor dask", "cluster"),
    ):
        assert f"pip install epcg-{face}" in made.command(*command.split(), folder=folder, code=1), command
    print("the engine runs and verifies a shipped query, and names the distribution of what is missing")


def main(folder: Path, faces: list[str]) -> int:
    made = Environment(folder / "environment")
    place = folder / "work"
    place.mkdir()
    without_faces(made, place)
    failed = []
    for face in faces or list(FACES):
        made.install("-e", f"{ROOT / 'plugins' / face}{EXTRAS.get(face, '')}")
        print(f"epcg-{face} alone on the engine:", flush=True)
        if not made.test(face):
            failed.append(face)
        made.remove(face)
    print(f"failed: {', '.join(failed)}" if failed else "each face passes its tests alone on the engine")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
