package dev.offsetd.server.admin.overview;

import dev.offsetd.server.admin.Format;
import dev.offsetd.server.database.DatabaseState;
import dev.offsetd.server.sources.DiskCache;
import dev.offsetd.server.storage.StoredBytes;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/** The facts that the overview shows of the database and the disk of this server. */
@Component
class StorageFacts {

    private final StoredBytes stored;
    private final DatabaseState database;
    private final DiskCache cache;
    private final MeterRegistry meters;

    StorageFacts(StoredBytes stored, DatabaseState database, DiskCache cache, MeterRegistry meters) {
        this.stored = stored;
        this.database = database;
        this.cache = cache;
        this.meters = meters;
    }

    Map<String, String> read() {
        DatabaseState.Snapshot state = database.look();
        DiskCache.Use use = cache.use();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("PostgreSQL", state.version());
        StoredBytes.Sizes sizes = stored.sizes();
        facts.put("Database", Format.bytes(state.bytes()));
        facts.put("Types", Format.bytes(sizes.catalogues()));
        facts.put("Symbols", Format.bytes(sizes.symbols()));
        facts.put("Functions and lines", Format.bytes(sizes.frames()));
        facts.put(
                "Connections",
                Format.count(state.connections()) + " of all servers; this server has "
                        + Format.count(gauge("hikaricp.connections.active")) + " in use and "
                        + Format.count(gauge("hikaricp.connections.pending")) + " waiting");
        facts.put(
                "Debug files",
                Format.count(use.files(), "file") + ", " + Format.bytes(use.bytes()) + " of at most "
                        + Format.bytes(use.maxBytes()));
        facts.put("Free disk", Format.bytes(gauge("disk.free")) + " of " + Format.bytes(gauge("disk.total")));
        return facts;
    }

    private long gauge(String name) {
        return Math.round(meters.find(name).gauges().stream()
                .mapToDouble(io.micrometer.core.instrument.Gauge::value)
                .sum());
    }
}
