"""Games and levels as text and as files."""
