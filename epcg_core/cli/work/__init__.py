"""The work of commands: modules that import all they need at the top, and are imported when a command runs.

A module beside this folder declares a command, with its options and its help, and imports only what is light.
So help, completion and listings load neither numpy nor SQLAlchemy.
"""
