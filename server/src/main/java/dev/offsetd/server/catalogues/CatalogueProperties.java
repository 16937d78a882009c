package dev.offsetd.server.catalogues;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How catalogues are read.
 *
 * @param cache memory for slices of catalogues
 */
@ConfigurationProperties("offsetd.catalogues")
record CatalogueProperties(@DefaultValue("64MB") DataSize cache) {}
