-- Written by tests.core.store.make_revisions: what the revisions make, up to 0016;

CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE curriculum (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	"plan" TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_curriculum PRIMARY KEY (id), 
	CONSTRAINT uq_curriculum_sha256 UNIQUE (sha256)
)
 STRICT

;

CREATE TABLE plugin (
	id INTEGER NOT NULL, 
	distribution TEXT NOT NULL, 
	version TEXT NOT NULL, 
	CONSTRAINT pk_plugin PRIMARY KEY (id), 
	CONSTRAINT uq_plugin_distribution_version UNIQUE (distribution, version)
)
 STRICT

;

CREATE TABLE "query" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	source TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_query PRIMARY KEY (id), 
	CONSTRAINT uq_query_sha256 UNIQUE (sha256)
)
 STRICT

;

CREATE TABLE writer (
	id INTEGER NOT NULL, 
	pid INTEGER NOT NULL, 
	host TEXT NOT NULL, 
	command TEXT NOT NULL, 
	since TEXT NOT NULL, 
	CONSTRAINT pk_writer PRIMARY KEY (id)
)
 STRICT

;

CREATE TABLE chapter (
	id INTEGER NOT NULL, 
	curriculum_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	CONSTRAINT pk_chapter PRIMARY KEY (id), 
	CONSTRAINT fk_chapter_curriculum_id FOREIGN KEY(curriculum_id) REFERENCES curriculum (id), 
	CONSTRAINT uq_chapter_curriculum_id_position UNIQUE (curriculum_id, position)
)
 STRICT

;

CREATE TABLE domain (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	plugin_id INTEGER NOT NULL, 
	CONSTRAINT pk_domain PRIMARY KEY (id), 
	CONSTRAINT fk_domain_plugin_id FOREIGN KEY(plugin_id) REFERENCES plugin (id), 
	CONSTRAINT uq_domain_name UNIQUE (name)
)
 STRICT

;

CREATE TABLE metric (
	id INTEGER NOT NULL, 
	domain_id INTEGER, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	direction TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	description TEXT NOT NULL, 
	always INTEGER NOT NULL, 
	CONSTRAINT pk_metric PRIMARY KEY (id), 
	CONSTRAINT ck_metric_kind CHECK (kind IN ('int', 'real', 'bool')), 
	CONSTRAINT fk_metric_domain_id FOREIGN KEY(domain_id) REFERENCES domain (id), 
	CONSTRAINT uq_metric_domain_id_name_kind UNIQUE (domain_id, name, kind)
)
 STRICT

;

CREATE TABLE space (
	id INTEGER NOT NULL, 
	domain_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	generator TEXT NOT NULL, 
	params TEXT NOT NULL, 
	params_sha256 TEXT NOT NULL, 
	max_rank TEXT NOT NULL, 
	represents TEXT NOT NULL, 
	produced_by INTEGER, 
	CONSTRAINT pk_space PRIMARY KEY (id), 
	CONSTRAINT fk_space_domain_id FOREIGN KEY(domain_id) REFERENCES domain (id), 
	CONSTRAINT uq_space_name UNIQUE (name)
)
 STRICT

;

CREATE TABLE edit (
	space_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	description TEXT NOT NULL, 
	change TEXT NOT NULL, 
	CONSTRAINT pk_edit PRIMARY KEY (space_id, position), 
	CONSTRAINT fk_edit_space_id FOREIGN KEY(space_id) REFERENCES space (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE puzzle (
	id INTEGER NOT NULL, 
	puzzle TEXT NOT NULL, 
	content_sha256 TEXT NOT NULL, 
	state TEXT NOT NULL, 
	space_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	run_id INTEGER, 
	CONSTRAINT pk_puzzle PRIMARY KEY (id), 
	CONSTRAINT fk_puzzle_space_id FOREIGN KEY(space_id) REFERENCES space (id), 
	CONSTRAINT uq_puzzle_puzzle UNIQUE (puzzle)
)
 STRICT

;

CREATE TABLE run (
	id INTEGER NOT NULL, 
	identity TEXT NOT NULL, 
	space_id INTEGER NOT NULL, 
	search TEXT NOT NULL, 
	search_params TEXT NOT NULL, 
	spec TEXT NOT NULL, 
	layer INTEGER, 
	start INTEGER NOT NULL, 
	stop INTEGER NOT NULL, 
	unit_size INTEGER NOT NULL, 
	chunk_size INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	rows TEXT NOT NULL, 
	evaluated INTEGER NOT NULL, 
	pruned INTEGER NOT NULL, 
	excluded INTEGER NOT NULL, 
	cpu_seconds REAL NOT NULL, 
	digest TEXT, 
	environment TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	finished_at TEXT, request TEXT, sources_id INTEGER, kept_values TEXT DEFAULT 'all' NOT NULL CONSTRAINT ck_run_kept_values CHECK (kept_values IN ('all', 'counts', 'none')), solutions INTEGER DEFAULT '0' NOT NULL, sample_size INTEGER, sample_seed INTEGER, part INTEGER, parts INTEGER, again_of INTEGER, left_out TEXT, reading TEXT, files TEXT, imported TEXT, sample_strata TEXT, 
	CONSTRAINT pk_run PRIMARY KEY (id), 
	CONSTRAINT ck_run_state CHECK (state IN ('running', 'stopped', 'done')), 
	CONSTRAINT ck_run_range CHECK (start <= stop), 
	CONSTRAINT fk_run_space_id FOREIGN KEY(space_id) REFERENCES space (id), 
	CONSTRAINT uq_run_identity UNIQUE (identity)
)
 STRICT

;

CREATE TABLE candidate (
	run_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	kept INTEGER NOT NULL, 
	kept_by TEXT, 
	state TEXT, 
	note TEXT, 
	CONSTRAINT pk_candidate PRIMARY KEY (run_id, rank), 
	CONSTRAINT fk_candidate_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE pruning (
	run_id INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	count INTEGER NOT NULL, 
	bound REAL, 
	reason TEXT NOT NULL, 
	CONSTRAINT pk_pruning PRIMARY KEY (run_id, start), 
	CONSTRAINT fk_pruning_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE query_run (
	query_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	goal INTEGER NOT NULL, 
	CONSTRAINT pk_query_run PRIMARY KEY (query_id, run_id), 
	CONSTRAINT fk_query_run_query_id FOREIGN KEY(query_id) REFERENCES "query" (id), 
	CONSTRAINT fk_query_run_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE run_metric (
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	CONSTRAINT pk_run_metric PRIMARY KEY (run_id, position), 
	CONSTRAINT fk_run_metric_metric_id FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_run_metric_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE run_plugin (
	run_id INTEGER NOT NULL, 
	plugin_id INTEGER NOT NULL, 
	CONSTRAINT pk_run_plugin PRIMARY KEY (run_id, plugin_id), 
	CONSTRAINT fk_run_plugin_plugin_id FOREIGN KEY(plugin_id) REFERENCES plugin (id), 
	CONSTRAINT fk_run_plugin_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE score (
	run_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	value ANY, 
	CONSTRAINT pk_score PRIMARY KEY (run_id, metric_id, rank)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE score_chunk (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	count INTEGER NOT NULL, 
	evaluated INTEGER NOT NULL, 
	valued INTEGER NOT NULL, 
	dtype TEXT NOT NULL, 
	codec TEXT NOT NULL, 
	minimum ANY, 
	maximum ANY, 
	total ANY, 
	digest BLOB NOT NULL, 
	data BLOB NOT NULL, 
	status BLOB, 
	CONSTRAINT pk_score_chunk PRIMARY KEY (id), 
	CONSTRAINT fk_score_chunk_metric_id FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_score_chunk_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT uq_score_chunk_run_id_metric_id_start UNIQUE (run_id, metric_id, start)
)
 STRICT

;

CREATE TABLE score_histogram (
	run_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	low ANY NOT NULL, 
	high ANY NOT NULL, 
	count INTEGER NOT NULL, 
	CONSTRAINT pk_score_histogram PRIMARY KEY (run_id, metric_id, position), 
	CONSTRAINT fk_score_histogram_metric_id FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_score_histogram_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE solution (
	run_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	actions TEXT NOT NULL, 
	CONSTRAINT pk_solution PRIMARY KEY (run_id, rank, position), 
	CONSTRAINT fk_solution_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE unit (
	run_id INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	count INTEGER NOT NULL, 
	evaluated INTEGER NOT NULL, 
	pruned INTEGER NOT NULL, 
	excluded INTEGER NOT NULL, 
	seconds REAL NOT NULL, 
	digest BLOB NOT NULL, edges INTEGER, 
	CONSTRAINT pk_unit PRIMARY KEY (run_id, start), 
	CONSTRAINT ck_unit_covered CHECK (evaluated + pruned + excluded = count), 
	CONSTRAINT fk_unit_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE VIEW "layers" AS SELECT run.id AS run_id, domain.name AS domain, space.generator, space.params,
               json_extract(run.search_params, '$.uniqueness') AS uniqueness, run.layer,
               run.evaluated AS candidates, solvable.total AS solvable, uniquely.total AS uniquely_solvable,
               100.0 * solvable.total / run.evaluated AS percent_solvable,
               100.0 * uniquely.total / run.evaluated AS percent_uniquely_solvable
        FROM run JOIN space ON space.id = run.space_id JOIN domain ON domain.id = space.domain_id
        JOIN metrics AS solvable ON solvable.run_id = run.id AND solvable.metric = 'solvable'
        JOIN metrics AS uniquely ON uniquely.run_id = run.id AND uniquely.metric = 'unique'
        WHERE run.layer IS NOT NULL AND run.state = 'done'
        ORDER BY domain.name, space.generator, uniqueness, run.layer, run.id;

CREATE VIEW "errors" AS SELECT candidate.run_id, space.name || '#' || candidate.rank AS puzzle, candidate.rank, candidate.note
        FROM candidate JOIN run ON run.id = candidate.run_id JOIN space ON space.id = run.space_id
        WHERE candidate.status = 'error';

CREATE VIEW "histograms" AS SELECT score_histogram.run_id, metric.name AS metric, score_histogram.position,
               score_histogram.low, score_histogram.high, score_histogram.count
        FROM score_histogram JOIN metric ON metric.id = score_histogram.metric_id;

CREATE TABLE variant_edit (
	space_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_variant_edit PRIMARY KEY (space_id, rank, position), 
	CONSTRAINT fk_variant_edit_space_id FOREIGN KEY(space_id) REFERENCES space (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE VIEW "metrics" AS SELECT score_chunk.run_id, metric.name AS metric, metric.kind, metric.direction,
               sum(score_chunk.evaluated) AS evaluated,
               sum(score_chunk.valued) AS valued, min(score_chunk.minimum) AS minimum,
               max(score_chunk.maximum) AS maximum,
               CASE WHEN metric.kind <> 'real' AND max(typeof(score_chunk.total) = 'real') = 0
                         AND abs(total(score_chunk.total)) < 9.2e18
                    THEN sum(score_chunk.total / 4294967296) * 4294967296
                         + sum(score_chunk.total % 4294967296)
                    ELSE sum(CAST(score_chunk.total AS REAL)) END AS total,
               CAST(CASE WHEN metric.kind <> 'real' AND max(typeof(score_chunk.total) = 'real') = 0
                         AND abs(total(score_chunk.total)) < 9.2e18
                    THEN sum(score_chunk.total / 4294967296) * 4294967296
                         + sum(score_chunk.total % 4294967296)
                    ELSE sum(CAST(score_chunk.total AS REAL)) END AS REAL) / sum(score_chunk.valued) AS mean
        FROM score_chunk JOIN metric ON metric.id = score_chunk.metric_id
        WHERE metric.domain_id IS NOT NULL
        GROUP BY score_chunk.run_id, score_chunk.metric_id;

CREATE TABLE part (
	chapter_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	source TEXT NOT NULL, 
	measure TEXT NOT NULL, 
	harder TEXT NOT NULL, 
	rule TEXT NOT NULL, 
	candidates INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	CONSTRAINT pk_part PRIMARY KEY (chapter_id, position), 
	CONSTRAINT fk_part_chapter_id FOREIGN KEY(chapter_id) REFERENCES chapter (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE selection (
	chapter_id INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	puzzle_id INTEGER NOT NULL, 
	position INTEGER, 
	chosen INTEGER NOT NULL, 
	value ANY, 
	measures TEXT NOT NULL, 
	rule TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	CONSTRAINT pk_selection PRIMARY KEY (chapter_id, part, puzzle_id), 
	CONSTRAINT fk_selection_chapter_id FOREIGN KEY(chapter_id) REFERENCES chapter (id), 
	CONSTRAINT fk_selection_puzzle_id FOREIGN KEY(puzzle_id) REFERENCES puzzle (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE rejection (
	chapter_id INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	rule TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	recorded INTEGER NOT NULL, 
	CONSTRAINT pk_rejection PRIMARY KEY (chapter_id, part, position), 
	CONSTRAINT fk_rejection_chapter_id FOREIGN KEY(chapter_id) REFERENCES chapter (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE curriculum_run (
	curriculum_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	digest TEXT, 
	CONSTRAINT pk_curriculum_run PRIMARY KEY (curriculum_id, run_id), 
	CONSTRAINT fk_curriculum_run_curriculum_id FOREIGN KEY(curriculum_id) REFERENCES curriculum (id), 
	CONSTRAINT fk_curriculum_run_run_id FOREIGN KEY(run_id) REFERENCES run (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE TABLE sources (
	id INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	files TEXT NOT NULL, 
	CONSTRAINT pk_sources PRIMARY KEY (id), 
	CONSTRAINT uq_sources_digest UNIQUE (digest)
)
 STRICT

;

CREATE TABLE accepted_sources (
	run_id INTEGER NOT NULL, 
	sources_id INTEGER NOT NULL, 
	accepted_at TEXT NOT NULL, 
	CONSTRAINT pk_accepted_sources PRIMARY KEY (run_id, sources_id), 
	CONSTRAINT fk_accepted_sources_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT fk_accepted_sources_sources_id FOREIGN KEY(sources_id) REFERENCES sources (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE INDEX ix_run_request ON run (request);

CREATE TABLE newest_build (
	name TEXT NOT NULL, 
	curriculum_id INTEGER NOT NULL, 
	CONSTRAINT pk_newest_build PRIMARY KEY (name), 
	CONSTRAINT fk_newest_build_curriculum_id FOREIGN KEY(curriculum_id) REFERENCES curriculum (id)
)
 WITHOUT ROWID,
 STRICT

;

CREATE VIEW "selections" AS SELECT CASE WHEN newest_build.curriculum_id = curriculum.id THEN curriculum.name
               ELSE curriculum.name || '#' || curriculum.id END AS curriculum,
               curriculum.id AS curriculum_id,
               chapter.position AS chapter, chapter.title, part.name AS part_name, selection.part,
               selection.position, selection.chosen, part.measure, selection.value, puzzle.puzzle,
               selection.rule, selection.reason, selection.measures, puzzle.state, puzzle.run_id, puzzle.rank
        FROM selection JOIN chapter ON chapter.id = selection.chapter_id
        JOIN curriculum ON curriculum.id = chapter.curriculum_id
        LEFT JOIN newest_build ON newest_build.name = curriculum.name
        JOIN part ON part.chapter_id = selection.chapter_id AND part.position = selection.part
        JOIN puzzle ON puzzle.id = selection.puzzle_id;

CREATE VIEW "rejections" AS SELECT CASE WHEN newest_build.curriculum_id = curriculum.id THEN curriculum.name
               ELSE curriculum.name || '#' || curriculum.id END AS curriculum,
               curriculum.id AS curriculum_id,
               chapter.position AS chapter, chapter.title, part.name AS part_name, rejection.part,
               rejection.position, rejection.rule, rejection.count, rejection.recorded
        FROM rejection JOIN chapter ON chapter.id = rejection.chapter_id
        JOIN curriculum ON curriculum.id = chapter.curriculum_id
        LEFT JOIN newest_build ON newest_build.name = curriculum.name
        JOIN part ON part.chapter_id = rejection.chapter_id AND part.position = rejection.part;

CREATE TABLE play_trace (
	id INTEGER NOT NULL, 
	player TEXT NOT NULL, 
	puzzle TEXT NOT NULL, 
	space TEXT NOT NULL, 
	rank INTEGER NOT NULL, 
	curriculum TEXT NOT NULL, 
	seconds REAL NOT NULL, 
	moves INTEGER NOT NULL, 
	undos INTEGER NOT NULL, 
	restarts INTEGER NOT NULL, 
	hints INTEGER NOT NULL, 
	solution_shown INTEGER NOT NULL, 
	finished INTEGER NOT NULL, 
	rating INTEGER, 
	sha256 TEXT NOT NULL, 
	imported_at TEXT NOT NULL, actions TEXT, 
	CONSTRAINT pk_play_trace PRIMARY KEY (id), 
	CONSTRAINT uq_play_trace_sha256 UNIQUE (sha256)
)
 STRICT

;

CREATE INDEX ix_play_trace_player_puzzle ON play_trace (player, puzzle);

CREATE VIEW "scores" AS SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value
        FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id
        WHERE run.rows = 'all'
        UNION ALL
        SELECT run_metric.run_id, json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id),
               metric.name, json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id)
        FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
        AND score_chunk.metric_id = run_metric.metric_id
        WHERE run.rows <> 'all' AND json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id) IS NULL;

CREATE VIEW "materialized_scores" AS SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value, run.rows = 'all' AS complete
        FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id;

CREATE VIEW "statuses" AS SELECT run_metric.run_id, CASE WHEN score_chunk.status IS NOT NULL THEN
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql') END AS rank,
               metric.name AS metric, CASE WHEN score_chunk.status IS NOT NULL THEN
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql') END AS status,
               CASE WHEN score_chunk.status IS NOT NULL THEN
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql') END AS reason
        FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
        AND score_chunk.metric_id = run_metric.metric_id
        WHERE CASE WHEN score_chunk.status IS NOT NULL THEN
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql') END IS NOT NULL;

CREATE VIEW "edit_scores" AS SELECT run.id AS run_id, run.space_id, metric.id AS metric_id, score.rank, score.value
        FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id
        WHERE run.rows = 'all' AND run.state = 'done' AND run.space_id IN (SELECT space_id FROM edit)
        UNION ALL
        SELECT run.id, run.space_id, metric.id,
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id),
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id)
        FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
        AND score_chunk.metric_id = run_metric.metric_id
        WHERE run.rows <> 'all' AND run.state = 'done' AND run.space_id IN (SELECT space_id FROM edit)
               AND json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id) IS NULL;

CREATE VIEW "edit_effects" AS SELECT found.run_id, space.name AS space, found.rank,
               coalesce((SELECT group_concat(description, '; ') FROM
                         (SELECT edit.description FROM variant_edit JOIN edit
                          ON edit.space_id = variant_edit.space_id AND edit.position = variant_edit.position
                          WHERE variant_edit.space_id = found.space_id AND variant_edit.rank = found.rank
                          ORDER BY variant_edit.position)), 'nothing') AS edits,
               metric.name AS metric, found.value
        FROM edit_scores AS found
        JOIN space ON space.id = found.space_id JOIN metric ON metric.id = found.metric_id;

CREATE VIEW "best_edits" AS SELECT run_id, space, metric, direction,
               CASE WHEN largest = smallest THEN 'all' WHEN value = largest THEN 'largest'
                    ELSE 'smallest' END AS extreme,
               value = CASE direction WHEN 'max' THEN largest ELSE smallest END AS best,
               rank, edit, change, value
        FROM (SELECT scored.run_id, space.name AS space, scored.metric, scored.direction,
                     scored.rank, edit.description AS edit, edit.change, scored.value, gain, original,
                     max(scored.value) OVER metrics_of_run AS largest,
                     min(scored.value) OVER metrics_of_run AS smallest
              FROM (SELECT found.run_id, found.space_id, found.metric_id, metric.name AS metric,
                           metric.direction, metric.always, found.rank, found.value,
                           max(CASE WHEN metric.name = 'gain' THEN found.value END)
                           OVER (PARTITION BY found.run_id, found.rank) AS gain,
                           max(CASE WHEN found.rank = 0 AND NOT EXISTS
                                         (SELECT 1 FROM variant_edit AS own
                                          WHERE own.space_id = found.space_id AND own.rank = 0)
                                    THEN found.value END)
                           OVER (PARTITION BY found.run_id, found.metric_id) AS original
                    FROM edit_scores AS found
                    JOIN metric ON metric.id = found.metric_id) AS scored
              JOIN space ON space.id = scored.space_id
              JOIN variant_edit AS single ON single.space_id = scored.space_id AND single.rank = scored.rank
              JOIN edit ON edit.space_id = single.space_id AND edit.position = single.position
              WHERE scored.value IS NOT NULL AND scored.always = 0 AND NOT EXISTS
                    (SELECT 1 FROM variant_edit AS other WHERE other.space_id = single.space_id
                     AND other.rank = single.rank AND other.position <> single.position)
              WINDOW metrics_of_run AS (PARTITION BY scored.run_id, scored.metric_id))
        WHERE value IN (largest, smallest)
              AND NOT (metric IN ('moves', 'gain') AND gain IS NOT NULL AND gain = 0)
              AND (original IS NULL OR original <> value);

CREATE VIEW "runs" AS SELECT run.id AS run_id, space.name AS space, run.search, run.layer, run.state,
               run.stop - run.start AS candidates, run.evaluated, run.pruned, run.excluded,
               CASE WHEN run.state <> 'done' THEN 'partial'
                    WHEN run.excluded > 0 OR run.left_out IS NOT NULL
                         OR (run.pruned > 0 AND json_extract(run.spec, '$.objective') IS NULL)
                         OR run.stop - run.start < CAST(space.max_rank AS INTEGER)
                    THEN 'semi-exhaustive' ELSE 'exhaustive' END AS coverage,
               (SELECT group_concat(query.name, ', ') FROM query_run
                JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = run.id) AS queries,
               run.rows, run.cpu_seconds, run.created_at, run.finished_at, run.digest
        FROM run JOIN space ON space.id = run.space_id;

CREATE VIEW "traces" AS SELECT play_trace.player, play_trace.puzzle, play_trace.space, play_trace.rank, play_trace.curriculum,
               play_trace.seconds, play_trace.moves, play_trace.undos, play_trace.restarts, play_trace.hints,
               play_trace.solution_shown, play_trace.finished, play_trace.rating, play_trace.imported_at,
               play_trace.actions
        FROM play_trace
        WHERE play_trace.id = (SELECT max(newer.id) FROM play_trace AS newer
                               WHERE newer.player = play_trace.player AND newer.puzzle = play_trace.puzzle);

CREATE VIEW "play_actions" AS SELECT play_trace.player, play_trace.puzzle, play_trace.space, play_trace.rank,
               action.key AS position, json_extract(action.value, '$[0]') AS ms,
               json_extract(action.value, '$[1]') AS kind,
               coalesce(json_extract(action.value, '$[2]'), '') AS action
        FROM play_trace JOIN json_each(play_trace.actions) AS action
        WHERE play_trace.actions IS NOT NULL AND play_trace.id = (SELECT max(newer.id) FROM play_trace AS newer
                               WHERE newer.player = play_trace.player AND newer.puzzle = play_trace.puzzle);

CREATE TABLE run_input (
    run_id INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT DEFAULT 'run' NOT NULL
        CONSTRAINT ck_run_input_kind CHECK (kind IN ('run', 'library', 'file', 'part')),
    input_run_id INTEGER,
    digest TEXT,
    source TEXT DEFAULT '' NOT NULL,
    choice TEXT,
    CONSTRAINT pk_run_input PRIMARY KEY (run_id, role),
    CONSTRAINT fk_run_input_run_id FOREIGN KEY(run_id) REFERENCES run (id),
    CONSTRAINT fk_run_input_input_run_id FOREIGN KEY(input_run_id) REFERENCES run (id)
) WITHOUT ROWID, STRICT;

CREATE VIEW "depths" AS SELECT run.id AS run_id, domain.name AS domain, space.name AS space,
               json_extract(run.search_params, '$.record') AS record,
               json_extract(run.search_params, '$.distance') AS distance,
               run.layer AS depth,
               coalesce(reached.count, 0) - coalesce(before.count, 0) AS states,
               coalesce(reached.count, 0) AS reached,
               100.0 * coalesce(reached.count, 0) / run.evaluated AS percent_reached,
               (SELECT sum(edges) FROM unit WHERE unit.run_id = run.id) AS edges,
               run.cpu_seconds, run.kept_values = 'none' AS dropped
        FROM run JOIN space ON space.id = run.space_id JOIN domain ON domain.id = space.domain_id
        JOIN run_metric ON run_metric.run_id = run.id AND run_metric.position = 0
        LEFT JOIN score_histogram AS reached ON reached.run_id = run.id
        AND reached.metric_id = run_metric.metric_id AND reached.low = 1
        LEFT JOIN run_input ON run_input.run_id = run.id AND run_input.role = 'reached'
        LEFT JOIN score_histogram AS before ON before.run_id = run_input.input_run_id
        AND before.metric_id = run_metric.metric_id AND before.low = 1
        WHERE run.search = 'breadth_first' AND run.layer IS NOT NULL AND run.state = 'done'
        ORDER BY domain.name, space.name, record, distance, run.layer, run.id;

CREATE VIEW "kept" AS SELECT candidate.run_id, space.name || '#' || candidate.rank AS puzzle, candidate.rank,
               candidate.kept_by, candidate.state,
               (SELECT json_group_object(metric.name, score.value)
                FROM run_metric CROSS JOIN metric ON metric.id = run_metric.metric_id
                CROSS JOIN score ON score.run_id = run_metric.run_id
                AND score.metric_id = run_metric.metric_id AND score.rank = candidate.rank
                WHERE run_metric.run_id = candidate.run_id) AS scores,
               candidate.note
        FROM candidate JOIN run ON run.id = candidate.run_id JOIN space ON space.id = run.space_id
        WHERE candidate.kept = 1;

CREATE VIEW "inputs" AS SELECT run_input.run_id, run_input.role, run_input.kind, run_input.input_run_id,
               run_input.digest, run_input.source, run_input.choice
        FROM run_input;
