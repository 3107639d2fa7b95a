"""Sites and marks in words for people."""

from __future__ import annotations

from epcg_deduction.model.boards import Board, Site
from epcg_deduction.model.sites import square_name, squares_name

_SIDES = ("above", "below", "to the left of", "to the right of")


def site_name(board: Board, site: Site) -> str:
    """Return what a person would point at, such as 'r1c2' or 'the edge above r1c2'."""
    if site.layer == "cells":
        return square_name(board, site.place)
    if site.layer == "edges":
        for cell in board.cells:
            if site.place in board.edges_of[cell]:
                side = _SIDES[board.edges_of[cell].index(site.place)]
                return f"the edge {side} {square_name(board, cell)}"
    return f"the border between {squares_name(board, board.borders[site.place])}"


def says(board: Board, site: Site, name: str, holds: bool = True) -> str:
    """Return that a mark is at a site, or is not, such as 'r1c2 is not shaded'.

    Args:
        board: the board.
        site: the site.
        name: the name of the mark.
        holds: whether the mark is there.

    Returns:
        A clause without a full stop.
    """
    if site.layer == "cells":
        return (
            f"{square_name(board, site.place)} is {name}"
            if holds
            else (f"{square_name(board, site.place)} is not {name}")
        )
    there = holds != (name == "none")
    if site.layer == "edges":
        where = f"on {site_name(board, site)}"
        return (
            f"there is {'a' if there else 'no'} line {where}"
            if name in ("line", "none")
            else (f"{name} is {'' if holds else 'not '}{where}")
        )
    both = squares_name(board, board.borders[site.place])
    if site.layer == "borders":
        return f"{both} are in {'different pieces' if there else 'one piece'}"
    if name in ("line", "none"):
        return f"{both} are {'' if there else 'not '}joined by a line"
    return f"{both} are {'' if holds else 'not '}joined by {name}"


def cells_of(board: Board, site: Site) -> tuple[int, ...]:
    """Return the squares that a site lies in or between."""
    if site.layer == "cells":
        return (site.place,)
    if site.layer == "edges":
        return tuple(cell for cell in board.cells if site.place in board.edges_of[cell])
    return board.borders[site.place]
