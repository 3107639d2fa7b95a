"""Source code of a kernel that searches many levels of one game, each by itself, breadth first."""

from __future__ import annotations

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.prelude import START_TICK
from epcg_puzzlescript.rules.changes import Changes
from epcg_puzzlescript.rules.kernel_source import KernelSource
from epcg_puzzlescript.rules.plane_writer import TooLongError

SEARCHING, SOLVED, EXHAUSTED, LIMITED, ELSEWHERE = range(5)
"""How the search of a level ended. ELSEWHERE: the interpreter must play it, or it has too many positions."""
MOST_SOLVER_STATEMENTS = 28_000
"""They take up to 9 CPU seconds to compile; a longer kernel has no shorter form."""
_FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)


class SolverSource(KernelSource):
    """The source of `solve(states, count, level, found, keys, slots, limit, most, generation)`.

    `states` has the planes of all objects of each level; `level` the distance of columns, the cells of the
    board, and the number of slots less one, a power of two less one. `found` receives how a search ended,
    the moves and the expansions (see `epcg_core.search.shortest_path.solver`). A slot is free for a level
    unless its upper half is the number of that level's search, which counts from `generation` on; `keys` is
    room for the planes of `most` positions. Raises TooLongError.
    """

    most_statements = MOST_SOLVER_STATEMENTS

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        if game.says(START_TICK):
            raise TooLongError("rules run when a level begins")
        super().__init__(game, words, changes)

    def _main(self) -> None:
        arrays = ("states", "level", "found", "keys", "slots")
        names = ["states", "count", "level", "found", "keys", "slots", "limit", "most", "generation"]
        self._begin("solve", [f"{name}: words" if name in arrays else name for name in names])
        for number, name in enumerate(["s", *self._plane("v"), "last"]):
            self._put(f"{name} = level[{number}]")
        self._put("t = 64 - s")
        self._put("at = 0")
        self._put("for n in range(count):")
        self._depth += 1
        for number in (*self.statics, *self.changing):
            for w in range(self.words):
                self._put(f"{self.object(number)}_{w} = states[at + {number * self.words + w}]")
        self._put(f"at += {len(self.game.objects) * self.words}")
        for line in ("generation += 1", "outcome = 0", "moves = 0", "head = 0", "tail = 0", "depth = 0",
                     "place = 0", "layer_end = 1"):  # fmt: skip
            self._put(line)
        self._copy("n", "p")
        self._join()
        self._put(f"while outcome == {SEARCHING}:")
        self._depth += 1
        self._put("if head == layer_end:")
        self._put("    depth += 1")
        self._put("    layer_end = tail")
        for number, word in enumerate(self._state()):
            self._put(f"{word} = keys[head * {len(self._state())} + {number}]")
        self._put("head += 1")
        for given in self.inputs:
            self._put(f"if outcome == {SEARCHING}:")
            self._depth += 1
            self._input(given)
            self._put("if not ok:")
            self._put(f"    outcome = {ELSEWHERE}")
            self._depth -= 1
        self._put(f"if outcome == {SEARCHING} and head == tail:")
        self._put(f"    outcome = {EXHAUSTED}")
        self._put("    place = head")
        self._depth -= 1
        self._put("found[3 * n] = outcome")
        self._put("found[3 * n + 1] = moves")
        self._put("found[3 * n + 2] = place")
        self._depth -= 1
        self._put("return generation")

    def _emit(self, given: str) -> None:
        self._put("if wins:")
        self._put(f"    outcome = {SOLVED}")
        self._put("    moves = depth + 1")
        self._put("    place = tail")
        self._put("else:")
        self._depth += 1
        self._join()
        self._depth -= 1

    def _join(self) -> None:
        """Write how a position joins the queue if it is new."""
        words = self._state("n")
        self._put(f"h = {words[0]} * {_FACTORS[0]}")
        for word in words[1:]:
            self._put(f"h = ((h ^ (h >> 29)) ^ {word}) * {_FACTORS[1]}")
        self._put(f"h = (h ^ (h >> 32)) * {_FACTORS[1]}")
        self._put("h = (h >> 32) & last")
        self._put("while slots[h] >> 32 == generation:")
        self._depth += 1
        self._put(f"k = (slots[h] & {2**32 - 1}) * {len(words)}")
        differs = " | ".join(f"(keys[k + {number}] ^ {word})" for number, word in enumerate(words))
        self._put(f"if not ({differs}):")
        self._put("    break")
        self._put("h = (h + 1) & last")
        self._depth -= 1
        self._put("if slots[h] >> 32 != generation:")
        self._depth += 1
        self._put("slots[h] = (generation << 32) | tail")
        for number, word in enumerate(words):
            self._put(f"keys[tail * {len(words)} + {number}] = {word}")
        self._put("tail += 1")
        self._put("if tail > limit:")
        self._put(f"    outcome = {LIMITED}")
        self._put("    place = limit + 1")
        self._put("if tail == most:")
        self._put(f"    outcome = {ELSEWHERE}")
        self._depth -= 1
