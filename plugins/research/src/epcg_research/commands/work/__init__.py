"""The work of commands: modules with their imports at the top, imported when a command runs."""
