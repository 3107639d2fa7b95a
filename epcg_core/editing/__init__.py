"""A content that is being edited: its document, play, scores, files and formats of others."""
