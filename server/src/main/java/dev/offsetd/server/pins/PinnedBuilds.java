package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.BuildReferences;
import dev.offsetd.server.builds.PinCounts;
import dev.offsetd.server.operations.Rows;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Tells {@code builds} which builds are pinned. */
@Component
class PinnedBuilds implements PinCounts, BuildReferences {

    private final JdbcClient jdbc;

    PinnedBuilds(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Map<BuildId, Integer> activePins(Collection<BuildId> ids) {
        Map<BuildId, Integer> counts = new HashMap<>();
        jdbc.sql("""
                        select build_id, count(*) as pins from pins
                        where build_id = any(:ids) and state = 'active' group by build_id
                        """).param("ids", Rows.ids(ids)).query(row -> {
            counts.put(BuildId.of(row.getBytes("build_id")), row.getInt("pins"));
        });
        return counts;
    }

    /** Includes builds whose pins are inactive: their history refers to the build, and the pins can be restored. */
    @Override
    public List<BuildId> referencedBuilds() {
        return jdbc.sql("select distinct build_id from pins").query(Rows::id).list();
    }

    @Override
    public List<BuildId> referencedAmong(Collection<BuildId> ids) {
        return jdbc.sql("select distinct build_id from pins where build_id = any(:ids)")
                .param("ids", Rows.ids(ids))
                .query(Rows::id)
                .list();
    }
}
