"""The files of the guide to parts work as they stand, on a scheduler of a few lines that kills some tasks."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks.shell import epcg_client
from tests.whole.docs.test_docs import files_of, text_of
from tests.workplace import ask_sql, epcg

PAGE = text_of("guides/parts.md")

SBATCH = """
import os, re, signal, subprocess, sys, time
from pathlib import Path

arguments = sys.argv[1:]
jobs = Path("jobs")
known = len(list(jobs.glob("*"))) if jobs.is_dir() else 0
jobs.mkdir(exist_ok=True)
while arguments and arguments[0].startswith("--"):
    option = arguments.pop(0)
    if option == "--wrap":
        command, tasks = ["sh", "-c", arguments.pop(0)], [None]
        break
    if option.startswith("--dependency=afterok:"):
        assert (jobs / option.rpartition(":")[2]).read_text() == "ok", option
    else:
        assert option == "--parsable", option
else:
    first, last = re.search(r"^#SBATCH --array=(\\d+)-(\\d+)$", Path(arguments[0]).read_text(), re.M).groups()
    command, tasks = ["sh", *arguments], range(int(first), int(last) + 1)
running = []
for task in tasks:
    environment = dict(os.environ)
    if task is not None:
        environment |= {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": str(len(tasks))}
    for attempt in range(2 if task == 2 else 1):  # the second task loses its node and is requeued
        process = subprocess.Popen(command, env=environment, stdout=sys.stderr, start_new_session=True)
        if attempt == 0 and task == 2:
            time.sleep(0.7)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    running.append(process)
codes = [process.wait() for process in running]
(jobs / str(known + 1)).write_text("ok" if not any(codes) else f"failed {codes}")
print(known + 1)
sys.exit(any(codes))
"""
PARALLEL = """
import subprocess, sys

arguments = sys.argv[1:]
assert arguments[:2] == ["--retries", "3"]
command, values = arguments[2 : arguments.index(":::")], arguments[arguments.index(":::") + 1 :]
jobs = [subprocess.Popen([value if word == "{}" else word for word in command]) for value in values]
sys.exit(sum(job.wait() != 0 for job in jobs))
"""


@pytest.fixture
def shell(reader: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the page's files, and commands that stand for a scheduler where there is none."""
    for name, body in files_of(PAGE).items():
        Path(name).write_text(body, encoding="utf-8")
    programs = reader / "bin"
    programs.mkdir()
    for name, source in (("sbatch", SBATCH), ("parallel", PARALLEL)):
        if name == "sbatch" or shutil.which(name) is None:
            (programs / f"{name}.py").write_text(source, encoding="utf-8")
            script = programs / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{programs}/{name}.py" "$@"\n')
            script.chmod(0o755)
    epcg_program = programs / "epcg"
    epcg_program.write_text(f'#!/bin/sh\nexec {shlex.join(epcg_client())} "$@"\n')
    epcg_program.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), os.environ["PATH"]]))
    return reader


def run(script: str) -> None:
    done = subprocess.run(["sh", script], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


def digests(database: str) -> list[object]:
    return ask_sql(Path(database), "SELECT identity, state, digest FROM run ORDER BY id")


@pytest.mark.skipif(sys.platform != "linux", reason="kills processes")
@pytest.mark.parametrize(
    ("script", "parts"),
    [
        ("with_slurm.sh", 2),
        pytest.param("with_slurm.sh", 4, marks=pytest.mark.slow),
        pytest.param("with_parallel.sh", 4, marks=pytest.mark.slow),
    ],
)
def test_the_scripts_end_with_the_run_in_one_piece(shell: Path, script: str, parts: int) -> None:
    """The page has four parts; two are told apart, and lose a node, as well."""
    tasks = shell / "part.sbatch"
    text = tasks.read_text(encoding="utf-8")
    assert "#SBATCH --array=1-4\n" in text
    tasks.write_text(text.replace("1-4", f"1-{parts}"), encoding="utf-8")
    run(script)
    epcg("run", "fling/best_by_expert_ratio", "--set", "generator.pieces=4", "--db", "one.db", "--quiet")
    assert digests("all.db") == digests("one.db")
    kept = "SELECT rank, kept_by FROM candidate ORDER BY rank"
    assert ask_sql(Path("all.db"), kept) == ask_sql(Path("one.db"), kept)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="kills processes")
def test_layers_are_merged_before_the_next_begins(shell: Path) -> None:
    run("layers.sh")
    epcg("run", "fling/layers", "--set", "generator.pieces=4", "--db", "one.db", "--quiet")
    assert digests("all.db") == digests("one.db")
