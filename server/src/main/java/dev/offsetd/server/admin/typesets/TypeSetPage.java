package dev.offsetd.server.admin.typesets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Need;
import dev.offsetd.server.typesets.TypeSets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Content of the page of one type set.
 *
 * @param json the document, indented
 * @param versions of an own set, newest first; none of a built-in set
 */
record TypeSetPage(
        TypeSets.CurrentSet known,
        List<EntryLine> lines,
        String json,
        List<TypeSets.SetVersion> versions,
        CoverageTable coverage) {

    /**
     * An entry of the set.
     *
     * @param group name of the group; null for a single item
     * @param ways items of each alternative; a single item is the only one
     */
    record EntryLine(
            @Nullable String group,
            Need need,
            List<List<String>> ways,
            @Nullable String note) {}

    /**
     * Coverage of the set in some builds.
     *
     * @param typed the build-ids as typed; empty for the latest builds
     * @param error why they cannot be shown; null if they are
     * @param most build-ids of one request
     */
    record CoverageTable(String typed, @Nullable String error, int most, List<CoverageLine> rows) {}

    /**
     * A build.
     *
     * @param machine name of the processor; empty if no types are stored
     * @param coverage null if it is unknown
     * @param note why it is unknown; empty if it is known
     */
    record CoverageLine(
            BuildId id, String machine, @Nullable Coverage coverage, String note, List<MissingEntryLine> missing) {}

    /**
     * An entry that a build lacks.
     *
     * @param text the item, or the name of the group
     * @param items missing items of the group; empty for a single item
     * @param status of a single item; empty for a group
     */
    record MissingEntryLine(String text, Need need, List<String> items, String status) {}
}
