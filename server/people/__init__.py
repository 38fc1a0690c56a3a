"""Accounts, logins on their way, and characters.

`accounts.py` logs in and registers; begin there. On which `terms.py`, who joins (`joining.py`), who is here
(`presence.py`) and what staff does (`administration.py`) are beside it. `passwords.py` hashes beside the
event loop, `tickets.py` carries a login from one door to the next, `limiter.py` bounds what an address or an
account may ask for, `characters.py` takes a character into the world and out of it. `credentials.py` has the
rules of names and passwords, `foreign_hashes.py` those that were brought along from other servers.
"""
