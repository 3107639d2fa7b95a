"""The prelude: the settings of a game."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from epcg_puzzlescript.language import colours
from epcg_puzzlescript.language.problems import Effect, Problems, quoted
from epcg_puzzlescript.language.sections import Line, lowered

START_TICK = "run_rules_on_level_start"
PLAYED_SETTINGS = (
    START_TICK, "require_player_movement", "noaction", "noundo", "norestart",
    "realtime_interval",
)  # fmt: skip
"""The settings that change how a game is played."""
_FLAGS = (
    "run_rules_on_level_start", "require_player_movement", "noaction", "noundo", "norestart", "scanline",
    "norepeat_action", "throttle_movement", "debug", "verbose_logging",
)  # fmt: skip
_VALUES = (
    "title", "author", "homepage", "background_color", "text_color", "color_palette", "flickscreen",
    "zoomscreen", "again_interval", "key_repeat_interval", "realtime_interval", "youtube",
)  # fmt: skip
SETTINGS = (*_FLAGS, *_VALUES)
"""All settings of the language."""
_PALETTES = frozenset(
    {"mastersystem", "gameboycolour", "amiga", "arnecolors", "famicom", "atari", "pastel", "ega", "amstrad",
     "proteus_mellow", "proteus_rich", "proteus_night", "c64", "whitingjp"}
)  # fmt: skip
_MOST_PALETTES = 14
"""Palettes may also be named by their number, from 1."""


def read_settings(lines: Iterable[Line], problems: Problems) -> dict[str, str]:
    """Return the settings by name in small letters; of those that stand twice the last counts."""
    found: dict[str, str] = {}
    for line in lines:
        pieces = [piece for piece in line.marked.split("\0") if piece.strip()]
        text = pieces[0].strip() if pieces else ""
        if not text:
            continue
        name = _NAME.match(text)
        word = name[0] if name else text.split()[0]
        _Setting(line, word, text[len(word) :].strip(), len(pieces) > 1, problems).read(found)
    return found


_NAME = re.compile(r"\w+")
"""A setting: what follows its name belongs to the value."""
_ON = ("true", "yes", "on", "1", "= true", "= 1", "=true", "=1")
"""Values of a flag that say what the flag means without one."""


_LOOKS = frozenset(
    {
        "smoothscreen", "sprite_size", "text_controls", "text_message_controls", "level_select",
        "level_select_lock", "level_select_unlocked_ahead", "level_select_unlocked_rollover",
        "level_select_solve_symbol", "show_level_title_in_menu", "skip_title_screen", "custom_font",
        "font_size", "title_color", "author_color", "keyhint_color", "message_text_align", "tween_length",
        "tween_easing", "tween_snap",
    }
)  # fmt: skip
"""Settings of dialects that change what a game looks like, or its menus, and nothing that is played."""


def _is_sign(character: str) -> bool:
    return not (character.isalnum() or character == "_" or character.isspace())


class _Setting:
    """A line of the prelude; `cut` says whether more stands behind a comment."""

    def __init__(self, line: Line, word: str, value: str, cut: bool, problems: Problems) -> None:
        self._line, self._word, self._value, self._cut = line, word, value, cut
        self._problems = problems
        self._name = lowered(word)

    def _tell(self, sentence: str, errors: int = 1, warnings: int = 0, effect: Effect = "none") -> None:
        column = 1 + max(0, self._line.text.find(self._word))
        self._problems.add(
            self._line.number, column, sentence, errors=errors, warnings=warnings, effect=effect
        )

    def read(self, found: dict[str, str]) -> None:
        """Add the setting to those that were found."""
        name, value = self._name, self._value
        if name not in SETTINGS:
            near = difflib.get_close_matches(name[:100], SETTINGS, n=1)
            meant = f"perhaps '{near[0]}' is meant" if near else "a setting or OBJECTS was expected"
            if name in _LOOKS:
                self._tell(f"{quoted(name)} is a setting of a dialect, and has no effect.", 0, 1)
                return
            errors = 1 + int(bool(_NAME.match(name)) and any(_is_sign(c) for c in value))
            self._tell(f"{quoted(name)} is not a setting and has no effect; {meant}.", errors, effect="word")
            return
        if name in _FLAGS:
            if value:
                self._tell(
                    f"{quoted(name)} takes no value, so {quoted(value)} is ignored and the setting counts; "
                    "take the line away to switch it off.", 0, 1,
                    effect="none" if lowered(value) in _ON else "word",
                )  # fmt: skip
            found[name] = ""
            return
        if not value:
            self._tell(f"{quoted(name)} needs a value behind it; without one it has no effect.")
            return
        if name in found:
            self._tell(f"{quoted(name)} stands here a second time; this one counts.", 0, 1)
        found[name] = value
        self._check(name, value)

    def _check(self, name: str, value: str) -> None:
        """Tell a value that does not fit."""
        if self._cut:
            self._tell(f"The value of {quoted(name)} ends at the comment: {quoted(value)}.", 0, 1)
        if name == "youtube":
            self._tell("'youtube' has no effect.", 0, 1)
        elif name == "color_palette":
            number = int(value) if value.isascii() and value.isdecimal() and len(value) < 4 else 0
            if lowered(value) not in _PALETTES and not 1 <= number <= _MOST_PALETTES:
                self._tell(f"There is no palette {quoted(value)}; the usual one is taken.")
        elif name in ("text_color", "background_color"):
            if colours.colour(lowered(value)) is None:
                self._tell(f"{quoted(value)} is not a colour; the usual one is taken.")
        elif name in ("flickscreen", "zoomscreen"):
            parts = lowered(value).split("x")
            if len(parts) != 2:
                self._tell(f"{quoted(name)} is a width and a height such as '5x4'; it is ignored.", 0, 1)
            elif not all(part.strip().isdecimal() and int(part.strip()[:9]) > 0 for part in parts):
                self._tell(f"{quoted(name)} is a width and a height such as '5x4'; it is ignored.", 0, 2)
