"""Count and list the solutions of panels, compiled."""
