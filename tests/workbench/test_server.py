"""The workbench's server, without a browser: requests, who may ask, what can be stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from epcg_workbench import app, jobs, messages, pool, runs
from epcg_workbench.app import Workbench, make_app
from epcg_workbench.changes import own_values
from epcg_workbench.guard import HEADERS, TOKEN_HEADER
from epcg_workbench.places import Place, Places
from epcg_workbench.pool import Worker
from epcg_workbench.serve import datasette_app, fragment

from epcg_core.base.errors import QueryError
from epcg_core.editing.editing import open_document
from tests.forks.shell import epcg_client
from tests.processes import workers_of

BOARD = "o..o\n.o..\no..o"
HOST = "127.0.0.1:8000"
LARGE = "\n".join("o.o.o.o" if y % 2 else ".o.o.o." for y in range(8))


def served(tmp_path: Path, test: Callable[[httpx.AsyncClient, Workbench], Awaitable[None]]) -> None:
    """Run a test with a client that knows the token."""

    async def run() -> None:
        desk = Place(tmp_path, str(tmp_path / "epcg.db"), tuple(epcg_client()), start="/fling/")
        bench = Workbench(Places(desk, port=8000), "secret", frozenset({HOST}))
        asgi: Any = make_app(bench)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(asgi),
            base_url=f"http://{HOST}",
            headers={TOKEN_HEADER: "secret"},
            timeout=120,
        ) as client:
            try:
                await test(client, bench)
            finally:
                await bench.close()

    asyncio.run(run())


async def asked(client: httpx.AsyncClient, name: str, **request: Any) -> list[dict[str, Any]]:
    answer = await client.post(f"/api/{name}", json=request)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_content_is_opened_changed_measured_played_and_solved(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        domains = {each["domain"]: each for each in await asked(client, "domains")}
        assert {"fling"} <= domains.keys()
        (new,) = await asked(client, "new", domain="fling", columns=4, rows=3)
        (put,) = await asked(
            client, "put", domain="fling", text=new["text"], sites=["c2,2", "c1,3", "c4,3"], mark="ball"
        )
        assert put["text"] == BOARD
        assert put["hash"] == messages.digest(BOARD)
        *measures, end = await asked(client, "measures", domain="fling", text=BOARD)
        assert end["end"]
        found = {m["metric"]: m["value"] for each in measures for m in each["metrics"]}
        assert found["solution_length"] == 4
        (solved,) = await asked(client, "solve", domain="fling", text=BOARD)
        (last,) = await asked(client, "play", domain="fling", text=BOARD, taken=solved["solution"])
        assert last["solved"]
        (first,) = await asked(client, "play", domain="fling", text=BOARD, warn=True)
        assert len(first["dead"]) == len(first["actions"])
        first, *parts, end = await asked(
            client, "effects", domain="fling", text=BOARD, evaluator="solution", metric="solution_length"
        )
        assert first["own"] == 4
        assert sum(len(part["changes"]) for part in parts) == end["done"] == end["total"] == 12

    served(tmp_path, test)


def test_an_analysis_is_recorded_as_a_run_with_its_values(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        request = {"domain": "fling", "text": BOARD, "evaluator": "winning_moves", "metric": "winning_moves"}
        answer = await client.post("/record", json=request)
        *_, last = [json.loads(line) for line in answer.text.splitlines()]
        assert (last["state"], last["runs"]) == ("finished", [1]), answer.text
        _, *parts, _ = await asked(client, "effects", **request)
        shown = [change["value"] for part in parts for change in part["changes"]]
        import epcg_core as epcg

        assert epcg.open(bench.places.desk.db).runs[-1].values("winning_moves")[1].tolist() == shown
        (standing,) = await asked(client, "standing", domain="fling", text=BOARD)
        runs = {at["run"] for measure in standing["measures"] for at in measure["standings"]}
        assert runs == {1}
        gallery = await asked(client, "recorded")
        assert {each["run"] for each in gallery} == {1}
        kept = gallery[0]["text"]
        opened = await client.get("/open", params={"puzzle": "1#0"})
        assert opened.status_code == 303, opened.text
        assert opened.headers["location"].startswith("/#/fling/")
        assert kept in {each["text"] for each in gallery}
        lost = await client.get("/open", params={"puzzle": "<b>none</b>"})
        assert (lost.status_code, lost.headers["content-type"]) == (404, "text/plain; charset=utf-8")

    served(tmp_path, test)


def test_the_space_of_a_content_is_recorded_after_its_cost_is_told(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        request = {"domain": "fling", "text": BOARD, "evaluator": "solution", "metric": "solution_length"}
        (before,) = await asked(client, "standing", **request)
        assert not any(measure["standings"] for measure in before["measures"])
        (cost,) = await asked(client, "space", **request)
        assert (cost["remaining"], cost["rank"], cost["unknown"]) == ("792", before["rank"], "")
        assert cost["seconds"] > 0
        answer = await client.post("/record", json={**request, "job": "space"})
        *_, last = [json.loads(line) for line in answer.text.splitlines()]
        assert last["state"] == "finished", answer.text
        (after,) = await asked(client, "standing", **request)
        standings = {m["metric"]: m["standings"] for m in after["measures"]}["solution_length"]
        import epcg_core as epcg

        run = epcg.open(bench.places.desk.db).run(last["runs"][-1])
        assert standings[0]["run"] == last["runs"][-1]
        _, values = run.values("solution_length")
        counts = [int(found.sum()) for found in (values < 4, values == 4, values > 4)]
        assert [standings[0][name] for name in ("lower", "equal", "higher")] == counts
        shares = [100 * count / len(values) for count in counts]
        assert standings[0]["shares"] == pytest.approx(shares, abs=0.001)
        assert standings[0]["valued"] == sum(counts)
        (cost,) = await asked(client, "space", **request)
        assert (cost["remaining"], cost["seconds"]) == ("0", 0)
        (told,) = (await client.get("/runs")).json()
        assert (told["number"], told["state"], told["runs"]) == (1, "finished", last["runs"])

    served(tmp_path, test)


def test_a_run_finds_the_files_that_its_question_names_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(BOARD, encoding="utf-8")
    text = """
        domain = "fling"
        [generator]
        name = "changes"
        content = "board.txt"
        [[evaluators]]
        name = "solution"
        [[select]]
        metric = "solution_length"
        """

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        place = bench.places.project(tmp_path)
        answer = await client.post(f"{place.prefix}/record", json={"job": "asked", "text": text})
        *_, last = [json.loads(line) for line in answer.text.splitlines()]
        assert (last["state"], last["error"]) == ("finished", "")

    served(tmp_path, test)


def test_a_sketch_is_counted_tried_and_recorded(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        request = {
            "domain": "fling",
            "text": BOARD,
            "evaluator": "solution",
            "metric": "solution_length",
            "open": [{"sites": ["c2,1", "c3,1", "c1,2", "c3,2", "c4,2"], "marks": ["", "ball"]}],
        }
        first, cost = await asked(client, "sketch", **request)
        assert (first["completions"], cost["remaining"]) == ("32", "32")
        (none,) = await asked(client, "sketch", **request, counts={"ball": [6, 9]})
        assert none["completions"] == "0"
        answer = await client.post("/record", json={**request, "counts": {"ball": 9}, "job": "sketch"})
        assert "no content" in answer.text
        (wrong,) = await asked(client, "sketch", **{**request, "open": [{"sites": ["x"], "marks": [""]}]})
        assert "unknown site 'x'" in wrong["error"]
        for more, evaluated in (({"sample": 25}, 25), ({}, 32)):
            answer = await client.post("/record", json={**request, "job": "sketch", **more})
            *_, last = [json.loads(line) for line in answer.text.splitlines()]
            assert last["state"] == "finished", answer.text
            import epcg_core as epcg

            run = epcg.open(bench.places.desk.db).run(last["runs"][-1])
            assert run.record.evaluated == evaluated
            _, values = run.values("solution_length")
            shown = await asked(client, "recorded", run=run.number, metric="solution_length")
            so_far = "" if len(more) == 0 else "25 of 32 candidates, drawn by chance"
            assert {each["so_far"] for each in shown} == {so_far}
            best = [each["scores"]["solution_length"] for each in shown]
            assert sorted(best) == sorted(values.tolist())[-10:]
            wish = {"metric": "solution_length", "keep": "highest"}
            told, *_ = await asked(client, "recorded", run=run.number, wish=wish)
            assert sum(count for _, _, count, _ in told["histogram"]) == len(values)
            assert told["so_far"] == so_far
        found = await asked(client, "recorded", run=last["runs"][-1])
        lengths = [each["scores"]["solution_length"] for each in found]
        texts = {each["text"]: each["scores"]["solution_length"] for each in found}
        for text, length in texts.items():
            assert own_values(open_document("fling", text), "solution")["solution_length"] == length
        assert sorted(lengths)[-1] == max(lengths) == 6
        for wrong_body in ({"job": "forget"}, {"job": "sketch", "sample": -1}):
            refused = await client.post("/record", json={**request, **wrong_body})
            assert refused.status_code == 400

    served(tmp_path, test)


@pytest.fixture
def ignoring_interrupts() -> Iterator[None]:
    """What a shell gives to a server that a script starts in the background, and the server to its runs."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_a_run_outlives_its_page_is_stopped_and_goes_on(
    tmp_path: Path, ignoring_interrupts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "PROGRESS_SECONDS", "0.1")

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        text = "o.....o\n" + ".......\n" * 6 + "o.o.o.o"
        request = {"domain": "fling", "text": text, "evaluator": "expert_ratio", "metric": "expert_ratio"}

        async def progress(number: int) -> dict[str, Any]:
            while True:
                told = {each["number"]: each for each in (await client.get("/runs")).json()}.get(number, {})
                if told.get("progress", {}).get("done") or told.get("state") not in (None, "running"):
                    return told
                await asyncio.sleep(0.05)

        page = asyncio.create_task(client.post("/record", json={**request, "job": "space"}))
        first = await progress(1)
        page.cancel()
        await asyncio.wait({page})
        assert (first["state"], (await progress(1))["state"]) == ("running", "running")
        stopped = await client.post("/runs/1/stop")
        end = json.loads(stopped.text.splitlines()[-1])
        assert end["state"] == "stopped", stopped.text
        assert "go on with: epcg resume 1" in end["error"]
        page = asyncio.create_task(client.post("/record", json={**request, "job": "space"}))
        again = await progress(2)
        assert again["progress"]["done"] >= first["progress"]["done"]
        await client.post("/runs/2/stop")
        assert json.loads((await page).text.splitlines()[-1])["state"] == "stopped"
        lost = await client.post("/runs/9/stop")
        assert (lost.status_code, lost.json()["error"]) == (404, "This workbench started no run 9.")

    served(tmp_path, test)


def test_a_run_that_is_stopped_before_it_begins_says_so() -> None:
    async def test() -> None:
        running = runs.Running(1, "a run", "", ())
        command = (sys.executable, "-c", "import time; time.sleep(60)")
        work = asyncio.create_task(running.work(command, "epcg.db"))
        running.stop()
        await work
        assert (running.state, running.error) == ("stopped", "It was stopped before it began.")

    asyncio.run(test())


def test_a_database_that_a_run_is_writing_is_read_meanwhile(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        request = {"domain": "fling", "text": BOARD, "evaluator": "winning_moves", "metric": "winning_moves"}
        await client.post("/record", json=request)
        other = sqlite3.connect(bench.places.desk.db, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE written (x)")
        (standing,) = await asked(client, "standing", **request)
        assert {at["run"] for measure in standing["measures"] for at in measure["standings"]} == {1}
        assert len(await asked(client, "recorded")) > 0
        *_, end = await asked(client, "effects", **request)
        assert end["done"] == 12
        other.execute("ROLLBACK")
        other.close()

    served(tmp_path, test)


KNOWN = {TOKEN_HEADER: "secret"}


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({**KNOWN, "host": "evil.example"}, "only at the address"),
        ({**KNOWN, "origin": "http://evil.example"}, "another page"),
        ({**KNOWN, "origin": "null"}, "another page"),
        ({TOKEN_HEADER: "wrong"}, "token"),
        ({"cookie": "epcg_workbench_8000=wrong"}, "token"),
        ({"cookie": "epcg_workbench_8000=secret"}, "token"),
        ({}, "token"),
    ],
)
@pytest.mark.parametrize("project", ["", "/p/0123456789abcdef"])
@pytest.mark.parametrize("path", ["/", "/settings", "/static/app.js", "/api/domains", "/data/", "/record"])
def test_strangers_get_403(
    tmp_path: Path, project: str, path: str, headers: dict[str, str], sentence: str
) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        del client.headers[TOKEN_HEADER]
        for method in ("GET", "POST"):
            answer = await client.request(method, project + path, headers=headers, json={})
            assert answer.status_code == 403
            assert sentence in answer.text
            assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]

    served(tmp_path, test)


def test_the_address_with_the_token_lets_in(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        del client.headers[TOKEN_HEADER]
        page = await client.get("/?token=secret")
        assert page.status_code == 200
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "httponly" in page.headers["set-cookie"].lower()
        assert "samesite=strict" in page.headers["set-cookie"].lower()
        assert "secret" not in page.headers["set-cookie"] + page.text
        assert (await client.get("/")).status_code == 200
        assert (await client.get("/?token=wrong")).status_code == 403
        assert (await client.get("/settings?token=secret", headers={"cookie": ""})).status_code == 403

    served(tmp_path, test)


def test_what_a_cookie_tells_changes_nothing(tmp_path: Path) -> None:
    """Every server of the machine receives it, whatever its port."""

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        await client.get("/?token=secret")
        del client.headers[TOKEN_HEADER]
        assert client.cookies
        assert (await client.get("/settings")).status_code == 200
        request = {"domain": "fling", "text": BOARD, "evaluator": "winning_moves", "metric": "winning_moves"}
        for path in ("/record", "/api/save", "/api/new_plan", "/runs/1/stop", "/data/"):
            assert (await client.post(path, json=request)).status_code == 403
            assert (await client.put(path, json=request)).status_code == 403
        assert not Path(bench.places.desk.db).exists()

    served(tmp_path, test)


def test_two_workbenches_in_one_browser_leave_each_other_alone(tmp_path: Path) -> None:
    async def run() -> None:
        jar: dict[str, str] = {}
        clients = []
        for port, token in ((8000, "one"), (8001, "two")):
            desk = Place(tmp_path, str(tmp_path / f"{port}.db"))
            bench = Workbench(Places(desk), token, frozenset({f"127.0.0.1:{port}"}))
            client = httpx.AsyncClient(
                transport=httpx.ASGITransport(make_app(bench)), base_url=f"http://127.0.0.1:{port}"
            )
            clients.append(client)
            first = await client.get(f"/?token={token}", headers=_sent(jar))
            jar |= dict(client.cookies)
            client.cookies.clear()
            assert first.status_code == 200
        for client in clients:
            assert (await client.get("/settings", headers=_sent(jar))).status_code == 200
        assert len(jar) == 2

    asyncio.run(run())


def _sent(jar: dict[str, str]) -> dict[str, str]:
    """What a browser sends to every port."""
    return {"cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}


@pytest.mark.parametrize(
    ("name", "request_", "sentence"),
    [
        ("nothing", {}, "no request 'nothing'"),
        ("open", {"text": "<script>alert(1)</script>"}, "No puzzle of a known kind is seen in this text"),
        ("open", {"domain": "flng", "text": "o"}, "Did you mean 'fling'"),
        ("open", {"domain": "fling"}, "needs the text 'text'"),
        ("open", {"domain": "fling", "text": "o..o\n.x.."}, "Row 2"),
        ("open", {"domain": "fling", "text": "o" * 200_000}, "at most 100,000"),
        ("put", {"domain": "fling", "text": BOARD, "sites": "c1,1", "mark": "ball"}, "a list of texts"),
        ("put", {"domain": "fling", "text": BOARD, "sites": ["c1,1"], "mark": "bal"}, "Did you mean 'ball'"),
        ("new", {"domain": "fling", "columns": 0, "rows": 3}, "1 to 1,000 columns"),
        ("resize", {"domain": "fling", "text": BOARD, "columns": 9, "rows": 9}, "81 cells"),
        ("play", {"domain": "fling", "text": BOARD, "taken": [True]}, "numbers"),
        ("play", {"domain": "fling", "text": BOARD, "taken": [77]}, "no action 77"),
        ("effects", {"domain": "fling", "text": BOARD, "evaluator": "x", "metric": "y"}, "unknown evaluator"),
        ("reduce", {"domain": "fling", "text": "o", "evaluator": "solution", "metric": "x"}, "has no x"),
    ],
)
def test_wrong_requests_get_a_sentence(
    tmp_path: Path, name: str, request_: dict[str, Any], sentence: str
) -> None:
    (message,) = list(jobs.answer({**request_, "do": name, "db": str(tmp_path / "epcg.db")}))
    assert sentence in message["error"]
    assert message["expected"]


def test_the_database_is_at_data_and_its_pictures_lead_to_the_board(tmp_path: Path) -> None:
    pytest.importorskip(
        "datasette", reason="Datasette is not installed: pip install 'epcg-workbench[datasette]'"
    )

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        request = {"domain": "fling", "text": BOARD, "evaluator": "winning_moves", "metric": "winning_moves"}
        await client.post("/record", json=request)
        mounted: Any = make_app(bench, datasette_app())
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(mounted),
            base_url=f"http://{HOST}",
            headers={TOKEN_HEADER: "secret"},
        ) as browser:
            front = await browser.get("/data/")
            assert front.status_code == 200
            for address in ("/data/", "/data/epcg", "/data/epcg/kept", "/data/-/nothing"):
                found = await browser.get(address)
                policy = found.headers["content-security-policy"]
                assert "default-src 'none'" in policy
                assert "frame-ancestors 'none'" in policy
                assert found.headers["x-frame-options"] == "DENY"
                assert found.headers["x-content-type-options"] == "nosniff"
            kept = await browser.get("/data/epcg/kept")
            assert kept.status_code == 200
            assert "/open?puzzle=fling%3Achanges" in kept.text
            assert (await browser.get("/data/epcg/kept", headers={"host": "evil.example"})).status_code == 403
            Path(bench.places.desk.db).unlink()
            gone = await browser.get("/data/epcg/kept")
            assert (gone.status_code, gone.text.startswith("There is no database")) == (404, True)

    served(tmp_path, test)


def test_what_is_too_large_or_no_json_is_refused(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        large = await client.post("/api/open", content=b"x" * 10_000_000)
        assert (large.status_code, large.json()["expected"]) == (413, True)
        for body in (b"\xff\xfe", b"[1]", b"{", b"[" * 100_000):
            answer = await client.post("/api/open", content=body)
            assert answer.status_code == 400
            assert "The request is not" in answer.json()["error"]

    served(tmp_path, test)


def test_a_stopped_analysis_leaves_nothing_at_work() -> None:
    """Ten restarts: each job is stopped after its first message; afterwards the process is idle."""

    async def run() -> None:
        worker, others = Worker(), {*workers_of(os.getpid())}
        request = {
            "do": "effects", "domain": "fling", "text": LARGE, "evaluator": "expert_ratio",
            "metric": "expert_ratio", "most": 2,
        }  # fmt: skip
        try:
            for _ in range(10):
                async with aclosing(worker.ask(request)) as messages:
                    async for _ in messages:
                        break
            async for message in worker.ask({"do": "open", "domain": "fling", "text": BOARD}):
                assert message["text"] == BOARD
            assert worker.busy == 0
            assert worker.pid is not None
            process = psutil.Process(worker.pid)
            before = sum(process.cpu_times()[:2])
            await asyncio.sleep(0.5)
            assert sum(process.cpu_times()[:2]) - before < 0.1
            assert {*workers_of(os.getpid())} - others == {worker.pid}
        finally:
            await worker.close()

    asyncio.run(run())


def test_a_later_analysis_of_a_tab_ends_the_one_before(tmp_path: Path) -> None:
    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        slow = {
            "domain": "fling",
            "text": LARGE,
            "evaluator": "expert_ratio",
            "metric": "expert_ratio",
            "most": 2,
        }
        first = asyncio.create_task(asked(client, "effects", **slow, tab="a", lane="heat"))
        await asyncio.sleep(1)
        second = await asked(
            client,
            "effects",
            domain="fling",
            text=BOARD,
            evaluator="solvable",
            metric="solvable",
            tab="a",
            lane="heat",
        )
        assert second[-1]["end"]
        assert (await first)[-1] == {"stopped": True}

    served(tmp_path, test)


def test_a_page_that_is_closed_ends_its_analysis(tmp_path: Path) -> None:
    """Closed between two messages, and while it waits for one."""

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        slow = {"do": "effects", "domain": "fling", "text": LARGE, "evaluator": "expert_ratio",
                "metric": "expert_ratio", "most": 2, "tab": "a"}  # fmt: skip
        async with aclosing(app._answers(bench, slow)) as messages:
            await anext(messages)
        await bench.analyst.stopped()
        assert bench.analyst.busy == 0

        async def read() -> None:
            async for _ in app._answers(bench, slow):
                pass

        reading = asyncio.create_task(read())
        await asyncio.sleep(1)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        for _ in range(100):
            if not bench.analyst.busy:
                break
            await asyncio.sleep(0.05)
        assert (bench.analyst.busy, bench.stops) == (0, {})

    served(tmp_path, test)


@pytest.mark.slow
@pytest.mark.parametrize("names", [["instance", "entropy"], pytest.param([], marks=pytest.mark.slow)])
def test_an_evaluator_that_takes_too_long_is_named_and_the_others_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    """An empty board of the tangram has more completions, and more ways to them, than that time allows."""
    monkeypatch.setattr(app, "MEASURE_SECONDS", 0.6)

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        (new,) = await asked(client, "new", domain="tangram")
        found = await asked(client, "measures", domain="tangram", text=new["text"], evaluators=names)
        told = {each["evaluator"]: each.get("left_out") for each in found if "evaluator" in each}
        assert "takes more than 1 s" in told.values()
        assert told.keys() == set(names) or (not names and len(told) == 5)
        (opened,) = await asked(client, "open", domain="fling", text=BOARD)
        assert opened["text"] == BOARD

    served(tmp_path, test)


def test_the_time_of_an_evaluator_begins_when_the_process_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was too slow ended the process, and the next evaluator waits until there is another."""
    monkeypatch.setattr(app, "MEASURE_SECONDS", 0.05)
    usual = Worker.ask
    told: list[Callable[[], None]] = []

    async def late(
        worker: Worker, request: dict[str, Any], begun: Callable[[], None] | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        if begun is None:
            async for message in usual(worker, request):
                yield message
            return
        await asyncio.sleep(0.2)
        told.append(begun)
        begun()
        yield {"evaluator": request["evaluators"][0], "metrics": []}
        yield {"end": True}

    monkeypatch.setattr(Worker, "ask", late)

    async def test(client: httpx.AsyncClient, bench: Workbench) -> None:
        found = await asked(client, "measures", domain="fling", text=BOARD, evaluators=["pieces", "shapes"])
        assert found[:2] == [{"evaluator": name, "metrics": []} for name in ("pieces", "shapes")]
        for begun in told:
            begun()  # a process that begins after the request was given up

    served(tmp_path, test)


def test_a_process_that_dies_is_said_and_started_again() -> None:
    async def run() -> None:
        worker = Worker()
        try:
            request = {
                "do": "effects", "domain": "fling", "text": LARGE, "evaluator": "expert_ratio",
                "metric": "expert_ratio", "most": 2,
            }  # fmt: skip
            found = []
            async for message in worker.ask(request):
                if not found:
                    assert worker.pid is not None
                    os.kill(worker.pid, 9)
                found.append(message)
            assert "ended" in found[-1]["error"]
            (opened,) = [m async for m in worker.ask({"do": "open", "domain": "fling", "text": BOARD})]
            assert opened["text"] == BOARD
        finally:
            await worker.close()

    asyncio.run(run())


def test_a_process_that_cannot_be_started_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start, and where it takes the place of one that was stopped: other requests are told, too."""
    slow = {
        "do": "effects", "domain": "fling", "text": LARGE, "evaluator": "expert_ratio",
        "metric": "expert_ratio", "most": 2,
    }  # fmt: skip

    def refuse(*arguments: object, **options: object) -> None:
        raise BlockingIOError(11, "no process more")

    async def run() -> None:
        worker = Worker()
        with monkeypatch.context() as refusing:
            refusing.setattr(pool, "start_process", refuse)
            (told,) = [message async for message in worker.ask(slow)]
            assert told["expected"]
            assert "No process could be started for this ([Errno 11] no process more)" in told["error"]
        try:
            first = worker.ask(slow)
            await anext(first)
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGSTOP)  # it cannot stop the first itself and answer the second
            second = asyncio.create_task(asked_of(worker))
            while worker.busy < 2:
                await asyncio.sleep(0.01)
            with monkeypatch.context() as refusing:
                refusing.setattr(pool, "start_process", refuse)
                await first.aclose()
                assert (await asyncio.wait_for(second, 60))[-1] == pool.LOST
        finally:
            await worker.close()

    async def asked_of(worker: Worker) -> list[dict[str, Any]]:
        return [m async for m in worker.ask({"do": "open", "domain": "fling", "text": BOARD})]

    asyncio.run(run())


def test_what_opens_first(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(BOARD, encoding="utf-8")
    location = str(tmp_path / "epcg.db")
    assert fragment("fling", location) == "/fling/"
    assert fragment(str(path), location) == "/fling/o..o%0A.o..%0Ao..o"
    puzzle = "fling:boards?height=3&pieces=3&width=4#0"
    assert fragment(puzzle, location) == "/fling/ooo.%0A....%0A...."
    with pytest.raises(QueryError, match="neither a domain"):
        fragment("<b>nothing</b>", location)
    path.write_text("o..o\n.ö..\n", encoding="utf-8")
    with pytest.raises(QueryError, match=r"mine\.txt: No puzzle of a known kind is seen"):
        fragment(str(path), location)
    with pytest.raises(QueryError, match="no database"):
        fragment("1#0", location)
