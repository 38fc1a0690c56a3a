"""From `causeway serve` to a running server, and back to an exit code.

`start.py` takes the world's lock, brings the database up to date and runs the app; begin there. `parts.py`
wires what every kind of server has, `app.py` is the whole one, `login_server.py` a login door without a
world.
"""
