package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.BuildReferences;
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
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
    }

    @Override
    public List<BuildId> referencedAmong(Collection<BuildId> ids) {
        return jdbc.sql("select distinct build_id from prewarm_items where state = 'waiting' and build_id = any(:ids)")
                .param("ids", ids.stream().map(BuildId::toBytes).toArray(byte[][]::new))
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
    }
}
