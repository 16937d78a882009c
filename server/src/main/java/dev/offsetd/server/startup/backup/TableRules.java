package dev.offsetd.server.startup.backup;

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
            "watches",
            "watch_entries",
            "identity_facets",
            "events",
            "event_horizon",
            "webhooks",
            "undelivered_events",
            "change_counter",
            "token_revision");

    /**
     * Tables of what was extracted from debug files, with a {@code build_id} each and references to builds only. A backup
     * without catalogues has their rows of uploaded builds.
     */
    static final List<String> EXTRACTED = List.of(
            "debug_files",
            "extraction_lease",
            "catalogues",
            "symbol_tables",
            "frame_tables",
            "source_outcomes",
            "build_conflicts",
            "build_aliases",
            "shared_build_ids",
            "build_identities",
            "go_modules",
            "kept_uploads");

    /**
     * Tables of no backup: work in progress and caches. Lease holders are gone after a restore, sessions end, and
     * prewarm batches must be created again. A backup has the bytes of objects, so it needs no object store.
     */
    static final Set<String> NEVER = Set.of(
            "flyway_schema_history",
            "object_store",
            "stored_objects",
            "spring_session",
            "spring_session_attributes",
            "sign_in_attempts",
            "prewarms",
            "prewarm_items",
            "scheduled_tasks",
            "watch_tasks",
            "watch_downloads");

    /**
     * Columns to save of a table whose other columns would be wrong in another database. A lease keeps its fencing
     * number, which must keep rising.
     */
    static final Map<String, List<String>> ONLY_COLUMNS = Map.of("extraction_lease", List.of("build_id", "attempt"));

    /** Condition for a build that was read from an upload: no source can provide it again. */
    static final String UPLOADED = "build_id in (select build_id from debug_files where origin = 'upload')";

    /** Columns of builds that a build keeps when it is saved as if it was not fetched yet. */
    static final Set<String> COLUMNS_OF_WANTED = Set.of("build_id", "generation", "wanted_at");

    /** Tables that have one row from the start. */
    static final Set<String> SEEDED = Set.of("change_counter", "event_horizon", "token_revision", "object_store");

    /** Returns whether the table belongs to offsetd. */
    static boolean isKnown(String table) {
        return isLoadable(table) || NEVER.contains(table);
    }

    /** Returns whether a backup may contain the table. */
    static boolean isLoadable(String table) {
        return ALWAYS.contains(table) || EXTRACTED.contains(table);
    }
}
