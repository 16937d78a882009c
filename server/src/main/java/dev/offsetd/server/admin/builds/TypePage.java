package dev.offsetd.server.admin.builds;

import dev.offsetd.server.admin.map.Drawing;
import dev.offsetd.server.admin.map.LayoutStatistics;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Content of the page of a type.
 *
 * @param id of the build
 * @param item the type as an item of a query
 * @param missing why no type is shown; null if one is
 * @param variants definitions of this name that differ; empty if there is only one
 * @param chosen number of the variant that is shown, from 1; 0 if none is
 * @param facts null if no type is shown
 * @param layout null unless a struct, union or class is shown
 * @param copies the type as text, as others use it
 * @param commands that query the API for the type
 */
record TypePage(
        String id,
        String buildPath,
        String name,
        String item,
        @Nullable String missing,
        List<DefinitionLink> variants,
        int variantTotal,
        int chosen,
        @Nullable TypeFacts facts,
        @Nullable LayoutSection layout,
        List<EnumeratorLine> enumerators,
        List<CopyText> copies,
        List<CopyText> commands,
        boolean mayPin,
        String pinPath) {

    /** A definition of the name. */
    record DefinitionLink(int number, String path, String kind, String size, String unit, String language) {}

    /**
     * Facts about the type.
     *
     * @param also other definitions of the name that rank lower
     * @param pinned the pin of its size; null if there is none
     */
    record TypeFacts(
            String kind,
            String spelling,
            String size,
            String language,
            String unit,
            String place,
            String scope,
            List<String> also,
            @Nullable PinnedFact pinned) {}

    /** A pin of a whole type. */
    record PinnedFact(String path, String extracted) {}

    /**
     * Memory map and members.
     *
     * @param actions of the blocks by member path
     * @param capped number of omitted lines
     * @param previous path of the map from the start; null if it starts there
     * @param next path of the next part of the map; null if this is the last
     * @param rows widths of a row
     * @param cacheLines whether cache lines are marked
     * @param orders of the table
     * @param order text on the order of bits
     */
    record LayoutSection(
            Drawing drawing,
            Map<String, BlockLink> actions,
            LayoutStatistics figures,
            String padding,
            List<MemberLine> lines,
            int capped,
            @Nullable String previous,
            @Nullable String next,
            List<Choice> rows,
            List<Choice> cacheLines,
            List<Choice> orders,
            String order) {}

    /** A link to another view of the type. */
    record Choice(String title, boolean chosen, String path) {}

    /** The link of a block, with the attributes of htmx that replace it. */
    record BlockLink(
            String href,
            @Nullable String get,
            @Nullable String target,
            @Nullable String select,
            @Nullable String swap,
            @Nullable String push) {}

    /**
     * A member or a hole.
     *
     * @param depth nesting in expanded members
     * @param offset empty if it is computed at run time
     * @param fold path of the page with the member expanded or collapsed; null if it has no members
     * @param pinPath path of the form to pin it; null if it cannot be pinned
     * @param pinned path of its pin; null if it is not pinned
     */
    record MemberLine(
            int number,
            int depth,
            String name,
            String type,
            String offset,
            String hex,
            String size,
            String bits,
            boolean hole,
            boolean folded,
            @Nullable String fold,
            @Nullable String pinPath,
            @Nullable String pinned,
            String extracted) {}

    record EnumeratorLine(String name, String value) {}

    record CopyText(String title, String text) {}
}
