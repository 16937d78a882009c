package dev.offsetd.server.admin.builds;

import dev.offsetd.server.admin.map.Drawing;
import dev.offsetd.server.admin.map.LayoutFigures;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the page of a type shows.
 *
 * @param id of the build
 * @param item the type as an item of a question
 * @param missing why there is nothing to show; null if there is
 * @param variants different types of this name; empty if there is one
 * @param chosen the number of the one that is shown, from 1; 0 if none is
 * @param facts of the type that is shown; null if none is
 * @param layout of a struct, union or class; null if it is none
 * @param commands that ask the API for the same
 */
record TypePage(
        String id,
        String buildPath,
        String name,
        String item,
        @Nullable String missing,
        List<Variant> variants,
        int variantTotal,
        int chosen,
        @Nullable Facts facts,
        @Nullable Layout layout,
        List<EnumeratorLine> enumerators,
        List<Command> commands,
        boolean mayPin,
        String pinPath) {

    /** One of several types of a name. */
    record Variant(int number, String path, String kind, String size, String unit, String language) {}

    /**
     * What a type is.
     *
     * @param also other things that the name could mean, and that rank behind
     * @param pinned the pin of its size; null if there is none
     */
    record Facts(
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
     * The members of a type.
     *
     * @param actions what blocks of the drawing do, by their paths
     * @param capped how many members there are more than lines; 0 if there are none
     * @param previous path of the drawing from the start; null if it begins there
     * @param next path of what comes behind; null if everything is drawn
     * @param otherRows path of the same with rows of another length
     * @param order how bits are counted, in words
     */
    record Layout(
            Drawing drawing,
            Map<String, Action> actions,
            LayoutFigures figures,
            String padding,
            List<MemberLine> lines,
            int capped,
            @Nullable String previous,
            @Nullable String next,
            int rowBytes,
            String otherRows,
            String order,
            String here) {}

    /** What happens when a block is chosen; without a script its link is followed. */
    record Action(
            String href,
            @Nullable String get,
            @Nullable String target,
            @Nullable String select,
            @Nullable String swap,
            @Nullable String push) {}

    /**
     * A member, or a hole, in the table.
     *
     * @param number of the line, from 0
     * @param depth how deep it lies in members that are unfolded
     * @param offset null for what has no fixed place
     * @param fold path of the same page with its members shown, or hidden; null if it has none
     * @param pinPath path of the form to pin it; null if it cannot be
     * @param pinned path of the pin; null if it is not pinned
     */
    record MemberLine(
            int number,
            int depth,
            String name,
            String type,
            @Nullable Long offset,
            String hex,
            String size,
            String bits,
            boolean hole,
            boolean folded,
            @Nullable String fold,
            @Nullable String pinPath,
            @Nullable String pinned,
            String extracted) {}

    /** An enumerator. */
    record EnumeratorLine(String name, String value) {}

    /** A command, and what it is for. */
    record Command(String title, String text) {}
}
