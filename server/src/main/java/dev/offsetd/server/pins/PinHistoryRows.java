package dev.offsetd.server.pins;

import java.util.List;
import java.util.UUID;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** The table of revisions; rows are only added. */
interface PinHistoryRows extends Repository<PinHistoryRow, Long> {

    PinHistoryRow save(PinHistoryRow row);

    @Query("select h from PinHistoryRow h where h.pinId = :pin and h.revision < :before order by h.revision desc")
    List<PinHistoryRow> newestFirst(UUID pin, int before, Limit limit);
}
