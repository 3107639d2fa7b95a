"""What a killed process leaves is removed by the next command of its kind; what another one uses stays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.processes import DEADLINE_S, Processes, Watch
from tests.whole.faults.place import Faults
from tests.workplace import epcg

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told by their numbers")

WRITES = """
import sys
from pathlib import Path
from epcg_core.base.documents import replaced
with replaced(Path(sys.argv[1])) as part:
    part.write_text("half")
    print(part.name, flush=True)
    sys.stdin.read()
"""


@contextmanager
def writing(target: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A process that has written half of a file: the part, and the process."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITES, target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield target.with_name(process.stdout.readline().strip()), process
    finally:
        process.kill()
        process.communicate()


def test_parts_of_killed_exports_go_with_the_next_export(place: Faults) -> None:
    place.run(place.query("moody", size=20, more='[record]\nrows = "all"'))
    own = [place.folder / ".notes.part", place.folder / ".x.1-deadbeef.part"]
    for path in own:
        path.write_text("of the user")
    with writing(place.folder / "killed.csv") as (left, killed), writing(place.folder / "a.csv") as (kept, _):
        killed.kill()
        killed.wait()
        assert left.exists()
        epcg("export", 1, "--output", place.folder / "b.csv")
        assert not left.exists()
        assert kept.exists(), "its process runs"
    assert all(path.exists() for path in own)


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a short name, because sockets lie in it."""
    with TemporaryDirectory(prefix="e") as folder:
        yield Path(folder)


@pytest.mark.slow
def test_temporary_folders_of_killed_runs_go_with_the_next_run(
    place: Faults, processes: Processes, temporary: Path
) -> None:
    others = ["epcg-notes", "pymp-of-another"]
    for name in others:
        (temporary / name).mkdir(parents=True)
    query = place.file("mixed", size=5_000, more='[record]\nrows = "all"')
    options = ("--quiet", "--executor", "processes", "--workers", 1)
    killed = processes.epcg("run", query, *options, TMPDIR=temporary, EPCG_TEST_PAUSE=0.01)
    Watch(place.database).wait_for(1, killed)
    processes.kill(killed)
    assert len(list(temporary.iterdir())) > len(others), "it has left something"
    again = processes.epcg("resume", *options, TMPDIR=temporary)
    _, said = again.communicate(timeout=DEADLINE_S)
    assert again.returncode == 0, said
    assert sorted(path.name for path in temporary.iterdir()) == others
