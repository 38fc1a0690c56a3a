"""The world task: inputs, timers, changes, and what each client receives of them.

`loop.py` takes the turns and says when; begin there. `fanout.py` goes from what changed to the clients that
may see it, encoding once for each kind of viewer. `stages.py` measures where the time goes, `counters.py`
counts for `/metrics`. No await and no lock: what waits belongs to `net/` or `store/`.
"""
