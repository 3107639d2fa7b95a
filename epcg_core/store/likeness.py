"""When candidates of a space are alike: of one symmetry class, or too few places apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from epcg_core.base.errors import EpcgError
from epcg_core.domain import EditorInfo, resolve
from epcg_core.domain.content import opened_state
from epcg_core.plugins.registry import registry
from epcg_core.query.query import SelectParams
from epcg_core.query.spec import CanonicalRanks, SpaceSpec, canonical_ranks_of
from epcg_core.rendering.places import Marks, marks, places_between, share_between

Looks = Callable[[int], Sequence[Marks]]
"""From a rank to what its content has at each place, and after it the same of its images under symmetries."""


@attrs.frozen
class Likeness:
    """The demands of a rule on a space, so that no two candidates that it keeps are alike."""

    canonical_ranks: CanonicalRanks | None = None
    """None if candidates of one symmetry class may be kept beside each other."""
    looks: Looks | None = None
    """None if it does not matter in how many places two differ."""


ANY = Likeness()
"""Candidates that are alike may be kept beside each other."""


def likeness_of(rule: SelectParams, space: SpaceSpec, generator: Any) -> Likeness:
    """Return what a rule needs to know of a space.

    Raises QueryError if it asks for one of each symmetry class and the space has no symmetries.
    """
    canonical = canonical_ranks_of(space, generator, rule.distinct) if rule.distinct else None
    found = None if rule.apart is None else looks_of(space.domain, space.generator.name, generator)
    return Likeness(canonical, found)


def looks_of(domain: str, name: str, generator: Any) -> Looks:
    """Return the function from ranks of a domain's generator to what lies at each place."""
    info = registry().generator(domain, name)

    def look(rank: int) -> Sequence[Marks]:
        with registry().attribute_errors_to(info):
            text = opened_state(generator, generator.unrank(rank))
        return [marks(text), *map(marks, _images(domain, text))]

    return look


def _images(domain: str, text: str) -> Iterator[str]:
    """Yield the texts of a content's images, if the domain's editor turns and reflects contents."""
    for info in registry().all(EditorInfo, domain):
        with registry().attribute_errors_to(info):
            try:
                editor = resolve(info.factory)(text)
            except EpcgError:  # the space's texts are not those that the editor reads
                return
            if hasattr(editor, "images"):
                yield from (editor.format(image) for image in editor.images(editor.content))


def apart(
    positions: Iterable[int], rank_of: Callable[[int], int], rule: SelectParams, looks: Looks
) -> Iterator[int]:
    """Yield the positions of candidates, best first, that differ enough from all that were yielded before."""
    kept: list[Marks] = []
    for position in positions:
        images = looks(rank_of(position))
        if unlike(images, kept, rule):
            kept.append(images[0])
            yield position


def unlike(images: Sequence[Marks], others: Iterable[Marks], rule: SelectParams) -> bool:
    """Return whether a content, given with its images, differs enough from all others."""
    share, least = rule.apart_share, 0 if isinstance(rule.apart, str) else rule.apart or 0
    return all(
        places_between(other, image) >= least if share is None else share_between(other, image) >= share
        for other in others
        for image in images
    )
