"""Python's side of the commands: a function for each, and the objects that they return.

Each object has attributes, `.json()`, which is what `--json` prints, a `.table()` or a text, and draws itself
in a notebook. A command prints the object; it computes nothing of its own. Modules are imported one by one,
so that `epcg sql` needs no numpy.
"""
