"""The params of the generators that every domain with an editor has."""

from __future__ import annotations

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.base.params import param
from epcg_core.domain.editing import USUAL_CHANGES


@attrs.frozen
class ContentsParams:
    """Contents of one setting, as texts."""

    contents: tuple[str, ...] = param(help="texts of contents, all of one setting: boards of one size, say")

    def __attrs_post_init__(self) -> None:
        if not self.contents:
            raise ParamsError("contents: there are none: give one text or more.")


@attrs.frozen
class ChangesParams:
    """All contents that differ from one by a few changes."""

    content: str = param(from_file=True, help="the text of a content, or its file")
    most: int = param(1, minimum=1, maximum=8, help="changes that are made together, at most")
    marks: tuple[str, ...] = param((), help="the marks that may be put, by name; '' empties; default: all")
    locked: tuple[str, ...] = param((), help="sites that stay as they are: 'c3,1'")
    kinds: tuple[str, ...] = param(
        USUAL_CHANGES,
        help="kinds of change: 'put', 'erase', 'move' to an empty site, 'swap' two sites, 'flip' and 'turn' "
        "a region of square cells",
        named_if_default=False,
    )
    region: tuple[str, ...] = param(
        (), help="the region to flip and turn: the sites at two opposite corners", named_if_default=False
    )
    size: tuple[int, ...] = param(
        (), help="columns and rows of all regions to flip and turn; default: 2 by 2", named_if_default=False
    )
    keep: bool = param(
        False,
        help="leave out contents with more or fewer of what there is a fixed number of, as the editor says",
        named_if_default=False,
    )


@attrs.frozen
class OpenSites:
    """Sites that a sketch leaves open, and what may stand there."""

    sites: tuple[str, ...] = param(help="open sites: 'c3,1'")
    marks: tuple[str, ...] = param(help="the marks that may stand there, by name; '' for nothing")
    counts: dict[str, int | tuple[int, ...]] = param(
        attrs.Factory(dict), help="how often a mark stands on these sites: a number, or [least, most]"
    )


@attrs.frozen
class SketchParams:
    """A content with open sites, and what may stand there."""

    content: str = param(from_file=True, help="the text of a content, or its file")
    open: tuple[OpenSites, ...] = param(help="tables of open sites: {sites = [...], marks = [...]}")
    counts: dict[str, int | tuple[int, ...]] = param(
        attrs.Factory(dict), help="how often a mark stands on open sites: a number, or [least, most]"
    )

    def __attrs_post_init__(self) -> None:
        if not self.open:
            raise ParamsError("open: there are no open sites.")
