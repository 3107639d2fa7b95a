"""Conditions on measures: one class, read from tables and from text, judged by arrays, written as text.

A text is one or more conditions joined by `and`, each as SQL has them:

    moves >= 3 and moves < 20          between limits
    12 <= moves <= 20                  the same, shorter
    unique                             true; `not unique` is false
    side = 'left'                      one value; `!=` is any other
    moves in (2, 3, 5)                 one of these; `not in` is none of these
    gain is null                       no value; `is not null` is any value

So each text also means the same in SQL, but for `12 <= moves <= 20`. A candidate without a value meets only
`is null`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.base.params import param, structure

if TYPE_CHECKING:  # each listing reads this module; values are arrays only when a run is asked
    import numpy as np
    from numpy.typing import NDArray

Constant: TypeAlias = float | bool | str
"""The types that a value can be compared with."""


@attrs.frozen
class Condition:
    """A condition on one measure: what all its keys say holds. With none but `metric`, there is a value."""

    metric: str = param(help="a metric of the run, or a column of the SELECT")
    min: float | None = param(None, help="smallest value admitted")
    max: float | None = param(None, help="largest value admitted")
    equals: Constant | None = param(None, help="the only value admitted, as true or 2")
    above: float | None = param(None, help="values admitted are larger", named_if_default=False)
    below: float | None = param(None, help="values admitted are smaller", named_if_default=False)
    among: tuple[Constant, ...] | None = param(None, help="the only values admitted", named_if_default=False)
    without: tuple[Constant, ...] | None = param(
        None, help="values that are not admitted", named_if_default=False
    )
    absent: bool = param(
        False, help="whether only candidates without a value are admitted", named_if_default=False
    )

    def __attrs_post_init__(self) -> None:
        for key, listed in (("among", self.among), ("without", self.without)):
            if listed == ():
                raise ParamsError(f"{self.metric}: {key} lists no value.")
        if self.equals is not None and (self._has_limits or self.among):
            raise ParamsError(f"{self.metric}: give either equals, or min and max, or among.")
        if self.absent and (self.limited_but_for_absence):
            raise ParamsError(f"{self.metric}: absent asks for no value, so nothing else can be asked of it.")

    @property
    def _has_limits(self) -> bool:
        return any(each is not None for each in (self.min, self.max, self.above, self.below))

    @property
    def limited_but_for_absence(self) -> bool:
        """Whether something is asked of the value."""
        return self._has_limits or self.equals is not None or bool(self.among or self.without)

    @property
    def limited(self) -> bool:
        """Whether it asks for more than that there is a value."""
        return self.absent or self.limited_but_for_absence

    @property
    def constants(self) -> tuple[Constant, ...]:
        """All values that a value is compared with."""
        limits = (self.min, self.max, self.above, self.below, self.equals)
        return (*(each for each in limits if each is not None), *(self.among or ()), *(self.without or ()))

    @property
    def text(self) -> str:
        """The condition as a text, which `read` reads."""
        return " and ".join(self._terms())

    def _terms(self) -> Iterator[str]:
        name = _named(self.metric)
        if self.absent:
            yield f"{name} is null"
        elif not self.limited:
            yield f"{name} is not null"
        signs = {">=": self.min, ">": self.above, "<=": self.max, "<": self.below}
        yield from (f"{name} {sign} {_written(n)}" for sign, n in signs.items() if n is not None)
        if isinstance(self.equals, bool):
            yield name if self.equals else f"not {name}"
        elif self.equals is not None:
            yield f"{name} = {_written(self.equals)}"
        if self.among:
            yield f"{name} in ({', '.join(map(_written, self.among))})"
        if self.without:
            yield f"{name} not in ({', '.join(map(_written, self.without))})"

    def __str__(self) -> str:
        """Return the condition in words, for tables and pages."""
        if self.absent:
            return f"no {self.metric}"
        if not self.limited:
            return f"a value of {self.metric}"
        return " and ".join(self._words())

    def _words(self) -> Iterator[str]:
        if self.min is not None and self.max is not None:
            yield f"{self.metric} from {_written(self.min)} to {_written(self.max)}"
        elif self.min is not None:
            yield f"{self.metric} of {_written(self.min)} or more"
        elif self.max is not None:
            yield f"{self.metric} of {_written(self.max)} or less"
        if self.above is not None:
            yield f"{self.metric} above {_written(self.above)}"
        if self.below is not None:
            yield f"{self.metric} below {_written(self.below)}"
        if self.equals is not None:
            yield f"{self.metric} = {_written(self.equals)}"
        if self.among:
            yield f"{self.metric} among {', '.join(map(_written, self.among))}"
        if self.without:
            yield f"{self.metric} other than {', '.join(map(_written, self.without))}"

    def holds(self, values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Tell which candidates meet the condition.

        Args:
            values: (n,) numbers, truth values or strings; numbers and strings are never equal.
            missing: (n,) which candidates have no value; None if all have one.

        Returns:
            (n,) which of them do.
        """
        import numpy as np

        there = np.ones(len(values), np.bool_) if missing is None else ~missing
        if self.absent:
            return ~there
        met = there
        numbers = values.view(np.uint8) if values.dtype == np.bool_ else values
        if self._has_limits:
            met = met & self._within(numbers)
        if self.equals is not None:
            met = met & _equal(numbers, self.equals)
        if self.among:
            met = met & _one_of(numbers, self.among)
        if self.without:
            met = met & ~_one_of(numbers, self.without)
        found: NDArray[np.bool_] = met
        return found

    def _within(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        import numpy as np

        if values.dtype == object:  # strings, which lie within no limits
            number = np.array([isinstance(v, int | float) for v in values.tolist()], np.bool_)
            within = np.zeros(len(values), np.bool_)
            within[number] = self._within(np.array(values[number].tolist(), np.float64))
            return within
        found = np.ones(len(values), np.bool_)
        for limit, compare in (
            (self.min, np.greater_equal), (self.max, np.less_equal),
            (self.above, np.greater), (self.below, np.less),
        ):  # fmt: skip
            if limit is not None:
                found &= compare(values, limit)
        return found


def _equal(values: NDArray[Any], constant: Constant) -> NDArray[np.bool_]:
    import numpy as np

    if isinstance(constant, str):
        return np.array([v == constant for v in values.tolist()], np.bool_)
    return np.asarray(values == constant, np.bool_)


def _one_of(values: NDArray[Any], constants: Sequence[Constant]) -> NDArray[np.bool_]:
    first, *others = (_equal(values, constant) for constant in constants)
    for other in others:
        first = first | other
    return first


def _named(metric: str) -> str:
    """Return a name as a text has it: in SQL's quotes if it is not a word of letters, or a word of SQL."""
    plain = _PLAIN.fullmatch(metric) is not None and metric.lower() not in _WORDS
    return metric if plain else '"' + metric.replace('"', '""') + '"'


def _written(value: Constant) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))


# --- reading -----------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
      | (?P<string>'(?:[^']|'')*'|"(?:[^"]|"")*")
      | (?P<name>[^\W\d][\w.]*)
      | (?P<sign><=|>=|<>|!=|==|[<>=(),])
    )""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"[^\W\d]\w*")
_KEYS = {">=": "min", "<=": "max", ">": "above", "<": "below", "=": "equals", "==": "equals"}
_TURNED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "=", "==": "=="}
_WORDS = frozenset({"and", "or", "not", "in", "is", "null", "between", "true", "false"})
HOW = (
    "Write measures with <=, >=, <, >, =, != or in (...), joined by and, as "
    "'moves >= 12 and unique' or 'moves in (2, 3, 5)'."
)
"""Advice about the language."""


def read(text: str) -> tuple[Condition, ...]:
    """Read the conditions of a text, in their order. Raises ParamsError, which says where it went wrong."""
    return tuple(_Reader(text).conditions())


Written: TypeAlias = str | Mapping[str, Any] | Condition
"""A condition as users give it: a text as for `read`, or a table with the keys of `Condition`."""


def conditions(items: Sequence[Written] | str, where: str) -> tuple[Condition, ...]:
    """Return the conditions of a list of texts and tables, in their order.

    Args:
        items: texts and tables; or one text.
        where: begins every message, as "where".

    Raises:
        ParamsError: if a text or a table is not a condition.
        UnknownNameError: for a key that conditions do not have.
    """
    found: list[Condition] = []
    if isinstance(items, str):
        items = [items]
    if not isinstance(items, list | tuple):
        raise ParamsError(f"{where}: a list of conditions is expected. {HOW}")
    for number, item in enumerate(items, 1):
        if isinstance(item, Condition):
            found.append(item)
        elif isinstance(item, str):
            try:
                found += read(item)
            except ParamsError as error:
                raise ParamsError(f"{where} {number}: {error}") from None
        else:
            found.append(structure(Condition, item, f"{where} {number}"))
    return tuple(found)


class _Reader:
    """Reads a text, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        self._next = 0
        place = 0
        end = len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                raise ParamsError(f"{text!r}: {text[place:].lstrip()[:20]!r} cannot be read. {HOW}")
            kind = str(match.lastgroup)
            token = match[kind]
            if kind == "name" and token.lower() in _WORDS:
                kind, token = "word", token.lower()
            self._tokens.append((kind, token))
            place = match.end()

    def conditions(self) -> Iterator[Condition]:
        if not self._tokens:
            raise ParamsError(f"A condition is empty. {HOW}")
        while True:
            yield from self._one()
            if self._next == len(self._tokens):
                return
            self._expect("word", "and")

    def _one(self) -> Iterator[Condition]:
        if self._take("word", "not"):
            yield Condition(self._name(), equals=False)
            return
        kind, token = self._peek()
        constant = kind == "number" or token in ("true", "false") or token.startswith("'")
        if constant and kind != "name":
            yield from self._turned()
            return
        name = self._name()
        if self._take("word", "is"):
            absent = not self._take("word", "not")
            self._expect("word", "null")
            yield Condition(name, absent=absent)
        elif self._take("word", "between"):
            low = self._number()
            self._expect("word", "and")
            yield Condition(name, min=low, max=self._number())
        elif self._take("word", "not"):
            self._expect("word", "in")
            yield Condition(name, without=self._list())
        elif self._take("word", "in"):
            yield Condition(name, among=self._list())
        elif self._peek()[0] == "sign" and self._peek()[1] not in "(),":
            yield self._compared(name, self._sign())
        else:
            yield Condition(name, equals=True)

    def _turned(self) -> Iterator[Condition]:
        """Read 12 <= moves, and 12 <= moves <= 20."""
        first, sign = self._constant(), self._sign()
        name = self._name()
        if sign in ("!=", "<>"):
            yield Condition(name, without=(first,))
        else:
            yield self._limited(name, _TURNED[sign], first)
        if self._peek()[0] == "sign" and self._peek()[1] not in "(),":
            yield self._compared(name, self._sign())

    def _compared(self, name: str, sign: str) -> Condition:
        constant = self._constant()
        if sign in ("!=", "<>"):
            return Condition(name, without=(constant,))
        return self._limited(name, sign, constant)

    def _limited(self, name: str, sign: str, constant: Constant) -> Condition:
        key = _KEYS[sign]
        if key != "equals" and isinstance(constant, bool | str):
            raise self._error(f"{name} {sign} takes a number, not {_written(constant)}")
        keys: dict[str, Any] = {key: constant}
        return Condition(name, **keys)

    def _list(self) -> tuple[Constant, ...]:
        self._expect("sign", "(")
        found = [self._constant()]
        while self._take("sign", ","):
            found.append(self._constant())
        self._expect("sign", ")")
        return tuple(found)

    def _name(self) -> str:
        kind, token = self._peek()
        if kind == "string" and token.startswith('"'):  # SQL's quotes of names
            kind, token = "name", token[1:-1].replace('""', '"')
        if kind != "name":
            raise self._error("the name of a measure is missing" + (f" before {token!r}" if token else ""))
        self._next += 1
        return token

    def _sign(self) -> str:
        kind, token = self._peek()
        if kind != "sign" or token in "(),":
            raise self._error("a comparison such as <= is missing" + (f" before {token!r}" if token else ""))
        self._next += 1
        return token

    def _number(self) -> float:
        found = self._constant()
        if isinstance(found, bool | str):
            raise self._error(f"between takes numbers, not {_written(found)}")
        return found

    def _constant(self) -> Constant:
        kind, token = self._peek()
        self._next += 1
        if kind == "number":
            number = float(token)
            if not math.isfinite(number):
                raise self._error(f"{token} is too large a number")
            return number
        if kind == "string":
            quote = token[0]
            return token[1:-1].replace(quote * 2, quote)
        if kind == "word" and token in ("true", "false"):
            return token == "true"
        self._next -= 1
        raise self._error("a value is missing" + (f" before {token!r}" if token else " at the end"))

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("", "")

    def _take(self, kind: str, token: str) -> bool:
        found = self._peek() == (kind, token)
        self._next += found
        return found

    def _expect(self, kind: str, token: str) -> None:
        if not self._take(kind, token):
            there = self._peek()[1]
            found = f"{there!r} stands there" if there else "the text ends"
            instead = " (there is no or: `epcg sql` can say more)" if there == "or" else ""
            raise self._error(f"{token!r} is expected, and {found}{instead}")

    def _error(self, what: str) -> ParamsError:
        return ParamsError(f"{self._text!r}: {what}. {HOW}")
