"""Boards, puzzles and patterns as SVG and as text for people; sheets and solids to make the pieces from."""
