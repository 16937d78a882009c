package dev.offsetd.server.pins;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** The table of pins. */
interface PinRows extends Repository<PinRow, UUID>, JpaSpecificationExecutor<PinRow> {

    PinRow save(PinRow row);

    /** Flushes changes, so that later statements of the transaction follow them. */
    void flush();

    Optional<PinRow> findById(UUID id);

    /** Returns the build of a pin, which never changes. */
    @Query("select p.buildId from PinRow p where p.id = :id")
    Optional<byte[]> buildOf(UUID id);

    @Query("select p from PinRow p where p.buildId = :build and p.state = 'active' order by p.createdAt, p.id")
    List<PinRow> activeOf(byte[] build);

    @Query("select p from PinRow p where p.buildId = :build order by p.createdAt, p.id")
    List<PinRow> allOf(byte[] build);

    @Query("select p from PinRow p where p.buildId = :build and p.itemKey = :key and p.state = 'active'")
    Optional<PinRow> activeFor(byte[] build, byte[] key);

    /** Returns active pins that have expired by the clock of the database. */
    @Query(
            value =
                    "select id from pins where state = 'active' and expires_at <= now() order by expires_at limit :limit",
            nativeQuery = true)
    List<UUID> due(int limit);

    /** Returns whether an active pin had expired when the transaction began. */
    @Query(
            value = "select exists (select from pins where id = :id and state = 'active' and expires_at <= now())",
            nativeQuery = true)
    boolean isDue(UUID id);

    /** Counts the active pins by agreement. */
    @Query(
            "select p.agreement as agreement, count(p) as pins from PinRow p where p.state = 'active' group by p.agreement")
    List<Counted> countActive();

    @Query("select count(p) from PinRow p where p.state = 'active' and p.review is not null")
    long countToReview();

    /** Number of pins with one agreement. */
    interface Counted {

        String getAgreement();

        long getPins();
    }
}
