package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.BuildGenerations;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
public class StoredGenerations implements BuildGenerations {

    private final JdbcClient jdbc;

    public StoredGenerations(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public void lock(Collection<BuildId> ids) {
        lock(jdbc, ids);
    }

    /** Locks builds in one order, so that two transactions that do so cannot deadlock. */
    static void lock(JdbcClient connection, Collection<BuildId> ids) {
        connection
                .sql("select 1 from builds where build_id = any(:ids) order by build_id for no key update")
                .param("ids", Rows.ids(ids))
                .query(Integer.class)
                .list();
    }

    @Override
    public void set(Collection<BuildId> ids, long generation) {
        jdbc.sql("update builds set generation = :generation where build_id = any(:ids)")
                .param("ids", Rows.ids(ids))
                .param("generation", generation)
                .update();
    }

    @Override
    public Map<BuildId, Long> since(JdbcClient connection, long generation, int limit) {
        Map<BuildId, Long> generations = new LinkedHashMap<>();
        connection.sql("""
                        select build_id, generation from builds
                        where generation > :since order by generation limit :limit
                        """).param("since", generation).param("limit", limit).query(row -> {
            generations.put(BuildId.of(row.getBytes("build_id")), row.getLong("generation"));
        });
        return generations;
    }
}
