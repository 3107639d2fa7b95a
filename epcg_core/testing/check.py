"""`check_domain`: every law, checked for a domain."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_core.errors import UnknownNameError
from epcg_core.plugins.registry import Registry, registry
from epcg_core.testing.declaration import Conformance, declared
from epcg_core.testing.laws import LAWS
from epcg_core.testing.report import Law, Report, judge
from epcg_core.testing.subject import SAMPLES, Subject


def check_domain(
    name: str,
    *,
    laws: Sequence[str] | None = None,
    samples: int = SAMPLES,
    conformance: Conformance | None = None,
    registry: Registry | None = None,
) -> Report:
    """Check whether a domain of the active plugins keeps every law.

    Args:
        name: The name of the domain.
        laws: Names of the laws to check; default: all.
        samples: States of each space to check, if the plugin does not declare the number.
        conformance: Replaces the declarations of the plugins.
        registry: Replaces the active plugins.

    Returns:
        A report that prints itself and is false if a law is broken.

    Raises:
        UnknownNameError: The domain or a law is unknown.
        ParamsError: A declaration is invalid.
    """
    found = subject_of(name, samples=samples, conformance=conformance, registry=registry)
    return Report(name, tuple(judge(law, found) for law in chosen(laws)))


def subject_of(
    name: str,
    *,
    samples: int = SAMPLES,
    conformance: Conformance | None = None,
    registry: Registry | None = None,
) -> Subject:
    """Make the subject of the laws; arguments and errors as of `check_domain`."""
    known = _registry() if registry is None else registry
    known.domain(name)
    own = declared(name) if conformance is None else conformance
    chosen(own.capabilities, "conformance.toml, capabilities")
    return Subject(known, name, own, samples)


def chosen(names: Sequence[str] | None, where: str = "") -> list[Law]:
    """Return laws by name; all if no names are given."""
    known = {law.name: law for law in LAWS}
    for name in names or ():
        if name not in known:
            raise UnknownNameError("law", name, known, where)
    return [law for law in LAWS if names is None or law.name in names]


_registry = registry
