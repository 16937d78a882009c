package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Content negotiation of the answer to a single query. */
class RepresentationsIntegrationTests {

    private static final String PATH = "/v1/offsets/" + ShapesBuild.ID + "?types=";
    private static final String EVERY_KIND =
            "line,line_t,either,colour,enumerator+GREEN,line.ends[1].y,line.flags,line.next.x,line.nope,nope,nix|point";

    @TempDir
    private static Path folder;

    private static TestServer server;

    @BeforeAll
    static void start() throws IOException {
        ShapesBuild.putInto(folder.resolve("debug"));
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static HttpResponse<String> text(String types, String accept) {
        return server.get(PATH + TestServer.escape(types).replace("%2B", "+"), "Accept", accept);
    }

    private static HttpResponse<byte[]> cbor(String types) {
        return server.cbor(
                "GET", PATH + TestServer.escape(types), BodyPublishers.noBody(), "Accept", "application/cbor");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fields", "members", "flat"})
    void everyViewSaysTheSameInCbor(String view) {
        String path = PATH + TestServer.escape(EVERY_KIND).replace("%2B", "+") + "&view=" + view;
        HttpResponse<byte[]> cbor = server.cbor("GET", path, BodyPublishers.noBody(), "Accept", "application/cbor");
        assertThat(cbor.headers().firstValue("Content-Type")).contains("application/cbor");
        assertThat(Cbor.of(cbor)).isEqualTo(Json.of(server.get(path)));
    }

    @Test
    void membersAreTheWholeTree() {
        JsonNode members =
                Json.item(server.get(PATH + "line&view=members"), "line").path("members");
        assertThat(members.valueStream().map(member -> member.path("name").asString("-")))
                .containsExactly("from", "to", "flags", "ready", "-", "-", "mode", "as", "ends", "-", "-", "-", "next");
        for (int padding : new int[] {4, 5, 9, 11}) {
            assertThat(members.get(padding).path("padding").asBoolean()).isTrue();
        }
        assertThat(members.get(10).path("members").get(0).path("name").asString())
                .isEqualTo("low");
    }

    @Test
    void alternativesAndEnumeratorsAreItemsBesideTypes() {
        HttpResponse<String> response = server.offsets(ShapesBuild.ID, "nix|point.y,enumerator GREEN,colour");
        assertThat(Json.of(response).path("complete").asBoolean()).isTrue();
        assertThat(Json.item(response, "nix|point.y").path("matched").asString())
                .isEqualTo("point.y");
        assertThat(Json.item(response, "enumerator GREEN").path("value").asInt())
                .isEqualTo(7);
        assertThat(Json.item(response, "colour")
                        .path("enumerators")
                        .get(1)
                        .path("name")
                        .asString())
                .isEqualTo("GREEN");
    }

    @Test
    void textShowsLayoutsAndLeavesNothingOut() {
        HttpResponse<String> response = text(EVERY_KIND, "text/plain");
        assertThat(response.headers().firstValue("Content-Type")).contains("text/plain;charset=UTF-8");
        assertThat(response.body())
                .startsWith("/* build-id " + ShapesBuild.ID + ", x86_64, 64 bits, little-endian */\n")
                .contains("/* source: local, " + folder.resolve("debug") + " */\n")
                .contains("/* incomplete: not everything was found */\n")
                .contains("struct line {", "typedef struct line {", "union either {", "enum colour {", "GREEN = 7")
                .contains("/* line.nope: field_not_found")
                .contains("/* line.next.x: crosses_pointer")
                .contains("/* nope: type_not_found")
                .endsWith("\n");
        assertThat(text("point", "text/plain").body())
                .contains("/* complete: everything was found */\n", "/* XXX 4 bytes hole */");
    }

    @Test
    void headerDefinesConstantsAndLeavesNothingOut() {
        HttpResponse<String> response = text(EVERY_KIND, "text/x-c");
        assertThat(response.headers().firstValue("Content-Type")).contains("text/x-c;charset=UTF-8");
        assertThat(response.body().lines())
                .contains(
                        "/* build-id " + ShapesBuild.ID + ", x86_64, 64 bits, little-endian */",
                        "#define line_next_OFFSET 80",
                        "#define line_ends_1_y_OFFSET 64",
                        "#define line_flags_BIT_OFFSET 192",
                        "#define line_flags_BIT_SIZE 3",
                        "#define colour_GREEN_VALUE 7",
                        "#endif")
                .anyMatch(line -> line.startsWith("/* nope: type_not_found"))
                .noneMatch(line -> line.startsWith("#define nope"));
    }

    @ParameterizedTest
    @CsvSource({"text/plain", "text/x-c"})
    void viewDoesNotChangeAText(String form) {
        String plain = text("line", form).body();
        assertThat(server.get(PATH + "line&view=flat", "Accept", form).body()).isEqualTo(plain);
    }

    @Test
    void eachRepresentationHasItsETag() {
        Set<String> etags = new HashSet<>();
        for (String form : List.of("application/json", "text/plain", "text/x-c")) {
            HttpResponse<String> response = text("point", form);
            String etag = response.headers().firstValue("ETag").orElseThrow();
            etags.add(etag);
            assertThat(response.headers().firstValue("Vary").orElseThrow()).contains("Accept");
            assertThat(server.get(PATH + "point", "Accept", form, "If-None-Match", etag)
                            .statusCode())
                    .isEqualTo(304);
            String other = form.equals("text/plain") ? "text/x-c" : "text/plain";
            assertThat(server.get(PATH + "point", "Accept", other, "If-None-Match", etag)
                            .statusCode())
                    .isEqualTo(200);
        }
        etags.add(cbor("point").headers().firstValue("ETag").orElseThrow());
        assertThat(etags).hasSize(4);
    }

    @Test
    void listOfItemsIsAnsweredInEveryForm() {
        String path = "/v1/offsets/" + ShapesBuild.ID;
        assertThat(server.post(path, "[\"point\"]", "Content-Type", "application/json", "Accept", "text/x-c")
                        .body())
                .contains("#define point_y_OFFSET 8\n");
        assertThat(Cbor.of(server.cbor(
                                "POST",
                                path,
                                BodyPublishers.ofString("[\"point\"]"),
                                "Content-Type",
                                "application/json",
                                "Accept",
                                "application/cbor"))
                        .path("complete")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void nothingAcceptableListsWhatThereIs() {
        HttpResponse<String> response = text("point", "text/csv");
        assertThat(response.statusCode()).isEqualTo(406);
        assertThat(Json.of(response).path("available").valueStream().map(JsonNode::asString))
                .containsExactly(
                        "application/json",
                        "application/cbor",
                        "text/plain",
                        "text/x-c",
                        "text/x-tracefs",
                        "text/x-bpftrace");
    }
}
