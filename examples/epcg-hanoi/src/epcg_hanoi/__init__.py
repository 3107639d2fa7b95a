"""The Tower of London: balls on pegs are moved one at a time until they lie as a target shows."""

from collections.abc import Callable, Collection
from functools import partial
from itertools import permutations, product

import attrs

from epcg_core import plugin as epcg

EPCG_API_VERSION = 1
Position = tuple[tuple[int, ...], ...]  # the balls on each peg, from the bottom up
Problem = tuple[Position, Position]  # a start, or what it has become, and a target
COLOURS = ("#c0392b", "#2471a3", "#d4ac0d", "#1e8449", "#7d3c98")


@attrs.frozen
class Params:
    pegs: tuple[int, ...] = epcg.param((3, 2, 1), minimum=1, maximum=6, help="how many balls each peg holds")
    balls: int = epcg.param(3, minimum=1, maximum=len(COLOURS), help="balls, each of another colour")


class Play:
    """Lift the upper ball of a peg and put it on another that has room (a `TransitionModel`)."""

    reversible = True

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self._sizes = sizes

    def initial(self, problem: Problem) -> Problem:
        return problem

    key = initial

    def actions(self, problem: Problem) -> list[tuple[int, int]]:
        free = [peg for peg, size in enumerate(self._sizes) if len(problem[0][peg]) < size]
        return [(peg, to) for peg, pile in enumerate(problem[0]) if pile for to in free if to != peg]

    def apply(self, problem: Problem, action: tuple[int, int]) -> Problem:
        (position, target), (peg, to) = problem, action
        piles = [*position]
        piles[peg], piles[to] = position[peg][:-1], (*position[to], position[peg][-1])
        return tuple(piles), target

    def is_goal(self, problem: Problem) -> bool:
        return problem[0] == problem[1]

    def action_text(self, action: tuple[int, int]) -> str:
        return f"{action[0] + 1} to {action[1] + 1}"

    def things(self, problem: Problem) -> list[str]:
        return [f"ball {ball}" for ball in sorted(ball for pile in problem[0] for ball in pile)]

    def forget(self, problem: Problem, things: Collection[str]) -> Callable[[Problem], Problem]:
        return partial(self.without, things=things)

    def without(self, problem: Problem, things: Collection[str]) -> Problem:
        start, target = (
            tuple(tuple(ball for ball in pile if f"ball {ball}" not in things) for pile in position)
            for position in problem
        )
        return start, target


class Problems:
    """All pairs of a start and a target (a `Generator`)."""

    domain_attributes = ("sizes",)

    def __init__(self, params: Params) -> None:
        self.sizes, self.transition_model = params.pegs, Play(params.pegs)
        orders = list(permutations(range(1, params.balls + 1)))
        heights = [h for h in product(*(range(size + 1) for size in self.sizes)) if sum(h) == params.balls]
        if not heights:
            raise epcg.ParamsError(f"balls: pegs for {self.sizes} have no room for {params.balls}.")
        cuts = [[slice(sum(h[:i]), sum(h[: i + 1])) for i in range(len(h))] for h in heights]
        self._positions = [tuple(order[part] for part in cut) for cut in cuts for order in orders]
        self._numbers = {position: number for number, position in enumerate(self._positions)}
        self.max_rank = len(self._positions) ** 2

    def unrank(self, rank: int) -> Problem:
        start, target = divmod(rank, len(self._positions))
        return self._positions[start], self._positions[target]

    def rank(self, problem: Problem) -> int:
        if not self._numbers.keys() >= set(problem):
            raise epcg.RankError(f"'{self.format(problem)}' does not have these balls on these pegs.")
        return self._numbers[problem[0]] * len(self._positions) + self._numbers[problem[1]]

    def format(self, problem: Problem) -> str:
        """Write '12. .. 3 > 321 .. .': both positions, peg by peg, a dot for each ball that has room."""
        piles = [zip(each, self.sizes, strict=False) for each in problem]
        words = [["".join(map(str, pile)).ljust(size, ".") for pile, size in each] for each in piles]
        return " > ".join(" ".join(each) for each in words)

    def parse(self, text: str) -> Problem:
        if set(text) - set("12345. >") or text.count(" > ") != 1:
            raise epcg.RankError(f"'{text}' is not a problem such as '12. .. 3 > 321 .. .'.")
        halves = [half.replace(".", "").split(" ") for half in text.split(" > ")]
        start, target = [tuple(tuple(map(int, pile)) for pile in half) for half in halves]
        self.rank((start, target))
        return start, target


def svg_renderer(generator: Problems) -> Callable[[Problem], str]:
    width, height = len(generator.sizes), max(generator.sizes)

    def draw(problem: Problem) -> str:
        parts = []
        for left, position in zip((0, width + 1), problem, strict=True):
            parts.append(f'<path d="M{left} 0h{width}"/>')
            for x, (pile, size) in enumerate(zip(position, generator.sizes, strict=True), left):
                parts.append(f'<path d="M{x + 0.5} 0v-{size}"/>')
                dots = [f'cx="{x + 0.5}" cy="{-y - 0.5}" fill="{COLOURS[i - 1]}"' for y, i in enumerate(pile)]
                parts += [f'<circle {dot} r=".45" stroke="none"/>' for dot in dots]
        box = f'viewBox="-.1 {-height - 0.1} {2 * width + 1.2} {height + 0.2}" width="{80 * width}"'
        style = 'stroke="#5b4636" stroke-width=".1"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {style}>{"".join(parts)}</svg>\n'

    return draw


LONDON = epcg.Domain(
    "hanoi",
    "Tower of London",
    "move balls from peg to peg until they lie as a target shows",
    generators=[
        epcg.GeneratorInfo(name="problems", summary="all starts and targets", params=Params, factory=Problems)
    ],
    evaluators=[
        epcg.shortest_path_evaluator("hanoi"),
        *epcg.play_evaluators("hanoi", forgets=True),
        epcg.entropy_evaluator("hanoi", measures=("muse", "msi")),
    ],
    renderers=[epcg.RendererInfo(format="svg", factory=svg_renderer)],
    others={
        "publications": [
            {
                "name": "tower-of-london",
                "title": "Olieslagers and others (2024): 477 people, 25 problems of the Tower of London",
                "tables": "epcg_hanoi:publications/tower-of-london.toml",
            }
        ]
    },
)


@epcg.hookimpl
def epcg_register_domains(register: Callable[[epcg.DomainInfo], None]) -> None:
    register(LONDON)
