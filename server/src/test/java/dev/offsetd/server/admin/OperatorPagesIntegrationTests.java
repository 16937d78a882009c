package dev.offsetd.server.admin;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_LANG_C99;
import static dev.offsetd.extractor.testkit.Dw.DW_LANG_Rust;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of operators, as each role uses them, on one server. */
@Timeout(120)
class OperatorPagesIntegrationTests {

    private static final BuildId HOSTILE_ID = BuildId.parse("bad0bad0bad0bad0bad0bad0bad0bad0bad0bad0");
    private static final BuildId MANY_ID = BuildId.parse("7a1e000000000000000000000000000000000001");

    /** Types of the build that has many. */
    private static final int MANY = 450;

    private static final Pattern NEXT = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"");

    private static final String HOSTILE = "<script>alert(1)</script>";
    private static final String FORM_SET = """
        {"title": "Points of a plane", "items": [{"item": "point.x"}, {"item": "point.z", "need": "optional"}]}\
        """;

    private static TestDatabase database;
    private static TestServer server;
    private static AdminClient admin;
    private static AdminClient reader;
    private static AdminClient publisher;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        Path debug = folder.resolve("debug");
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        ShapesBuild.putInto(debug);
        Path hostile = debug.resolve(".build-id/ba/" + HOSTILE_ID.toString().substring(2) + ".debug");
        Files.createDirectories(hostile.getParent());
        Files.write(
                hostile,
                DwarfWriter.write(
                                DwarfStyle.DEFAULT,
                                unit(
                                        baseType("int", 4, DW_ATE_signed),
                                        struct("point", 12, member("x", "int", 0), member(HOSTILE, "int", 4))))
                        .toElf()
                        .buildId(HexFormat.of().parseHex(HOSTILE_ID.toString()))
                        .toBytes());
        Part[] structs = new Part[MANY + 1];
        structs[0] = baseType("int", 4, DW_ATE_signed);
        for (int i = 1; i <= MANY; i++) {
            structs[i] = struct("many%03d".formatted(i), 4, member("m", "int", 0));
        }
        Path many = debug.resolve(".build-id/7a/" + MANY_ID.toString().substring(2) + ".debug");
        Files.createDirectories(many.getParent());
        Files.write(
                many,
                DwarfWriter.write(
                                DwarfStyle.DEFAULT,
                                unit("many.c", DW_LANG_C99, structs),
                                unit(
                                        "lib.rs",
                                        DW_LANG_Rust,
                                        baseType("i32", 4, DW_ATE_signed),
                                        struct("Crate", 4, member("m", "i32", 0))))
                        .toElf()
                        .buildId(MANY_ID.toBytes())
                        .toBytes());
        database = TestDatabase.create();
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + debug,
                "offsetd.demand.flush=20ms");
        server.offsets(SmallBuild.ID, "point");
        server.offsets(ShapesBuild.ID, "point");
        server.offsets(SmallBuild.UNKNOWN_ID, "point");
        admin = AdminClient.signIn(server);
        reader = AdminClient.signIn(server, "reader", "read");
        publisher = AdminClient.signIn(server, "publisher", "publish");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String body(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body();
    }

    private static String page(AdminClient client, String path) {
        return body(client.get(path), 200);
    }

    private static String location(HttpResponse<String> response) {
        body(response, 303);
        String location = response.headers().firstValue("Location").orElseThrow();
        return location.startsWith("http") ? location.substring(server.url().length()) : location;
    }

    private static String group(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin",
                "/admin/checks",
                "/admin/diff",
                "/admin/type-sets",
                "/admin/type-sets/ruby",
                "/admin/prewarms",
                "/admin/demand"
            })
    void readersMayOpen(String path) {
        assertThat(page(reader, path)).contains("<h1").contains("</html>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/tokens",
                "/admin/audit",
                "/admin/audit.csv",
                "/admin/type-sets/-/new",
                "/admin/type-sets/ruby/edit"
            })
    void onlyAdministratorsMayOpen(String path) {
        for (AdminClient client : List.of(reader, publisher)) {
            assertThat(client.get(path).statusCode()).as(path).isEqualTo(403);
        }
    }

    @Test
    void onlyPublishersPrewarmBuilds() {
        Map<String, String> form = Map.of("builds", SmallBuild.ID.toString());
        assertThat(reader.post("/admin/prewarms", form).statusCode()).isEqualTo(403);
        assertThat(page(reader, "/admin/demand")).doesNotContain("aria-label=\"Prewarm");
        String batch = location(publisher.post("/admin/prewarms", form));
        assertThat(batch).matches("/admin/prewarms/[0-9a-f-]{36}");
        assertThat(reader.post(batch + "/cancel", Map.of()).statusCode()).isEqualTo(403);
        assertThat(page(reader, batch)).contains("Prewarm of 1 build").doesNotContain(batch + "/cancel");
        assertThat(page(publisher, "/admin/demand")).doesNotContain("aria-label=\"Pin");
    }

    @Test
    void overviewShowsBuildsAndUpstreams() {
        String page = page(admin, "/admin");
        assertThat(page)
                .contains(SmallBuild.ID.toString(), ShapesBuild.ID.toString(), SmallBuild.UNKNOWN_ID.toString())
                .contains("x86_64", "not found", "PostgreSQL", "disabled")
                .contains("href=\"/admin/builds?state=not_found\"");
        String moving = page(admin.withHeaders("HX-Request", "true"), "/admin");
        assertThat(moving).contains("Builds by status").doesNotContain("<html", "<h1");
    }

    @Test
    void checksHaveARowForEachBuild() throws IOException {
        String form = page(reader, "/admin/checks");
        String error = "<p class=\"notice notice-bad\" role=\"alert\">";
        assertThat(form).contains("No check", "data-check", "@ruby").doesNotContain(error);

        // A form sends its empty fields, too.
        String path = "/admin/checks?map=&reference=&types=@ruby&q=" + SmallBuild.ID;
        assertThat(page(reader, path))
                .contains("/admin/builds/" + SmallBuild.ID, ">fails<", ">absent<", "rb_execution_context_struct")
                .doesNotContain("/admin/builds/" + ShapesBuild.ID);
        assertThat(page(reader.withHeaders("HX-Request", "true"), path))
                .contains(">fails<")
                .doesNotContain("<html", "<h1");
        assertThat(page(reader, "/admin/checks?types=@ruby&q=nosuchname")).contains("No builds");
        assertThat(body(reader.get("/admin/checks?types=@nowhere"), 400)).contains("nowhere", error);

        byte[] program;
        try (InputStream in = Objects.requireNonNull(
                BpfObject.class.getResourceAsStream("BpfObjectFuzzTestsInputs/fuzz/frames"), "frames")) {
            program = in.readAllBytes();
        }
        String query = "/admin/checks?types=&q=" + SmallBuild.ID;
        assertThat(body(reader.postBytes(query, program, reader.token()), 200))
                .contains(">fails<", "struct rb_execution_context_struct.cfp", "field byte offset")
                .doesNotContain("<html");
        assertThat(body(reader.postBytes(query, new byte[10], reader.token()), 400))
                .contains("role=\"alert\"");
        assertThat(reader.postBytes(query, program, null).statusCode()).isEqualTo(403);
    }

    @Test
    void diffShowsMembersSideBySide() {
        String path = "/admin/diff?from=" + SmallBuild.ID + "&to=" + ShapesBuild.ID + "&types=point";
        String page = page(reader, path);
        assertThat(page).contains("struct, 8 bytes", "struct, 12 bytes", "moved", "same");
        assertThat(page)
                .contains("Memory map of point, from", "y: int; offset 4 (0x4); 4 bytes; moved")
                .contains("Memory map of point, to", "y: int; offset 8 (0x8); 4 bytes; moved");
        String only = page(reader, path + "&only=on");
        assertThat(only).contains("moved").doesNotContain("diff-same");
    }

    @Test
    void diffOfASetIsThatOfItsItems() {
        location(newSet("plane", FORM_SET));
        String query = "from=" + SmallBuild.ID + "&to=" + HOSTILE_ID + "&types=@plane";
        assertThat(page(reader, "/admin/diff?" + query)).contains("1 item is unchanged", "point.x");
        assertThat(Json.of(server.get("/v1/diff?" + query))
                        .path("types")
                        .valueStream()
                        .map(type -> type.path("type").asString()))
                .containsExactly("point.x", "point.z");
    }

    @Test
    void diffWithoutTypesComparesWholeBuildsByTypeSet() {
        location(newSet("shapes", FORM_SET));
        String page = page(reader, "/admin/diff?from=" + SmallBuild.ID + "&to=" + ShapesBuild.ID);
        int set = page.indexOf(">@shapes<");
        int others = page.indexOf(">Other types<");
        assertThat(set).isPositive().isLessThan(others);
        assertThat(page.substring(set, others))
                .contains("1 changed; 1 type compared", "struct, 8 bytes", "struct, 12 bytes", "types=point\"");
        assertThat(page.substring(others)).contains(">either<", "added").doesNotContain(">point<");
        assertThat(page(reader, "/admin/diff?from=" + ShapesBuild.ID + "&to=" + ShapesBuild.ID))
                .contains(">No differences<", " in 6 compared types.");
    }

    @Test
    void diffOfWholeBuildsContinuesAfterTwoHundredRows() {
        String path = "/admin/diff?from=" + SmallBuild.ID + "&to=" + MANY_ID;
        Set<String> found = new TreeSet<>();
        int parts = 0;
        for (String next = path; next != null; parts++) {
            String part = page(parts == 0 ? reader : reader.withHeaders("HX-Request", "true"), next);
            List<String> names = Pattern.compile("<bdi>(many[0-9]+)<")
                    .matcher(part)
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            assertThat(names).hasSizeLessThan(300);
            assertThat(found).doesNotContainAnyElementsOf(names);
            found.addAll(names);
            assertThat(part).doesNotContain(">Crate<");
            if (parts > 0) {
                assertThat(part).contains(", continued").doesNotContain("<html");
            }
            Matcher more = Pattern.compile("href=\"([^\"]+)\"[^>]*>More<").matcher(part);
            next = more.find() ? more.group(1).replace("&amp;", "&") : null;
        }
        assertThat(found).hasSize(MANY);
        assertThat(parts).isGreaterThan(1);
    }

    @Test
    void diffOfItemsContinuesAfterTwoHundredRows() {
        String items =
                IntStream.rangeClosed(1, MANY).mapToObj("many%03d"::formatted).collect(Collectors.joining(","));
        String next = "/admin/diff?from=" + SmallBuild.ID + "&to=" + MANY_ID + "&types=" + items + ",int";
        List<String> found = new ArrayList<>();
        int parts = 0;
        for (; next != null; parts++) {
            String part = page(parts == 0 ? reader : reader.withHeaders("HX-Request", "true"), next);
            List<String> names = Pattern.compile("<h2[^>]*>(many[0-9]+)<")
                    .matcher(part)
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            assertThat(names).hasSizeLessThanOrEqualTo(200);
            found.addAll(names);
            if (parts > 0) {
                assertThat(part).doesNotContain("<html", "unchanged");
            }
            Matcher more = Pattern.compile("href=\"([^\"]+)\"[^>]*>More<").matcher(part);
            next = more.find() ? more.group(1).replace("&amp;", "&") : null;
        }
        assertThat(found).hasSize(MANY).doesNotHaveDuplicates();
        assertThat(parts).isEqualTo(3);
    }

    @Test
    void diffOfWholeBuildsIsPolledAsAPage() {
        String path = "/admin/diff?from=" + SmallBuild.ID + "&to=" + MANY_ID;
        assertThat(page(reader.withHeaders("HX-Request", "true", "HX-Target", "diff"), path))
                .contains("<main id=\"diff\"", ">many001<", "name=\"from\"");
    }

    @Test
    void partOfADiffThatIsRefusedReloadsThePage() {
        // The page waits for three seconds only.
        assertThat(server.offsets(MANY_ID, "int", "Prefer", "wait=60").statusCode())
                .isEqualTo(200);
        AdminClient script = reader.withHeaders("HX-Request", "true");
        String path = "/admin/diff?from=" + SmallBuild.ID;
        HttpResponse<String> refused = script.get(path + "&to=" + SmallBuild.UNKNOWN_ID + "&at=200");
        assertThat(refused.headers().firstValue("HX-Refresh")).hasValue("true");
        HttpResponse<String> part = script.get(path + "&to=" + MANY_ID + "&at=200");
        assertThat(part.headers().firstValue("HX-Refresh")).isEmpty();
        assertThat(part.body()).doesNotContain("<main");
    }

    @Test
    void diffFoldsOtherLanguages() {
        String path = "/admin/diff?from=" + SmallBuild.ID + "&to=" + MANY_ID;
        String folded = page(reader, path);
        assertThat(folded).contains("Other languages: 2 types<").doesNotContain(">Crate<");
        assertThat(page(reader, path + "&others=true"))
                .contains(">Other languages<", ">Crate<")
                .doesNotContain(">many001<");
    }

    @Test
    void namesFromAFileAreText() {
        String page = page(
                reader,
                "/admin/diff?from=" + SmallBuild.ID + "&to=" + HOSTILE_ID + "&types="
                        + TestServer.escape("point," + HOSTILE));
        assertThat(page).contains("&lt;script&gt;alert(1)&lt;/script&gt;").doesNotContain(HOSTILE);
    }

    @Test
    void failedDiffMarksTheWrongFieldsAndKeepsTheInput() {
        String malformed = body(reader.get("/admin/diff?from=xyz&to=&types=point"), 422);
        assertThat(malformed).contains("is not a build-id", "value=\"xyz\"", "value=\"point\"");
        assertWrong(malformed, "from", "to");
        String unknown = body(
                reader.get("/admin/diff?from=" + SmallBuild.ID + "&to=" + SmallBuild.UNKNOWN_ID + "&types=point"), 404);
        assertThat(unknown).contains("build " + SmallBuild.UNKNOWN_ID, "value=\"point\"");
        assertWrong(unknown, "to");
        String builds = "/admin/diff?from=" + SmallBuild.ID + "&to=" + SmallBuild.ID;
        for (String types : List.of("@nowhere", "a..b")) {
            String wrong = body(reader.get(builds + "&types=" + types), 422);
            assertThat(wrong).contains("value=\"" + types + "\"");
            assertWrong(wrong, "types");
        }
        assertWrong(page(reader, "/admin/diff"));
        assertWrong(page(reader, builds));
        body(reader.get(builds + "&at=x"), 400);
    }

    /** Asserts that the form of a diff marks these fields, and focuses the first of them. */
    private static void assertWrong(String page, String... wrong) {
        for (String name : List.of("from", "to", "types")) {
            String input = group("(<input[^>]* name=\"" + name + "\"[^>]*>)", page);
            assertThat(input.contains("aria-invalid=\"true\"") && page.contains("id=\"" + name + "-error\""))
                    .as(input)
                    .isEqualTo(List.of(wrong).contains(name));
            assertThat(input.contains("autofocus")).as(input).isEqualTo(wrong.length > 0 && wrong[0].equals(name));
        }
    }

    private static HttpResponse<String> newSet(String name, String document) {
        return admin.post("/admin/type-sets/-/new", Map.of("name", name, "document", document));
    }

    @Test
    void setIsCreatedEditedAndComparedWithBuilds() {
        String refused = body(newSet("Axis", "{\"title\":\n 7}"), 422);
        assertThat(refused).contains("expected a lower-case letter", "line 2, column 2: title", "value=\"Axis\"");
        assertThat(location(newSet("axis", FORM_SET))).isEqualTo("/admin/type-sets/axis");
        assertThat(body(newSet("axis", FORM_SET), 422)).contains("&quot;axis&quot; exists; expected another name");
        String named = "{\"name\": \"named\", " + FORM_SET.strip().substring(1);
        assertThat(location(newSet("named", named))).isEqualTo("/admin/type-sets/named");
        assertThat(body(newSet("other", named), 422)).contains("expected &quot;other&quot;, or no name");
        assertThat(page(reader, "/admin/type-sets")).contains("@axis", "@ruby");

        String page = page(reader, "/admin/type-sets/axis");
        assertThat(page)
                .contains("point.x", "Points of a plane", SmallBuild.ID.toString(), "1 of 1", "0 of 1", "complete");
        String covered = page(
                reader.withHeaders("HX-Request", "true"),
                "/admin/type-sets/axis?builds=" + SmallBuild.ID + "," + SmallBuild.UNKNOWN_ID);
        assertThat(covered)
                .contains("complete", "its types are not stored here")
                .doesNotContain("<html");
        assertThat(page(reader, "/admin/type-sets/axis?builds=xyz")).contains("is not a build-id");
        assertThat(page(reader, "/admin/type-sets/axis")).contains("Looked at ", " stored build");
        assertThat(page(reader, "/admin/builds/" + SmallBuild.ID))
                .as("of a set that is newer than the build")
                .contains(">@axis<");

        String form = page(admin, "/admin/type-sets/axis/edit");
        String etag = group("name=\"etag\" value=\"([^\"]+)\"", form).replace("&quot;", "\"");
        Map<String, String> change = Map.of("etag", etag, "document", FORM_SET.replace("plane", "line"));
        assertThat(location(admin.post("/admin/type-sets/axis/edit", change))).isEqualTo("/admin/type-sets/axis");
        assertThat(page(reader, "/admin/type-sets/axis")).contains("Points of a line", "Versions");
        assertThat(body(admin.post("/admin/type-sets/axis/edit", Map.of("etag", etag, "document", FORM_SET)), 412))
                .contains("A newer version", "Points of a plane");
        assertThat(admin.post("/admin/type-sets/axis/edit", Map.of("document", FORM_SET))
                        .statusCode())
                .as("without the validator of the version that was edited")
                .isEqualTo(412);

        String stale = body(admin.post("/admin/type-sets/axis/edit", Map.of("etag", etag, "document", FORM_SET)), 412);
        assertThat(stale).contains("href=\"/admin/type-sets/axis\">Cancel<");
        String latest = group("name=\"etag\" value=\"([^\"]+)\"", stale).replace("&quot;", "\"");
        assertThat(location(admin.post("/admin/type-sets/axis/edit", Map.of("etag", latest, "document", FORM_SET))))
                .isEqualTo("/admin/type-sets/axis");
        assertThat(page(reader, "/admin/type-sets/axis")).contains("Points of a plane");
    }

    @Test
    void retiredSetLeavesListsAndIsStillAnswered() {
        location(newSet("old", FORM_SET));
        String diff = "/admin/diff?from=" + SmallBuild.ID + "&to=" + ShapesBuild.ID;
        assertThat(page(reader, diff)).contains(">@old<");
        assertThat(reader.post("/admin/type-sets/old/retire", Map.of()).statusCode())
                .isEqualTo(403);

        assertThat(location(admin.post("/admin/type-sets/old/retire", Map.of())))
                .isEqualTo("/admin/type-sets/old");
        assertThat(page(reader, diff)).doesNotContain(">@old<");
        assertThat(server.get("/v1/type-sets?limit=200").body())
                .contains("\"ruby\"")
                .doesNotContain("\"old\"");
        assertThat(server.get("/v1/type-sets?limit=200&retired=true").body())
                .contains("\"name\":\"old\"", "\"retired\":true");
        assertThat(server.get("/v1/type-sets/old").body()).contains("\"retired\":true");
        assertThat(page(admin, "/admin/type-sets")).contains("@old", "retired");
        assertThat(page(admin, "/admin/type-sets/old")).contains(">retired<", ">Versions<", "/restore");
        assertThat(server.get("/v1/offsets/" + SmallBuild.ID + "?types=@old").statusCode())
                .isEqualTo(200);
        assertThat(page(admin, "/admin/audit?subject=old")).contains("type-set.retire");

        location(admin.post("/admin/type-sets/old/restore", Map.of()));
        assertThat(page(reader, diff)).contains(">@old<");
        assertThat(admin.post("/admin/type-sets/ruby/retire", Map.of()).statusCode())
                .isEqualTo(409);
    }

    @Test
    void typesOfOtherLanguagesComeLast() {
        server.offsets(MANY_ID, "int");
        String last = page(reader, "/admin/builds/" + MANY_ID + "?limit=200");
        for (Matcher more = NEXT.matcher(last); more.find(); more = NEXT.matcher(last)) {
            last = page(reader, more.group(1).replace("&amp;", "&"));
        }
        assertThat(last).containsSubsequence(">many450<", ">int<", ">Crate<", ">i32<");
    }

    @Test
    void coverageListsBuildsOfTheRuntimeOnly() {
        location(newSet("modes", "{\"title\": \"Modes\", \"items\": [{\"item\": \"line.mode\"}]}"));
        String coverage = page(reader.withHeaders("HX-Request", "true"), "/admin/type-sets/modes");
        assertThat(coverage).contains(ShapesBuild.ID.toString()).doesNotContain(SmallBuild.ID.toString());
    }

    @Test
    void nameMapsHaveTheValuesOfTheChosenBuild() {
        location(newSet("mapped", """
                {"title": "Mapped points", "items": [{"item": "point.y"}],
                 "maps": {"agent": {"title": "Table of an agent",
                   "names": {"point_y": {"offset": "point.y"}, "line_mode": {"offset": "line.mode"}}}}}
                """));
        assertThat(page(reader, "/admin/type-sets/mapped?build=" + ShapesBuild.ID))
                .contains("Table of an agent")
                .containsPattern("(?s)>point_y</th>\\s*<td[^>]*>8</td>")
                .containsPattern("(?s)>line_mode</th>\\s*<td[^>]*>28</td>");
        assertThat(page(reader, "/admin/type-sets/mapped?build=" + SmallBuild.ID))
                .containsPattern("(?s)>point_y</th>\\s*<td[^>]*>4</td>")
                .containsPattern("(?s)>line_mode</th>\\s*<td[^>]*></td>\\s*<td[^>]*>line.mode: field not found<");
        assertThat(page(reader, "/admin/type-sets/mapped?build=" + SmallBuild.UNKNOWN_ID))
                .contains("The types of build " + SmallBuild.UNKNOWN_ID + " are not stored here.");
        assertThat(page(reader, "/admin/type-sets/mapped?build=zz")).contains("&quot;zz&quot; is not a build-id: ");
        String alias = "sha256:" + "b2".repeat(32);
        database.jdbc()
                .sql("insert into build_aliases (alias, build_id, origin) values (?, ?, 'local')")
                .params(BuildId.parseKey(alias).toBytes(), SmallBuild.ID.toBytes())
                .update();
        assertThat(page(reader, "/admin/type-sets/mapped?build=" + alias + "&builds=" + alias))
                .containsPattern("(?s)>point_y</th>\\s*<td[^>]*>4</td>")
                .doesNotContain("not stored here");
    }

    @Test
    void documentOfASetIsCheckedWhileTyping() {
        assertThat(body(admin.post("/admin/type-sets/-/check", Map.of("name", "x", "document", "{")), 200))
                .contains("line 1")
                .doesNotContain("<html");
        assertThat(body(admin.post("/admin/type-sets/-/check", Map.of("name", "x", "document", FORM_SET)), 200))
                .contains("valid");
    }

    @Test
    void builtInSetCannotBeChanged() {
        assertThat(admin.get("/admin/type-sets/ruby/edit").statusCode()).isEqualTo(409);
        assertThat(admin.post("/admin/type-sets/ruby/edit", Map.of("etag", "\"x\"", "document", FORM_SET))
                        .statusCode())
                .isEqualTo(409);
        assertThat(page(admin, "/admin/type-sets/ruby")).doesNotContain("/edit");
        assertThat(reader.get("/admin/type-sets/nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void pageOfABatchPollsUntilEachBuildHasAResult() throws Exception {
        String path = location(publisher.post(
                "/admin/prewarms",
                Map.of("builds", HOSTILE_ID + "\n" + SmallBuild.UNKNOWN_ID, "types", "@ruby", "priority", "high")));
        String page = page(publisher, path);
        assertThat(page).contains("Prewarming 2 builds.", "Prewarm of 2 builds", "<dd>high</dd>");
        for (int i = 0; i < 600 && page.contains("hx-trigger=\"every 1s\""); i++) {
            Thread.sleep(100);
            page = page(publisher.withHeaders("HX-Request", "true"), path);
        }
        assertThat(page)
                .contains("incomplete", "@ruby 0 of ", "failed", "1 done, 1 failed")
                // The answer that ends polling takes Cancel away.
                .contains("id=\"actions\" hx-swap-oob=\"true\"", "Retry 1 build")
                .doesNotContain("hx-trigger", "<html", "/cancel");
        assertThat(page(publisher, path)).contains("Retry 1 build");
        assertThat(page(reader, "/admin/prewarms")).contains(path, "with failures", "1 done, 1 failed");
    }

    @Test
    void errorsOfABatchAreShownBesideTheField() {
        assertThat(body(publisher.post("/admin/prewarms", Map.of("builds", "xyz " + HOSTILE_ID)), 422))
                .contains("is not a build-id", "xyz " + HOSTILE_ID)
                .containsPattern("<textarea[^>]* id=\"builds\"[^>]* autofocus");
        assertThat(body(publisher.post("/admin/prewarms", Map.of("builds", "", "types", "a[")), 422))
                .contains("no build-id; expected at least one", "the list of builds</a> and <a href=\"#types\">");
        assertThat(body(
                        publisher.post("/admin/prewarms", Map.of("builds", HOSTILE_ID.toString(), "types", "@nowhere")),
                        422))
                .contains("id=\"types-error\">types[0]: ", HOSTILE_ID.toString())
                .containsPattern("<input[^>]* id=\"types\"[^>]* autofocus");
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < 1001; i++) {
            list.append("%040x ".formatted(i));
        }
        assertThat(body(publisher.post("/admin/prewarms", Map.of("builds", list.toString())), 422))
                .contains("1001 builds; expected at most 1000");
        assertThat(publisher
                        .get("/admin/prewarms/00000000-0000-0000-0000-000000000000")
                        .statusCode())
                .isEqualTo(404);
        assertThat(publisher.get("/admin/prewarms/x").statusCode()).isEqualTo(404);
    }

    @Test
    void demandIsListedFilteredAndDownloaded() throws Exception {
        String page = page(reader, "/admin/demand");
        for (int i = 0; i < 1200 && !page.contains(SmallBuild.UNKNOWN_ID.toString()); i++) {
            Thread.sleep(50);
            page = page(reader, "/admin/demand");
        }
        assertThat(page).contains(SmallBuild.UNKNOWN_ID.toString(), "not_found");
        assertThat(page(reader, "/admin/demand?sort=last_asked&cause=not_found"))
                .contains(SmallBuild.UNKNOWN_ID.toString());
        assertThat(page(reader.withHeaders("HX-Request", "true"), "/admin/demand?cause=not_found"))
                .as("the file has the rows that are shown")
                .contains("/admin/demand.csv?sort=count&amp;cause=not_found");
        assertThat(page(reader.withHeaders("HX-Request", "true"), "/admin/demand?cause=other"))
                .doesNotContain(SmallBuild.UNKNOWN_ID.toString(), "<html");
        HttpResponse<String> csv = reader.get("/admin/demand.csv?sort=count");
        assertThat(csv.headers().firstValue("Content-Type")).contains("text/csv;charset=UTF-8");
        assertThat(csv.body())
                .startsWith("build_id,count,first_asked,last_asked,cause\r\n")
                .contains(SmallBuild.UNKNOWN_ID + ",");
    }

    private static HttpResponse<String> newToken(String label, String scope, String days) {
        return admin.post("/admin/tokens", Map.of("label", label, "scope", scope, "days", days));
    }

    private static String textOf(HttpResponse<String> made) {
        return group("<code id=\"token-text\">([^<]+)</code>", body(made, 201));
    }

    @Test
    void reloadedFormMakesNoSecondToken() {
        String once = group("name=\"once\" value=\"([^\"]+)\"", page(admin, "/admin/tokens"));
        Map<String, String> form = Map.of("label", "reloaded", "scope", "read", "days", "1", "once", once);
        textOf(admin.post("/admin/tokens", form));
        assertThat(location(admin.post("/admin/tokens", form))).isEqualTo("/admin/tokens");

        assertThat(page(admin, "/admin/tokens")).contains("This token exists already");
        Map<String, String> other = Map.of(
                "label",
                "other",
                "scope",
                "read",
                "days",
                "1",
                "once",
                UUID.randomUUID().toString());
        textOf(admin.post("/admin/tokens", other));
        assertThat(location(admin.post("/admin/tokens", form)))
                .as("in another window")
                .isEqualTo("/admin/tokens");
        assertThat(database.jdbc()
                        .sql("select count(*) from tokens where label = 'reloaded'")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void tokenIsShownOnceAndRevoked() {
        assertThat(body(newToken("", "root", "0"), 422))
                .contains("printable characters", "expected read, publish or admin", "from 1 to 3660")
                .containsPattern("<input[^>]* id=\"label\"[^>]* autofocus");
        assertThat(body(newToken("ci", "root", "1"), 422)).containsPattern("<select[^>]* id=\"scope\"[^>]* autofocus");
        HttpResponse<String> made = newToken("ci of pages", "publish", "30");
        String text = textOf(made);
        assertThat(made.headers().firstValue("Cache-Control").orElseThrow()).contains("no-store");
        assertThat(page(admin, "/admin/tokens")).contains("ci of pages").doesNotContain(text);
        assertThat(Json.of(server.get("/v1/whoami", "Authorization", "Bearer " + text))
                        .toString())
                .contains("ci of pages");

        String id = database.jdbc()
                .sql("select id::text from tokens where label = 'ci of pages'")
                .query(String.class)
                .single();
        assertThat(page(admin, "/admin/tokens/" + id + "/revoke")).contains("Revoke the token", "ci of pages");
        assertThat(location(admin.post("/admin/tokens/" + id + "/revoke", Map.of())))
                .isEqualTo("/admin/tokens");
        assertThat(page(admin, "/admin/tokens")).contains("ci of pages is revoked");
        assertThat(admin.get("/admin/tokens/nothing/revoke").statusCode()).isEqualTo(404);
    }

    @Test
    void auditShowsChangesAndExportsFormulasAsText() {
        // A label that a spreadsheet would run.
        String text = textOf(newToken("=1+1", "admin", "1"));
        HttpResponse<String> put = server.send(
                "PUT",
                "/v1/type-sets/audited",
                BodyPublishers.ofString(FORM_SET),
                "Authorization",
                "Bearer " + text,
                "Content-Type",
                "application/json");
        assertThat(put.statusCode()).isEqualTo(201);
        String page =
                page(admin, "/admin/audit?who=%3D1%2B1&action=type-set.put&subject=audited&from=2020-01-01&until=");
        assertThat(page)
                .contains("=1+1", "type-set.put", "Points of a plane", "items[1].need")
                .containsPattern("href=\"/admin/type-sets/audited\"[^>]*><code><bdi>@audited<");
        assertThat(page(admin, "/admin/audit?subject=audited&until=2020-01-01T00:00"))
                .contains("No matching changes");

        HttpResponse<String> csv = admin.get("/admin/audit.csv?subject=audited");
        assertThat(body(csv, 200))
                .startsWith("at,who,token,address,action,subject,before,after,request_id\r\n")
                .contains(",'=1+1,", ",type-set.put,audited,,\"{\"\"");
        assertThat(csv.body().lines()).hasSize(2);
        assertThat(admin.get("/admin/audit?from=yesterday").statusCode()).isEqualTo(400);
        assertThat(admin.get("/admin/audit?cursor=AAAA").statusCode()).isEqualTo(400);
    }

    @Test
    void auditLinksToPinsAndBatchesByName() {
        String batch = location(publisher.post("/admin/prewarms", Map.of("builds", SmallBuild.ID.toString())));
        String id = batch.substring(batch.lastIndexOf('/') + 1);
        assertThat(page(admin, "/admin/audit?subject=" + id))
                .containsPattern("href=\"" + batch + "\"[^>]*><code><bdi>batch " + id.substring(0, 12) + "<");

        UUID pin = server.bean(Pins.class)
                .create(
                        new PinDraft(
                                BuildId.parse("a0d17ed000000000000000000000000000000001"),
                                "audited.pc",
                                new PinnedValue.OfMember(8, 8, null, null),
                                "read from machine code",
                                null),
                        new Actor(new Caller("ada", null, Set.of(Scope.ADMIN), "127.0.0.1"), "request"))
                .id();
        assertThat(page(admin, "/admin/audit?subject=" + pin))
                .containsPattern("href=\"/admin/pins/" + pin + "\"[^>]*><code><bdi>audited\\.pc<");
    }

    @Test
    void auditLinksToABuildByItsAliasKey() {
        String alias = "sha256:" + "a1".repeat(32);
        audited(alias, null);
        assertThat(page(admin, "/admin/audit?subject=" + alias))
                .containsPattern("href=\"/admin/builds/" + alias + "\"");
    }

    @Test
    void omittedChangesAreCounted() {
        String many = IntStream.range(0, 202).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        audited("many changes", many);
        assertThat(page(admin, "/admin/audit?subject=many+changes"))
                .contains("202 changes", "[199]", "2 more changes are not shown")
                .doesNotContain("[200]");
    }

    private static void audited(String subject, @Nullable String after) {
        database.jdbc()
                .sql("insert into audit (who, action, subject, address, request_id, after)"
                        + " values ('ada', 'build.retry', :subject, '127.0.0.1', 'request', :after::jsonb)")
                .param("subject", subject)
                .param("after", after)
                .update();
    }

    @Test
    void tokensAndUsersArePaged() {
        newToken("paged one", "read", "1");
        newToken("paged two", "read", "1");
        String tokens = pages("/admin/tokens?limit=1");
        assertThat(tokens.indexOf(">paged two<")).isPositive().isLessThan(tokens.indexOf(">paged one<"));
        assertThat(pages("/admin/users?limit=1"))
                .containsOnlyOnce("Role of reader")
                .containsOnlyOnce("Role of publisher");
    }

    /** Returns all pages of a list. */
    private static String pages(String first) {
        StringBuilder pages = new StringBuilder();
        for (String next = first; next != null; ) {
            String page = page(admin, next);
            pages.append(page);
            Matcher link = NEXT.matcher(page);
            next = link.find() ? link.group(1).replace("&amp;", "&") : null;
        }
        return pages.toString();
    }

    @Test
    void unknownUserIsANotice() {
        for (String id : List.of("nothing", "00000000-0000-0000-0000-000000000000")) {
            assertThat(body(admin.post("/admin/users/" + id + "/sign-out", Map.of()), 422))
                    .contains("unknown user");
        }
    }

    @Test
    void auditIsPaged() {
        newToken("page one", "read", "1");
        newToken("page two", "read", "1");
        String first = page(admin, "/admin/audit?action=token.create&limit=1");
        String next = group("rel=\"next\" href=\"([^\"]+)\"", first).replace("&amp;", "&");
        String second = page(admin, next);
        String one = group("<code>([0-9a-f-]{36})</code>", first);
        assertThat(second).contains("First page").doesNotContain(one);
    }
}
