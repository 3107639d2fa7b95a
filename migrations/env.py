"""Alembic's entry: `epcg_core.store.migrate` hands over a connection inside a transaction."""

from alembic import context

from epcg_core.store.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
    version_table=context.config.attributes.get("version_table", "alembic_version"),
)
context.run_migrations()
