"""`check_domain`: every law, checked for a domain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import attrs

from epcg_core.inside import Registry
from epcg_core.plugin import UnknownNameError, registry
from epcg_testing.declaration import Conformance, declared
from epcg_testing.laws import LAWS
from epcg_testing.report import Law, Report, judge
from epcg_testing.subject import SAMPLES, Subject


def check_domain(
    name: str,
    *,
    laws: Sequence[str] | None = None,
    samples: int = SAMPLES,
    conformance: Conformance | None = None,
    registry: Registry | None = None,
    plugin: str | None = None,
) -> Report:
    """Check whether a domain of the active plugins keeps every law.

    Only parts of the plugin that owns the domain are looked at, or of one that adds to it.

    Args:
        name: The name of the domain.
        laws: Names of the laws to check; default: all.
        samples: States of each space to check, if the plugin does not declare the number.
        conformance: Replaces the declarations of the plugins.
        registry: Replaces the active plugins.
        plugin: The name of another plugin with parts for the domain, which are then looked at.

    Returns:
        A report that prints itself and is false if a law is broken.

    Raises:
        UnknownNameError: The domain, a law or the plugin is unknown.
        ParamsError: A declaration is invalid.
    """
    found = subject_of(name, samples=samples, conformance=conformance, registry=registry, plugin=plugin)
    return Report(name, tuple(judge(law, found) for law in chosen(laws)))


def subject_of(
    name: str,
    *,
    samples: int = SAMPLES,
    conformance: Conformance | None = None,
    registry: Registry | None = None,
    plugin: str | None = None,
    at: Callable[[str], None] = lambda where: None,
    silent: Collection[str] = (),
) -> Subject:
    """Make the subject of the laws; arguments and errors as of `check_domain` and `Subject`."""
    known = _registry() if registry is None else registry
    owner = known.distribution_of(known.domain(name))
    guest = None if plugin is None else known.plugin(plugin, "--plugin").distribution
    own = declared(name, owner) if conformance is None else conformance
    if guest is not None and guest != owner and conformance is None:
        spaces = tuple(attrs.evolve(space, evaluators=None, rules=None) for space in own.spaces)
        own = attrs.evolve(own, capabilities=(), spaces=spaces).joined(declared(name, guest))
    chosen(own.capabilities, "conformance.toml, capabilities")
    return Subject(known, name, own, samples, owner if guest is None else guest, at, silent)


def chosen(names: Sequence[str] | None, where: str = "") -> list[Law]:
    """Return laws by name; all if no names are given."""
    known = {law.name: law for law in LAWS}
    for name in names or ():
        if name not in known:
            raise UnknownNameError("law", name, known, where)
    return [law for law in LAWS if names is None or law.name in names]


_registry = registry
