package dev.offsetd.server.backup;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which tables are backed up. */
final class TableRules {

    private TableRules() {}

    /**
     * Those of every backup, each behind the ones that it refers to. A table that a later migration drops stays here for
     * the backups that have it.
     */
    static final List<String> ALWAYS = List.of(
            "builds",
            "pins",
            "pin_history",
            "type_sets",
            "type_set_versions",
            "tokens",
            "users",
            "audit",
            "demand",
            "change_counter",
            "token_revision");

    /** Those of a backup with catalogues; they refer to builds only. */
    static final List<String> WITH_CATALOGUES =
            List.of("extraction_lease", "catalogues", "symbol_tables", "source_outcomes", "build_conflicts");

    /**
     * Those of no backup: what is under way, and what others keep for themselves. Whoever holds a lease is gone when it is
     * restored; sessions end; batches that fetch ahead are posted anew.
     */
    static final Set<String> NEVER = Set.of(
            "flyway_schema_history",
            "spring_session",
            "spring_session_attributes",
            "sign_in_attempts",
            "prewarms",
            "prewarm_items",
            "scheduled_tasks");

    /**
     * Columns that are saved of a table of which others would be wrong in another database. Of leases only the fencing number:
     * it must go on rising.
     */
    static final Map<String, List<String>> ONLY_COLUMNS = Map.of("extraction_lease", List.of("build_id", "attempt"));

    /** Of builds in a backup without catalogues: those that pins refer to, as if nobody had fetched them yet. */
    static final List<String> COLUMNS_OF_WANTED = List.of("build_id", "state", "generation", "wanted_at");

    static final String SELECT_WANTED = """
            select build_id, 'wanted', generation, wanted_at from builds
            where exists (select from pins where pins.build_id = builds.build_id)
            """;

    /** Tables that have one row from the start. */
    static final Set<String> SEEDED = Set.of("change_counter", "token_revision");

    /** Whether it is one of ours. */
    static boolean isKnown(String table) {
        return isLoadable(table) || NEVER.contains(table);
    }

    /** Whether a backup may have it. */
    static boolean isLoadable(String table) {
        return ALWAYS.contains(table) || WITH_CATALOGUES.contains(table);
    }
}
