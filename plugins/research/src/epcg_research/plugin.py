"""The parts of the face. Light, because every command reads it; using a part imports the rest."""

from collections.abc import Callable

from epcg_core.plugin import (
    CommandInfo,
    KindInfo,
    MethodInfo,
    PolicyInfo,
    PublishedInfo,
    TablesInfo,
    hookimpl,
)

EPCG_API_VERSION = 1

COMMANDS = (
    CommandInfo(
        name="certificate",
        summary="Write what a run claims, for others to check.",
        factory="epcg_research.commands.certificate:certificate",
    ),
    CommandInfo(
        name="bundle",
        summary="Write one archive about a run or a study, for those who check it.",
        factory="epcg_research.commands.bundle:bundle",
    ),
    CommandInfo(
        name="plot",
        summary="Plot a distribution, the layers, or any two columns.",
        factory="epcg_research.commands.plot:plot",
    ),
    CommandInfo(
        name="compare",
        summary="Compare contents of another program with the whole space of a run.",
        factory="epcg_research.commands.compare:compare",
    ),
    CommandInfo(
        name="patterns",
        summary="Find inference rules: local patterns that never fail in a run's space.",
        factory="epcg_research.commands.patterns:patterns",
    ),
    CommandInfo(
        name="export",
        summary="Write a run's candidates as CSV, JSON or Parquet.",
        factory="epcg_research.commands.export:export",
    ),
    CommandInfo(
        name="import",
        summary="Bring in what others measured, and what people did.",
        factory="epcg_research.commands.importing:import_group",
    ),
    CommandInfo(
        name="study",
        summary="Compare measures with what people did.",
        factory="epcg_research.commands.study:study",
    ),
    CommandInfo(
        name="reproduce",
        summary="Compute published results again, and compare.",
        factory="epcg_research.commands.reproduce:reproduce",
    ),
)

METHODS = (
    MethodInfo(
        name="arrow",
        of="run",
        summary="its candidates as Arrow record batches",
        function="epcg_research.methods:arrow",
    ),
    MethodInfo(
        name="plot",
        of="run",
        summary="the distributions of its metrics as a picture",
        function="epcg_research.methods:plot",
    ),
    MethodInfo(
        name="study",
        of="database",
        summary="what people did with puzzles, compared with measures",
        function="epcg_research.studies.notebook:study",
    ),
    MethodInfo(
        name="export",
        of="epcg",
        summary="a file with the candidates of a run",
        function="epcg_research.exporting:export",
    ),
    MethodInfo(
        name="reproduce",
        of="epcg",
        summary="published results, computed again and compared",
        function="epcg_research.reproduce.function:reproduce",
    ),
    MethodInfo(
        name="publications",
        of="epcg",
        summary="the papers whose results can be computed again",
        function="epcg_research.reproduce.function:publications",
    ),
    MethodInfo(
        name="certificate",
        of="epcg",
        summary="what a run claims, for others to check",
        function="epcg_research.issued:certificate",
    ),
    MethodInfo(
        name="bundle",
        of="epcg",
        summary="an archive about a run or a study",
        function="epcg_research.issued:bundle",
    ),
    MethodInfo(
        name="import_parquet",
        of="epcg",
        summary="columns of a Parquet file as metrics of a run",
        function="epcg_research.brought_in:import_parquet",
    ),
    MethodInfo(
        name="import_traces",
        of="epcg",
        summary="what players saved on play pages",
        function="epcg_research.brought_in:import_traces",
    ),
    MethodInfo(
        name="import_responses",
        of="epcg",
        summary="a table of a study with people",
        function="epcg_research.brought_in:import_responses",
    ),
    MethodInfo(
        name="import_study",
        of="epcg",
        summary="what people saved on the pages of a study",
        function="epcg_research.brought_in:import_study",
    ),
    MethodInfo(
        name="import_choices",
        of="epcg",
        summary="choices between two puzzles",
        function="epcg_research.brought_in:import_choices",
    ),
    MethodInfo(
        name="compare",
        of="epcg",
        summary="contents of another program beside the whole space of a run",
        function="epcg_research.outside.report:compare",
    ),
    MethodInfo(
        name="patterns",
        of="epcg",
        summary="all local patterns that never fail in a run's space",
        function="epcg_research.patterns.report:patterns",
    ),
    MethodInfo(
        name="check_certificate",
        of="epcg",
        summary="the checks of a certificate",
        function="epcg_research.methods:check_certificate",
    ),
    MethodInfo(
        name="save_figure",
        of="epcg",
        summary="plots that a function draws, as a file or bytes",
        function="epcg_research.figures.paper:save_figure",
    ),
)


PUBLISHED = (
    PublishedInfo(
        name="certificate",
        summary="a certificate",
        recognise="epcg_research.certificate.published:recognise",
        verify="epcg_research.certificate.published:verify",
    ),
    PublishedInfo(
        name="archive",
        summary="an archive of a run or a study",
        recognise="epcg_research.bundle.check:recognise",
        verify="epcg_research.bundle.check:verify",
    ),
    PublishedInfo(
        name="player-model",
        summary="a player model",
        recognise="epcg_research.players.published:recognise",
        verify="epcg_research.players.published:verify",
    ),
    PublishedInfo(
        name="studies",
        summary="a database with studies",
        recognise="epcg_research.studies.published:recognise",
        verify="epcg_research.studies.published:verify",
    ),
)


@hookimpl
def epcg_register_kinds(register: Callable[[KindInfo], None]) -> None:
    register(
        KindInfo(
            name="publication",
            plural="publications",
            summary="Add published results that `epcg reproduce` computes again.",
            info="epcg_research.parts:PublicationInfo",
            usage="epcg reproduce NAME",
            check="epcg_research.parts:check_publication",
        )
    )
    register(
        KindInfo(
            name="exporter",
            plural="exporters",
            summary="Add formats in which `epcg export` writes runs.",
            info="epcg_research.parts:ExporterInfo",
            usage="epcg export RUN --format NAME",
        )
    )


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    for info in COMMANDS:
        register(info)


@hookimpl
def epcg_register_methods(register: Callable[[MethodInfo], None]) -> None:
    for info in METHODS:
        register(info)


@hookimpl
def epcg_register_policies(register: Callable[[PolicyInfo], None]) -> None:
    register(
        PolicyInfo(
            name="player",
            summary="as a player model says, which was fitted to what people did",
            params="epcg_research.players.params:PlayerParams",
            factory="epcg_research.players.policy:player",
            sees_generator=True,
        )
    )


@hookimpl
def epcg_register_tables(register: Callable[[TablesInfo], None]) -> None:
    register(
        TablesInfo(
            name="responses",
            summary="what people did with puzzles, in studies of others",
            migrations="epcg_research.migrations",
        )
    )


@hookimpl
def epcg_register_published_files(register: Callable[[PublishedInfo], None]) -> None:
    for info in PUBLISHED:
        register(info)
