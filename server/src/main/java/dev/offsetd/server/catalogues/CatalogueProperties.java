package dev.offsetd.server.catalogues;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How catalogues and symbols are read.
 *
 * @param cache memory for slices of both; of a small heap at most an eighth
 * @param open catalogues, and as many symbol tables, that are kept open with their directories: kilobytes for a library,
 *     a few megabytes at most
 */
@ConfigurationProperties("offsetd.catalogues")
record CatalogueProperties(
        @DefaultValue("64MB") DataSize cache,
        @DefaultValue("64") int open) {

    CatalogueProperties {
        cache = DataSize.ofBytes(Math.min(cache.toBytes(), Runtime.getRuntime().maxMemory() / 8));
    }
}
