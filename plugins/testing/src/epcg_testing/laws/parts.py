"""Registered parts: they load, they are all checked, and their params refuse invalid values."""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import attrs

from epcg_core.inside import (
    CAPABILITIES,
    MEMBER_CAPABILITIES,
    LibraryNotMadeError,
    choice_of,
    fields_of,
    load_plan,
    missing_members,
    name_and_place,
    shipped_plans,
    shipped_queries,
    unknown_attributes,
)
from epcg_core.plugin import (
    CommandInfo,
    DomainInfo,
    EntropyScorerInfo,
    EpcgError,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    KindInfo,
    PackedModel,
    ParamsError,
    PartRef,
    PolicyInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
    UnknownNameError,
    load_query,
    plain,
    resolve,
    structure,
)
from epcg_testing.report import SPACES, Laws
from epcg_testing.subject import Space, Subject, required
from epcg_testing.violations import Broken, Case, Cases, Skip, require

LAWS = Laws()

_PARTS: tuple[Any, ...] = (GeneratorInfo, EvaluatorInfo, InferenceRuleInfo)
_WITH_PARAMS: tuple[Any, ...] = (PolicyInfo, EntropyScorerInfo, SearchInfo, StrategyInfo)
_OTHERS: tuple[Any, ...] = (
    DomainInfo, RendererInfo, CommandInfo, FormatInfo, SelectionRuleInfo,
)  # fmt: skip
_WRONG: tuple[Any, ...] = ("no such value", 12345, 1.5, True, [None], {"no": "such key"}, [[]])


@LAWS.whole(
    "parts-load",
    "every part that is registered can be imported, and its factory takes what it is called with",
    "write the factory as 'module:name' of something that exists, or pass the callable itself; give it the "
    "parameters that are expected.",
)
def parts_load(subject: Subject) -> Cases:
    for info in _infos(subject, *_OTHERS, *_WITH_PARAMS):
        yield Case.once(_title(info), partial(_load, info))
    for kind in subject.registry.all(KindInfo):
        if kind.check is not None:
            for info in subject.parts(resolve(kind.info)):  # type: ignore[arg-type]
                yield Case.once(f"{kind.name} {info.name}", partial(resolve(kind.check), info))


def _infos(subject: Subject, *more: type) -> Iterator[Any]:
    """Yield the descriptors of the domain's generators, evaluators and rules, and of `more` kinds."""
    for kind in (*_PARTS, *more):
        yield from (
            info for info in subject.parts(kind) if kind is not DomainInfo or info.name == subject.name
        )


_ARGUMENTS: Mapping[type, str] = {
    GeneratorInfo: "params",
    EvaluatorInfo: "params, generator, tables",
    InferenceRuleInfo: "params, generator",
    RendererInfo: "generator",
    CommandInfo: "",
    PolicyInfo: "params",
    EntropyScorerInfo: "params",
    SearchInfo: "registry",
}
"""The arguments of the factory of each kind of part."""


def _load(info: Any) -> None:
    seen = ", generator" if getattr(info, "sees_generator", False) else ""
    arguments = {
        "factory": _ARGUMENTS.get(type(info), "") + seen,
        "needs": "params, generator",
        "uses": "params, registry",
        "solutions": "params, generator",
        "finds": "text, path",
        "read": "text, name",
        "write": "own, title",
        "file": "",
        "choose": "ranks, values, sign, count",
        "how_to_play": "states",
        "game_data": "generator",
    }
    for name, taken in arguments.items():
        lazy = getattr(info, name, None)
        if lazy is not None:
            _check_arguments(name, resolve(lazy), taken)


def _check_arguments(field: str, function: Any, taken: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a builtin tells no signature
    try:
        signature.bind(*taken.split(", ") if taken else ())
    except TypeError:
        raise Broken(
            f"the {field}, {name_and_place(function)}, can be called", f"({taken})", str(signature)
        ) from None


@LAWS.whole(
    "every-part-is-looked-at",
    "there is a space on which each generator, evaluator and inference rule can be checked",
    "if the reason is an exception of the part itself, mend that; else declare a small space in "
    "conformance.toml: [[spaces]] with generator, params and, if their params have no defaults, "
    "evaluators = [{ name = ..., params = { ... } }] or rules.",
)
def every_part_is_looked_at(subject: Subject) -> Cases:
    looked_at: set[tuple[type, str]] = {
        (GeneratorInfo, space.spec.generator.name) for space in subject.spaces
    }
    looked_at |= {(EvaluatorInfo, scored.info.name) for scored in subject.scored()}
    looked_at |= {(InferenceRuleInfo, rule.name) for space in subject.spaces for rule in space.rules}
    for info in _infos(subject):
        yield Case.once(_title(info), partial(_looked_at, subject, info, looked_at))
    for kind in _PARTS:
        for info in subject.others(kind):
            plugin = subject.registry.distribution_of(info)
            if plugin == "epcg-core":  # what every domain has is looked at by the tests of the core
                continue
            yield Skip(_title(info), f"it is of {plugin}: `epcg check {subject.name} --plugin` looks at it")


def _looked_at(subject: Subject, info: Any, looked_at: set[tuple[type, str]]) -> None:
    if (type(info), info.name) in looked_at:
        return
    reasons = [
        skip.reason
        for space in subject.spaces
        for skip in space.refused
        if skip.where.endswith(f" by {info.name}")
    ]
    why = (
        subject.unmade.get(info.name, "")
        if isinstance(info, GeneratorInfo)
        else "; ".join(dict.fromkeys(reasons))
    )
    raise Broken(f"no law looks at it{': ' + why if why else ''}", "a space that it works on", "none")


@LAWS.listed(
    "attributes-are-known",
    "every public attribute of a part is a capability, or declared as the domain's own",
    "correct the name of the capability; if the attribute is the domain's own, begin its name with _ or "
    'write it into the class attribute domain_attributes = ("...",).',
    SPACES,
)
def attributes_are_known(space: Space) -> Cases:
    yield Case.once(space.where, partial(_known, "generator", space.generator))
    if space.offers("transition_model"):
        model = space.generator.transition_model
        yield Case.once(f"{space.where}, its model", partial(_known, "transition model", model))
    for scored in space.evaluators:
        yield Case.once(scored.where, partial(_known, "evaluator", scored.evaluator))


def _known(kind: str, part: object) -> None:
    for name, near in unknown_attributes(kind, part):
        guess = f" Did you mean '{near}'?" if near else ""
        raise Broken(
            f"{type(part).__name__} has the public attribute '{name}', which is not a capability.{guess}",
            "a capability, or a name in domain_attributes",
            name,
        )


@LAWS.listed(
    "protocols-are-complete",
    "every part has all attributes of the contracts that it offers",
    "write the missing attributes; the page of contracts (docs/reference/contracts.md) says what each does.",
    SPACES,
)
def protocols_are_complete(space: Space) -> Cases:
    generator = space.generator
    yield Case.once(space.where, partial(_complete, CAPABILITIES["generator"], generator))
    for attribute, protocols in MEMBER_CAPABILITIES.items():
        if space.offers(attribute):
            part = getattr(generator, attribute)
            yield Case.once(f"{space.where}, its {attribute}", partial(_complete, protocols, part))
    if space.offers("transition_model"):
        model = generator.transition_model
        yield Case.once(
            f"{space.where}, its model", partial(_complete, CAPABILITIES["transition model"], model)
        )
        yield Case.once(f"{space.where}, the stages of its model", partial(_stages, model))
        if hasattr(model, "packed") and space.max_rank:
            yield Case.once(f"{space.where}, its packed model", partial(_packed_complete, space))
    for scored in space.evaluators:
        yield Case.once(scored.where, partial(_complete, CAPABILITIES["evaluator"], scored.evaluator))


def _complete(protocols: tuple[type, ...], part: object) -> None:
    for sentence in missing_members(protocols, part):
        raise Broken(sentence, "all of them, or none", "some")


def _stages(model: Any) -> None:
    choice_of(model)


def _packed_complete(space: Space) -> None:
    for rank in space.ranks[:1]:
        _complete((PackedModel,), space.generator.transition_model.packed(space.unrank(rank)))


@LAWS.whole(
    "params-errors",
    "wrong params are refused with a sentence that names the key",
    "declare params as an attrs class whose fields are epcg_core.plugin.param(...) of int, float, bool, "
    "str, Literal[...], tuple[X, ...], X | None, dict or another such class; nothing else is checked.",
)
def params_errors(subject: Subject) -> Cases:
    for info in _infos(subject, *_WITH_PARAMS):
        base = _base(subject, info)
        yield Case.once(f"{_title(info)}, its params", partial(_class, info.params))
        if base is not None:
            yield Case.once(f"{_title(info)}, an unknown key", partial(_unknown_key, info, base))
            for field in fields_of(info.params).values():
                yield Case.once(f"{_title(info)}, {field.name}", partial(_field, info, base, field))


def _base(subject: Subject, info: Any) -> dict[str, Any] | None:
    """Return valid params: the defaults if they are, or those of a declared space."""
    if not required(info.params):
        with suppress(ParamsError):  # of two params one has to be given
            structure(info.params, {}, info.name)
            return {}
    for space in subject.spaces:
        if isinstance(info, GeneratorInfo) and space.spec.generator.name == info.name:
            return dict(space.spec.generator.params)
        for scored in space.evaluators:
            if scored.info is info:
                return plain(scored.params)
    return None


def _class(params: type) -> None:
    if not attrs.has(params):
        raise Broken("the params are not an attrs class", "@attrs.frozen", params.__name__)
    for name, field in fields_of(params).items():
        if not field.metadata.get("help"):
            raise Broken(f"the param '{name}' has no help", "param(..., help='...')", "none")


def _unknown_key(info: Any, base: dict[str, Any]) -> None:
    names = list(fields_of(info.params))
    wrong = f"{names[0]}x" if names else "nothing"
    try:
        structure(info.params, base | {wrong: 1}, info.name)
    except UnknownNameError as error:
        if names:
            require(f"the key '{wrong}' is refused and the nearest named", names[0], error.nearest)
        return
    raise Broken(f"the key '{wrong}' is refused", "UnknownNameError", "it was accepted")


def _field(info: Any, base: dict[str, Any], field: attrs.Attribute[Any]) -> None:
    refused = 0
    for value in (*_WRONG, *_beyond(field)):
        try:
            structure(info.params, base | {field.name: value}, info.name)
        except EpcgError:
            refused += 1
        else:
            if not _fits(field.type, value) or value in _beyond(field):
                raise Broken(f"{field.name} = {value!r} is refused", "ParamsError", "it was accepted")
    assert refused or field.type is Any


def _beyond(field: attrs.Attribute[Any]) -> list[float]:
    low, high = field.metadata.get("minimum"), field.metadata.get("maximum")
    if get_origin(field.type) is tuple:
        return []
    return [limit + step for limit, step in ((low, -1), (high, 1)) if limit is not None]


def _fits(kind: Any, value: Any) -> bool:
    """Return whether a value is one of a type that params may have."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return value in arguments
    if type(None) in arguments:
        return value is None or any(_fits(a, value) for a in arguments if a is not type(None))
    if origin is tuple:
        return isinstance(value, list | tuple) and all(_fits(arguments[0], item) for item in value)
    if kind is float:
        return type(value) in (int, float)
    if kind in (int, bool, str):
        return type(value) is kind
    if origin is dict or kind is dict:
        return isinstance(value, dict)
    return False


@LAWS.whole(
    "factories-refuse-with-a-sentence",
    "params that make no sense together raise an EpcgError",
    "raise epcg_core.plugin.ParamsError in the generator's factory, or in __attrs_post_init__ of its params.",
)
def factories_refuse(subject: Subject) -> Cases:
    """Try the smallest and the strangest params that the ranges admit."""
    for info in subject.parts(GeneratorInfo):
        base = _base(subject, info)
        for field in fields_of(info.params).values() if base is not None else ():
            for value in _strange(field):
                table = (base or {}) | {field.name: value}
                yield Case.once(f"{_title(info)}, {field.name} = {value!r}", partial(_make, info, table))


def _strange(field: attrs.Attribute[Any]) -> list[Any]:
    if field.type is str:
        return ["", "?", "no such thing/??"]
    if get_origin(field.type) is tuple:
        return [[], ["?"]] if get_args(field.type)[0] is str else [[]]
    low = field.metadata.get("minimum")
    return [] if low is None or field.type is not int else [low]


def _make(info: GeneratorInfo, table: dict[str, Any]) -> None:
    try:
        made = resolve(info.factory)(structure(info.params, table, info.name))
        if made.max_rank:
            made.unrank(0)
    except EpcgError:
        return


@LAWS.whole(
    "queries-are-understood",
    "the queries that the plugin ships name parts and params that there are",
    "correct the query, or the part that it names: `epcg domains NAME` lists what there is.",
)
def queries_are_understood(subject: Subject) -> Cases:
    for name, path in _shipped(subject, shipped_queries()):
        yield Case.once(f"query {name}", partial(_understood, subject, path))


def _shipped(subject: Subject, files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Yield the files that the plugins of the subject's distribution ship."""
    own = {report.name for report in subject.registry.reports if report.distribution == subject.distribution}
    yield from ((name, path) for name, path in files.items() if name.partition("/")[0] in own)


@LAWS.whole(
    "plans-are-understood",
    "the plans that the plugin ships can be read, and name measures that their queries give",
    "correct the plan: the message names the key.",
)
def plans_are_understood(subject: Subject) -> Cases:
    for name, path in _shipped(subject, shipped_plans()):
        yield Case.once(f"plan {name}", partial(_plan_understood, subject, path))


def _plan_understood(subject: Subject, path: Path) -> None:
    """Check that a plan can be read, and that its queries' evaluators give its measures."""
    registry = subject.registry
    for chapter in load_plan(str(path)).chapters:
        for part in chapter.parts:
            if part.query is None:
                continue
            search = registry.search(part.query.search.name)
            if "evaluators" in search.refuses:
                continue  # it measures on its own
            infos = [registry.evaluator(part.query.domain, e.name) for e in part.query.evaluators]
            known = {metric.name for info in infos for metric in info.metrics}
            for measure in (part.measure, *(condition.metric for condition in part.where)):
                if measure is not None and measure not in known:
                    raise UnknownNameError("measure", measure, known, f"chapter {chapter.name}")


def _understood(subject: Subject, path: Path) -> None:
    """Check that a query's parts are registered and accept its params, without making its space."""
    query, registry = load_query(str(path)), subject.registry
    structure(registry.search(query.search.name).params, query.search.params, "search")
    infos: list[tuple[Any, PartRef]] = [
        (registry.generator(query.domain, query.generator.name), query.generator)
    ]
    infos += [(registry.evaluator(query.domain, part.name), part) for part in query.evaluators]
    for info, part in infos:
        missing = [key for key in required(info.params) if key not in part.params]
        if not missing:  # missing values of a query are set on the command line
            with suppress(LibraryNotMadeError):  # where its library comes from is understood
                structure(info.params, part.params, info.name)
    known = {metric.name for info, _ in infos[1:] for metric in info.metrics}
    for select in query.select if query.evaluators else ():
        if select.metric not in known:
            raise UnknownNameError("metric", select.metric, known, "select")


@LAWS.whole(
    "params-survive-toml",
    "params that are written down and read again are the same",
    "use only the types that params may have, and no converter that changes a value each time.",
)
def params_survive_toml(subject: Subject) -> Cases:
    for info in _infos(subject, *_WITH_PARAMS):
        base = _base(subject, info)
        if base is not None:
            yield Case.once(_title(info), partial(_round_trip, info.params, structure(info.params, base, "")))
    for space in subject.spaces:
        info = subject.registry.generator(subject.name, space.spec.generator.name)
        own: Any = structure(info.params, space.spec.generator.params, info.name)
        yield Case.once(space.where, partial(_round_trip, info.params, own))


def _round_trip(params: type, value: Any) -> None:
    data = plain(value)
    text = "\n".join(f"{_key(key)} = {_toml(item)}" for key, item in data.items() if item is not None)
    back: Any = structure(params, tomllib.loads(text), "params")
    require("params written as TOML and read again", plain(value), plain(back))
    require(
        "params written as JSON and read again",
        data,
        plain(structure(params, json.loads(json.dumps(data)), "")),
    )


def _toml(value: Any) -> str:
    """Write JSON-like data as TOML, leaving out keys without a value."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(k)} = {_toml(v)}' for k, v in value.items() if v is not None)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return _key(value) if isinstance(value, str) else json.dumps(value)


def _key(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _title(info: Any) -> str:
    kinds = {
        GeneratorInfo: "generator", EvaluatorInfo: "evaluator", InferenceRuleInfo: "inference rule",
        PolicyInfo: "policy", EntropyScorerInfo: "entropy scorer", SearchInfo: "search",
        StrategyInfo: "strategy", SelectionRuleInfo: "selection rule", FormatInfo: "format",
        DomainInfo: "domain",
    }  # fmt: skip
    if isinstance(info, RendererInfo):
        return f"renderer for {info.format} {info.name}".rstrip()
    return f"{kinds.get(type(info), 'command')} {info.name}"
