"""What the engine says about a plan in words of a designer: titles of measures and questions, no keys or ids.

The engine's own sentences name metrics, queries and candidates as files do, which helps a writer of files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from epcg_core.inside import Part
from epcg_core.plugin import EvaluatorInfo, UnknownNameError, registry

_ID = r"[a-z_]+:[a-z_0-9]+\?\S*?#\d+"
_ONE = "one of each symmetry class"
_LEFT_OUT = (
    (re.compile(r"a finite (.+)"), r"have no value of \1"),
    (re.compile(r"where (.+)"), r"do not meet the condition: \1"),
    (re.compile(r"filter (.+)"), r"do not meet the condition: \1"),
    (re.compile(r"each puzzle once"), "are in an earlier chapter"),
    (re.compile(re.escape(_ONE)), "are mirror images or turns of others"),
    (re.compile(r"each (\S+) once"), r"have the same \1 as one that is chosen"),
)
"""Rules of a choice, and what is said of those that they leave out."""
_REMOVED = re.compile(r"'([^']+)' removed most, ([\d,]+)")
_PHRASES = (
    (re.compile(rf"equal by symmetry to {_ID}"), "a mirror image or a turn of another one"),
    (re.compile(r" \(count = \d+\)"), ""),
    (re.compile(r"choose a smaller 'apart'"), "allow them to be more alike"),
    (re.compile(r"over the quantiles of"), "as they are spread, by"),
    (re.compile(r"evenly over the range of"), "evenly by"),
    (re.compile(rf"{_ID}"), "one of the puzzles"),
)


def spoken(text: str, domain: str = "") -> str:
    """Return a sentence with the titles of measures for their names, and without ids of puzzles."""
    text = _REMOVED.sub(lambda found: f"{found[2]} {left_out(found[1])}", text)
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    titles = _titles(domain)
    if not titles:
        return text
    names = "|".join(sorted(map(re.escape, titles), key=len, reverse=True))
    return re.sub(rf"(?<![\w.])'?\b({names})\b'?(?![\w.])", lambda found: titles[found[1]], text)


def left_out(rule: str, domain: str = "") -> str:
    """Say what the candidates are or do that a rule of a part leaves out, as "have no value of moves"."""
    for pattern, words in _LEFT_OUT:
        if pattern.fullmatch(rule):
            return spoken(pattern.sub(words, rule), domain)
    return f"are left over: {spoken(rule, domain)}"


def _titles(domain: str) -> Mapping[str, str]:
    """Map names of metrics that people do not say to their titles; of all domains for ''."""
    infos = registry().all(EvaluatorInfo, domain) if domain else registry().all(EvaluatorInfo)
    metrics = [metric for info in infos for metric in info.metrics]
    return {each.name: each.heading for each in metrics if "_" in each.name or "(" in each.heading}


def unanswered(part: Part) -> str:
    """Say that the question of a part has no answer yet."""
    if part.query is None:
        return "What it takes puzzles from is not recorded here."
    title = part.query.title
    return f"“{title}” is not answered yet." if title else "Its question is not answered yet."


def refused(error: BaseException, part: Part, where: str) -> str:
    """Say why nothing can be chosen for a part, and what to do."""
    if isinstance(error, UnknownNameError):
        named = [part.measure, *(each.metric for each in part.where), *part.then]
        if error.name in named:
            return _unmeasured(error.name, part)
    return spoken(str(error).removeprefix(f"{where} ").removeprefix(f"{where}: ").partition("\n")[0])


def _unmeasured(name: str, part: Part) -> str:
    title = _titles("").get(name, name.replace("_", " "))
    of = "its puzzles cannot be measured by" if part.is_list else "its question does not measure"
    if name == part.measure:
        return f"{of} “{title}”: choose another measure, after “by”."
    what = "order of equals" if name in part.then else "condition"
    return f"{of} “{title}”, which the {what} of the chapter names: choose another measure there."
