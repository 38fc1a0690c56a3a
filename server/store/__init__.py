"""The world's memory on disk: tables, one database, and the writer that keeps it at most a second behind.

`writer.Storage` is what the server uses; `database.Database` is what runs in its threads; `lock`, `backup`
and `check` serve the start of a server and the operator's commands. `server.store.migrate` brings a file up
to date first.
"""
