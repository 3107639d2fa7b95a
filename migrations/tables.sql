-- Tables and indexes of a new database, made in this order; written by tests.core.store.make_revisions;;

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

CREATE TABLE newest_build (
	name TEXT NOT NULL, 
	curriculum_id INTEGER NOT NULL, 
	CONSTRAINT pk_newest_build PRIMARY KEY (name), 
	CONSTRAINT fk_newest_build_curriculum_id FOREIGN KEY(curriculum_id) REFERENCES curriculum (id)
)
 WITHOUT ROWID,
 STRICT

;

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

CREATE INDEX ix_run_request ON run (request);

CREATE INDEX ix_play_trace_player_puzzle ON play_trace (player, puzzle);
