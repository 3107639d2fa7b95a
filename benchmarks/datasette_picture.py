"""Make docs/pictures/datasette.png: Datasette with pictures while a run writes and ten readers ask.

    python -m benchmarks.datasette_picture [PICTURE]

Two pages as chromium shows them, one below the other: the runs of the database, the last of them being
written, and what it has recorded by then. The line below has what the readers counted by the end.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from epcg_core.store import Store
from tests.core.store.reading import Readers, Tally, browsing
from tests.whole.browser.chromium import open_page, wait_for_pictures
from tests.workplace import epcg_command

ROOT = Path(__file__).parent.parent
QUERY = ROOT / "plugins" / "fling" / "queries" / "best_by_expert_ratio.toml"
WIDTH, HEIGHT, LINE = 1180, 1250, 46
PAUSE = 1.0
"""Seconds between two questions of a reader."""


def answer(location: Path, pieces: int, *options: str) -> list[str]:
    """Return the command that records Fling! boards up to so many pieces."""
    return epcg_command(
        "run", QUERY, "--set", f"generator.pieces={pieces}", "--quiet", "--db", location, *options
    )


def wait_until_it_writes(location: Path, writer: subprocess.Popen[bytes]) -> int:
    """Return the number of the run that records rows, as soon as the run has some."""
    while writer.poll() is None:
        with Store.open(location) as store, store.reader() as reader:
            last = reader.runs()[-1]
        if last.state == "running" and last.rows == "all" and last.evaluated > 0:
            return last.id
        time.sleep(0.2)
    raise SystemExit("The run ended before it was seen.")


def state_of(location: Path, run_id: int) -> str:
    with Store.open(location) as store, store.reader() as reader:
        return reader.run(run_id).state


def pictures(pages: str, run_id: int) -> list[bytes]:
    """Take pictures (PNG) of the list of runs and of what the run has recorded."""
    with open_page(WIDTH, HEIGHT) as (page, complaints):
        page.goto(f"{pages}/scores?run_id={run_id}&_size=20&_nocount=1&_nofacet=1")
        wait_for_pictures(page, "td.col-rank figure.epcg > a > img", 5)
        scores = page.screenshot()
        page.goto(f"{pages}/progress?_hide_sql=1")
        runs = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": 560})
    if complaints:
        raise SystemExit(f"The browser complains: {complaints}")
    return [runs, scores]


def stack(shots: list[bytes], line: str, target: Path) -> None:
    """Combine several pictures in one, with a line below."""
    images = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    whole = Image.new("RGB", (WIDTH, sum(image.height for image in images) + LINE), "white")
    top = 0
    for image in images:
        whole.paste(image, (0, top))
        top += image.height
    draw = ImageDraw.Draw(whole)
    draw.rectangle((0, top, WIDTH, top + LINE), fill="#222")
    draw.text((14, top + 13), line, fill="white", font=ImageFont.load_default(17))
    target.parent.mkdir(parents=True, exist_ok=True)
    whole.quantize(128).save(target, optimize=True)


def summary(tally: Tally, readers: int, run_id: int) -> str:
    asked = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.asked.items()))
    return (
        f"While run {run_id} was written: {readers} readers, {tally.total} answers ({asked}), "
        f"{tally.locked} 'database is locked', {len(tally.problems) - tally.locked} other problems"
    )


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "datasette.png"
    with tempfile.TemporaryDirectory() as folder:
        location = Path(folder) / "epcg.db"
        subprocess.run(answer(location, 4), check=True, stdout=subprocess.DEVNULL)
        command = answer(location, 6, "--set", "record.rows=all", "--workers", "1")
        writer = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            with browsing(location) as pages:
                run_id = wait_until_it_writes(location, writer)
                with Readers(location, pages, PAUSE) as readers:
                    shots = pictures(pages, run_id)
                    if state_of(location, run_id) != "running":
                        raise SystemExit("The run ended before the pictures were made.")
        finally:
            writer.terminate()
            writer.wait()
    line = summary(readers.tally, len(readers), run_id)
    print(line)
    for problem in readers.tally.problems:
        print(problem, file=sys.stderr)
    stack(shots, line, target)


if __name__ == "__main__":
    main()
