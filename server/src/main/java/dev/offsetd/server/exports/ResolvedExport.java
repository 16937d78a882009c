package dev.offsetd.server.exports;

import dev.offsetd.query.item.Item;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query for an export, with everything read once that its bytes depend on and that may change: its revision and its bytes
 * are made of the same values.
 *
 * @param base kernel whose types the export has, too
 * @param items of the query, type sets expanded; empty for all types
 * @param banner of the kernel, for ISF
 */
record ResolvedExport(
        Build build,
        StoredFile file,
        ExportQuery query,
        @Nullable Build base,
        List<Item> items,
        @Nullable String banner) {

    /** Separates items from types that a BPF program relocates, in the facts of an export; no item has this text. */
    private static final String RELOCATED = ".BTF.ext";

    ResolvedExport {
        items = List.copyOf(items);
    }

    /** Returns what identifies the bytes. */
    Export export() {
        List<String> facts = new ArrayList<>();
        if (query.format() == ServedFormat.BTF) {
            facts.add(query.names().name());
        }
        if (base != null) {
            facts.addAll(List.of(
                    base.id().toString(),
                    Long.toString(base.generation()),
                    Integer.toString(base.versions().types())));
        }
        items.forEach(item -> facts.add(item.text()));
        if (query.relocated() != null) {
            facts.add(RELOCATED);
            query.relocated().forEach(type -> facts.add(type.spelling()));
        }
        if (banner != null) {
            facts.add(banner);
        }
        return new Export(
                build.id(), build.generation(), file.versions().types(), file.sha256(), query.format(), facts);
    }
}
