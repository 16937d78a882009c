package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each table is written by one package, and read by no other, with the exceptions below: SQL in string literals and JPA entities
 * name no other package's table.
 */
class TableOwnershipTests {

    private static final Path SOURCES = Path.of("src/main/java/dev/offsetd/server");
    private static final Path MIGRATIONS = Path.of("../migrations/src/main/resources/db/migration");

    private static final Map<String, Set<String>> TABLES = Map.ofEntries(
            Map.entry("access.audit", Set.of("audit")),
            Map.entry(
                    "builds",
                    Set.of(
                            "builds",
                            "build_aliases",
                            "build_conflicts",
                            "shared_build_ids",
                            "debug_files",
                            "source_outcomes")),
            Map.entry("builds.lease", Set.of("extraction_lease")),
            Map.entry(
                    "storage",
                    Set.of(
                            "catalogues",
                            "symbol_tables",
                            "frame_tables",
                            "kept_uploads",
                            "stored_objects",
                            "object_store")),
            Map.entry("operations.changes", Set.of("change_counter")),
            Map.entry("builds.identity", Set.of("build_identities", "go_modules", "identity_facets")),
            Map.entry("builds.demand", Set.of("demand")),
            Map.entry(
                    "access.users", Set.of("users", "sign_in_attempts", "spring_session", "spring_session_attributes")),
            Map.entry("pins", Set.of("pins", "pin_history")),
            Map.entry("prewarms", Set.of("prewarms", "prewarm_items")),
            // db-scheduler accesses its table itself.
            Map.entry("operations.work", Set.of("scheduled_tasks", "watch_tasks")),
            Map.entry("events", Set.of("events", "event_horizon")),
            Map.entry("webhooks", Set.of("webhooks", "undelivered_events")),
            Map.entry("access.tokens", Set.of("tokens", "token_revision")),
            Map.entry("typesets", Set.of("type_sets", "type_set_versions")),
            Map.entry("watches", Set.of("watches", "watch_entries", "watch_downloads")));

    /**
     * Tables of other packages that a package joins with its own. A list of builds that is filtered by identity and by state has
     * to be one statement: either condition alone may hold for millions of builds. A page of demand is filtered by state, too. Builds
     * are read with their leases, so that both are of one moment.
     */
    private static final Map<String, Set<String>> JOINED = Map.of(
            "builds",
            Set.of("extraction_lease"),
            "builds.identity",
            Set.of("builds", "debug_files", "extraction_lease", "shared_build_ids"),
            "builds.demand",
            Set.of("builds"));

    /** A backup copies tables as they are, whatever their meaning. */
    private static final Set<String> EXEMPT = Set.of("startup.backup");

    private static final Pattern LITERAL =
            Pattern.compile("\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\\\\n]|\\\\.)*)\"", Pattern.DOTALL);

    private static final List<Pattern> NAMED = List.of(
            Pattern.compile(
                    "\\b(?:from|join|into|update|references|using|truncate|table)\\s+(?:only\\s+)?([a-z_]+)",
                    Pattern.CASE_INSENSITIVE),
            Pattern.compile("\\bfrom\\s+[a-z_]+(?:\\s+[a-z]+)?\\s*,\\s*([a-z_]+)", Pattern.CASE_INSENSITIVE));

    /** SQL that continues with a name from elsewhere: the literal ends at the table, or has a placeholder there. */
    private static final Pattern OPEN_ENDED = Pattern.compile(
            "\\b(?:select\\b.*\\bfrom|delete\\s+from|insert\\s+into|update|truncate(?:\\s+table)?|join)\\s+"
                    + "(?:only\\s+)?(?:%s|$)",
            Pattern.DOTALL);

    private static final Pattern WRITTEN = Pattern.compile(
            "\\b(?:insert\\s+into|update|delete\\s+from|truncate(?:\\s+table)?)\\s+(?:only\\s+)?([a-z_]+)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern ENTITY = Pattern.compile("@Table\\(name = \"([a-z_]+)\"\\)");

    private static final Pattern CREATED = Pattern.compile("create table (?:if not exists )?([a-z_]+)");

    private static final Pattern DROPPED = Pattern.compile("drop table (?:if exists )?([a-z_]+)");

    private static Map<String, String> owners() {
        Map<String, String> owners = new TreeMap<>();
        TABLES.forEach((owner, tables) -> tables.forEach(table -> owners.put(table, owner)));
        return owners;
    }

    private static List<Path> files(Path folder, String extension) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(extension))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> literals(String source) {
        return LITERAL.matcher(source)
                .results()
                .map(literal -> literal.group(1) == null ? literal.group(2) : literal.group(1))
                .toList();
    }

    /** Whether the source builds SQL with a table name that is a variable or constant. */
    private static boolean isOpenEnded(String source) {
        return literals(source).stream()
                .anyMatch(text -> OPEN_ENDED.matcher(text).find());
    }

    /**
     * Returns the tables that a source file names, own ones included.
     *
     * @param parameterized classes that take table names as arguments: in them, and in files that create one, a literal that
     *     is exactly a table name counts
     */
    private static Set<String> tablesIn(String source, Set<String> known, Set<String> parameterized) {
        Set<String> tables = new TreeSet<>();
        boolean passesNames = isOpenEnded(source)
                || parameterized.stream()
                        .anyMatch(type -> Pattern.compile("\\b" + type + "(?:<[^>]*>)?\\(|\\b" + type + "\\.")
                                .matcher(source)
                                .find());
        for (String text : literals(source)) {
            NAMED.forEach(pattern ->
                    pattern.matcher(text).results().map(match -> match.group(1)).forEach(tables::add));
            if (passesNames) {
                tables.add(text);
            }
        }
        ENTITY.matcher(source).results().map(match -> match.group(1)).forEach(tables::add);
        tables.retainAll(known);
        return tables;
    }

    /** Whether a package may name a table in this source file. */
    private static boolean mayName(String feature, String table, String owner, String source) {
        return feature.equals(owner)
                || EXEMPT.contains(feature)
                || (JOINED.getOrDefault(feature, Set.of()).contains(table) && !isWritten(table, source));
    }

    private static boolean isWritten(String table, String source) {
        return literals(source).stream()
                .flatMap(text -> WRITTEN.matcher(text).results())
                .anyMatch(statement -> statement.group(1).equals(table));
    }

    @Test
    void everyTableHasAnOwner() throws IOException {
        Set<String> tables = new TreeSet<>();
        for (Path migration : files(MIGRATIONS, ".sql")) {
            String sql = Files.readString(migration);
            CREATED.matcher(sql).results().map(match -> match.group(1)).forEach(tables::add);
            DROPPED.matcher(sql).results().map(match -> match.group(1)).forEach(tables::remove);
        }
        assertThat(owners().keySet()).containsExactlyElementsOf(tables);
    }

    @Test
    void packagesNameOnlyTheirOwnTables() throws IOException {
        Map<String, String> owners = owners();
        List<String> violations = new ArrayList<>();
        Set<String> used = new TreeSet<>();
        Set<String> parameterized = new TreeSet<>();
        for (Path file : files(SOURCES, ".java")) {
            if (isOpenEnded(Files.readString(file))) {
                parameterized.add(file.getFileName().toString().replace(".java", ""));
            }
        }
        for (Path file : files(SOURCES, ".java")) {
            String feature =
                    SOURCES.relativize(file.resolveSibling("")).toString().replace('/', '.');
            String source = Files.readString(file);
            for (String table : tablesIn(source, owners.keySet(), parameterized)) {
                String owner = owners.getOrDefault(table, "");
                if (!mayName(feature, table, owner, source)) {
                    violations.add(file.getFileName() + " names " + table + ", which " + owner + " owns");
                }
                used.add(table);
            }
        }
        assertThat(violations)
                .as("a package offers what others need of its tables as a Java type")
                .isEmpty();
        // The scan sees every kind of statement that the packages use.
        assertThat(used).contains("builds", "pins", "prewarm_items", "tokens", "type_sets", "users");
    }

    private static Set<String> tablesIn(String source) {
        return tablesIn(source, Set.of("builds", "pins", "demand", "tokens"), Set.of("Blobs"));
    }

    @Test
    void scanFindsTablesInEveryPosition() {
        assertThat(tablesIn("jdbc.sql(\"select 1 from builds b, pins p join demand d using (id)\")"))
                .containsExactly("builds", "demand", "pins");
        assertThat(tablesIn("sql = \"\"\"\n  delete\n  from only builds\n  \"\"\";"))
                .containsExactly("builds");
        assertThat(tablesIn("@Table(name = \"tokens\") class Row {}")).containsExactly("tokens");
    }

    @Test
    void joinedTablesAreReadOnly() {
        assertThat(mayName("builds.identity", "builds", "builds", "sql(\"select 1 from own join builds using (id)\")"))
                .isTrue();
        assertThat(mayName("builds.identity", "builds", "builds", "sql(\"update builds set state = 'wanted'\")"))
                .isFalse();
        assertThat(mayName("builds.identity", "builds", "builds", "sql(\"delete from builds\")"))
                .isFalse();
        assertThat(mayName("builds.identity", "pins", "pins", "sql(\"select 1 from pins\")"))
                .isFalse();
    }

    @Test
    void scanFindsTablesThatArePassedAsConstants() {
        assertThat(tablesIn("T = \"builds\"; sql(\"select 1 from \" + T)")).containsExactly("builds");
        assertThat(tablesIn("sql(\"delete from %s where id = :id\".formatted(\"pins\"))"))
                .containsExactly("pins");
        assertThat(tablesIn("new Blobs<>(jdbc, \"demand\")")).containsExactly("demand");
        assertThat(tablesIn("out.writeArrayPropertyStart(\"pins\")")).isEmpty();
    }
}
