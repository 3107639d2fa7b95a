"""How processes start: forked of a server, or spawned where that does not do."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from epcg_core.execution.starting import start_process
from tests.core.execution.conftest import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def tell(connection: Connection, variable: str) -> None:
    """Say what this process is and knows."""
    words = Path("/proc/self/cmdline").read_bytes()
    way = "forked" if b"forkserver" in words else "spawned"
    connection.send((way, os.environ.get(variable), str(Path.cwd())))


def told(variable: str) -> tuple[str, str | None, str]:
    ours, theirs = Pipe()
    process = start_process(tell, theirs, variable, name="a test's", preload=())
    theirs.close()
    found: tuple[str, str | None, str] = ours.recv()
    process.join()
    assert process.exitcode == 0
    return found


def test_a_fork_has_the_environment_and_the_folder_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("one", "two"):
        folder = tmp_path / value
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("EPCG_TEST_VALUE", value)
        assert told("EPCG_TEST_VALUE") == ("forked", value, str(folder))
    monkeypatch.delenv("EPCG_TEST_VALUE")
    assert told("EPCG_TEST_VALUE")[:2] == ("forked", None)


@pytest.mark.sweep
@pytest.mark.parametrize("variable", ["NUMBA_OPT", "OMP_NUM_THREADS", "PYTHONHASHSEED"])
def test_what_libraries_read_when_they_are_loaded_is_read_again(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told("EPCG_TEST_VALUE")[0] == "forked"
    monkeypatch.setenv(variable, "2")
    assert told(variable)[:2] == ("spawned", "2")
    monkeypatch.undo()
    assert told("EPCG_TEST_VALUE")[0] == "forked"


def run(script: Path, text: str) -> subprocess.CompletedProcess[str]:
    script.write_text(text, encoding="utf-8")
    path = os.pathsep.join((str(ROOT), str(script.parent)))
    return subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )


def test_a_system_that_refuses_to_fork_is_asked_to_spawn(tmp_path: Path) -> None:
    (tmp_path / "refusal.py").write_text(
        "import os\n\ndef fork():\n    raise BlockingIOError(11, 'no process more')\n\nos.fork = fork\n"
    )
    script = (
        "from multiprocessing import Pipe\n"
        "from epcg_core.execution.starting import start_process\n"
        "from tests.core.execution.test_starting import tell\n"
        "if __name__ == '__main__':\n"
        "    ours, theirs = Pipe()\n"
        "    start_process(tell, theirs, 'PATH', name='', preload=['refusal']).join()\n"
        "    print(ours.recv()[0])\n"
    )
    ended = run(tmp_path / "script.py", script)
    assert (ended.stdout, ended.stderr) == ("spawned\n", "")


def test_a_killed_server_costs_nothing_but_the_units_of_that_moment(tmp_path: Path) -> None:
    script = (
        "import os\n"
        "from multiprocessing import forkserver\n"
        "from epcg_core.execution import Unit, make_executor\n"
        "from tests.core.execution.works import Squares, square_sum\n"
        "if __name__ == '__main__':\n"
        "    units = [Unit(start, start + 10) for start in range(0, 200, 10)]\n"
        "    with make_executor('processes', 2) as executor:\n"
        "        results = executor.results(Squares(), units)\n"
        "        found = [next(results)]\n"
        "        os.kill(forkserver._forkserver._forkserver_pid, 9)\n"
        "        found += results\n"
        "    assert dict(found) == {unit: square_sum(unit) for unit in units}\n"
        "    print(len(found))\n"
    )
    ended = run(tmp_path / "script.py", script)
    assert (ended.stdout, ended.stderr) == ("20\n", "")
