"""Studies with people: a plan in TOML becomes pages on which it runs, without server and network."""
