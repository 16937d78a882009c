package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.BuildReferences;
import dev.offsetd.server.operations.Rows;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Port of {@code builds}: the builds that wait to be prewarmed. */
@Component
class PrewarmedBuilds implements BuildReferences {

    private final JdbcClient jdbc;

    PrewarmedBuilds(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public List<BuildId> referencedBuilds() {
        return jdbc.sql("select distinct build_id from prewarm_items where state = 'waiting'")
                .query(Rows::id)
                .list();
    }

    @Override
    public List<BuildId> referencedAmong(Collection<BuildId> ids) {
        return jdbc.sql("select distinct build_id from prewarm_items where state = 'waiting' and build_id = any(:ids)")
                .param("ids", Rows.ids(ids))
                .query(Rows::id)
                .list();
    }
}
