package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Builds without debug information are answered by other builds of a runtime, if the client agrees and they do. */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsensusIntegrationTests {

    private static final String ITEM = "rb_execution_context_struct.cfp";
    private static final String CONSENT = "&fallback=consensus";

    private Path folder;
    private Path debug;
    private TestServer server;
    private final TestDatabase database = TestDatabase.create();

    /** Each test has another series of releases, so that the builds of the others do not count. */
    private int series = 10;

    private String stripped = "";

    @BeforeAll
    void start(@TempDir Path temporary) throws IOException {
        folder = temporary;
        debug = Files.createDirectories(folder.resolve("debug"));
        server = TestServer.start(
                folder.resolve("data"), database, "offsetd.offline=true", "offsetd.local-folders=" + debug);
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @BeforeEach
    void beginSeries() {
        series++;
        stripped = id("aa");
    }

    private String id(String octet) {
        return (octet + series).repeat(10);
    }

    /** Returns the release of the series of this test. */
    private String release(int patch) {
        return "3." + series + "." + patch;
    }

    private UnaryOperator<String> version(int patch) {
        return source -> source.replace("ruby 3.4.1 (", "ruby " + release(patch) + " (");
    }

    private UnaryOperator<String> movedIn(int patch) {
        return source -> version(patch).apply(source).replace("{ VALUE *vm_stack;", "{ VALUE *vm_stack, more;");
    }

    private Path placeOf(String id) throws IOException {
        return Files.createDirectories(debug.resolve(".build-id").resolve(id.substring(0, 2)))
                .resolve(id.substring(2));
    }

    private SmallRuby compile(String id, UnaryOperator<String> change) throws IOException {
        return SmallRuby.compile(folder.resolve(id), id, change);
    }

    /** Stores a build with debug information. */
    private void peer(String octet, UnaryOperator<String> change) throws IOException {
        String id = id(octet);
        Files.copy(compile(id, change).library(), Path.of(placeOf(id) + ".debug"));
        assertThat(server.offsets(id, ITEM).statusCode()).isEqualTo(200);
    }

    /** Stores a build with debug information that a client uploads. */
    private void upload(Publisher publisher, String octet, UnaryOperator<String> change) throws IOException {
        String id = id(octet);
        assertThat(publisher
                        .put(server, id, Files.readAllBytes(compile(id, change).library()))
                        .statusCode())
                .isEqualTo(201);
    }

    private SmallRuby stripped(UnaryOperator<String> change) throws IOException {
        SmallRuby ruby = compile(stripped, change);
        Files.copy(ruby.stripped(), placeOf(stripped));
        return ruby;
    }

    private HttpResponse<String> ask(String types, String more) {
        return server.get("/v1/offsets/" + stripped + "?types=" + types + more);
    }

    private JsonNode consensus(String types, String more) {
        HttpResponse<String> answer = ask(types, CONSENT + more);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer);
    }

    @Test
    void buildOfAnUnknownOriginAnswersIfNoOtherDoes() throws Exception {
        peer("b1", movedIn(1));
        stripped(version(1));
        database.jdbc()
                .sql("update debug_files set origin = 'later' where build_id = decode(:id, 'hex')")
                .param("id", id("b1"))
                .update();
        assertThat(consensus(ITEM, "").path("offsets").path(ITEM).path("offset").asInt())
                .isEqualTo(24);

        upload(Publisher.of(server, "ci"), "b2", version(1));

        assertThat(consensus(ITEM, "").path("offsets").path(ITEM).path("offset").asInt())
                .isEqualTo(16);
    }

    @Test
    void buildsOfTheSameVersionThatAgreeAnswer() throws Exception {
        peer("b1", version(1));
        peer("b2", version(1));
        peer("b3", movedIn(2));
        stripped(version(1));

        assertThat(ask(ITEM, "").statusCode()).isEqualTo(404);
        HttpResponse<String> response = ask(ITEM + ",none", CONSENT);
        JsonNode answer = Json.of(response);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
        assertThat(response.headers().firstValue("ETag")).isPresent();
        JsonNode item = answer.path("offsets").path(ITEM);
        assertThat(item.path("status").asString()).isEqualTo("consensus");
        assertThat(item.path("offset").asInt()).isEqualTo(16);
        assertThat(item.path("agreement").path("builds").asInt()).isEqualTo(2);
        assertThat(item.path("agreement").path("distinct").asInt()).isEqualTo(1);
        assertThat(answer.path("offsets").path("none").path("status").asString())
                .isEqualTo("type_not_found");
        assertThat(answer.path("arch").path("bits").asInt()).isEqualTo(64);
        assertThat(answer.path("consensus").path("version").asString()).isEqualTo(release(1));
        assertThat(answer.path("consensus").has("claimed")).isFalse();
        assertThat(answer.path("provenance").path("p1").path("origin").asString())
                .isEqualTo("consensus");
        assertThat(answer.path("provenance")
                        .path("p1")
                        .path("builds")
                        .valueStream()
                        .map(build -> build.path("buildId").asString()))
                .containsExactly(id("b1"), id("b2"));
    }

    @Test
    @ChecklistRow(43)
    void noUploadChangesWhatBuildsOfASourceAgreeOn() throws Exception {
        peer("b1", version(1));
        peer("b2", version(1));
        upload(Publisher.of(server, "ci"), "b3", movedIn(1));
        stripped(version(1));

        JsonNode item = consensus(ITEM, "").path("offsets").path(ITEM);

        assertThat(item.path("status").asString()).isEqualTo("consensus");
        assertThat(item.path("offset").asInt()).isEqualTo(16);
        assertThat(item.path("agreement").path("builds").asInt()).isEqualTo(2);
        assertThat(item.path("agreement").path("origins").toString()).isEqualTo("[\"local\"]");
        assertThat(item.path("agreement").has("tokens")).isFalse();
    }

    @Test
    void symbolsOfTheBuildItselfAreOfItsOwnFile() throws Exception {
        peer("b1", version(1));
        SmallRuby ruby = compile(stripped, version(1));
        Publisher.of(server, "ci").putExecutable(server, stripped, Files.readAllBytes(ruby.stripped()));

        JsonNode answer = consensus(ITEM + ",symbol%20rb_vm_exec,string", "");
        JsonNode items = answer.path("offsets");

        assertThat(items.path(ITEM).path("source").asString()).isEqualTo("p1");
        assertThat(answer.path("provenance").path("p1").path("origin").asString())
                .isEqualTo("consensus");
        String own = items.path("symbol rb_vm_exec").path("source").asString();
        assertThat(answer.path("provenance").path(own).path("origin").asString())
                .as(answer.toString())
                .isEqualTo("upload");
        assertThat(items.path("string").path("status").asString()).isEqualTo("unsupported");
        assertThat(items.path("string").has("suggestions")).isFalse();
    }

    @Test
    @ChecklistRow(43)
    void claimIsNoEvidence() throws Exception {
        Publisher ci = Publisher.of(server, "ci");
        upload(ci, "b1", version(1));
        upload(Publisher.of(server, "other"), "b2", movedIn(1));
        database.jdbc()
                .sql("update debug_files set verified = 'claimed' where build_id = decode(:id, 'hex')")
                .param("id", id("b2"))
                .update();
        stripped(version(1));

        assertThat(consensus(ITEM, "").path("consensus").path("agreement").toString())
                .contains("\"builds\":1,\"distinct\":1", "\"tokens\":1");
    }

    @Test
    @ChecklistRow(43)
    void uploadsOfOneTokenAreOneBuildOfAConsensus() throws Exception {
        Publisher ci = Publisher.of(server, "ci");
        upload(ci, "b1", version(1));
        upload(ci, "b2", version(1));
        upload(ci, "b3", version(1));
        stripped(version(1));
        assertThat(consensus(ITEM, "").path("consensus").path("agreement").toString())
                .contains("\"builds\":1,\"distinct\":1", "\"origins\":[\"upload\"],\"tokens\":1");

        upload(Publisher.of(server, "other"), "b4", version(1));

        JsonNode answer = consensus(ITEM, "");
        assertThat(answer.path("consensus").path("agreement").toString())
                .contains("\"builds\":2,\"distinct\":1", "\"origins\":[\"upload\"],\"tokens\":2");
        assertThat(answer.path("provenance").path("p1").path("builds").size()).isEqualTo(4);
    }

    @Test
    void everyRepresentationSaysWhatItRestsOn() throws Exception {
        peer("b1", version(1));
        stripped(version(1));

        JsonNode flat = consensus("@ruby," + ITEM, "&view=flat");
        assertThat(flat.path("offsets").path(ITEM).toString()).isEqualTo("[16,8]");
        assertThat(flat.path("offsets").path("@ruby").path("status").asString()).isEqualTo("consensus");
        assertThat(flat.path("consensus").path("agreement").path("builds").asInt())
                .isEqualTo(1);
        assertThat(server.get("/v1/offsets/" + stripped + "?types=" + ITEM + CONSENT, "Accept", "text/plain")
                        .body())
                .contains("source: consensus, builds: 1, versions", id("b1"));
        assertThat(server.get("/v1/offsets/" + stripped + "?types=" + ITEM + CONSENT, "Accept", "text/x-c")
                        .body())
                .contains("source: consensus, builds: 1, versions", "_OFFSET 16");
        assertThat(Cbor.of(server.cbor(
                                "GET",
                                "/v1/offsets/" + stripped + "?types=" + ITEM + CONSENT,
                                HttpRequest.BodyPublishers.noBody(),
                                "Accept",
                                "application/cbor"))
                        .path("consensus")
                        .path("project")
                        .asString())
                .isEqualTo("ruby");
    }

    @Test
    void buildsThatDifferAreAmbiguousWithTheirAnswers() throws Exception {
        peer("b1", version(1));
        peer("b2", movedIn(1));
        stripped(version(1));

        JsonNode answer = consensus(ITEM, "");
        JsonNode item = answer.path("offsets").path(ITEM);

        assertThat(answer.path("complete").asBoolean()).isFalse();
        assertThat(item.path("status").asString()).isEqualTo("ambiguous");
        assertThat(item.has("offset")).isFalse();
        assertThat(item.path("candidates")
                        .valueStream()
                        .map(candidate -> candidate.path("offset").asInt()))
                .containsExactlyInAnyOrder(16, 24);
        assertThat(item.path("agreement").path("distinct").asInt()).isEqualTo(2);
    }

    /** Asserts that no build answers, and why. */
    private void assertNoConsensus(HttpResponse<String> response, String reason, String detail) {
        JsonNode problem = Json.of(response);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
        assertThat(problem.path("noConsensus").path("reason").asString()).isEqualTo(reason);
        assertThat(problem.path("noConsensus").path("detail").asString()).contains(detail);
        assertThat(problem.path("detail").asString())
                .endsWith("; no consensus: "
                        + problem.path("noConsensus").path("detail").asString());
    }

    @Test
    void itemsThatAreMisspeltComeWithSuggestions() throws Exception {
        peer("b1", version(1));
        stripped(version(1));

        JsonNode item =
                consensus("rb_execution_context_strukt", "").path("offsets").path("rb_execution_context_strukt");

        assertThat(item.path("status").asString()).isEqualTo("type_not_found");
        assertThat(item.path("suggestions").valueStream().map(JsonNode::asString))
                .contains("rb_execution_context_struct");
    }

    @Test
    void missingConsensusHasItsReason() throws Exception {
        assertNoConsensus(ask(ITEM, CONSENT), "unknown_program", "no file of the build is known");
        assertNoConsensus(ask(ITEM, CONSENT + "&name=ruby"), "unknown_version", "claim version");
        assertNoConsensus(ask(ITEM, CONSENT + "&name=ruby&version=" + release(2)), "unknown_machine", "claim machine");
        assertNoConsensus(
                ask(ITEM, CONSENT + "&name=ruby&machine=z80&version=" + release(2)),
                "no_build",
                "no build of ruby " + release(2));
        peer("b1", version(1));
        String claim = CONSENT + "&machine=x86_64&version=";
        assertNoConsensus(
                ask("@ruby", claim + "trunk"), "unknown_version", "ruby trunk is not a version that can be compared");
        assertNoConsensus(ask("@ruby", claim + release(1)), "unknown_variant", "the state of yjit, ");
        assertThat(ask(ITEM, "").body()).doesNotContain("onsensus");
    }

    @Test
    void pinnedItemsAnswerAndTheOthersSayWhyThereIsNoConsensus() throws Exception {
        Administrator.of(server, "other")
                .pin(server, stripped, ITEM, "{\"offset\": 24, \"size\": 8, \"type\": \"void *\"}");

        HttpResponse<String> response = ask(ITEM + ",other", CONSENT);
        JsonNode items = Json.of(response).path("offsets");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(items.path(ITEM).path("offset").asInt()).isEqualTo(24);
        assertThat(items.path("other").path("status").asString()).isEqualTo("no_debuginfo");
        assertThat(items.path("other").path("detail").asString())
                .startsWith("no consensus: no file of the build is known");
        assertThat(Json.item(ask(ITEM + ",other", ""), "other").has("detail")).isFalse();
    }

    @Test
    void nextReleasesBelowAndAboveAnswerTogether() throws Exception {
        peer("b1", version(1));
        stripped(version(2));
        assertNoConsensus(
                ask(ITEM, CONSENT),
                "only_below",
                "builds of " + release(1) + " are stored, but none of ruby " + release(2) + " or a release above");
        peer("b3", version(3));

        JsonNode agreement = consensus(ITEM, "").path("consensus").path("agreement");

        assertThat(agreement.path("below").asString()).isEqualTo(release(1));
        assertThat(agreement.path("above").asString()).isEqualTo(release(3));
        peer("b4", movedIn(3));
        assertThat(consensus(ITEM, "").path("offsets").path(ITEM).path("status").asString())
                .isEqualTo("ambiguous");
    }

    @Test
    void otherVariantsDoNotCount() throws Exception {
        peer("b1", source -> version(1).apply(source) + "int mjit_call_p;");
        stripped(version(1));
        assertNoConsensus(ask(ITEM, CONSENT), "no_build", "mjit=no");
    }

    @Test
    void exactAnswerComesFirstAndIsTheSame() throws Exception {
        peer("b1", movedIn(1));
        SmallRuby ruby = stripped(version(1));
        HttpResponse<String> before = ask(ITEM, CONSENT);
        assertThat(Json.item(before, ITEM).path("offset").asInt()).isEqualTo(24);

        assertThat(Publisher.of(server, "ci")
                        .put(server, stripped, Files.readAllBytes(ruby.debugFile()))
                        .statusCode())
                .isEqualTo(201);

        HttpResponse<String> exact = ask(ITEM, "");
        for (HttpResponse<String> answer : List.of(ask(ITEM, CONSENT), ask(ITEM, CONSENT + "&version=3.4.9"))) {
            assertThat(answer.body()).isEqualTo(exact.body());
            assertThat(answer.headers().firstValue("ETag"))
                    .isEqualTo(exact.headers().firstValue("ETag"));
        }
        assertThat(Json.item(exact, ITEM).path("offset").asInt()).isEqualTo(16);
        assertThat(before.headers().firstValue("ETag"))
                .isNotEqualTo(exact.headers().firstValue("ETag"));
    }

    @Test
    void withoutPeersTheAnswerIsThatWithoutConsent() throws Exception {
        stripped(version(1));
        assertThat(ask(ITEM, "").statusCode()).isEqualTo(404);
        JsonNode exact = Json.of(ask(ITEM, ""));
        JsonNode fallback = Json.of(ask(ITEM, CONSENT));
        for (String member : List.of("type", "title", "status", "code", "cause", "buildId")) {
            assertThat(fallback.path(member)).isEqualTo(exact.path(member));
        }
    }

    @Test
    void claimAnswersForAFileThatTheServerDoesNotKnow() throws Exception {
        peer("b1", version(1));
        String tokens = "ruby.yjit=no,ruby.zjit=no,ruby.mjit=no,ruby.rjit=no,ruby.compact=no,ruby.gc-check=no,"
                + "ruby.gc-profile=no,ruby.gc-count=no,ruby.vm-check=no";
        String claim = "&name=/usr/lib/libruby.so.3.4&version=" + release(1) + "&machine=x86_64&tokens=" + tokens;

        assertThat(ask(ITEM, CONSENT + "&name=ruby&version=" + release(1) + "&machine=x86_64")
                        .statusCode())
                .isEqualTo(404);
        JsonNode answer = consensus(ITEM, claim);

        assertThat(answer.path("consensus").path("claimed").asBoolean()).isTrue();
        assertThat(answer.path("offsets").path(ITEM).path("offset").asInt()).isEqualTo(16);
        assertThat(ask(ITEM, CONSENT + claim.replace("ruby.mjit=no", "ruby.mjit=yes"))
                        .statusCode())
                .isEqualTo(404);
        assertThat(ask(ITEM, CONSENT + claim.replace("x86_64", "aarch64")).statusCode())
                .isEqualTo(404);
        assertThat(ask(ITEM, "").statusCode()).isEqualTo(404);
    }

    @Test
    void fileOverrulesAClaim() throws Exception {
        peer("b1", version(1));
        stripped(version(1));
        JsonNode answer = consensus(ITEM, "&version=2.7.0&name=php&tokens=ruby.mjit=yes");
        assertThat(answer.path("consensus").path("version").asString()).isEqualTo(release(1));
        assertThat(answer.path("consensus").has("claimed")).isFalse();
    }

    private double given(String from) {
        return server.bean(MeterRegistry.class)
                .get("offsetd.answers.given")
                .tag("from", from)
                .counter()
                .count();
    }

    @Test
    void pinsOfTheBuildComeFirstAndAPeerWithPinsDoesNotCount() throws Exception {
        peer("b1", version(1));
        peer("b2", version(1));
        stripped(version(1));
        Administrator administrator = Administrator.of(server, "root");
        administrator.pin(server, id("b1"), ITEM, "{\"offset\": 8, \"size\": 8, \"type\": \"void *\"}");
        assertThat(consensus(ITEM, "")
                        .path("consensus")
                        .path("agreement")
                        .path("builds")
                        .asInt())
                .isEqualTo(1);

        administrator.pin(server, stripped, ITEM, "{\"offset\": 24, \"size\": 8, \"type\": \"void *\"}");

        JsonNode pinned = consensus(ITEM, "");
        assertThat(pinned.path("offsets").path(ITEM).path("offset").asInt()).isEqualTo(24);
        assertThat(pinned.path("offsets").path(ITEM).path("status").asString()).isEqualTo("found");
        double fromPins = given("pins");
        double fromConsensus = given("consensus");
        JsonNode both = consensus(ITEM + ",rb_execution_context_struct.vm_stack", "");
        assertThat(given("pins")).isEqualTo(fromPins);
        assertThat(given("consensus")).isEqualTo(fromConsensus + 1);
        assertThat(both.path("offsets").path(ITEM).path("offset").asInt()).isEqualTo(24);
        assertThat(both.path("offsets")
                        .path("rb_execution_context_struct.vm_stack")
                        .path("status")
                        .asString())
                .isEqualTo("consensus");
        assertThat(both.path("pinned").has(ITEM)).isTrue();
    }

    @Test
    void pageOfTheBuildListsThoseThatAnswerForIt() throws Exception {
        peer("b1", version(1));
        peer("b2", version(1));
        stripped(version(1));
        assertThat(ask(ITEM, "").statusCode()).isEqualTo(404);
        assertThat(AdminClient.signIn(server).get("/admin/builds/" + stripped).body())
                .contains("/admin/builds/" + id("b1"), "/admin/builds/" + id("b2"));
    }

    @Test
    void batchesAndBodiesTakeTheSameParameters() throws Exception {
        peer("b1", version(1));
        stripped(version(1));

        JsonNode answers = Json.of(server.post(
                        "/v1/offsets",
                        "[{\"buildId\": \"%1$s\", \"types\": [\"%2$s\"], \"fallback\": \"consensus\"},"
                                        .formatted(stripped, ITEM)
                                + "{\"buildId\": \"%1$s\", \"types\": [\"%2$s\"]},".formatted(stripped, ITEM)
                                + "{\"buildId\": \"%1$s\", \"types\": [\"%2$s\"], \"fallback\": \"all\"}]"
                                        .formatted(stripped, ITEM),
                        "Content-Type",
                        "application/json"))
                .path("answers");

        assertThat(answers.valueStream().map(answer -> answer.path("status").asInt()))
                .containsExactly(200, 404, 400);
        JsonNode refused = Json.of(server.post(
                "/v1/offsets",
                "[{\"buildId\": \"%s\", \"types\": [\"a\"], \"fallback\": \"consensus\"}]".formatted(id("ff")),
                "Content-Type",
                "application/json"));
        assertThat(refused.path("answers")
                        .path(0)
                        .path("problem")
                        .path("noConsensus")
                        .path("reason")
                        .asString())
                .isEqualTo("unknown_program");
        assertThat(answers.path(0)
                        .path("answer")
                        .path("offsets")
                        .path(ITEM)
                        .path("status")
                        .asString())
                .isEqualTo("consensus");
        HttpResponse<String> post = server.post(
                "/v1/offsets/" + stripped + "?fallback=consensus",
                "[\"" + ITEM + "\"]",
                "Content-Type",
                "application/json");
        assertThat(Json.item(post, ITEM).path("status").asString()).isEqualTo("consensus");
    }

    @Test
    void clientsTakeAConsensusOnlyOnRequestAndSayThatItIsOne() throws Exception {
        peer("b1", version(1));
        stripped(version(1));
        Path python = Files.writeString(folder.resolve("consensus.py"), """
                import sys, offsetd
                server, build_id, cache, item = sys.argv[1:]
                client = offsetd.Client(server, cache)
                try:
                    client.offsets(build_id, [item])
                except offsetd.OffsetdError:
                    answer = client.offsets(build_id, [item], optional=["none"], consensus=True)
                    value = answer[item]
                    print(answer.consensus["agreement"]["builds"], value.status, value.found, value.offset, answer["none"].found)
                """);
        assertThat(ExampleClient.python().output(python, server.url(), stripped, folder.resolve("cache-python"), ITEM))
                .isEqualTo("1 consensus True 16 False\n");

        Path c = Files.writeString(folder.resolve("consensus.c"), """
                #include "offsetd.h"
                #include <stdio.h>
                int main(int count, char **arguments)
                {
                    struct offsetd_client *client = offsetd_new(arguments[1], arguments[count - 2], NULL, NULL, NULL);
                    const char *items[] = {arguments[4], NULL}, *optional[] = {"none", NULL};
                    struct offsetd_query query = {.build_id = arguments[2], .items = items, .optional = optional};
                    struct offsetd_answer *exact = offsetd_offsets(client, &query);
                    query.consensus = 1;
                    query.program.name = "ruby";
                    query.program.version = "1.0";
                    struct offsetd_answer *answer = offsetd_offsets(client, &query);
                    struct offsetd_value value = offsetd_value(answer, arguments[4]);
                    printf("%d %d %d %s %d %d\\n", exact->source == OFFSETD_NONE, answer->consensus, answer->claimed,
                           value.status, value.found, (int)value.offset);
                    offsetd_answer_free(exact);
                    offsetd_answer_free(answer);
                    offsetd_free(client);
                    return 0;
                }
                """);
        assertThat(ExampleClient.compiled(c, folder.resolve("consensus-c"))
                        .output(server.url(), stripped, folder.resolve("cache-c"), ITEM))
                .isEqualTo("1 1 0 consensus 1 16\n");

        Path go = folder.resolve("go");
        ExampleClient.module(go, """
                package main

                import (
                	"context"
                	"fmt"
                	"os"

                	offsetd "offsetd.dev/clients/go"
                )

                func main() {
                	client, _ := offsetd.New(os.Args[1], os.Args[3], nil, offsetd.Options{})
                	query := offsetd.Query{BuildID: os.Args[2], Items: []string{os.Args[4]}, Optional: []string{"none"}}
                	_, err := client.Offsets(context.Background(), query)
                	query.Consensus = true
                	answer, _ := client.Offsets(context.Background(), query)
                	value := answer.Value(os.Args[4])
                	offset, _ := value.Offset()
                	fmt.Println(err != nil, answer.Consensus.Agreement.Builds, value.Status, value.Found(), offset)
                }
                """);
        assertThat(ExampleClient.go()
                        .outputIn(go, "run", ".", server.url(), stripped, folder.resolve("cache-go"), ITEM))
                .isEqualTo("true 1 consensus true 16\n");
    }

    @ParameterizedTest
    @CsvSource({
        "fallback=none, expected consensus",
        "version=3.4.1, is for fallback=consensus",
        "fallback=consensus&version=%20, version is",
        "fallback=consensus&tokens=yjit, expected SET.TOKEN=STATE",
    })
    void malformedFallbackIsRefused(String parameters, String detail) {
        HttpResponse<String> response = ask(ITEM, "&" + parameters);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_fallback");
        assertThat(Json.of(response).path("detail").asString()).contains(detail);
    }

    @Test
    void programThatStatesSeveralRuntimesIsAnsweredForTheNamedOne() throws Exception {
        UnaryOperator<String> both = source -> version(1).apply(source) + "const char other[] = \"LuaJIT 2.1.1\";";
        peer("b1", version(1));
        stripped(both);
        assertNoConsensus(ask(ITEM, CONSENT), "several_runtimes", "request one type set: @luajit, @ruby");
        assertThat(consensus("@ruby", "")
                        .path("offsets")
                        .path("@ruby")
                        .path("status")
                        .asString())
                .isEqualTo("consensus");
    }

    @Test
    void prewarmSaysOfEachBuildHowItIsAnswered() throws Exception {
        peer("b1", version(1));
        stripped(version(1));
        Publisher ci = Publisher.of(server, "ci");

        JsonNode batch = prewarmed(ci, ITEM, id("b1"), stripped, id("cc"));
        JsonNode items = batch.path("items");
        assertThat(items.valueStream().map(item -> item.path("state").asString()))
                .containsExactly("done", "failed", "failed");
        assertThat(items.valueStream().map(item -> item.path("answer").asString()))
                .containsExactly("exact", "consensus", "none");
        assertThat(AdminClient.signIn(server, "publisher", "publish")
                        .get("/admin/prewarms/" + batch.path("id").asString())
                        .body())
                .containsOnlyOnce(">consensus<")
                .containsOnlyOnce(">failed<");

        JsonNode withoutTypes = prewarmed(ci, "", stripped).path("items").path(0);
        assertThat(withoutTypes.path("state").asString()).isEqualTo("failed");
        assertThat(withoutTypes.has("answer")).isFalse();
    }

    private JsonNode prewarmed(Publisher ci, String item, String... builds) throws InterruptedException {
        HttpResponse<String> created = server.post(
                "/v1/prewarms",
                "{\"builds\": [\"%s\"], \"types\": [%s]}"
                        .formatted(String.join("\", \"", builds), item.isEmpty() ? "" : '"' + item + '"'),
                ci.authorized("Content-Type", "application/json"));
        assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
        String location = created.headers().firstValue("Location").orElseThrow();
        JsonNode batch = Json.of(created);
        while (batch.path("state").asString().equals("active")) {
            Thread.sleep(100);
            batch = Json.of(server.get(location, ci.authorized()));
        }
        return batch;
    }
}
