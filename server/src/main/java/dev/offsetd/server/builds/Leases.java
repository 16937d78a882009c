package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The lease row of each build: one owner in the whole cluster. All times are the database's, so the servers' clocks do
 * not matter.
 */
@Component
class Leases {

    private final JdbcClient jdbc;
    private final LeaseProperties properties;

    Leases(JdbcClient jdbc, LeaseProperties properties) {
        this.jdbc = jdbc;
        this.properties = properties;
    }

    /** The lease, unless somebody holds it. The build's row must exist. */
    Optional<Lease> claim(BuildId id, String owner) {
        return jdbc.sql("""
                        insert into extraction_lease (build_id, owner, lease_until, heartbeat_at, attempt)
                        values (:id, :owner, now() + :seconds * interval '1 second', now(), 1)
                        on conflict (build_id) do update
                            set owner = excluded.owner, lease_until = excluded.lease_until,
                                heartbeat_at = excluded.heartbeat_at, attempt = extraction_lease.attempt + 1
                            where extraction_lease.owner is null or extraction_lease.lease_until < now()
                        returning attempt
                        """)
                .param("id", id.toBytes())
                .param("owner", owner)
                .param("seconds", seconds())
                .query(Long.class)
                .optional()
                .map(attempt -> new Lease(id, owner, attempt));
    }

    /**
     * Gives the lease back.
     *
     * @return whether it was still held
     */
    boolean release(Lease lease) {
        return jdbc.sql("""
                                update extraction_lease set owner = null, lease_until = null
                                where build_id = :id and owner = :owner and attempt = :attempt
                                """)
                        .param("id", lease.id().toBytes())
                        .param("owner", lease.owner())
                        .param("attempt", lease.attempt())
                        .update()
                == 1;
    }

    /** Which of these builds somebody works on. */
    Set<BuildId> held(Collection<BuildId> ids) {
        List<BuildId> held = jdbc.sql("""
                        select build_id from extraction_lease
                        where build_id = any(:ids) and owner is not null and lease_until >= now()
                        """)
                .param("ids", ids.stream().map(BuildId::toBytes).toArray(byte[][]::new))
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
        return new HashSet<>(held);
    }

    private double seconds() {
        return properties.duration().toMillis() / 1000.0;
    }
}
