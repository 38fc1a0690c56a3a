"""Commands of staff and players: one table for every client, the console and the admin channel.

`machinery.py` parses, checks rights and runs; begin there. `staff.py` is the table of all there are;
`orders.py` has what concerns things and people in the world, `accounts.py` accounts, `running.py` the server,
`players.py` and `verbs.py` what every player can ask and do by word. `named.py` finds whom a word means;
`countdown.py` and `pace.py` are what some of them need.
"""
