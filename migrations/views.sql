-- Views, made anew at each upgrade: to change one, edit it here and add a revision;

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
