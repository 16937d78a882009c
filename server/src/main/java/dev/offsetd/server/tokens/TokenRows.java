package dev.offsetd.server.tokens;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The table of tokens. */
interface TokenRows extends Repository<TokenRow, UUID> {

    TokenRow save(TokenRow row);

    Optional<TokenRow> findById(UUID id);

    List<TokenRow> findByLabelAndRevokedAtIsNullOrderByCreatedAt(String label);

    List<TokenRow> findAllByOrderByCreatedAt();

    @Query("select r.revision from TokenRevision r")
    long revision();

    /** Has every server read the tokens again, once the transaction is committed. */
    @Modifying
    @Query("update TokenRevision r set r.revision = r.revision + 1")
    void raiseRevision();

    /** Notes a use, unless a later one, or one that is as good as this, is noted already. */
    @Modifying
    @Transactional
    @Query("update TokenRow t set t.lastUsedAt = :at"
            + " where t.id = :id and (t.lastUsedAt is null or t.lastUsedAt <= :unlessAfter)")
    void noteUse(UUID id, Instant at, Instant unlessAfter);
}
