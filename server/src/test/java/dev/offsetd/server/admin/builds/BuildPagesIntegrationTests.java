package dev.offsetd.server.admin.builds;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pages of builds and pins over plain HTTP, with and without the headers of htmx. */
@Timeout(120)
class BuildPagesIntegrationTests {

    private static final BuildId HOSTILE_ID = BuildId.parse("beefbeef000000000000000000000000000000aa");
    private static final String SCRIPT = "<script>alert(1)</script>";
    private static final String LONG = "x".repeat(10_000);
    private static final String MIRRORED = "\u202egpj.exe";

    private static final BuildId NOWHERE = BuildId.parse("00000000000000000000000000000000000000aa");
    private static final BuildId ELSEWHERE = BuildId.parse("00000000000000000000000000000000000000bb");
    private static final Pattern PIN = Pattern.compile("/admin/pins/[0-9a-f-]{36}");

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static AdminClient admin;

    @BeforeAll
    static void start() throws IOException {
        Path debug = folder.resolve("debug");
        ShapesBuild.putInto(debug);
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        Path place = debug.resolve(".build-id/be").resolve(HOSTILE_ID.toString().substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        Files.write(
                place,
                DwarfWriter.write(
                                DwarfStyle.DEFAULT,
                                unit(
                                        baseType("int", 4, DW_ATE_signed),
                                        struct(SCRIPT, 8, member(SCRIPT, "int", 0), member(MIRRORED, "int", 4)),
                                        struct(LONG, 4, member("x", "int", 0))))
                        .toElf()
                        .buildId(HOSTILE_ID.toBytes())
                        .toBytes());
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debug);
        for (BuildId id : new BuildId[] {ShapesBuild.ID, SmallBuild.ID, HOSTILE_ID}) {
            assertThat(server.offsets(id, "int").statusCode()).isEqualTo(200);
        }
        admin = AdminClient.signIn(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void listIsSearchedByPrefixAndFiltered() {
        assertThat(page("/admin/builds")).contains(ShapesBuild.ID.toString(), SmallBuild.ID.toString());
        assertThat(page("/admin/builds?q=5ba9e&state=extracted&origin=local"))
                .contains(ShapesBuild.ID.toString())
                .doesNotContain(SmallBuild.ID.toString());
        assertThat(page("/admin/builds?q=5ba9e&origin=upload")).contains("No matching builds");
        assertThat(page("/admin/builds?q=zz")).contains("No matching builds");
        assertThat(page("/admin/builds?q=%21")).contains("a search without words");
    }

    @Test
    void scriptGetsOnlyTheResults() {
        String part = body(admin.withHeaders("HX-Request", "true").get("/admin/builds?q=5ba9e"));

        assertThat(part).contains(ShapesBuild.ID.toString()).doesNotContain("<html", "<main");
    }

    @Test
    void fullBuildIdOpensItsPageOrOffersToQueryTheSources() {
        HttpResponse<String> known = admin.get("/admin/builds?q=" + ShapesBuild.ID);
        assertThat(known.statusCode()).isEqualTo(303);
        assertThat(known.headers().firstValue("Location"))
                .hasValueSatisfying(path -> assertThat(path).endsWith("/admin/builds/" + ShapesBuild.ID));

        assertThat(page("/admin/builds?q=ffffffff0000000000000000000000000000ffff"))
                .contains("Query the sources", "Pin a field anyway");
    }

    @Test
    void pageOfABuildShowsItsFileAndItsTypes() {
        assertThat(page("/admin/builds/" + ShapesBuild.ID))
                .contains("x86_64, 64-bit, little-endian", "SHA-256", "Sources", ">line_t<", ">colour<");
        assertThat(page("/admin/builds/" + ShapesBuild.ID + "?q=LIN"))
                .contains(">line_t<")
                .doesNotContain(">colour<");
        assertThat(admin.get("/admin/builds/" + SmallBuild.UNKNOWN_ID).statusCode())
                .isEqualTo(404);
    }

    @Test
    void typesThatMatchBestComeFirstUnlessListedByName() {
        String build = "/admin/builds/" + ShapesBuild.ID;
        assertThat(page(build + "?q=t&limit=1")).contains("This is the best match.", "sort=name&amp;q=t");
        assertThat(page(build + "?q=t&limit=1&sort=name"))
                .contains(">either<", "Next page")
                .doesNotContain("best matches");
        assertThat(page(build + "?kind=typedef")).contains(">line_t<").doesNotContain(">point<");
        assertThat(page(build + "?lang=rust")).contains("No matching types");
    }

    @Test
    void pageOfATypeHasEveryMemberInMapAndTable() {
        String page = page(type(ShapesBuild.ID, "line"));

        assertThat(page)
                .contains("aria-label=\"Memory map of line\"")
                .contains("from: struct point; offset 0 (0x0); 12 bytes; click to expand")
                .contains("flags: int; offset 24 (0x18); 3 bits; bits 0 to 2 of 1 byte")
                .contains("ends[2]: struct point [2]; offset 44 (0x2c); 24 bytes")
                .contains("unused bits; offset 24 (0x18); 4 bits")
                .contains("Accept: text/x-c");
    }

    @Test
    void memberExpandsInPlace() {
        assertThat(page(type(ShapesBuild.ID, "line"))).doesNotContain(">from.y<");
        assertThat(page(type(ShapesBuild.ID, "line") + "&unfold=from"))
                .contains(">from.y<", "from.y: int; offset 8 (0x8); 4 bytes");
    }

    @Test
    void namesFromFilesAreEscaped() {
        String page = page(type(HOSTILE_ID, SCRIPT));
        assertThat(page)
                .doesNotContain(SCRIPT)
                .contains("&lt;script&gt;alert(1)&lt;/script&gt;")
                .contains("/admin/pins/new?build=" + HOSTILE_ID
                        + "&amp;item=%22%3Cscript%3Ealert%281%29%3C%2Fscript%3E%22.");
        // On the map it cannot turn the line around; where it can be copied it is exact.
        assertThat(page).contains(">\ufffdgpj.exe</text>", "<bdi class=\"mono\">" + MIRRORED + "</bdi>");
        assertThat(page("/admin/builds/" + HOSTILE_ID)).doesNotContain(SCRIPT).contains(LONG);
        assertThat(page(type(HOSTILE_ID, LONG))).contains("Memory map of " + LONG);
    }

    @Test
    void fieldIsPinnedFromItsRow() {
        String path = type(SmallBuild.ID, "point");
        String form = "/admin/pins/new?build=" + SmallBuild.ID + "&item=point.y";
        assertThat(page(path)).contains(form.replace("&", "&amp;"));
        assertThat(page(form)).contains("name=\"offset\" value=\"4\"", "name=\"size\" value=\"4\"");

        Map<String, String> typed = typed(SmallBuild.ID, "point.y", "0", "4");
        HttpResponse<String> checked = admin.withHeaders("HX-Request", "true").post("/admin/pins/check", typed);
        assertThat(body(checked)).contains("4 (0x4)", "0 (0x0)", "differs").doesNotContain("<html");

        typed.put("reason", "");
        HttpResponse<String> refused = admin.post("/admin/pins", typed);
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body()).contains("Enter a reason", "name=\"offset\" value=\"0\"", "aria-invalid=\"true\"");

        typed.put("reason", "the debug information is of another build");
        HttpResponse<String> done = admin.post("/admin/pins", typed);
        assertThat(done.statusCode()).as(done.body()).isEqualTo(303);
        assertThat(page(path))
                .contains("Pinned point.y: offset 0, size 4", "is-pinned", "extracted: 4 (0x4), 4 bytes", "map-ghost");

        assertThat(page("/admin/pins?text=point.y")).contains("another build");
        String pin = pin("/admin/pins?text=point.y");
        assertThat(page(pin)).contains("create", "offset 0, size 4", "Retire");
        assertStaleEditShowsBoth(pin, typed);
        assertThat(admin.post(pin + "/retire", Map.of("revision", "2")).statusCode())
                .isEqualTo(303);
        assertThat(page(path)).doesNotContain("is-pinned");
        assertThat(admin.post(pin + "/restore", Map.of("revision", "3")).statusCode())
                .isEqualTo(303);
        assertThat(page(path)).contains("is-pinned");
        assertThat(admin.post(pin + "/retire", Map.of("revision", "4")).statusCode())
                .isEqualTo(303);
    }

    private static void assertStaleEditShowsBoth(String pin, Map<String, String> typed) {
        assertThat(page(pin + "/edit")).contains("name=\"revision\" value=\"1\"");
        typed.put("id", pin.substring(pin.lastIndexOf('/') + 1));
        typed.put("revision", "1");
        typed.put("reason", "first");
        assertThat(admin.post("/admin/pins", typed).statusCode()).isEqualTo(303);
        typed.put("reason", "second");
        HttpResponse<String> stale = admin.post("/admin/pins", typed);
        assertThat(stale.statusCode()).isEqualTo(422);
        assertThat(stale.body())
                .contains("has changed this pin", ">first<", ">second<", "name=\"revision\" value=\"2\"");
    }

    @Test
    void fieldOfAMissingBuildIsPinned() {
        HttpResponse<String> done = admin.post("/admin/pins", typed(NOWHERE, "ghost.pc", "48", "8"));
        assertThat(done.statusCode()).as(done.body()).isEqualTo(303);

        assertThat(page("/admin/builds/" + NOWHERE)).contains("ghost.pc", "no value");
        assertThat(page("/admin/pins/copy?from=" + NOWHERE + "&to=" + ShapesBuild.ID))
                .contains("of 1 pin can be copied");
    }

    @Test
    void scriptIsRedirectedAfterAnAcceptedForm() {
        HttpResponse<String> done =
                admin.withHeaders("HX-Request", "true").post("/admin/pins", typed(ELSEWHERE, "other.pc", "8", "8"));

        assertThat(done.statusCode()).isEqualTo(204);
        assertThat(done.headers().firstValue("HX-Redirect"))
                .hasValue("/admin/builds/" + ELSEWHERE + "/types?name=other");
    }

    @Test
    void readersCannotPin() {
        AdminClient reader = AdminClient.signIn(server, "onlooker", "read");
        assertThat(body(reader.get(type(ShapesBuild.ID, "line"))))
                .contains("Memory map")
                .doesNotContain("/admin/pins/new");
        assertThat(reader.get("/admin/pins/new?build=" + ShapesBuild.ID).statusCode())
                .isEqualTo(403);
        assertThat(reader.post("/admin/pins", typed(ShapesBuild.ID, "line.next", "8", "8"))
                        .statusCode())
                .isEqualTo(403);
        assertThat(reader.post("/admin/builds/" + ShapesBuild.ID + "/retry", Map.of())
                        .statusCode())
                .isEqualTo(403);
    }

    private static Map<String, String> typed(BuildId build, String item, String offset, String size) {
        Map<String, String> typed = new LinkedHashMap<>();
        typed.put("build", build.toString());
        typed.put("item", item);
        typed.put("what", "member");
        typed.put("offset", offset);
        typed.put("size", size);
        typed.put("reason", "because");
        typed.put("expiry", "7");
        return typed;
    }

    private static String type(BuildId id, String name) {
        return "/admin/builds/" + id + "/types?name=" + TestServer.escape(name);
    }

    private static String pin(String list) {
        Matcher pin = PIN.matcher(page(list));
        assertThat(pin.find()).isTrue();
        return pin.group();
    }

    private static String page(String path) {
        return body(admin.get(path));
    }

    private static String body(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }
}
