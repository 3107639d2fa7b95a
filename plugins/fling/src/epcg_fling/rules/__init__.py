"""The rules of Fling!, plain and compiled."""
