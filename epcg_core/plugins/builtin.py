"""The core's own plugin: searches, policies and entropy scorers, registered through the hooks.

Light: classes of params are named, and imported when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from epcg_core.domain import (
    EditorInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    ExecutorInfo,
    GeneratorInfo,
    NoParams,
    PolicyInfo,
    RendererInfo,
    SearchInfo,
)
from epcg_core.domain.descriptors import Given
from epcg_core.domain.values import OF_ITEMS
from epcg_core.plugins import API_VERSION, hookimpl

EPCG_API_VERSION = API_VERSION
_WHOLE_LAYERS = "it solves whole layers"
_WHOLE_SPACES = "it covers whole spaces"


SEARCHES = (
    SearchInfo(
        name="exhaustive",
        summary="evaluate every rank (Sturtevant & Ota 2018, Algorithm 1)",
        params="epcg_core.search.params:ExhaustiveParams",
        proves="every candidate was evaluated",
        factory="epcg_core.search.exhaustive:ExhaustiveSearch",
    ),
    SearchInfo(
        name="retrograde",
        summary="solve layer by layer from the bottom (Sturtevant & Ota 2018, Algorithm 5)",
        params="epcg_core.search.params:RetrogradeParams",
        proves="every state of every layer is solved",
        refuses={
            "evaluators": "it computes 'solvable' and 'unique' itself",
            "filter": _WHOLE_LAYERS,
            "sample": _WHOLE_LAYERS,
        },
        factory="epcg_core.search.retrograde:RetrogradeSearch",
    ),
    SearchInfo(
        name="branch_and_bound",
        summary="find the best and prove it by partial evaluation (Sturtevant & Ota 2018, Algorithm 6)",
        params="epcg_core.search.params:BranchAndBoundParams",
        proves="no candidate is better than the optimum, if the evaluator's bounds are admissible",
        refuses={
            "filter": "it leaves ranks out by their bounds alone",
            "sample": "it prunes instead of evaluating every rank",
            "on_error": "it cannot prove that no other candidate is better than one without a value",
        },
        factory="epcg_core.search.branch_and_bound.search:BranchAndBoundSearch",
    ),
    SearchInfo(
        name="feasible",
        summary="every candidate that has a value, without those whose beginning allows none",
        params="epcg_core.search.params:FeasibleParams",
        proves="every candidate that has a value is recorded, if the evaluator's `bound` denies only those "
        "beginnings that no candidate with a value has",
        refuses={
            "filter": "it leaves ranks out by what they begin with alone",
            "sample": "it prunes instead of evaluating every rank: the exhaustive search gives the same "
            "values, and takes samples",
            "on_error": "it keeps candidates that have a value, and an error is none",
        },
        factory="epcg_core.search.branch_and_bound.feasible:FeasibleSearch",
    ),
    SearchInfo(
        name="exact_cover",
        summary="search every partial cover of a frontier to its end, modulo symmetry",
        params="epcg_core.search.params:ExactCoverParams",
        proves="every exact cover was found, modulo symmetry",
        refuses={
            "evaluators": "it measures 'covers' and 'nodes' itself",
            "filter": "it searches every partial cover",
        },
        factory="epcg_core.search.exact_cover.search:ExactCoverSearch",
    ),
    SearchInfo(
        name="breadth_first",
        summary="the depth of every rank of a graph, layer by layer (Sturtevant & Rutherford 2013)",
        params="epcg_core.search.params:BreadthFirstParams",
        proves="no rank is nearer than its depth, and no other rank can be reached",
        refuses={
            "evaluators": "it computes depths itself",
            "filter": _WHOLE_SPACES,
            "range": _WHOLE_SPACES,
            "sample": _WHOLE_LAYERS,
        },
        factory="epcg_core.search.breadth_first.search:BreadthFirstSearch",
    ),
    SearchInfo(
        name="components",
        summary="the components of a graph, each recorded at its state of lowest rank",
        params="epcg_core.search.params:ComponentsParams",
        proves="each component that has a state in the space is recorded once, at its lowest rank",
        refuses={
            "evaluators": "it measures components itself",
            "filter": "a component is recorded at its lowest rank, which a filter might leave out",
        },
        factory="epcg_core.search.components.search:ComponentsSearch",
    ),
    SearchInfo(
        name="distances",
        summary="how many positions need how many actions from each state, on disk if there are many",
        params="epcg_core.search.params:DistancesParams",
        proves="every position within the depth is counted once, at its distance",
        refuses={
            "evaluators": "it counts positions itself",
            "filter": "it counts from every state of its range",
        },
        factory="epcg_core.search.distances.search:DistancesSearch",
    ),
)

EXECUTORS = (
    ExecutorInfo(
        name="serial",
        summary="compute here, one unit at a time",
        factory="epcg_core.execution.factory:serial",
    ),
    ExecutorInfo(
        name="processes",
        summary="compute in processes of this machine, which may die without harm",
        factory="epcg_core.execution.factory:processes",
    ),
    ExecutorInfo(
        name="threads",
        summary="compute in threads: for compiled code that releases the lock",
        factory="epcg_core.execution.factory:threads",
    ),
)


def renderer_of(editor: EditorInfo) -> RendererInfo:
    """Return the renderer of a domain that has an editor, and no pictures of its own."""
    return RendererInfo(
        domain=editor.domain, format="svg", factory=Given("epcg_core.rendering.scenes:scene_renderer", editor)
    )


def generators_of(editor: EditorInfo) -> Iterator[GeneratorInfo]:
    """Yield the generators that a domain has because it has an editor."""
    yield GeneratorInfo(
        name="contents",
        domain=editor.domain,
        summary="contents given as texts",
        params="epcg_core.domain.content_params:ContentsParams",
        factory=Given("epcg_core.combinatorics.contents:make_contents", editor),
    )
    yield GeneratorInfo(
        name="changes",
        domain=editor.domain,
        summary="everything that a few changes make of one content",
        params="epcg_core.domain.content_params:ChangesParams",
        factory=Given("epcg_core.combinatorics.contents:make_changes", editor),
    )
    yield GeneratorInfo(
        name="sketch",
        domain=editor.domain,
        summary="all contents that fill the open sites of one",
        params="epcg_core.domain.content_params:SketchParams",
        factory=Given("epcg_core.combinatorics.sketches:make_sketch", editor),
    )


def assembling_of(domain: str) -> Iterator[GeneratorInfo | EvaluatorInfo]:
    """Yield the parts that every domain has, for content made of several items of a library."""
    for name, params, summary in (
        ("sequences", "SequencesParams", "sequences of what a run kept, with a relation between neighbours"),
        ("choices", "ChoicesParams", "choices of several of what a run kept, with limits of sums"),
        ("products", "ProductsParams", "one of what each of several runs kept"),
    ):
        yield GeneratorInfo(
            name=name,
            domain=domain,
            summary=summary,
            params=f"epcg_core.query.assembling:{params}",
            factory=Given(f"epcg_core.query.assembling:make_{name}", domain),
        )
    yield EvaluatorInfo(
        name="of_items",
        domain=domain,
        summary="recorded values of several items, as one number",
        params="epcg_core.query.assembling:OfItemsParams",
        metrics=(OF_ITEMS,),
        factory="epcg_core.query.assembling:make_of_items",
        takes_several=True,
    )


@hookimpl
def epcg_register_searches(register: Callable[[SearchInfo], None]) -> None:
    for info in SEARCHES:
        register(info)


@hookimpl
def epcg_register_executors(register: Callable[[ExecutorInfo], None]) -> None:
    for info in EXECUTORS:
        register(info)


@hookimpl
def epcg_register_policies(register: Callable[[PolicyInfo], None]) -> None:
    register(
        PolicyInfo(
            name="uniform",
            summary="every action that the inference rules leave is equally likely",
            factory="epcg_core.difficulty.policies:uniform_policy",
        )
    )


@hookimpl
def epcg_register_entropy_scorers(register: Callable[[EntropyScorerInfo], None]) -> None:
    policy_of = "epcg_core.difficulty.scorers:policy_of"
    for name, params, summary in (
        ("muse", "MuseParams", "minimum uniform solution entropy (Chen, White & Sturtevant 2023)"),
        ("remuse", "", "relative MUSE, by what the children's values tell (2023)"),
        ("adversarial", "", "adversarial entropy: how long a player can be led astray (2023)"),
        ("msi", "PolicyParams", "information of the most likely solution (Shen & Sturtevant 2024)"),
        ("tsi", "PolicyParams", "information of reaching any goal (Shen & Sturtevant 2024)"),
    ):
        register(
            EntropyScorerInfo(
                name=name,
                summary=summary,
                params=f"epcg_core.difficulty.params:{params}" if params else NoParams,
                factory=f"epcg_core.difficulty.scorers:{name}",
                uses=policy_of if params == "PolicyParams" else None,
                sees_generator=params == "PolicyParams",
            )
        )
