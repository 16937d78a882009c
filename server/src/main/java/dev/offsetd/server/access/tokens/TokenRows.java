package dev.offsetd.server.access.tokens;

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

    @Query(nativeQuery = true, value = "select revision from token_revision")
    long revision();

    /** Makes every server read the tokens again after the commit. */
    @Modifying
    @Query(nativeQuery = true, value = "update token_revision set revision = revision + 1")
    void raiseRevision();

    /** Stores a use, unless a later one than {@code unlessAfter} is stored. */
    @Modifying
    @Transactional
    @Query("update TokenRow t set t.lastUsedAt = :at"
            + " where t.id = :id and (t.lastUsedAt is null or t.lastUsedAt <= :unlessAfter)")
    void setLastUsed(UUID id, Instant at, Instant unlessAfter);
}
