"""The world's memory on disk: tables, one database, and the writer that keeps it at most a second behind.

`writer.Storage` is what the server uses; `database.Database` is what runs in its threads, one class per topic
(`accounts`, `characters`, `notes`, `orders`, `worlds`) over `connections`, behind the `fence`; `lock`,
`backup` and `check` serve the start of a server and the operator's commands. `server.store.migrate` brings a
file up to date first.
"""
