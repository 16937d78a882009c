package dev.offsetd.extractor.identity;

import java.util.List;

/**
 * Texts and symbols that name a program and its variant.
 *
 * @param variants looked for where a version of the same set is found
 */
public record Probes(List<VersionProbe> versions, List<VariantToken> variants) {

    /** Nothing. */
    public static final Probes NONE = new Probes(List.of(), List.of());

    public Probes {
        versions = List.copyOf(versions);
        variants = List.copyOf(variants);
    }
}
