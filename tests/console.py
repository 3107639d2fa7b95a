"""Commands shown in pages, and running them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path


def commands(text: str) -> list[tuple[str, list[str]]]:
    """(command, lines shown beneath it) of the console blocks, in order."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
    return found


def epcg(arguments: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program, run in `folder`."""
    return subprocess.run(
        [sys.executable, "-m", "epcg_core.cli", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip


def runs_as_shown(command: str, lines: list[str], folder: Path, **environment: str) -> None:
    """Run an `epcg` command; it must succeed and print `lines`, in which '...' stands for others.

    Lines that begin with 'Error: ' are what it says when it fails, folded as the page likes.
    """
    program, *arguments = shlex.split(command)
    assert program == "epcg", command
    result = epcg(arguments, folder, **environment)
    if lines and lines[0].startswith("Error: "):
        assert result.returncode in (1, 2, 4), command
        assert " ".join(" ".join(lines).split()) in " ".join(result.stderr.split()), (
            f"{command} says\n{result.stderr}"
        )
        return
    assert result.returncode == 0, f"{command}\n{result.stderr}"
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    for line in lines:
        assert line.rstrip() in (*printed, "...", ""), (
            f"{command} does not print {line!r} but\n{result.stdout}"
        )
