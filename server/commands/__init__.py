"""Commands of staff and players: one table for every client, the console and the admin channel.

`machinery.py` parses, checks rights and runs; begin there. `staff.py` is the table of everything an operator
may order, `orders.py` what concerns things and people in the world, `verbs.py` what every player can do by
word. `named.py` finds whom a word means; `countdown.py`, `pace.py` and `rescue.py` are what some of them
need.
"""
