"""Run by Alembic; `server.store.migrate` hands the open connection over. No offline mode, no alembic.ini."""

from alembic import context

from server.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite can alter nearly nothing; Alembic then rebuilds the table.
    render_as_batch=True,
    transaction_per_migration=True,
)

with context.begin_transaction():
    context.run_migrations()
