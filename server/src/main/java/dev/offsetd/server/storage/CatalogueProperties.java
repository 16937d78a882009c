package dev.offsetd.server.storage;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Caches of catalogues, symbols, and functions with their lines.
 *
 * @param cache memory for slices of all three; at most an eighth of the heap
 * @param open catalogues, and as many of each of the others, whose directories stay in memory, up to a 64th of the heap: kilobytes for a
 *     library, a few megabytes at most
 */
@ConfigurationProperties("offsetd.catalogues")
record CatalogueProperties(
        @DefaultValue("64MB") DataSize cache,
        @DefaultValue("64") int open) {

    CatalogueProperties {
        cache = DataSize.ofBytes(Math.min(cache.toBytes(), Runtime.getRuntime().maxMemory() / 8));
    }
}
