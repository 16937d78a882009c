package dev.offsetd.server.builds.identity;

import static dev.offsetd.extractor.identity.IdentityField.Kind.COMPILER;
import static dev.offsetd.extractor.identity.IdentityField.Kind.DISTRIBUTION;
import static dev.offsetd.extractor.identity.IdentityField.Kind.FILE_NAME;
import static dev.offsetd.extractor.identity.IdentityField.Kind.PACKAGE;
import static dev.offsetd.extractor.identity.IdentityField.Kind.PACKAGE_VERSION;
import static dev.offsetd.extractor.identity.IdentityField.Kind.PROJECT;
import static dev.offsetd.extractor.identity.IdentityField.Kind.SONAME;
import static dev.offsetd.extractor.identity.IdentityField.Kind.VERSION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.GoModule;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Identities of builds in answers, in the search, and in the order of versions. */
class IdentitySearchIntegrationTests {

    private static final BuildId RUBY_345 = BuildId.parse("a1".repeat(20));
    private static final BuildId RUBY_345_ARM = BuildId.parse("b2".repeat(20));
    private static final BuildId RUBY_344 = BuildId.parse("c3".repeat(20));
    private static final BuildId RUBY_3310 = BuildId.parse("d4".repeat(20));
    private static final BuildId DD = BuildId.parse("e5".repeat(20));

    private static JdbcClient jdbc;
    private static TestServer server;

    @BeforeAll
    static void start(@TempDir Path folder) {
        TestDatabase database = TestDatabase.create();
        jdbc = database.jdbc();
        server = TestServer.start(folder, database, "offsetd.offline=true");
        store(RUBY_345, "x86_64", ruby("libruby.so.3.4", "3.4.5", "Debian 13"));
        store(RUBY_345_ARM, "aarch64", ruby("libruby.so.3.4", "3.4.5", "Debian 13"));
        store(RUBY_344, "x86_64", ruby("libruby.so.3.4", "3.4.4", "Fedora 42"));
        store(RUBY_3310, "x86_64", ruby("libruby.so.3.3", "3.3.10", "Ubuntu 24.04"));
        store(
                DD,
                "s390x",
                new Identity(List.of(
                        field(FILE_NAME, "/usr/bin/dd"),
                        field(PACKAGE, "coreutils"),
                        field(PACKAGE_VERSION, "9.7-3+deb13u1"))));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Identity ruby(String soname, String version, String distribution) {
        return new Identity(List.of(
                field(SONAME, soname),
                field(PROJECT, "ruby"),
                field(VERSION, version),
                field(DISTRIBUTION, distribution),
                field(COMPILER, "GNU C17")));
    }

    private static IdentityField field(IdentityField.Kind kind, String value) {
        return new IdentityField(kind, value, "DW_AT_producer", kind == PROJECT);
    }

    private static void store(BuildId id, String machine, Identity identity) {
        jdbc.sql("insert into builds (build_id, state, settled_at) values (?, 'extracted', now())")
                .param(id.toBytes())
                .update();
        Architecture architecture = new Architecture(machine, 64, ByteOrder.LITTLE_ENDIAN);
        jdbc.sql("""
                        insert into debug_files (build_id, origin, upstream, sha256, bytes, verified, fetched_bytes,
                            machine, bits, byte_order, extractor_version, read_at)
                        values (?, 'local', '/folder', ?, 1, 'build-id note', 0, ?, 64, 'little', 1000000, now())
                        """).params(id.toBytes(), new byte[32], machine).update();
        server.bean(Identities.class).store(id, architecture, identity);
    }

    private static List<String> search(String query) {
        var response = server.get("/v1/builds?" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response)
                .path("builds")
                .valueStream()
                .map(build -> build.path("buildId").asString().substring(0, 2))
                .toList();
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "libruby, a1 b2 c3 d4",
        "LIBRUBY, a1 b2 c3 d4",
        "libruby 3.4, a1 b2 c3",
        "libruby 3.4 arm64, b2",
        "libruby 3.4 aarch64, b2",
        "ruby amd64, a1 c3 d4",
        "ruby x86_64 debian, a1",
        "ruby 24.04, d4",
        "3.4.5, a1 b2",
        "gnu 3.3, d4",
        "/usr/lib/x86_64-linux-gnu/libruby.so.3.4, a1 b2 c3",
        "coreutils, e5",
        "deb13u1, e5",
        "libruby nothing, ''",
        "ruby' | 'dd, ''",
        "libruby\\, a1 b2 c3 d4"
    })
    void everyWordBeginsAWordOfTheIdentity(String text, String found) {
        assertThat(String.join(" ", search("q=" + escaped(text)))).isEqualTo(found);
    }

    @ParameterizedTest
    @CsvSource({
        "q=dd, ''",
        "name=dd, e5",
        "q=e5, e5",
        "q=/usr/lib/debug/.build-id/a1/a1a1a1.debug, a1",
        "name=ruby&version=3.4.5, a1 b2",
        "name=3.4, ''",
        "version=3, a1 b2 c3 d4",
        "distribution=Debian+13, a1 b2",
        "distribution=13, a1 b2",
        "machine=arm64, b2",
        "machine=aarch64&q=ruby, b2",
        "machine=s390x, e5",
        "set=ruby, ''",
        "state=extracted&q=ruby+3.3, d4",
        "origin=upload&q=ruby, ''"
    })
    void filtersSelectFieldsOfTheIdentity(String query, String found) {
        assertThat(String.join(" ", search(query))).isEqualTo(found);
    }

    @Test
    void setFilterFindsBuildsThatHaveTheSet() {
        BuildId id = BuildId.parse("f6".repeat(20));
        store(id, "riscv64", new Identity(List.of(field(SONAME, "libphp.so"))));
        server.bean(Identities.class)
                .storeSets(
                        id,
                        List.of(
                                new SetCoverage("php", new Coverage.Share(3, 3), new Coverage.Share(0, 1)),
                                new SetCoverage("ruby", new Coverage.Share(1, 3), new Coverage.Share(0, 0))));
        assertThat(search("set=php")).containsExactly("f6");
        assertThat(search("set=@php&q=libphp")).containsExactly("f6");
        assertThat(search("set=ph")).isEmpty();
        assertThat(search("set=ruby")).isEmpty();
        assertThat(server.bean(Identities.class).coverage(List.of(id)).get(id)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void pagesOfASearchListEveryBuildOnce(int limit) {
        List<String> seen = new ArrayList<>();
        String next = "/v1/builds?q=ruby+3&limit=" + limit;
        while (!next.isEmpty()) {
            JsonNode page = Json.of(server.get(next));
            page.path("builds").forEach(build -> seen.add(build.path("buildId").asString()));
            next = page.path("next").asString("");
        }
        assertThat(seen)
                .containsExactly(
                        RUBY_345.toString(), RUBY_345_ARM.toString(), RUBY_344.toString(), RUBY_3310.toString());
    }

    @Test
    void listsShowTitlesAndSingleBuildsAllFields() {
        JsonNode row = Json.of(server.get("/v1/builds?q=a1")).path("builds").get(0);
        assertThat(row.path("identity").toString()).isEqualTo("{\"title\":\"libruby.so.3.4 3.4.5, Debian 13\"}");
        JsonNode identity = Json.of(server.get("/v1/builds/" + RUBY_345)).path("identity");
        assertThat(identity.path("title").asString()).isEqualTo("libruby.so.3.4 3.4.5, Debian 13");
        assertThat(identity.path("fields").get(1).toString())
                .isEqualTo("{\"kind\":\"project\",\"value\":\"ruby\",\"source\":\"DW_AT_producer\",\"derived\":true}");
        assertThat(identity.path("fields").size()).isEqualTo(5);
    }

    @Test
    void cborHasTheSameIdentity() {
        var response =
                server.cbor("GET", "/v1/builds/" + RUBY_345, BodyPublishers.noBody(), "Accept", "application/cbor");
        assertThat(Cbor.of(response).path("identity"))
                .isEqualTo(Json.of(server.get("/v1/builds/" + RUBY_345)).path("identity"));
    }

    @Test
    void previousVersionIsTheNextLowerOneOfTheSameArchitecture() {
        Identities identities = server.bean(Identities.class);
        assertThat(identities.previousVersion(RUBY_345)).contains(RUBY_344);
        assertThat(identities.previousVersion(RUBY_344)).contains(RUBY_3310);
        assertThat(identities.previousVersion(RUBY_3310)).isEmpty();
        assertThat(identities.previousVersion(RUBY_345_ARM)).isEmpty();
    }

    @Test
    void pagesNameBuildsAndOfferThePreviousVersion() {
        AdminClient admin = AdminClient.signIn(server);
        assertThat(admin.get("/admin/builds?q=libruby+3.4.4").body())
                .contains("libruby.so.3.4 3.4.4, Fedora 42", "c3c3c3c3c3c3<")
                .doesNotContain("Debian");
        assertThat(admin.get("/admin/builds/" + RUBY_345).body())
                .contains("libruby.so.3.4 3.4.5, Debian 13")
                .contains("/admin/diff?from=" + RUBY_344 + "&amp;to=" + RUBY_345)
                .contains("Compare with the previous version");
        assertThat(admin.get("/admin/builds/" + RUBY_3310).body()).doesNotContain("previous version");
        assertThat(admin.get("/admin/builds?q=%21").body()).contains("a search without words");
        assertThat(admin.get("/admin/builds?q=/x/.build-id/a1/" + "a1".repeat(19) + ".debug")
                        .headers()
                        .firstValue("Location"))
                .hasValueSatisfying(to -> assertThat(to).endsWith("/admin/builds/" + RUBY_345));
    }

    @Test
    void anotherFileKeepsTheKindsItSaysNothingOf() {
        BuildId id = BuildId.parse("0d".repeat(20));
        store(id, "riscv64", new Identity(List.of(field(SONAME, "libone.so.1"), field(VERSION, "1.0"))));
        Architecture architecture = new Architecture("riscv64", 64, ByteOrder.LITTLE_ENDIAN);
        server.bean(Identities.class).store(id, architecture, new Identity(List.of(field(VERSION, "1.1"))));
        assertThat(server.bean(Identities.class).title(id)).isEqualTo("libone.so.1 1.1");
    }

    @Test
    void modulesOfGoProgramsStayWhenTheirIdentityIsCompleted() {
        BuildId program = BuildId.parse("0a".repeat(20));
        store(
                program,
                "riscv64",
                new Identity(
                        List.of(field(IdentityField.Kind.GO_VERSION, "1.24.1")),
                        List.of(new GoModule("example.org/lib", "v1.2.0", null))));
        Identities identities = server.bean(Identities.class);
        Architecture architecture = new Architecture("riscv64", 64, ByteOrder.LITTLE_ENDIAN);
        identities.add(program, architecture, Identity.UNKNOWN);
        identities.add(program, architecture, new Identity(List.of(field(FILE_NAME, "/usr/bin/served"))));

        assertThat(server.bean(GoModules.class).programs(List.of("example.org/lib", "std"), "riscv64", 1, 10))
                .containsExactly(new GoModules.GoProgram(
                        program, Map.of("example.org/lib", "v1.2.0", GoModules.STANDARD_LIBRARY, "1.24.1")));
    }
}
