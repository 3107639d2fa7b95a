"""For each law a mistake in the domain `rows`: one passage of its text replaced, and what the law must say.

Each breaks one law, and no other but those that it entails.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Fault:
    """A mistake."""

    law: str
    old: str
    """A passage that the text of rows.py has once."""
    new: str
    says: str
    """A part of the law's message."""
    name: str = ""
    """What tells it from other mistakes against the same law."""
    entails: tuple[str, ...] = ()
    """Laws that cannot be kept without this one."""
    file: str = "rows.py"


WRONG_ANSWER = (
    "symmetries-leave-metrics",
    "values-fit-metrics",
    "evaluators-repeat",
    "order-does-not-matter",
    "evaluators-leave-states",
    "rules-keep-a-solution",
    "no-choice-no-entropy",
)
"""Laws that cannot be kept if a rule's answer stops the evaluator of entropy."""

FAULTS = (
    Fault(
        "parts-load",
        "factory=svg_renderer",
        'factory="epcg_rows:svg_renderers"',
        "'epcg_rows:svg_renderers' cannot be loaded",
        entails=("renderers-draw",),
    ),
    Fault(
        "parts-load",
        "@hookimpl\ndef epcg_register_domains(",
        "@hookimpl(optionalhook=True)\ndef epcg_register_publications(register: Any) -> None:\n"
        '    register(name="rows", title="Rows", tables="epcg_rows:no/such.toml")\n\n\n'
        "@hookimpl\ndef epcg_register_domains(",
        "There is no publication",
        "file-of-a-publication",
    ),
    Fault(
        "every-part-is-looked-at",
        '    row: str = param("oo.o..", help=',
        "    row: str = param(help=",
        "generator edited: no law looks at it: ParamsError: generator: the key 'row' is missing",
    ),
    Fault(
        "attributes-are-known",
        "self.max_rank = comb(params.cells, params.pegs)",
        "self.max_rank = comb(params.cells, params.pegs)\n        self.canonical_rnk = self.rank",
        "the public attribute 'canonical_rnk', which is not a capability. Did you mean 'canonical_rank'?",
    ),
    *(
        Fault(
            "attributes-are-known",
            "        self.layered_space = Layers(params)",
            f"        self.layered_space = Layers(params)\n        self.{wrong} = self.unrank",
            f"has the public attribute '{wrong}', which is not a capability. Did you mean '{right}'?",
            wrong,
        )
        for wrong, right in (
            ("canonical_rnak", "canonical_rank"),
            ("fromat", "format"),
            ("pasre", "parse"),
            ("prefix", "prefixes"),
            ("state_at", "states_at"),
        )
    ),
    Fault(
        "attributes-are-known",
        '        self.cells, self.pegs = generator.setting, getattr(generator, "pegs", 0)',
        '        self.cells, self.pegs = generator.setting, getattr(generator, "pegs", 0)\n'
        "        self.evaluate_state = self.evaluate",
        "the public attribute 'evaluate_state', which is not a capability. Did you mean 'evaluate_states'?",
        "evaluate_state",
    ),
    Fault(
        "protocols-are-complete",
        "    def key(self, row: Row) -> Row:\n        return row",
        "",
        "Jumps has no key (see TransitionModel).",
        "no-key",
        entails=(
            "every-part-is-looked-at",
            "play-repeats",
            "play-leaves-positions",
            "keys-mean-positions",
            "rules-answer",
            "filters-keep-a-subset",
            "rules-keep-a-solution",
            "packed-equals-play",
            "no-choice-no-entropy",
            "policies-are-distributions",
            "scorers-measure",
            "layers-equal-play",
            "compiled-layers-equal-play",
            "play-is-shown",
            "gestures-differ",
            "images-play-alike",
        ),
    ),
    Fault(
        "protocols-are-complete",
        "    def states_at(self",
        "    def _states_at(self",
        "Rows has 'states_block' without states_at, so it is ignored (see ArrayGenerator).",
    ),
    Fault(
        "protocols-are-complete",
        "    def initial(self, row: Row) -> Row:\n        return Row(row)",
        "    def choose(self, row: Row, jumps: Any) -> Any:\n        return jumps[:1]\n\n"
        "    def initial(self, row: Row) -> Row:\n        return Row(row)",
        "Jumps has 'choose' without stages, so it is ignored (see Choosing).",
        "no-stages",
        entails=(
            "every-part-is-looked-at",
            "rules-keep-a-solution",
            "no-choice-no-entropy",
            "scorers-measure",
        ),
    ),
    Fault(
        "protocols-are-complete",
        "    def initial(self, row: Row) -> Row:\n        return Row(row)",
        "    stages = ('filter', 'answers', 'choice')\n\n"
        "    def choose(self, row: Row, jumps: Any) -> Any:\n        return jumps\n\n"
        "    def initial(self, row: Row) -> Row:\n        return Row(row)",
        "Jumps.stages: unknown stage 'filter'. Did you mean 'filters'?",
        "stage",
        entails=(
            "every-part-is-looked-at",
            "rules-keep-a-solution",
            "no-choice-no-entropy",
            "scorers-measure",
        ),
    ),
    Fault(
        "params-errors",
        "marks: tuple[int, ...] = param((), minimum=0",
        "marks: Any = param((), minimum=0",
        "marks = 'no such value' is refused\n    expected ParamsError\n    got      it was accepted",
    ),
    Fault(
        "params-errors",
        'param(1000, minimum=1, maximum=10_000, help="positions that are looked at")',
        "param(1000)",
        "the param 'limit' has no help",
        "no-help",
    ),
    Fault(
        "factories-refuse-with-a-sentence",
        '        if not self.row or set(self.row) - set("o."):',
        '        if not self.row[0] or set(self.row) - set("o."):',
        "row = '': it raised IndexError: string index out of range (__init__.py:",
    ),
    Fault(
        "queries-are-understood",
        "pegs = 3",
        "pins = 3",
        "query rows/widest: it raised UnknownNameError: all: unknown key 'pins'. Did you mean 'pegs'?",
        file="rows_query.toml",
    ),
    Fault(
        "queries-are-understood",
        'metric = "span"',
        'metric = "spam"',
        "unknown metric 'spam'. Did you mean 'span'?",
        "metric",
        file="rows_query.toml",
    ),
    Fault(
        "queries-are-understood",
        'domain = "rows"',
        'domain = "rwos"',
        "unknown domain 'rwos'. Did you mean 'rows'?",
        "domain",
        entails=("plans-are-understood",),
        file="rows_query.toml",
    ),
    Fault(
        "queries-are-understood",
        "[generator]",
        "[generator",
        "query rows/widest: it raised QueryError",
        "not-toml",
        entails=("plans-are-understood",),
        file="rows_query.toml",
    ),
    Fault(
        "plans-are-understood",
        'measure = "span"',
        'measure = "spam"',
        "it raised UnknownNameError: chapter wide: unknown measure 'spam'. Did you mean 'span'?",
        file="rows_plan.toml",
    ),
    Fault(
        "plans-are-understood",
        "[[chapters]]",
        "[[chapter]]",
        "unknown key 'chapter'. Did you mean 'chapters'?",
        "key",
        file="rows_plan.toml",
    ),
    Fault(
        "plans-are-understood",
        "queries/widest",
        "queries/wides",
        "plan rows/wide: it raised QueryError",
        "query",
        file="rows_plan.toml",
    ),
    Fault(
        "params-survive-toml",
        "\n\nclass Shortest:",
        "\n    def __attrs_post_init__(self) -> None:\n        object.__setattr__(self, 'limit', "
        "self.limit + 1)\n"
        "\n\nclass Shortest:",
        "params written as TOML and read again",
    ),
    Fault(
        "ranks-are-exact",
        "self.max_rank = comb(params.cells, params.pegs)",
        "self.max_rank = np.int64(comb(params.cells, params.pegs))",
        "the type of max_rank\n    expected int\n    got      numpy.int64",
    ),
    Fault(
        "unrank-repeats",
        "        return Row(self.prefixes.space.unrank(rank))",
        "        row = Row(self.prefixes.space.unrank(rank))\n"
        "        row.number = self._number = getattr(self, '_number', 0) + 1\n        return row",
        "unrank, asked twice",
        entails=(
            "shipped-spaces-hold",
            "increment-follows-unrank",
            "names-rebuild-puzzles",
            "opens-as-itself",
            "parse-inverts-format",
            "processes-agree",
            "questions-hold-the-content",
        ),
    ),
    Fault(
        "rank-inverts-unrank",
        "        return int(self.prefixes.space.rank(row))",
        "        return np.int64(self.prefixes.space.rank(row))",
        "rank(unrank(rank))\n    expected 0\n    got      np.int64(0)",
        entails=(
            "shipped-spaces-hold",
            "finds-names-what-a-text-shows",
        ),
    ),
    Fault(
        "increment-follows-unrank",
        "        return self.unrank(rank) if rank < self.max_rank else None",
        "        return self.unrank(rank % self.max_rank)",
        "rank 19: increment(unrank(rank))\n    expected None\n    got      ('Row', 0, 1, 2)",
    ),
    Fault(
        "canonical-rank-is-lowest",
        "        return int(min(rank, self.rank(self.mirror(self.unrank(rank)))))",
        "        return int(max(rank, self.rank(self.mirror(self.unrank(rank)))))",
        "canonical_rank(rank) is the lowest rank of its class\n    expected 0 to 0\n    got      19",
        entails=(
            "shipped-spaces-hold",
            "canonical-rank-is-one-for-an-orbit",
        ),
    ),
    Fault(
        "canonical-rank-is-lowest",
        "        return int(min(rank, self.rank(self.mirror(self.unrank(rank)))))",
        "        return np.int64(min(rank, self.rank(self.mirror(self.unrank(rank)))))",
        "the type of canonical_rank(rank)\n    expected int\n    got      numpy.int64",
        "type",
    ),
    Fault(
        "canonical-rank-is-one-for-an-orbit",
        "        return int(min(rank, self.rank(self.mirror(self.unrank(rank)))))",
        "        return rank",
        "canonical_rank(19), symmetric to rank 0\n    expected 0\n    got      19",
    ),
    Fault(
        "canonical-ranks-are-those-of-single-ranks",
        "np.array([self.canonical_rank(rank) for rank in ranks.tolist()], np.int64)",
        "np.array([self.canonical_rank(rank) for rank in ranks.tolist()], np.int64)[::-1]",
        "canonical_ranks at rank 2\n    expected 2\n    got      4",
    ),
    Fault(
        "canonical-ranks-are-those-of-single-ranks",
        "np.array([self.canonical_rank(rank) for rank in ranks.tolist()], np.int64)",
        "np.array([self.canonical_rank(rank) for rank in ranks.tolist()], float)",
        "the shape and type of canonical_ranks",
        "type",
    ),
    Fault(
        "states-occur-once",
        "if rank >> cell & 1)",
        "if rank % 21 >> cell & 1)",
        "rank 21: its content is also that of rank 0",
        entails=("canonical-rank-is-lowest", "classes-hold-like-states"),
        file="walks.py",
    ),
    Fault(
        "states-occur-once",
        "        return Row(sorted(set(row) ^",
        "        if len(edits) > 1:\n            edits = edits[:1]\n        return Row(sorted(set(row) ^",
        "is also that of rank 1",
        "edits that do nothing",
    ),
    Fault(
        "classes-hold-like-states",
        "        return min(rank, sum(1 << (self.setting - 1 - cell) for cell in self.unrank(rank)))",
        "        return 0",
        "so that they count as one puzzle\n    expected more than one, or a declared orbit\n    got      0",
        "constant",
        file="walks.py",
    ),
    Fault(
        "classes-hold-like-states",
        "        return min(rank, sum(1 << (self.setting - 1 - cell) for cell in self.unrank(rank)))",
        "        return rank // 4 * 4",
        "no measure agrees with that of rank ",
        "unlike",
        file="walks.py",
    ),
    Fault(
        "searches-hold",
        "        for rank in ranks[:: params.step]:",
        "        for rank in ranks[__import__('random').randrange(2) :: 2]:",
        "search every_other, ",
        "draws",
    ),
    Fault(
        "searches-hold",
        "        for rank in ranks[:: params.step]:",
        "        score(spec.stop)\n        for rank in ranks[:: params.step]:",
        "The search every_other scored ",
        "elsewhere",
    ),
    Fault(
        "strategies-choose",
        "range(self.first, len(pool.values), 3)][:count]",
        "range(self.first, 12, 3)][:count]",
        "positions outside of 0 to -1\n    expected []\n    got      [0]",
        "outside",
    ),
    Fault(
        "strategies-choose",
        'return [Pick(p, f"number {p}") for',
        "return [Pick(p, p) for",
        "the type of the reason of a pick\n    expected str",
        "reason",
    ),
    Fault(
        "strategies-choose",
        "range(self.first, len(pool.values), 3)][:count]",
        "range(self.first, len(pool.values), 3)]",
        "the number of picks\n    expected up to 1",
        "too many",
    ),
    Fault(
        "strategies-choose",
        'return "between two thirds"',
        "return None",
        "the type of declined(pool, picks, ",
        "declined",
    ),
    Fault(
        "strategies-choose",
        'name: ClassVar[str] = "thirds"',
        'name: ClassVar[str] = "third"',
        "the name of the strategy, which its registration has\n    expected thirds\n    got      third",
        "name",
    ),
    Fault(
        "selection-rules-choose",
        "return order[:1] + order[1:][-1:]",
        "return [order[0], order[-1]]",
        "1 integers: how often a position is chosen again\n    expected 0\n    got      1",
        "twice",
    ),
    Fault(
        "selection-rules-choose",
        "return order[:1] + order[1:][-1:]",
        "return ranks[order[:1]].tolist()",
        "positions outside of 0 to 0\n    expected []\n    got      [1000]",
        "ranks",
    ),
    Fault(
        "selection-rules-choose",
        "return order[:1] + order[1:][-1:]",
        "values.sort()\n    return order[:1]",
        "the arrays after it was asked",
        "sorts",
    ),
    Fault(
        "formats-keep-content",
        'return own.replace("o", "x").replace(".", "-")',
        'return own.replace("o", "x").replace(".", "-").strip("-")',
        "it raised ParamsError: The row has",
        "loses",
    ),
    Fault(
        "formats-keep-content",
        'if not text.strip() or set(text.strip()) - set("x-"):',
        'if text.strip()[0] not in "x-":',
        "reading '': it raised IndexError",
        "refuses",
    ),
    Fault(
        "files-are-read",
        "write one of 'o' and '.'.\"),))",
        "write one of 'o' and '.'\"),))",
        "the message of a fault",
        entails=("files-change-in-place",),
    ),
    Fault(
        "files-are-read",
        'lines = enumerate(text.split("\\n"), 1)',
        'lines = enumerate(text.split("\\n"))',
        "the lines of the pieces",
        "counts",
        entails=("files-change-in-place",),
    ),
    Fault(
        "files-change-in-place",
        'summary="a row in a line", file=RowsFile)',
        'summary="a row in a line", file=RowsFile, messages=True)',
        "a message that is inserted",
        "messages",
    ),
    Fault(
        "files-change-in-place",
        "return self._put(text, number, [piece])",
        "return self._put(text, number, [piece]).strip()",
        "replaced by itself",
    ),
    Fault(
        "files-change-in-place",
        "return self._put(text, number, [])",
        'return self._put(text, number, []).removesuffix("\\n")',
        "removed",
        "cuts",
    ),
    Fault(
        "finds-names-what-a-text-shows",
        'return {"cells": len(row), "pegs": row.count("o")}, None',
        'return {"cells": len(row), "pegs": row.count("o")}',
        "what finds returns\n    expected (params, rank) or None\n    got      {'cells': ",
    ),
    Fault(
        "finds-names-what-a-text-shows",
        'return {"cells": len(row), "pegs": row.count("o")}, None',
        'return {"cells": len(row), "pegs": row.count("o")}, 0',
        "the text of the puzzle that it finds\n    expected ('Row', ",
        "another",
    ),
    Fault(
        "finds-names-what-a-text-shows",
        'return {"cells": len(row), "pegs": row.count("o")}, None',
        'return {"cells": len(row), "pegs": row.count("o")}, 10**6',
        "the rank of what finds returns\n    expected 0 to ",
        "outside",
    ),
    Fault(
        "finds-names-what-a-text-shows",
        """    if not row or set(row) - set("o."):\n        return None\n    if "o" not""",
        """    if row[0] not in "o.":\n        return None\n    if "o" not""",
        "finding '': it raised IndexError",
        "refuses",
    ),
    Fault(
        "finds-names-what-a-text-shows",
        """    if not row or set(row) - set("o."):\n        return None\n    if "o" not""",
        """    if not row or set(row) - set("x-"):\n        return None\n    if "o" not""",
        "whether it finds a text that a generator writes",
        "nothing",
    ),
    Fault(
        "parts-load",
        "def read_crosses(text: str, name: str)",
        "def read_crosses(text: str)",
        "the read, epcg_rows.read_crosses (__init__.py:",
        "signature-of-a-format",
        entails=("formats-keep-content",),
    ),
    Fault(
        "params-errors",
        'first: int = param(0, minimum=0, maximum=2, help="the first position")',
        "first: int = param(0)",
        "the param 'first' has no help",
        "of-a-strategy",
    ),
    Fault(
        "symmetries-leave-metrics",
        "        gaps = [after - before for before, after in itertools.pairwise(row)]",
        "        gaps = [after - before for before, after in itertools.pairwise(row)][:1]",
        "by gaps, widest, rank ",
    ),
    Fault(
        "edits-make-variants",
        '{"cell": c})',
        '{"cell": c, "cells": (c,)})',
        "the change of edit 0 as JSON",
    ),
    Fault(
        "names-rebuild-puzzles",
        'Literal["round", "square"] = param("round"',
        'Literal["1", "2"] = param("1"',
        "unknown value '1'. Did you mean '1'?",
    ),
    Fault(
        "parse-inverts-format",
        'return Row(cell for cell, sign in enumerate(text) if sign == "o")',
        'return Row(cell for cell, sign in enumerate(text, 1) if sign == "o")',
        "parse(format(state)), the text being 'ooo...'\n    expected ('Row', 0, 1, 2)\n    got      "
        "('Row', 1, 2, 3)",
        entails=("finds-names-what-a-text-shows",),
    ),
    Fault("renderers-draw", 'r="0.4"/>', 'r="0.4">', "the SVG is not well-formed XML: mismatched tag"),
    Fault("renderers-draw", 'xmlns="http://www.w3.org/2000/svg" ', "", "the root element", "no-namespace"),
    Fault("renderers-draw", " viewBox=", " box=", "the SVG has no size", "no-size"),
    Fault(
        "opens-as-itself", "return self.format(row)", "return self.format(row[1:])", "the content that opens"
    ),
    Fault(
        "titles-name-states",
        'f"row {rank + 1}")',
        '"")',
        "one or more, none of them blank",
    ),
    Fault(
        "titles-name-states",
        '(f"{params.pegs} pegs", f"row {rank + 1}")',
        'f"row {rank + 1}"',
        "the type of the titles of a rank",
        "no-tuple",
    ),
    Fault(
        "readings-repeat",
        'Reading(f"{params.cells} {params.pegs}")',
        'Reading(f"{id(self)}")',
        "the reading, made again",
        entails=("searches-hold",),
    ),
    Fault(
        "readings-repeat",
        'Reading(f"{params.cells} {params.pegs}")',
        'Reading("1", "a rule left out\\nanother")',
        "the lines of what was not read",
        "lines",
    ),
    Fault(
        "renderers-draw",
        "def draw(row: Row, solution: bool = False)",
        "def draw(row: Row)",
        "unexpected keyword argument 'solution'",
        "no-solution",
    ),
    Fault(
        "values-fit-metrics",
        "(float(max(gaps)), len(set(gaps)) == 1) if gaps",
        "(float(max(gaps)), len(set(gaps))) if gaps",
        "even is bool\n    expected bool\n    got      1",
    ),
    Fault(
        "values-fit-metrics",
        "return (float(max(gaps)), len(set(gaps)) == 1) if gaps else None",
        "return (float(max(gaps)),) if gaps else None",
        "values expected: 2",
        "too-few",
    ),
    Fault(
        "values-fit-metrics",
        "return (float(max(gaps)), len(set(gaps)) == 1) if gaps else None",
        "return ('wide', True)",
        "widest",
        "string",
    ),
    Fault(
        "values-fit-metrics",
        "return (float(max(gaps)), len(set(gaps)) == 1) if gaps else None",
        "return (float(max(gaps)) if gaps else float('nan'), len(set(gaps)) == 1)",
        "widest has a value\n    expected a number, or None if there is none\n    got      NaN",
        "nan",
    ),
    Fault(
        "values-fit-metrics",
        'WIDEST = Metric("widest", "real", "min", "cells", "the widest gap")',
        'WIDEST = Metric("widest", "real", "min", "cells", "the widest gap", at_least=1, at_most=2)',
        "widest is in its range\n    expected at most 2\n    got      ",
        "range",
    ),
    Fault(
        "evaluators-repeat",
        "        return (float(max(gaps)), len(set(gaps)) == 1) if gaps else None",
        "        self._known = getattr(self, '_known', set())\n"
        "        again = row in self._known and row == (0, 1, 4)\n        self._known.add(row)\n"
        "        return (max(gaps) + again / 2, len(set(gaps)) == 1) if gaps else None",
        "rank 2: evaluate, asked again",
    ),
    Fault(
        "order-does-not-matter",
        "        return (float(max(gaps)), len(set(gaps)) == 1) if gaps else None",
        "        self._first = getattr(self, '_first', row)\n"
        "        return (max(gaps) + (self._first == row == (3, 4, 5)) / 2, len(set(gaps)) == 1) if "
        "gaps else None",
        "by an evaluator that began at the last rank",
    ),
    Fault(
        "evaluators-leave-states",
        "        gaps = [after - before for before, after in itertools.pairwise(row)]",
        "        gaps = [after - before for before, after in itertools.pairwise(row)]\n"
        "        row.__dict__['seen'] = True",
        "the state after it was evaluated",
    ),
    Fault(
        "blocks-equal-single-states",
        "        return np.array([word(self.unrank(start + i)) for i in range(count)], np.uint64)",
        "        return np.array([word(self.unrank(start + i)) for i in range(count)], np.int64)",
        "the shape and type of states_block(0, 1)",
    ),
    Fault(
        "arrays-equal-evaluate",
        "int(w).bit_length() - (int(w) & -int(w)).bit_length() for w in states",
        "int(w).bit_length() - (int(w) & -int(w)).bit_length() + (int(w) == 13) for w in states",
        "rank 4: (status, value) of span by evaluate_states\n    expected ((0, 3),)\n    got      ((0, 4),)",
        entails=("shipped-spaces-hold",),
    ),
    Fault(
        "fused-equals-evaluate",
        "        rows = [self.generator.unrank(start + i) for i in range(count)]",
        "        rows = [self.generator.unrank(start + i - (start > 0)) for i in range(count)]",
        "rank 1: evaluate_block(1, 1)",
        entails=("shipped-spaces-hold",),
    ),
    Fault(
        "evaluate-equals-plain",
        "        return Shortest(ShortestParams(self.limit), self.model)",
        "        return Shortest(ShortestParams(1), self.model)",
        "(status, value) by plain(): recorded is 'limit', computed again 'value'.",
    ),
    Fault(
        "processes-agree",
        'return "".join("o" if cell in row else "." for cell in range(self.cells))',
        'return "".join("o" if cell in row else "." for cell in range(self.cells)) + str(hash("rows"))',
        "its text, in another process",
        entails=("formats-keep-content",),
    ),
    Fault(
        "play-repeats",
        "    def action_text(self, jump: Jump)",
        "    def is_goal(self, row: Row) -> bool:\n        return np.bool_(len(row) == 1)\n\n"
        "    def action_text(self, jump: Jump)",
        "the type of is_goal\n    expected bool\n    got      numpy.bool",
    ),
    Fault(
        "play-leaves-positions",
        "    def key(self, row: Row) -> Row:\n        return row",
        "    def key(self, row: Row) -> Row:\n        row.asked = getattr(row, 'asked', 0) + 1\n     "
        "   return tuple(row)",
        "the position after key",
    ),
    Fault(
        "keys-mean-positions",
        "    def key(self, row: Row) -> Row:\n        return row",
        "    def key(self, row: Row) -> Row:\n        return Row(row[1:]) if len(row) == 2 else row",
        "(is_goal, keys of what follows) of positions with the key (",
        entails=("layers-equal-play", "compiled-layers-equal-play"),
    ),
    Fault(
        "solutions-solve",
        "                return [[self.model.action_text(jump), *rest]]",
        "                return [[str(jump), *rest]]",
        "action 1 of ['(",
    ),
    Fault(
        "rules-answer",
        "        after = self.model.apply(row, jump)\n",
        "        after = self.model.apply(row, jump)\n        row.asked = True\n",
        "the position after a rule was asked",
    ),
    Fault(
        "rules-answer",
        "return Answer.UNKNOWN if ended else Answer.CANNOT",
        "return Answer.UNKNOWN if ended else 2",
        "answers that are none\n    expected []\n    got      [2, 2]",
        "number",
        entails=(*WRONG_ANSWER, "classes-hold-like-states"),
    ),
    Fault(
        "rules-answer",
        "return Answer.UNKNOWN if ended else Answer.CANNOT",
        "return not ended",
        "answers that are none\n    expected []\n    got      [False, False]",
        "true",
        entails=WRONG_ANSWER,
    ),
    Fault(
        "filters-keep-a-subset",
        "if self.stuck(row, jump) is Answer.UNKNOWN]",
        "if self.stuck(row, jump) is Answer.UNKNOWN][::-1]",
        "the actions that a filter keeps, by their places\n    expected [0, 1]\n    got      [1, 0]",
    ),
    Fault(
        "rules-keep-a-solution",
        "        ended = self.model.is_goal(after) or",
        "        ended = ",
        "whether a player who believes it solves what can be solved",
    ),
    Fault(
        "packed-equals-play",
        "actions += [2 * peg + (beyond > peg) for peg, beyond in jumps]",
        "actions += [2 * peg + (beyond < peg) for peg, beyond in jumps]",
        "that are missing",
    ),
    Fault(
        "no-choice-no-entropy",
        '    register(entropy_evaluator("rows", params=RowEntropyParams))',
        '    info = entropy_evaluator("rows", params=RowEntropyParams)\n\n'
        "    class Biased:\n"
        "        metrics = info.metrics\n\n"
        "        def __init__(self, inner):\n"
        "            self._inner = inner\n\n"
        "        def evaluate(self, row):\n"
        "            muse, *others = self._inner.evaluate(row)\n"
        "            return (None if muse is None else muse + 1.0, *others)\n\n"
        "    register(attrs.evolve(info, factory=lambda p, g, t: Biased(info.factory(p, g, t)), needs=None))",
        "(status, muse) where the rules leave one action in each position\n    expected (0, 0.0)\n   "
        " got      (0, 1.0)",
    ),
    Fault(
        "policies-are-distributions",
        "        return [2 / total, *(1 / total for _ in actions[1:])]",
        "        return [2 / total for _ in actions]",
        "PluginError: The policy epcg_rows.eager.<locals>.weigh (__init__.py:",
    ),
    Fault(
        "policies-are-distributions",
        "        return [2 / total, *(1 / total for _ in actions[1:])]",
        "        return [1.0]",
        "gave the probabilities [1.0] for 2 actions",
        "count",
    ),
    Fault(
        "scorers-measure",
        "    return lambda space: Difficulty(float(not space.goals[0]), len(space), ())",
        "    return lambda space: Difficulty(-1.0, len(space), ())",
        "whether its value is 0 or more\n    expected True\n    got      False",
    ),
    Fault(
        "scorers-measure",
        "    return lambda space: Difficulty(float(not space.goals[0]), len(space), ())",
        "    return lambda space: 1.0",
        "the type of the difficulty\n    expected Difficulty",
        "type",
    ),
    Fault(
        "parts-load",
        "def goals(params: NoParams)",
        "def goals(params: NoParams, generator: Any)",
        "the factory, epcg_rows.goals (__init__.py:",
        "signature-of-a-scorer",
        entails=("scorers-measure",),
    ),
    Fault(
        "parts-load",
        "def __init__(self, params: StepsParams) -> None:\n        self.setting = self.max_rank",
        "def __init__(self, params: StepsParams, more: int) -> None:\n        self.setting = self.max_rank",
        "can be called\n    expected (params)\n    got      (params: 'StepsParams', more: 'int')",
        "signature-of-a-generator",
        entails=("every-part-is-looked-at", "factories-refuse-with-a-sentence"),
        file="walks.py",
    ),
    Fault(
        "graphs-lead-back",
        "        return np.stack([ranks - 1, right], axis=1)",
        "        return np.stack([np.where(ranks == 3, -1, ranks - 1), right], axis=1)",
        "its ranked_graph, rank 2: ranks that it leads to and that do not lead back\n    expected []\n    "
        "got      [3]",
        entails=("ranked-graphs-equal-play",),
        file="walks.py",
    ),
    Fault(
        "ranked-graphs-equal-play",
        "        return np.stack([ranks - 1, right], axis=1)",
        "        return np.stack([ranks - 1 + 0 * right], axis=1)[:, :0]",
        "rank 1: the ranks after one action\n    expected [0, 2]\n    got      []",
        file="walks.py",
    ),
    Fault(
        "position-graphs-equal-play",
        "return self.ranks(positions) == 0",
        "return self.ranks(positions) == 1",
        "rank 0: whether it is a goal\n    expected True\n    got      False",
        file="walks.py",
    ),
    Fault(
        "position-graphs-equal-play",
        "np.array([-1, 1])",
        "np.array([-1, 2])",
        "rank 0: positions that it leads to and that do not lead back\n    expected []\n    got      [[2]]",
        "edges",
        file="walks.py",
    ),
    Fault(
        "position-graphs-equal-play",
        "return ranks.astype(np.uint64)[:, None]",
        "return ranks.astype(np.uint64)[:, None] + 1",
        "rank 0: the rank of its position",
        "positions",
        file="walks.py",
    ),
    Fault(
        "closed-graphs-equal-play",
        "goals = np.zeros(1, np.int32)",
        "goals = np.ones(1, np.int32)",
        "rank 0: whether it is a goal\n    expected True\n    got      False",
        file="walks.py",
    ),
    Fault(
        "closed-graphs-equal-play",
        "np.stack([cells[:-1], cells[1:]], axis=1)",
        "np.stack([cells[:-2], cells[2:]], axis=1)",
        "rank 1: the ranks after one action\n    expected [0, 2]\n    got      [3]",
        "edges",
        file="walks.py",
    ),
    Fault(
        "closed-graphs-equal-play",
        "goals, cells.astype(np.int32), cells)",
        "goals, cells[1:].astype(np.int32), cells[1:])",
        "rank 0: the number of parts that have it\n    expected 1\n    got      0",
        "ranks",
        file="walks.py",
    ),
    Fault(
        "footprints-tell-what-decides",
        "sum(1 << cell for cell in cells)] for cells in reads]",
        "0] for cells in reads]",
        "whose footprint meets no difference",
        "empty",
        file="walks.py",
    ),
    Fault(
        "footprints-tell-what-decides",
        "for cell in (row[0] - 1, row[0] + 1) if",
        "for cell in (row[0] + 1,) if",
        "whose footprint meets no difference",
        "one side",
        file="walks.py",
    ),
    Fault(
        "prefixes-tile",
        "        self.prefixes = prefixes(Combinations(params.cells, params.pegs))",
        "        own = prefixes(Combinations(params.cells, params.pegs))\n\n"
        "        class Skewed(type(own)):\n"
        "            def completions(self, prefix):\n"
        "                return super().completions(prefix) + (prefix == (1,))\n\n"
        "        self.prefixes = Skewed(Combinations(params.cells, params.pegs))",
        "the first rank of (2,), behind its elder sisters\n    expected 17\n    got      16",
    ),
    Fault(
        "bounds-are-admissible",
        "return self.cells - 1 - row[0] if row else self.cells - 1",
        "return self.cells - 1 - row[0] - (len(row) == 1) if row else self.cells - 1",
        "the bound of (0,)\n    expected at least 5, the best of its completions\n    got      4",
    ),
    Fault(
        "partial-values-equal-evaluate",
        "    def value(self, row: Row) -> int | None:\n        return row[-1] - row[0]",
        "    def value(self, row: Row) -> int | None:\n        return float(row[-1] - row[0])",
        "rank 0: value(complete)\n    expected 2\n    got      2.0",
    ),
    Fault(
        "compiled-search-equals-plain",
        "        return PlainSearch(self.generator.prefixes, self).search_block(start, count, incumbent)",
        "        late = attrs.evolve(incumbent, ties_to=2**63 - 1)\n"
        "        return PlainSearch(self.generator.prefixes, self).search_block(start, count, late)",
        "(rank, value) found by search_block(0, 20, Cutoff(",
    ),
    Fault(
        "actions-lead-down",
        "        return attrs.evolve(self.own, pegs=layer)",
        "        return attrs.evolve(self.own, pegs=layer, cells=self.own.cells - (layer < self.own.pegs))",
        "layer 3, rank 3: it raised RankError: (2, 5) is not a state of",
        entails=("layers-equal-play", "compiled-layers-equal-play"),
    ),
    Fault(
        "layers-equal-play",
        "return Row(sorted({*row, beyond} - {peg, (peg + beyond) // 2}))",
        "return Row(sorted({*row, beyond} - {peg, (peg + beyond) // 2}, reverse=True))",
        "counting successors: it raised RankError: (3, 0) is not a state",
        entails=("actions-lead-down", "packed-equals-play", "compiled-layers-equal-play"),
    ),
    Fault(
        "compiled-layers-equal-play",
        "        return bool(solvable), bool(solvable) if lower.pegs == 1 else unique",
        "        return True, bool(solvable) if lower.pegs == 1 else unique",
        "(solvable, unique) of rank ",
    ),
    Fault(
        "numbers-of-states",
        "states = 22",
        "states = 21",
        "the number of states\n    expected 21\n    got      22",
        file="rows.toml",
    ),
    Fault(
        "counts-of-values",
        "count = 6",
        "count = 7",
        "states whose jumps is 2\n    expected 7\n    got      6",
        file="rows.toml",
    ),
    Fault(
        "transcripts-of-play",
        "choices = [1, 2]",
        "choices = [1, 3]",
        "the numbers of actions along the play\n    expected (1, 3)\n    got      (1, 2)",
        file="rows.toml",
    ),
    Fault(
        "transcripts-of-play",
        '"3 to 1"]',
        '"3 to 5"]',
        "action 2 of ['0 to 2', '3 to 5'] is possible\n    expected 3 to 5",
        "action",
        file="rows.toml",
    ),
    Fault(
        "editors-open",
        """    if not text or set(text) - set("o."):
        raise ParamsError(f"{text!r} is not a row of""",
        """    if not text:
        raise ParamsError(f"{text!r} is not a row of""",
        "the factory, given the text '\\x00'",
        entails=("opens-as-itself",),
    ),
    Fault(
        "joined-contents-open",
        'return "".join(texts)',
        'return "".join(texts)[1:]',
        "the text of one content, joined with none",
    ),
    Fault(
        "joined-contents-open",
        'return "".join(texts)',
        'return " and ".join(texts)',
        "is not a row of 'o' and '.'",
        "opens",
    ),
    Fault(
        "editors-read-what-they-write",
        "        return write(row, self.setting)",
        "        return write(Row(row[1:]), self.setting)",
        "parse(format(content)), the text being '..oo..'",
        entails=(
            "opens-as-itself",
            "parse-inverts-format",
            "resizing-keeps-what-fits",
            "states-occur-once",
            "images-play-alike",
            "joined-contents-open",
        ),
    ),
    Fault(
        "palettes-are-clear",
        'glyph="o", turned=""',
        'glyph="o", turned="lying"',
        "the names in `turned` that the palette does not have",
    ),
    Fault(
        "palettes-are-clear",
        'palette = (Mark(name="peg", key="p", glyph="o", turned=""),)',
        'palette = (Mark(name="peg", key="p"), Mark(name="peg", key="q"))',
        "the names of the palette that stand there twice",
        "names",
    ),
    Fault(
        "shipped-spaces-hold",
        "int(w).bit_length() - (int(w) & -int(w)).bit_length() for w",
        "int(w).bit_length() - (int(w) & -int(w)).bit_length() + (int(w) > 255) for w",
        "query rows/widest, evaluator span, rank 6: (status, value) of span by evaluate_states\n"
        "    expected [((0, 8),)]\n    got      [((0, 9),)]",
    ),
    Fault(
        "parts-are-guests",
        "        gaps = [after - before",
        "        print('looking at', row)\n        gaps = [after - before",
        "by gaps, rank 0: what it writes to stdout\n    expected nothing\n    got      looking at (",
    ),
    Fault(
        "parts-are-guests",
        "        gaps = [after - before",
        "        import os\n        os.write(1, b'from C')\n        gaps = [after - before",
        "what it writes to stdout\n    expected nothing\n    got      from C",
        "C",
    ),
    Fault(
        "parts-are-guests",
        "        gaps = [after - before",
        "        import os\n        os.chdir('/')\n        gaps = [after - before",
        "the working folder afterwards\n    expected the same\n    got      /",
        "folder",
    ),
    Fault(
        "parts-are-guests",
        "        self.max_rank = comb(params.cells, params.pegs)",
        "        import os\n        os.environ['ROWS'] = str(params.pegs)\n"
        "        self.max_rank = comb(params.cells, params.pegs)",
        "the environment variables that it changes\n    expected none\n    got      ROWS",
        "environment",
    ),
    Fault(
        "parts-are-guests",
        "EPCG_API_VERSION = 1\n",
        "EPCG_API_VERSION = 1\nprint('rows are loaded')\n",
        "the plugin's modules, when they are imported: what it writes to stdout",
        "import",
    ),
    Fault(
        "imports-are-public",
        "from epcg_core import hookimpl\n",
        "from epcg_core import hookimpl, store\nfrom epcg_core.domain import Metric as _Metric\n",
        "the private modules that it imports\n    expected none\n"
        "    got      epcg_core.domain (__init__.py:20), epcg_core.store (__init__.py:19)",
    ),
    Fault(
        "sites-are-places",
        "        self.sites = square_cells(self.setting, 1)",
        "        self.sites = (*square_cells(self.setting, 1), *square_cells(1, 1))",
        "the ids of sites that stand there twice",
    ),
    Fault(
        "put-changes-its-site",
        "if mark == ERASE else {*row, at}",
        "if mark == ERASE else {*row, (at + 1) % self.setting}",
        "the marks on c1,1 after 'peg' is put on c1,1",
        entails=("rank-inverts-unrank",),  # of a sketch, whose completions are put
    ),
    Fault(
        "put-changes-its-site",
        "        return Row(sorted({*row} - {at} if mark == ERASE else {*row, at}))",
        "        return Row(sorted({*row} - {at} if mark == ERASE or at in row else {*row, at}))",
        "the content after 'peg' is put on c1,1 twice",
        "toggles",
    ),
    Fault(
        "erase-empties",
        "{*row} - {at} if mark == ERASE",
        "{*row} if mark == ERASE",
        "the marks on c2,1 after it is emptied",
    ),
    Fault(
        "play-is-shown",
        "        return self.scene(position)",
        "        return Scene(self.sites, {})",
        "the marks of the first position",
    ),
    Fault(
        "gestures-differ",
        "        return Gesture((self.sites[jump[0]].id, self.sites[jump[1]].id))",
        "        return Gesture((self.sites[jump[0]].id,))",
        "sites that are touched in the same way for two actions",
    ),
    Fault(
        "images-play-alike",
        "[Row(sorted(self.setting - 1 - cell for cell in row))]",
        "[Row(sorted((cell + 1) % self.setting for cell in row))]",
        "the images of an image",
        entails=("canonical-rank-is-lowest",),  # of a sketch
    ),
    Fault(
        "images-play-alike",
        "[Row(sorted(self.setting - 1 - cell for cell in row))]",
        "[Row(sorted({*range(self.setting)} - {*row}))]",
        "positions, goals and actions at each distance from the start of the image",
        "play",
    ),
    Fault(
        "questions-hold-the-content",
        '"pegs": len(row)}',
        '"pegs": len(row) % self.setting + 1}',
        "it raised RankError",
    ),
    Fault(
        "questions-hold-the-content",
        'measures=("span",)',
        'measures=("spam",)',
        "Did you mean 'span'?",
        "measures",
    ),
    Fault(
        "resizing-keeps-what-fits",
        "        return write(Row(row), columns)",
        "        return write(Row(cell + 1 for cell in row), columns)",
        "the marks on c2,1 of a board of 7 by 1",
    ),
)
