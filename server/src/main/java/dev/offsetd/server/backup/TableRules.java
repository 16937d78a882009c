package dev.offsetd.server.backup;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules for which tables a backup contains. */
final class TableRules {

    private TableRules() {}

    /**
     * Tables of every backup, each after those it refers to. A table that a later migration drops stays here for the
     * backups that contain it.
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

    /** Tables of a backup with catalogues. They refer to builds only. */
    static final List<String> WITH_CATALOGUES = List.of(
            "debug_files", "extraction_lease", "catalogues", "symbol_tables", "source_outcomes", "build_conflicts");

    /**
     * Tables of no backup: work in progress and caches. Lease holders are gone after a restore, sessions end, and
     * prewarm batches must be created again.
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
     * Columns to save of a table whose other columns would be wrong in another database. A lease keeps its fencing
     * number, which must keep rising.
     */
    static final Map<String, List<String>> ONLY_COLUMNS = Map.of("extraction_lease", List.of("build_id", "attempt"));

    /**
     * Columns of builds in a backup without catalogues, which has the pinned builds as if they were not fetched yet.
     */
    static final List<String> COLUMNS_OF_WANTED = List.of("build_id", "state", "generation", "wanted_at");

    static final String SELECT_WANTED = """
            select build_id, 'wanted', generation, wanted_at from builds
            where exists (select from pins where pins.build_id = builds.build_id)
            """;

    /** Tables that have one row from the start. */
    static final Set<String> SEEDED = Set.of("change_counter", "token_revision");

    /** Returns whether the table belongs to offsetd. */
    static boolean isKnown(String table) {
        return isLoadable(table) || NEVER.contains(table);
    }

    /** Returns whether a backup may contain the table. */
    static boolean isLoadable(String table) {
        return ALWAYS.contains(table) || WITH_CATALOGUES.contains(table);
    }
}
