"""The sources that a run was computed with, apart from what it was asked for.

`run.request` is a digest of what a run was asked for, without versions; of earlier runs it is made of their
recorded specification. Their sources are unknown.
"""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("digest", name=op.f("uq_sources_digest")),
        sqlite_strict=True,
    )
    op.create_table(
        "accepted_sources",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("sources_id", sa.Integer(), nullable=False),
        sa.Column("accepted_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_accepted_sources_run_id")),
        sa.ForeignKeyConstraint(["sources_id"], ["sources.id"], name=op.f("fk_accepted_sources_sources_id")),
        sa.PrimaryKeyConstraint("run_id", "sources_id", name=op.f("pk_accepted_sources")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.add_column("run", sa.Column("request", sa.Text(), nullable=True))
    op.add_column("run", sa.Column("sources_id", sa.Integer(), nullable=True))
    op.create_index("ix_run_request", "run", ["request"])
    connection = op.get_bind()
    requests: dict[str, str] = {}
    for number, identity, text in connection.exec_driver_sql(
        "SELECT id, identity, spec FROM run ORDER BY id"
    ).all():
        requests[identity] = _request(json.loads(text), requests)
        connection.exec_driver_sql("UPDATE run SET request = ? WHERE id = ?", (requests[identity], number))


def _request(spec: dict, requests: dict[str, str]) -> str:
    keys = {"space", "search", "evaluators", "metrics", "range", "filter", "inputs", "layer", "objective"}
    data = {key: value for key, value in spec.items() if key in keys}
    data["inputs"] = {role: requests.get(i, i) for role, i in spec.get("inputs", {}).items()}
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
