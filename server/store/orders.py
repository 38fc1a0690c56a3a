"""Rows that staff and an operator's programs leave in the database: the audit, and the table of orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, func, insert, select, update

from server.store.connections import Connections
from server.store.records import AuditRow, OrderRow
from server.store.tables import admin_order, audit
from server.store.text import storable

if TYPE_CHECKING:
    from collections.abc import Iterable


class Orders(Connections):
    """Orders, and notes of who did what."""

    def append_audit(self, rows: Iterable[AuditRow]) -> None:
        """Write audit rows that belong to no batch."""
        values = [{**row._asdict(), "detail": storable(row.detail)} for row in rows]
        if values:
            with self.write() as connection:
                connection.execute(insert(audit), values)

    def orders(self) -> list[int]:
        """The numbers of the orders that wait in `admin_order`, oldest first. Of several worlds each has
        those that name it (`@2 ...`), and all have those that name none."""
        with self.read() as connection:
            if self.epoch is None:
                return list(connection.scalars(_WAITING_ORDERS))
            return list(connection.scalars(_ORDERS_FOR, {"mine": f"@{self.fence.world} %"}))

    def order(self, order_id: int) -> OrderRow:
        """One order. Other programs write these rows, and SQLite lets them write anything: reading one may
        fail, and its fields may be of any type."""
        with self.read() as connection:
            columns = [admin_order.c[name] for name in OrderRow._fields]
            found = connection.execute(select(*columns).where(admin_order.c.id == order_id))
            return OrderRow._make(found.one())

    def give_order(self, command: str, at: float) -> int:
        """Write an order down; its number. `at` is seconds UTC."""
        with self.write() as connection:
            given = insert(admin_order).values(command=storable(command), created_at=at)
            return int(connection.execute(given.returning(admin_order.c.id)).scalar_one())

    def order_result(self, order_id: int) -> str | None:
        """The answer to an order; None while it waits."""
        with self.read() as connection:
            return connection.scalar(select(admin_order.c.result).where(admin_order.c.id == order_id))

    def begin_order(self, order_id: int, at: float, result: str) -> bool:
        """Answer an order that nobody has begun, for whoever else looks for some; False if somebody has."""
        with self.write() as connection:
            begun = update(admin_order).where(admin_order.c.id == order_id, admin_order.c.done_at.is_(None))
            return connection.execute(begun.values(done_at=at, result=storable(result))).rowcount == 1

    def readdress_order(self, order_id: int, command: str) -> None:
        """Write a waiting order anew, so that another world takes it."""
        with self.write() as connection:
            waits = update(admin_order).where(admin_order.c.id == order_id, admin_order.c.done_at.is_(None))
            connection.execute(waits.values(command=storable(command)))

    def finish_order(self, order_id: int, at: float, result: str) -> None:
        """Answer an order; it is not polled again."""
        with self.write() as connection:
            done = update(admin_order).where(admin_order.c.id == order_id)
            connection.execute(done.values(done_at=at, result=storable(result)))


_WAITING_ORDERS: Final = (
    select(admin_order.c.id).where(admin_order.c.done_at.is_(None)).order_by(admin_order.c.id)
)
_ORDERS_FOR: Final = _WAITING_ORDERS.where(
    func.left(admin_order.c.command, 1).is_distinct_from("@") | admin_order.c.command.like(bindparam("mine"))
)
