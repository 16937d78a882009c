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

    /** Sends what was changed, so that what comes after it in the transaction stands behind it. */
    void flush();

    Optional<PinRow> findById(UUID id);

    /** The build that a pin is of, which never changes. */
    @Query("select p.buildId from PinRow p where p.id = :id")
    Optional<byte[]> buildOf(UUID id);

    @Query("select p from PinRow p where p.buildId = :build and p.state = 'active' order by p.createdAt, p.id")
    List<PinRow> activeOf(byte[] build);

    @Query("select p from PinRow p where p.buildId = :build order by p.createdAt, p.id")
    List<PinRow> allOf(byte[] build);

    @Query("select p from PinRow p where p.buildId = :build and p.itemKey = :key and p.state = 'active'")
    Optional<PinRow> activeFor(byte[] build, byte[] key);

    /** Pins whose time is over by the database's clock, and that still have an effect. */
    @Query(
            value =
                    "select id from pins where state = 'active' and expires_at <= now() order by expires_at limit :limit",
            nativeQuery = true)
    List<UUID> due(int limit);

    /** Whether the pin is one of them, at the time that the transaction has begun. */
    @Query(
            value = "select exists (select from pins where id = :id and state = 'active' and expires_at <= now())",
            nativeQuery = true)
    boolean isDue(UUID id);

    /** How many active pins there are of each agreement that there is. */
    @Query(
            "select p.agreement as agreement, count(p) as pins from PinRow p where p.state = 'active' group by p.agreement")
    List<Counted> countActive();

    /** How many pins there are of one agreement. */
    interface Counted {

        String getAgreement();

        long getPins();
    }
}
