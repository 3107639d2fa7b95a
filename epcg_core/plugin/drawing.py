"""What pictures of plugins are made of: SVG, boards of letters, and figures of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import facade

if TYPE_CHECKING:
    from epcg_core.rendering import (
        grids as grids,
        svg as svg,
    )
    from epcg_core.rendering.figures import (
        COLORS as COLORS,
        require_matplotlib as require_matplotlib,
        save_figure as save_figure,
    )
    from epcg_core.rendering.grids import (
        Alphabet as Alphabet,
        LetterGrid as LetterGrid,
    )
    from epcg_core.rendering.svg import (
        INK as INK,
        number as number,
    )
else:
    __getattr__, __dir__, __all__ = facade(__name__, __file__)
