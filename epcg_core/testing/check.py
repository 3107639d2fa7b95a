"""`check_domain`: every law, asked of a domain."""

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
    """Check a domain of the active plugins: a report that tells of each law whether it is kept.

    It prints itself, and is false where a law is broken.

    `laws` names those that are asked (default: all), `samples` how many states of each space they look at,
    where the plugin does not declare it. `conformance` replaces what the plugins declare, `registry` the
    active plugins. Raises UnknownNameError for a domain or a law that there is not, and ParamsError for a
    declaration that cannot be understood.
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
    """The domain as the laws see it; arguments and errors as of `check_domain`."""
    known = _registry() if registry is None else registry
    known.domain(name)
    own = declared(name) if conformance is None else conformance
    chosen(own.capabilities, "conformance.toml, capabilities")
    return Subject(known, name, own, samples)


def chosen(names: Sequence[str] | None, where: str = "") -> list[Law]:
    """Laws by name; all where none are named."""
    known = {law.name: law for law in LAWS}
    for name in names or ():
        if name not in known:
            raise UnknownNameError("law", name, known, where)
    return [law for law in LAWS if names is None or law.name in names]


_registry = registry
