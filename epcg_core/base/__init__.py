"""The ground: errors, params, files from outside, and the place of guests."""
