"""The database, spoken to synchronously. `server.store.writer` decides in which thread.

Creating and deleting accounts and characters are transactions of their own and answer whether a name is
taken; what changes in the world comes in batches (`server.store.batch`). Each topic is a module, and a class
over the same connections (`server.store.connections`); a `Database` is all of them, so that whoever is handed
one may ask for anything, and a question can be moved from one topic to another without a word to those who
ask it.
"""

from __future__ import annotations

from server.store.accounts import Accounts
from server.store.characters import Characters
from server.store.letters import Letters
from server.store.notes import Notes
from server.store.numbers import Numbers
from server.store.orders import Orders
from server.store.page_logins import PageLogins
from server.store.whereabouts import Whereabouts
from server.store.worlds import Worlds


class Database(Worlds, Accounts, Characters, Letters, Notes, Numbers, Orders, PageLogins, Whereabouts):
    """An open database. A file must be up to date (`server.store.migrate.upgrade`); one in memory is created
    here.

    Writing methods run one at a time, reading methods at most four at a time unless `shared`; any thread will
    do. Failures of the database itself come as SQLAlchemy's exceptions, nothing is then half done.

    On PostgreSQL opening it takes the world over, and whoever had it before writes nothing more: every
    writing method then raises `WorldLost`. SQLite has the lock of a file for that.
    """
