package dev.offsetd.server.admin.overview;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the overview shows.
 *
 * @param warnings what is wrong with this server, in sentences
 */
record OverviewPage(
        Server server,
        List<String> warnings,
        List<Stat> stats,
        List<Part> states,
        List<Part> machines,
        List<Result> results,
        List<Work> underWay,
        List<Upstream> upstreams,
        List<Demand> demand,
        List<Fact> stores) {

    OverviewPage {
        warnings = List.copyOf(warnings);
        stats = List.copyOf(stats);
        states = List.copyOf(states);
        machines = List.copyOf(machines);
        results = List.copyOf(results);
        underWay = List.copyOf(underWay);
        upstreams = List.copyOf(upstreams);
        demand = List.copyOf(demand);
        stores = List.copyOf(stores);
    }

    /** The server that has made the page: what is not in the database is this one's alone. */
    record Server(String name, Moment since) {}

    /** A number with its name, and the page that tells more. */
    record Stat(
            String value,
            String label,
            @Nullable String note,
            @Nullable String link) {}

    /**
     * How many builds are of some kind.
     *
     * @param badge class of its badge
     */
    record Part(String name, String badge, String builds) {}

    /** The last result of a build. */
    record Result(String id, Moment at, String state, String badge, String told) {}

    /** A build that a server works on. */
    record Work(String id, String server, Moment seen, boolean stored) {}

    /**
     * An upstream.
     *
     * @param latest the last times that it was asked, the latest last
     * @param misses builds that it is known not to have, in words
     */
    record Upstream(
            String name,
            String breaker,
            String badge,
            @Nullable String pause,
            String requests,
            String failures,
            @Nullable String latency,
            @Nullable Moment askedAt,
            @Nullable Moment failedAt,
            @Nullable String failure,
            List<Asked> latest,
            String misses) {

        Upstream {
            latest = List.copyOf(latest);
        }
    }

    /**
     * One time that an upstream was asked.
     *
     * @param sign a character that tells the outcomes apart without colour
     * @param badge class of its badge
     * @param told what it was, in words
     */
    record Asked(String sign, String badge, String told) {}

    /** A build that was asked for in vain. */
    record Demand(String id, String asked, Moment last, String cause) {}

    /** Something that has a name and a value. */
    record Fact(String name, String value) {}
}
