package dev.offsetd.server.admin.builds;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_enumeration_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_enumerator;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_structure_type;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.testkit.Dw;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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

    /** Different programs have this build-id. */
    private static final BuildId SHARED = BuildId.parse("498919aff001d8366249403a2544fba2d833084f");

    private static final Pattern NEXT = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"");
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
                                        struct(LONG, 4, member("x", "int", 0)),
                                        struct("wide", 512, member("first", "int", 0), member("last", "int", 508)),
                                        enumeration("numbers", 2002),
                                        struct("twice", 4, member("a", "int", 0)),
                                        die(
                                                DW_TAG_structure_type,
                                                DwarfTree.name("twice"),
                                                byteSize(8),
                                                member("a", "int", 0),
                                                member("b", "int", 4))))
                        .toElf()
                        .buildId(HOSTILE_ID.toBytes())
                        .toBytes());
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debug);
        for (BuildId id : new BuildId[] {ShapesBuild.ID, SmallBuild.ID, HOSTILE_ID}) {
            assertThat(server.offsets(id, "int", "Prefer", "wait=30").statusCode())
                    .isEqualTo(200);
        }
        admin = AdminClient.signIn(server);
    }

    private static Part enumeration(String name, int count) {
        Part[] parts = new Part[count + 2];
        parts[0] = DwarfTree.name(name);
        parts[1] = byteSize(4);
        for (int i = 0; i < count; i++) {
            parts[i + 2] = die(
                    DW_TAG_enumerator,
                    DwarfTree.name("E" + i),
                    DwarfTree.attribute(Dw.DW_AT_const_value, Dw.DW_FORM_data2, i));
        }
        return die(DW_TAG_enumeration_type, parts);
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
    void listContinuesAfterAnAliasKey() {
        String[] ids = {"c0".repeat(9), "htl:" + "c0".repeat(16), "sha256:" + "c0".repeat(32)};
        for (String id : ids) {
            assertThat(server.offsets(BuildId.parseKey(id), "point").statusCode())
                    .isEqualTo(404);
        }
        String seen = "";
        for (String next = "/admin/builds?limit=1&state=not_found"; next != null; next = nextOf(seen)) {
            seen = page(next) + seen;
        }
        assertThat(seen).contains(ids);
    }

    /** Returns the path of the next page; null if this is the last. */
    private static @Nullable String nextOf(String page) {
        Matcher next = NEXT.matcher(page.substring(0, page.indexOf("</html>")));
        return next.find() ? next.group(1).replace("&amp;", "&") : null;
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
        // It cannot turn the line around, and it is exact where it is copied.
        assertThat(page)
                .contains(
                        "<bdi class=\"map-name\"><span class=\"map-outer\">\u202egpj.</span><span class=\"map-short\">exe</span></bdi>")
                .contains("<bdi class=\"mono\">" + MIRRORED + "</bdi>");
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
        assertThat(refused.body()).contains("Enter a reason", "name=\"offset\" value=\"0\"");
        assertThat(input("reason", refused.body())).contains("autofocus", "aria-invalid=\"true\"");
        assertThat(input("offset", refused.body())).doesNotContain("autofocus", "aria-invalid");

        typed.put("reason", "the debug information is of another build");
        assertThat(pinned(typed).statusCode()).isEqualTo(303);
        assertThat(page(path))
                .contains("Pinned point.y: offset 0, size 4", "is-pinned", "extracted: 4 (0x4), 4 bytes", "map-ghost");

        assertThat(page("/admin/pins?text=point.y")).contains("another build");
        String pin = pin("/admin/pins?text=point.y");
        assertThat(page(pin)).contains("create", "offset 0, size 4", "Retire");
        assertThat(page(path))
                .containsPattern("(?s)>Edit pin</a>\\s*<form action=\"" + pin + "/retire\" method=\"post\">"
                        + ".{0,200}<input type=\"hidden\" name=\"revision\" value=\"1\">");
        assertStaleEditShowsBoth(pin, typed);
        assertThat(admin.post(pin + "/retire", Map.of("revision", "2")).statusCode())
                .isEqualTo(303);
        assertThat(page(path)).doesNotContain("is-pinned");
        assertThat(admin.post(pin + "/restore", Map.of("revision", "3")).statusCode())
                .isEqualTo(303);
        assertThat(page(path)).contains("is-pinned");
        assertThat(admin.post(pin + "/retire", Map.of("revision", "4")).statusCode())
                .isEqualTo(303);
        typed.put("revision", "4");
        assertThat(pinned(typed).body()).contains("has changed this pin", "It is retired now");
        typed.put("revision", "5");
        assertThat(pinned(typed).statusCode()).isEqualTo(303);
        assertThat(page(path))
                .doesNotContain("is-pinned", "All servers answer with it now")
                .contains("The pin is retired: answers have the value once it is restored.");
    }

    @Test
    void pinOfATypeIsEditedAndRetiredFromTheHeadOfItsPage() {
        assertHeadHasThePin(type(ShapesBuild.ID, "colour"), typed(ShapesBuild.ID, "colour", "", "2"));
        // Its size is pinned, but not which of the two types it is.
        assertHeadHasThePin(type(HOSTILE_ID, "twice"), typed(HOSTILE_ID, "twice", "", "8"));
    }

    private static void assertHeadHasThePin(String path, Map<String, String> typed) {
        assertThat(page(path))
                .containsPattern("<a [^>]*href=\"/admin/pins/new[^>]*>Pin the type</a>")
                .doesNotContain(">Edit pin<", ">Retire<");
        typed.put("what", "type");
        HttpResponse<String> done = pinned(typed);
        assertThat(done.statusCode()).as(done.body()).isEqualTo(303);

        String page = page(path);
        assertThat(page).doesNotContain("Pin the type");
        Matcher edit = Pattern.compile("href=\"(/admin/pins/[0-9a-f-]{36})/edit\"[^>]*>Edit pin</a>")
                .matcher(page);
        assertThat(edit.find()).as(page).isTrue();
        String pin = edit.group(1);
        assertThat(page(pin + "/edit")).contains("name=\"size\" value=\"" + typed.get("size"));
        assertThat(page)
                .containsPattern("(?s)<form action=\"" + pin + "/retire\" method=\"post\">"
                        + ".{0,200}<input type=\"hidden\" name=\"revision\" value=\"1\">");
        assertThat(admin.post(pin + "/retire", Map.of("revision", "1")).statusCode())
                .isEqualTo(303);
        assertThat(page(path)).contains(">Pin the type<").doesNotContain(">Edit pin<");
    }

    @Test
    void fieldWithAMistakeIsNamedWithItsValueAndMarked() {
        HttpResponse<String> refused =
                admin.post("/admin/pins", typed(SmallBuild.ID, "point.y", "-1", "99999999999999999999"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body())
                .contains(
                        "Offset is &quot;-1&quot;; expected a number",
                        "Size is &quot;99999999999999999999&quot;; expected");
        HttpResponse<String> outside = admin.post("/admin/pins", typed(SmallBuild.ID, "point.y", "4000", "4"));
        assertThat(outside.statusCode()).as(outside.body()).isEqualTo(422);
        assertThat(input("offset", outside.body())).contains("autofocus", "aria-invalid=\"true\"");

        Map<String, String> member = typed(SmallBuild.ID, "point.y", "", "8");
        member.put("what", "type");
        HttpResponse<String> whole = admin.post("/admin/pins", member);
        assertThat(whole.statusCode()).as(whole.body()).isEqualTo(422);
        assertThat(input("item", whole.body())).contains("autofocus", "aria-invalid=\"true\"");
    }

    private static void assertStaleEditShowsBoth(String pin, Map<String, String> typed) {
        assertThat(page(pin + "/edit")).contains("name=\"revision\" value=\"1\"");
        typed.put("id", pin.substring(pin.lastIndexOf('/') + 1));
        typed.put("revision", "1");
        typed.put("reason", "first");
        assertThat(pinned(typed).statusCode()).isEqualTo(303);
        typed.put("reason", "second");
        HttpResponse<String> stale = pinned(typed);
        assertThat(stale.statusCode()).isEqualTo(422);
        assertThat(stale.body())
                .contains("has changed this pin", ">first<", ">second<", "name=\"revision\" value=\"2\"");
    }

    @Test
    void fieldOfAMissingBuildIsPinned() {
        HttpResponse<String> done = pinned(typed(NOWHERE, "ghost.pc", "48", "8"));
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
    void pinWithWarningsAsksOnce() {
        Map<String, String> typed = typed(SmallBuild.ID, "point.x", "1", "4");
        HttpResponse<String> asked = admin.post("/admin/pins", typed);
        assertThat(body(asked)).contains("Warning", "Pin anyway").doesNotContain("Not pinned.");
        assertThat(page("/admin/pins?text=point.x")).contains("No matching pins");

        typed.put("accepted", accepted(asked));
        assertThat(admin.post("/admin/pins", typed).statusCode()).isEqualTo(303);
        String pin = pin("/admin/pins?text=point.x");
        typed.put("id", pin.substring(pin.lastIndexOf('/') + 1));
        typed.put("revision", "1");
        typed.put("reason", "edited");
        assertThat(admin.post("/admin/pins", typed).statusCode()).isEqualTo(303);
        HttpResponse<String> stale = admin.post("/admin/pins", typed);
        assertThat(stale.statusCode()).isEqualTo(422);
        assertThat(accepted(stale)).isEqualTo(typed.get("accepted"));
        assertThat(admin.post(pin + "/retire", Map.of("revision", "2")).statusCode())
                .isEqualTo(303);
    }

    @Test
    void formBeginsInItsFirstEmptyField() {
        assertThat(input("build", page("/admin/pins/new"))).contains("autofocus");
        assertThat(input("item", page("/admin/pins/new?build=" + ShapesBuild.ID)))
                .contains("autofocus");
        String known = page("/admin/pins/new?build=" + ShapesBuild.ID + "&item=line.mode");
        assertThat(input("reason", known)).contains("autofocus");
        assertThat(input("offset", known)).doesNotContain("autofocus");
    }

    @Test
    void largeTypeHasAMapWithShortRowsForNarrowWindows() {
        assertThat(page(type(HOSTILE_ID, "wide")))
                .contains("map-scroll for-wide", "map-of-16", "map-scroll for-narrow", "map-of-8");
        assertThat(page(type(HOSTILE_ID, "wide") + "&row=16"))
                .contains("map-of-16")
                .doesNotContain("for-narrow", "map-of-8");
    }

    @Test
    void listIsSortedByNameAndByResult() {
        name(ShapesBuild.ID, "beta.so.1");
        name(SmallBuild.ID, "Alpha.so.1");
        assertThat(page("/admin/builds?sort=name"))
                .containsSubsequence(">Alpha.so.1", ">beta.so.1")
                .contains("Builds without a name are left out.");
        String first = page("/admin/builds?sort=name&limit=1");
        assertThat(first).contains(">Alpha.so.1").doesNotContain(">beta.so.1");
        Matcher next = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"").matcher(first);
        assertThat(next.find()).isTrue();
        assertThat(page(next.group(1).replace("&amp;", "&")))
                .contains(">beta.so.1")
                .doesNotContain(">Alpha.so.1");
        assertThat(page("/admin/builds?sort=name&q=beta"))
                .contains(">beta.so.1")
                .doesNotContain(">Alpha.so.1");
        assertThat(page("/admin/builds?sort=result"))
                .containsSubsequence(server.bean(BuildStatistics.class).latestStored(3).stream()
                        .map(BuildId::toString)
                        .toList());
        assertThat(admin.get("/admin/builds?sort=size").statusCode()).isEqualTo(400);
    }

    private static void name(BuildId id, String soname) {
        server.bean(Identities.class)
                .add(
                        id,
                        server.bean(Builds.class)
                                .find(id)
                                .flatMap(Build::symbolsFile)
                                .orElseThrow()
                                .architecture(),
                        new Identity(List.of(new IdentityField(IdentityField.Kind.SONAME, soname, ".dynamic", false))));
    }

    @Test
    void typesOfSetsComeFirstAndBaseTypesLast() throws InterruptedException {
        assertThat(admin.post(
                                "/admin/type-sets/-/new",
                                Map.of(
                                        "name",
                                        "lines",
                                        "document",
                                        "{\"title\": \"Lines\", \"items\": [{\"item\": \"line.mode\"}]}"))
                        .statusCode())
                .isEqualTo(303);
        server.bean(Identities.class)
                .storeSets(
                        ShapesBuild.ID,
                        List.of(new SetCoverage("lines", new Coverage.Share(1, 1), new Coverage.Share(0, 0))));
        String path = "/admin/builds/" + ShapesBuild.ID;
        assertThat(page(path))
                .containsPattern("(?s)>Type sets</dt>.{0,200}>@lines</a>\\s*1 of 1")
                .containsSubsequence(">line<", ">colour<", ">either<", ">line_t<", ">point<", ">int<");
        List<String> paged = new ArrayList<>();
        for (String next = path + "?limit=1"; next != null; ) {
            String page = page(next);
            Matcher name = Pattern.compile("class=\"mono type-name\"[^>]*><bdi>([^<]+)")
                    .matcher(page);
            while (name.find()) {
                paged.add(name.group(1));
            }
            Matcher more = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"").matcher(page);
            next = more.find() ? more.group(1).replace("&amp;", "&") : null;
        }
        assertThat(paged).containsExactly("line", "colour", "either", "line_t", "point", "int");
        awaitOverview(">@lines<", true);

        assertThat(admin.post("/admin/type-sets/lines/retire", Map.of()).statusCode())
                .isEqualTo(303);
        assertThat(page(path)).doesNotContain("@lines");
        awaitOverview(">@lines<", false);
    }

    /** Reads the overview until it has a text, or no longer. It is collected once in two seconds. */
    private static void awaitOverview(String text, boolean has) throws InterruptedException {
        while (page("/admin").contains(text) != has) {
            Thread.sleep(100);
        }
    }

    @Test
    void typesOfOneNameAreListedAndEachIsShown() {
        String path = type(HOSTILE_ID, "twice");
        assertThat(page(path))
                .contains("2 types have this name", "twice&amp;variant=1", "twice&amp;variant=2")
                .doesNotContain("Memory map");
        assertThat(page(path + "&variant=2")).contains("Memory map", ">b<", ">shown<", "twice&amp;variant=1");
    }

    @Test
    void mapThatBeginsLaterLinksToItsFirstBytes() {
        String path = type(HOSTILE_ID, "wide");
        assertThat(page(path)).doesNotContain(">First bytes<");
        assertThat(page(path + "&from=64")).contains("href=\"" + path + "\">First bytes<");
    }

    @Test
    void keyOfDifferentProgramsIsAnErrorOfItsField() {
        String wrong = SHARED + " does not identify a program";
        assertThat(page("/admin/builds?q=go:redacted")).contains("go:redacted does not identify a program");
        assertThat(page("/admin/pins?build=" + SHARED)).contains(wrong);
        String copy = page("/admin/pins/copy?from=" + SHARED + "&to=" + ShapesBuild.ID);
        assertThat(copy).contains(wrong);
        assertThat(input("from", copy)).contains("autofocus");
        Map<String, String> form = Map.of("from", ShapesBuild.ID.toString(), "to", SHARED.toString());
        assertThat(admin.post("/admin/pins/copy", form).statusCode()).isEqualTo(422);
        Map<String, String> typed = typed(SHARED, "other.pc", "8", "8");
        HttpResponse<String> refused = admin.post("/admin/pins", typed);
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body()).contains(wrong);
        assertThat(body(admin.post("/admin/pins/check", typed))).contains(wrong);
        typed.put("do", "check");
        assertThat(body(admin.post("/admin/pins", typed))).contains(wrong);
    }

    @Test
    void expiryWithAMistakeIsDescribedByItsError() {
        Map<String, String> typed = typed(SmallBuild.ID, "point.y", "0", "4");
        typed.put("expiry", "sometime");
        String refused = admin.post("/admin/pins", typed).body();
        Matcher field = Pattern.compile("<select id=\"(pin[0-9a-f]+expiry)\"[^>]* aria-describedby=\"([^\"]+)\"")
                .matcher(refused);
        assertThat(field.find()).as(refused).isTrue();
        assertThat(field.group(2)).isEqualTo(field.group(1) + "-error");
        assertThat(refused).contains("id=\"" + field.group(2) + "\"");
    }

    @Test
    void cancelOfANewPinReturnsToItsBuild() {
        assertThat(page("/admin/pins/new?build=" + SmallBuild.ID))
                .contains("href=\"/admin/builds?q=" + SmallBuild.ID + "\">Cancel<");
    }

    @Test
    void refusedChangeOfAPinIsANoticeOnItsPage() {
        assertThat(pinned(typed(ELSEWHERE, "reviewed.pc", "8", "8")).statusCode())
                .isEqualTo(303);
        String pin = pin("/admin/pins?text=reviewed.pc");
        assertThat(admin.post(pin + "/acknowledge", Map.of("revision", "1", "reason", " "))
                        .statusCode())
                .isEqualTo(303);
        assertThat(page(pin)).contains("Not done: ", "reason");
    }

    @Test
    void historyOfAPinIsPaged() {
        assertThat(pinned(typed(ELSEWHERE, "changed.pc", "8", "8")).statusCode())
                .isEqualTo(303);
        String pin = pin("/admin/pins?text=changed.pc");
        admin.post(pin + "/retire", Map.of("revision", "1"));
        admin.post(pin + "/restore", Map.of("revision", "2"));
        List<String> actions = new ArrayList<>();
        for (String next = pin + "?limit=1"; next != null; ) {
            String page = page(next);
            Matcher line = Pattern.compile("<td>(create|retire|restore)</td>").matcher(page);
            while (line.find()) {
                actions.add(line.group(1));
            }
            next = nextOf(page);
        }
        assertThat(actions).containsExactly("restore", "retire", "create");
    }

    @Test
    void pageOfABuildReloadsWhenItsStatusHasSettled() {
        AdminClient status = admin.withHeaders("HX-Request", "true", "HX-Target", "status");
        assertThat(status.get("/admin/builds/" + ShapesBuild.ID).headers().firstValue("HX-Refresh"))
                .hasValue("true");
        AdminClient types = admin.withHeaders("HX-Request", "true", "HX-Target", "types");
        assertThat(types.get("/admin/builds/" + ShapesBuild.ID).headers().firstValue("HX-Refresh"))
                .isEmpty();
    }

    @Test
    void omittedEnumeratorsAreCounted() {
        assertThat(page(type(HOSTILE_ID, "numbers")))
                .contains(">E1999<", "2 more enumerators are not shown")
                .doesNotContain(">E2000<");
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

    /** Sends the form, and again if it asks about warnings. */
    private static HttpResponse<String> pinned(Map<String, String> typed) {
        HttpResponse<String> response = admin.post("/admin/pins", typed);
        if (response.statusCode() != 200) {
            return response;
        }
        Map<String, String> again = new LinkedHashMap<>(typed);
        again.put("accepted", accepted(response));
        return admin.post("/admin/pins", again);
    }

    private static String accepted(HttpResponse<String> asked) {
        Matcher accepted =
                Pattern.compile("name=\"accepted\" value=\"([^\"]+)\"").matcher(asked.body());
        assertThat(accepted.find()).as(asked.body()).isTrue();
        return accepted.group(1);
    }

    /** Returns the input of this name. */
    private static String input(String name, String page) {
        Matcher input =
                Pattern.compile("<input[^>]* name=\"" + name + "\"[^>]*>").matcher(page);
        String found = "";
        while (input.find()) {
            // The search of the navigation comes first.
            found = input.group();
        }
        assertThat(found).as(name).isNotEmpty();
        return found;
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
