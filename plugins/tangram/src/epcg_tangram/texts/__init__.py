"""Games of pieces as texts: readers, writers, and where the texts come from."""
