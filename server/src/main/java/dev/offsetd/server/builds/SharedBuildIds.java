package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.changes.ChangeListener;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.sources.outcome.Origin;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * GNU build-ids that different programs have: the known ones, and those for which sources of equal trust have shown different
 * programs. Uploads never count. Kept in memory, because every query checks its build-id.
 */
@Component
public class SharedBuildIds implements ChangeListener {

    private static final Logger log = LoggerFactory.getLogger(SharedBuildIds.class);

    /** Reason why a build-id counts as shared. */
    public enum Evidence implements Word {
        LAYOUTS,
        GO_BUILD_ID
    }

    private final JdbcClient jdbc;
    private final Changes changes;
    private volatile Set<BuildId> shared = Set.of();

    SharedBuildIds(JdbcClient jdbc, Changes changes) {
        this.jdbc = jdbc;
        this.changes = changes;
    }

    /** Returns whether different programs have this key. */
    public boolean contains(BuildId key) {
        return key.isShared() || shared.contains(key);
    }

    /** Does the same as {@link #contains} from the database, which other servers may just have written. */
    boolean containsNow(BuildId key) {
        return key.isShared()
                || !stored("where build_id = any(:ids)", Set.of(key)).isEmpty();
    }

    /** Records that different programs have this build-id. Part of the caller's transaction. */
    public void add(BuildId id, Evidence evidence) {
        int added = jdbc.sql("""
                        insert into shared_build_ids (build_id, evidence) values (:id, :evidence)
                        on conflict do nothing
                        """)
                .param("id", id.toBytes())
                .param("evidence", evidence.word())
                .update();
        if (added > 0) {
            log.warn("build {}: different programs have this build-id: sources differ in {}", id, evidence.word());
            // They belong to programs that the build-id does not tell apart.
            jdbc.sql("delete from build_aliases where build_id = :id")
                    .param("id", id.toBytes())
                    .update();
            changes.record(id);
        }
    }

    /**
     * Records that different programs have this build-id if sources of the highest trust have shown files with different Go
     * build-ids for it. Part of the caller's transaction.
     */
    void addIfGoBuildIdsDiffer(BuildId id) {
        if (!id.isGnu()) {
            return;
        }
        long distinct = jdbc.sql("""
                        with shown as (select %s as place from build_aliases
                            where build_id = :id and substring(alias from 1 for 3) = 'go:'::bytea)
                        select count(*) from shown
                        where place = (select min(place) from shown where place < :uploads)
                        """.formatted(Origin.rankIn("origin")))
                .param("id", id.toBytes())
                .param("uploads", Origin.UPLOAD.rank())
                .query(Long.class)
                .single();
        if (distinct > 1) {
            add(id, Evidence.GO_BUILD_ID);
        }
    }

    @Override
    public void changed(Map<BuildId, Long> generations) {
        Set<BuildId> now = new HashSet<>(shared);
        now.removeAll(generations.keySet());
        if (now.addAll(stored("where build_id = any(:ids)", generations.keySet())) || now.size() != shared.size()) {
            shared = Collections.unmodifiableSet(now);
        }
    }

    @Override
    public void committed(Map<BuildId, Long> generations) {
        // It has to read the database.
    }

    @Override
    public void everythingCommitted() {
        // It has to read the database.
    }

    @Override
    public void anyMayHaveChanged() {
        shared = Collections.unmodifiableSet(new HashSet<>(stored("", Set.of())));
    }

    private Collection<BuildId> stored(String where, Collection<BuildId> ids) {
        return jdbc.sql("select build_id from shared_build_ids " + where)
                .param("ids", Rows.ids(ids))
                .query(Rows::id)
                .list();
    }
}
