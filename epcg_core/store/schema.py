"""The tables, as the newest revision in `migrations/` makes them (a test compares the two).

Chunks are the record; `score`, `candidate` and `score_histogram` are projections of it for plain SQL.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = sa.MetaData(naming_convention=NAMING)


class Any_(sa.types.UserDefinedType[Any]):
    """SQLite's ANY in a STRICT table: the value keeps the type it came with."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "ANY"


def _key() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _ref(table: str, name: str | None = None, **options: Any) -> sa.Column[int]:
    options.setdefault("nullable", False)
    return sa.Column(name or f"{table}_id", sa.Integer, sa.ForeignKey(f"{table}.id"), **options)


def _int(name: str, **options: Any) -> sa.Column[int]:
    options.setdefault("nullable", False)
    return sa.Column(name, sa.Integer, **options)


def _text(name: str, **options: Any) -> sa.Column[str]:
    options.setdefault("nullable", False)
    return sa.Column(name, sa.Text, **options)


def _real(name: str, **options: Any) -> sa.Column[float]:
    return sa.Column(name, sa.REAL, **options)


def _table(name: str, *columns: sa.schema.SchemaItem, rowid: bool = True) -> sa.Table:
    return sa.Table(name, metadata, *columns, sqlite_strict=True, sqlite_with_rowid=rowid)


plugin = _table(
    "plugin", _key(), _text("distribution"), _text("version"),
    sa.UniqueConstraint("distribution", "version"),
)  # fmt: skip
domain = _table("domain", _key(), _text("name", unique=True), _text("title"), _ref("plugin"))
metric = _table(
    "metric", _key(), _ref("domain", nullable=True), _text("name"), _text("kind"), _text("direction"),
    _text("unit"), _text("description"), _int("always"),
    sa.UniqueConstraint("domain_id", "name", "kind"),
    sa.CheckConstraint("kind IN ('int', 'real', 'bool')", name="kind"),
)  # fmt: skip
space = _table(
    "space", _key(), _ref("domain"), _text("name", unique=True), _text("generator"), _text("params"),
    _text("params_sha256"), _text("max_rank"), _text("represents"), _int("produced_by", nullable=True),
)  # fmt: skip
query = _table(
    "query", _key(), _text("name"), _text("title"), _text("source"), _text("sha256", unique=True),
    _text("created_at"),
)  # fmt: skip
run = _table(
    "run", _key(), _text("identity", unique=True), _ref("space"), _text("search"), _text("search_params"),
    _text("spec"), _int("layer", nullable=True), _int("start"), _int("stop"), _int("unit_size"),
    _int("chunk_size"), _text("state"), _text("rows"), _int("evaluated"), _int("pruned"), _int("excluded"),
    _real("cpu_seconds", nullable=False), _text("digest", nullable=True), _text("environment"),
    _text("created_at"), _text("finished_at", nullable=True),
    _text("request", nullable=True, index=True), _int("sources_id", nullable=True),
    sa.Column("kept_values", sa.Text, sa.CheckConstraint("kept_values IN ('all', 'counts', 'none')",
              name="kept_values"), nullable=False, server_default="all"),
    _int("solutions", server_default="0"),
    _int("sample_size", nullable=True), _int("sample_seed", nullable=True), _int("part", nullable=True),
    _int("parts", nullable=True), _int("again_of", nullable=True), _text("left_out", nullable=True),
    _text("reading", nullable=True), _text("files", nullable=True), _text("imported", nullable=True),
    _text("sample_strata", nullable=True),
    sa.CheckConstraint("state IN ('running', 'stopped', 'done')", name="state"),
    sa.CheckConstraint("start <= stop", name="range"),
)  # fmt: skip
# `run.identity` ends with '#2' of the second run with the same identity, and so on. A run merged of parts has
# `parts` and no `part`.
sources = _table("sources", _key(), _text("digest", unique=True), _text("files"))
accepted_sources = _table(
    "accepted_sources", _ref("run", primary_key=True), _ref("sources", primary_key=True),
    _text("accepted_at"), rowid=False,
)  # fmt: skip
query_run = _table(
    "query_run", _ref("query", primary_key=True), _ref("run", primary_key=True), _int("position"),
    _int("goal"), rowid=False,
)  # fmt: skip
run_metric = _table(
    "run_metric", _ref("run", primary_key=True), _int("position", primary_key=True), _ref("metric"),
    rowid=False,
)  # fmt: skip
run_plugin = _table(
    "run_plugin", _ref("run", primary_key=True), _ref("plugin", primary_key=True), rowid=False
)  # fmt: skip
run_input = _table(
    "run_input", _ref("run", primary_key=True), _text("role", primary_key=True),
    sa.Column("kind", sa.Text, sa.CheckConstraint("kind IN ('run', 'library', 'file', 'part')", name="kind"),
              nullable=False, server_default="run"),
    _ref("run", "input_run_id", nullable=True), _text("digest", nullable=True),
    _text("source", server_default=""), _text("choice", nullable=True), rowid=False,
)  # fmt: skip
unit = _table(
    "unit", _ref("run", primary_key=True), _int("start", primary_key=True), _int("count"),
    _int("evaluated"), _int("pruned"), _int("excluded"), _real("seconds", nullable=False),
    sa.Column("digest", sa.BLOB, nullable=False),
    _int("edges", nullable=True),
    sa.CheckConstraint("evaluated + pruned + excluded = count", name="covered"), rowid=False,
)  # fmt: skip
pruning = _table(
    "pruning", _ref("run", primary_key=True), _int("start", primary_key=True), _int("count"),
    _real("bound", nullable=True), _text("reason"), rowid=False,
)  # fmt: skip
score_chunk = _table(
    "score_chunk", _key(), _ref("run"), _ref("metric"), _int("start"), _int("count"), _int("evaluated"),
    _int("valued"), _text("dtype"), _text("codec"), sa.Column("minimum", Any_), sa.Column("maximum", Any_),
    sa.Column("total", Any_), sa.Column("digest", sa.BLOB, nullable=False),
    sa.Column("data", sa.BLOB, nullable=False), sa.Column("status", sa.BLOB),
    sa.UniqueConstraint("run_id", "metric_id", "start"),
)  # fmt: skip
score_histogram = _table(
    "score_histogram", _ref("run", primary_key=True), _ref("metric", primary_key=True),
    _int("position", primary_key=True), sa.Column("low", Any_, nullable=False),
    sa.Column("high", Any_, nullable=False), _int("count"), rowid=False,
)  # fmt: skip
candidate = _table(
    "candidate", _ref("run", primary_key=True), _int("rank", primary_key=True), _text("status"),
    _int("kept"), _text("kept_by", nullable=True), _text("state", nullable=True),
    _text("note", nullable=True), rowid=False,
)  # fmt: skip
# The one table without foreign keys: checking them costs a quarter of the speed of inserting its rows.
score = _table(
    "score", _int("run_id", primary_key=True), _int("metric_id", primary_key=True),
    _int("rank", primary_key=True), sa.Column("value", Any_), rowid=False,
)  # fmt: skip
solution = _table(
    "solution", _ref("run", primary_key=True), _int("rank", primary_key=True),
    _int("position", primary_key=True), _text("actions"), rowid=False,
)  # fmt: skip
edit = _table(
    "edit", _ref("space", primary_key=True), _int("position", primary_key=True), _text("description"),
    _text("change"), rowid=False,
)  # fmt: skip
variant_edit = _table(
    "variant_edit", _ref("space", primary_key=True), _int("rank", primary_key=True),
    _int("position", primary_key=True), rowid=False,
)  # fmt: skip
puzzle = _table(
    "puzzle", _key(), _text("puzzle", unique=True), _text("content_sha256"), _text("state"),
    _ref("space"), _int("rank"), _int("run_id", nullable=True),
)  # fmt: skip
curriculum = _table(
    "curriculum", _key(), _text("name"), _text("title"), _text("plan"), _text("sha256", unique=True),
    _text("created_at"),
)  # fmt: skip
# The build of each name that was built last, which may be one recorded before.
newest_build = _table(
    "newest_build", _text("name", primary_key=True), _ref("curriculum"), rowid=False
)  # fmt: skip
chapter = _table(
    "chapter", _key(), _ref("curriculum"), _int("position"), _text("name"), _text("title"),
    sa.UniqueConstraint("curriculum_id", "position"),
)  # fmt: skip
part = _table(
    "part", _ref("chapter", primary_key=True), _int("position", primary_key=True), _text("name"),
    _text("source"), _text("measure"), _text("harder"), _text("rule"), _int("candidates"), _text("digest"),
    rowid=False,
)  # fmt: skip
selection = _table(
    "selection", _ref("chapter", primary_key=True), _int("part", primary_key=True),
    _ref("puzzle", primary_key=True), _int("position", nullable=True), _int("chosen"),
    sa.Column("value", Any_), _text("measures"), _text("rule"), _text("reason"), rowid=False,
)  # fmt: skip
rejection = _table(
    "rejection", _ref("chapter", primary_key=True), _int("part", primary_key=True),
    _int("position", primary_key=True), _text("rule"), _int("count"), _int("recorded"), rowid=False,
)  # fmt: skip
curriculum_run = _table(
    "curriculum_run", _ref("curriculum", primary_key=True), _ref("run", primary_key=True),
    _text("digest", nullable=True), rowid=False,
)  # fmt: skip
# No foreign keys: players may have puzzles of spaces that are not recorded here, or not yet.
play_trace = _table(
    "play_trace", _key(), _text("player"), _text("puzzle"), _text("space"), _int("rank"),
    _text("curriculum"), _real("seconds", nullable=False), _int("moves"), _int("undos"), _int("restarts"),
    _int("hints"), _int("solution_shown"), _int("finished"), _int("rating", nullable=True),
    _text("sha256", unique=True), _text("imported_at"), _text("actions", nullable=True),
    sa.Index(None, "player", "puzzle"),
)  # fmt: skip
writer = _table(
    "writer", _key(), _int("pid"), _text("host"), _text("command"), _text("since"),
)  # fmt: skip
