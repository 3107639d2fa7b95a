"""The pictures of the workbench, taken in a real browser: python docs/make_workbench_pictures.py."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.chromium import open_page

PICTURES = Path(__file__).with_name("pictures")
AT_REST = 'body[aria-busy="false"]'


def main() -> None:
    """Take them all."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "epcg_core.cli",
            "workbench",
            "--no-open",
            "--db",
            f"{folder}/epcg.db",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"http://\S+", server.stdout.readline())
                assert found is not None
                take(found[0])
            finally:
                server.terminate()


def take(address: str) -> None:
    """Take the pictures of a workbench."""
    with open_page(1100, 760) as (page, _):
        page.goto(address)
        page.wait_for_selector(AT_REST)
        page.screenshot(path=PICTURES / "workbench_start.png")
        page.click('[data-title="A Push for a Friend"]')
        page.wait_for_selector(AT_REST)
        page.screenshot(path=PICTURES / "workbench_edit.png")
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        page.locator("#progress", has_text="All of them").wait_for()
        page.screenshot(path=PICTURES / "workbench_analyse.png")


if __name__ == "__main__":
    main()
