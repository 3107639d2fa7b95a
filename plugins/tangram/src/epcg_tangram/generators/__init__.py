"""The registered generators of boards, bump patterns and instances."""
