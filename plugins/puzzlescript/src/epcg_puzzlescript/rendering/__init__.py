"""Pictures of levels, and the editor."""
