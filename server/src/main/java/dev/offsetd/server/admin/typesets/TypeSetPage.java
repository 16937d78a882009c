package dev.offsetd.server.admin.typesets;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page of one set shows.
 *
 * @param json the set as it is handed out, laid out for reading
 * @param versions of an own set, the newest first; none of a built-in one
 */
record TypeSetPage(
        String name,
        int version,
        String title,
        boolean builtIn,
        int required,
        int optional,
        List<Entry> entries,
        String json,
        List<Version> versions,
        Coverage coverage) {

    TypeSetPage {
        entries = List.copyOf(entries);
        versions = List.copyOf(versions);
    }

    /**
     * One thing that the set needs.
     *
     * @param group name of the group; null for a single item
     * @param ways the items, of each alternative its own
     */
    record Entry(
            @Nullable String group,
            boolean required,
            List<List<String>> ways,
            @Nullable String note) {

        Entry {
            ways = ways.stream().map(List::copyOf).toList();
        }
    }

    /** One version of the set. */
    record Version(int number, String author, Moment at, int entries) {}

    /**
     * How much of the set builds have.
     *
     * @param asked the builds that were typed; empty for those that came last
     * @param error what is wrong with them; null if nothing is
     * @param most builds that are looked at at once
     */
    record Coverage(String asked, @Nullable String error, int most, List<Build> builds) {

        Coverage {
            builds = List.copyOf(builds);
        }
    }

    /**
     * A build.
     *
     * @param told why there are no numbers; null if there are
     * @param machine name of its processor; empty if its types are not stored
     * @param complete whether all that is required is there
     */
    record Build(
            String id,
            @Nullable String told,
            String machine,
            String required,
            String optional,
            boolean complete,
            List<Missing> missing) {

        Build {
            missing = List.copyOf(missing);
        }
    }

    /**
     * Something that a build lacks.
     *
     * @param what the item, or the name of the group
     * @param items the items of the group that were not found; empty for a single item
     * @param status why a single item was not found, in words; empty for a group
     */
    record Missing(String what, boolean required, List<String> items, String status) {

        Missing {
            items = List.copyOf(items);
        }
    }
}
