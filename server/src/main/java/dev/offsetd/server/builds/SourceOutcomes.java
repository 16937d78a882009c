package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class SourceOutcomes {

    private final JdbcClient jdbc;

    SourceOutcomes(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<SourceOutcome> of(BuildId id) {
        return of(List.of(id)).getOrDefault(id, List.of());
    }

    Map<BuildId, List<SourceOutcome>> of(Collection<BuildId> ids) {
        Map<BuildId, List<SourceOutcome>> outcomes = new HashMap<>();
        jdbc.sql("""
                        select *, extract(epoch from retry_at - now()) as retry_seconds from source_outcomes
                        where build_id = any(:ids)
                        order by source collate "C"
                        """).param("ids", Rows.ids(ids)).query(row -> {
            outcomes.computeIfAbsent(BuildId.of(row.getBytes("build_id")), _ -> new ArrayList<>())
                    .add(new SourceOutcome(
                            row.getString("source"),
                            Origin.ofWord(row.getString("origin")),
                            BuildRow.failure(row, "code", "detail", "section", "section_offset"),
                            SourceOutcome.NOT_ASKED.equals(row.getString("outcome")),
                            row.getInt("misses"),
                            Rows.instant(row, "asked_at"),
                            BuildRow.duration(row.getDouble("retry_seconds"))));
        });
        // Folders first.
        outcomes.values()
                .forEach(each -> each.sort(Comparator.comparing(outcome ->
                        outcome.origin().isRemote() || outcome.origin().isUpload())));
        return outcomes;
    }

    void store(BuildId id, List<SourceOutcome> outcomes) {
        for (SourceOutcome outcome : outcomes) {
            Failure failure = outcome.failure();
            jdbc.sql("""
                            insert into source_outcomes (build_id, source, origin, outcome, code, detail, section,
                                section_offset, misses, asked_at, retry_at)
                            values (:id, :source, :origin, :outcome, :code, :detail, :section, :offset, :misses,
                                :askedAt, now() + :retry * interval '1 second')
                            on conflict (build_id, source) do update
                                set origin = excluded.origin, outcome = excluded.outcome, code = excluded.code,
                                    detail = excluded.detail, section = excluded.section,
                                    section_offset = excluded.section_offset, misses = excluded.misses,
                                    asked_at = excluded.asked_at, retry_at = excluded.retry_at
                            """)
                    .param("id", id.toBytes())
                    .param("source", outcome.source())
                    .param("origin", outcome.origin().word())
                    .param("outcome", outcome.word())
                    .param("code", failure == null ? null : failure.cause().code())
                    .param("detail", failure == null ? null : failure.detail())
                    .param("section", failure == null ? null : failure.section())
                    .param("offset", failure == null ? null : failure.offset())
                    .param("misses", outcome.misses())
                    .param("askedAt", outcome.askedAt().atOffset(ZoneOffset.UTC))
                    .param("retry", Rows.seconds(outcome.retryAfter()))
                    .update();
        }
    }

    /** Deletes the outcomes of all sources that can be queried again, which uploads cannot; those of a stored file become due. */
    void deleteQueried(Collection<BuildId> ids) {
        jdbc.sql("""
                        update source_outcomes o set retry_at = now()
                        where build_id = any(:ids) and exists (select from debug_files f
                            where f.build_id = o.build_id and f.origin <> 'upload')
                        """).param("ids", Rows.ids(ids)).update();
        jdbc.sql("""
                        delete from source_outcomes o
                        where build_id = any(:ids) and origin <> 'upload' and not exists (select from debug_files f
                            where f.build_id = o.build_id and f.origin <> 'upload')
                        """).param("ids", Rows.ids(ids)).update();
    }

    /** Deletes the outcomes of all sources. */
    void deleteOfSources(JdbcClient connection, BuildId id) {
        connection
                .sql("delete from source_outcomes where build_id = :id and origin <> 'upload'")
                .param("id", id.toBytes())
                .update();
    }

    void deleteUpload(BuildId id) {
        jdbc.sql("delete from source_outcomes where build_id = :id and origin = 'upload'")
                .param("id", id.toBytes())
                .update();
    }

    void deleteUnusable(BuildId id) {
        jdbc.sql("delete from source_outcomes where build_id = :id and outcome = 'unusable'")
                .param("id", id.toBytes())
                .update();
    }
}
