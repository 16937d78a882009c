package dev.offsetd.server.pins;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Reviews of pins whose extracted value changes after they were made. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PinReviewIntegrationTests {

    private static final String PINNED = "{\"offset\": 0, \"size\": 4}";
    private static final String REASON = "the new file is of a debug configuration";

    private TestDatabase database;
    private TestServer server;
    private Administrator administrator;
    private Publisher publisher;

    @BeforeAll
    void start(@TempDir Path data) {
        database = TestDatabase.create();
        server = TestServer.start(data, database, "offsetd.offline=true", "offsetd.answers.cache=0");
        administrator = Administrator.of(server, "admin of pins");
        publisher = Publisher.of(server, "publisher");
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private static BuildId newId() {
        return BuildId.parse(UUID.randomUUID().toString().replace("-", ""));
    }

    /**
     * Uploads a file whose {@code point.y} is at an offset, or that has no {@code point}. It replaces an earlier file that
     * has fewer types.
     *
     * @param offset negative for no {@code point}
     * @param types number of other structs
     */
    private void upload(BuildId id, int offset, int types) {
        List<DwarfTree.Part> nodes = new ArrayList<>(List.of(baseType("int", 4, DW_ATE_signed)));
        if (offset >= 0) {
            nodes.add(struct("point", 64, member("x", "int", 0), member("y", "int", offset)));
        }
        for (int i = 0; i < types; i++) {
            nodes.add(struct("other" + i, 4, member("m", "int", 0)));
        }
        byte[] file = DwarfWriter.write(DwarfStyle.DEFAULT, unit(nodes.toArray(DwarfTree.Part[]::new)))
                .toElf()
                .buildId(id.toBytes())
                .toBytes();
        HttpResponse<String> uploaded = publisher.put(server, id, file);
        assertThat(uploaded.statusCode()).as(uploaded.body()).isIn(200, 201);
    }

    private String pinned(BuildId id) {
        return administrator.pin(server, id, "point.y", PINNED).path("id").asString();
    }

    private JsonNode pin(String id) {
        return Json.of(server.get("/v1/pins/" + id));
    }

    private JsonNode acknowledge(String id, String reason) {
        HttpResponse<String> response =
                administrator.post(server, "/" + id + "/acknowledge", "{\"reason\": \"" + reason + "\"}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    private List<String> reviews(BuildId id) {
        return Json.of(server.get("/v1/pins?state=active&review=true&buildId=" + id))
                .path("pins")
                .valueStream()
                .map(pin -> pin.path("review").asString())
                .toList();
    }

    @Test
    void pinNeedsAReviewOnlyWhenTheExtractedValueChangesAfterItWasMade() {
        BuildId id = newId();
        upload(id, 4, 1);
        String pin = pinned(id);
        assertThat(pin(pin).path("agreement").asString()).isEqualTo("disagrees");
        assertThat(pin(pin).path("seen")).isEqualTo(pin(pin).path("extracted"));
        assertThat(reviews(id)).isEmpty();
        assertThat(acknowledge(pin, "nothing to accept").path("revision").asInt())
                .isEqualTo(1);

        upload(id, 8, 2);
        assertThat(reviews(id)).containsExactly("value_changed");
        assertThat(pin(pin).path("seen").path("offset").asInt()).isEqualTo(4);
        assertThat(pin(pin).path("extracted").path("offset").asInt()).isEqualTo(8);

        JsonNode acknowledged = acknowledge(pin, REASON);
        assertThat(acknowledged.has("review")).isFalse();
        assertThat(acknowledged.path("seen").path("offset").asInt()).isEqualTo(8);
        assertThat(acknowledged.path("acknowledged").asString()).isEqualTo(REASON);
        assertThat(pin(pin).path("history").get(0).path("acknowledged").asString())
                .isEqualTo(REASON);
        assertThat(database.jdbc()
                        .sql("select after->>'acknowledged' from audit where subject = ?"
                                + " and action = 'pin.acknowledge'")
                        .param(pin)
                        .query(String.class)
                        .list())
                .containsExactly(REASON);

        upload(id, 8, 3);
        assertThat(reviews(id)).isEmpty();
        upload(id, -1, 5);
        assertThat(reviews(id)).containsExactly("item_vanished");
        administrator.delete(server, pin);
        assertThat(reviews(id)).isEmpty();
    }

    @Test
    void pinOfABuildWithoutDebugInformationNeedsAReviewIfALaterFileDisagrees() {
        BuildId right = newId();
        BuildId wrong = newId();
        pinned(right);
        pinned(wrong);
        upload(right, 0, 1);
        upload(wrong, 4, 1);

        assertThat(reviews(right)).isEmpty();
        assertThat(reviews(wrong)).containsExactly("value_changed");
        upload(right, -1, 3);
        assertThat(reviews(right)).containsExactly("item_vanished");
    }

    @Test
    void changeToThePinnedValueNeedsNoReview() {
        BuildId id = newId();
        upload(id, 4, 1);
        String pin = pinned(id);
        upload(id, 0, 2);

        assertThat(pin(pin).path("agreement").asString()).isEqualTo("agrees");
        assertThat(reviews(id)).isEmpty();
    }

    @Test
    void editAcceptsTheCurrentValue() {
        BuildId id = newId();
        upload(id, 4, 1);
        String pin = pinned(id);
        upload(id, 8, 2);
        JsonNode edited = Json.of(administrator.put(
                server, pin, Administrator.draft(id, "point.y", PINNED.replace("0,", "12,"), ""), "If-Match", "*"));

        assertThat(edited.path("seen").path("offset").asInt()).isEqualTo(8);
        assertThat(reviews(id)).isEmpty();
    }

    @Test
    void acknowledgementNeedsAReason() {
        String pin = pinned(newId());
        for (String body : List.of("{}", "{\"reason\": \"\"}", "{\"reason\": 1}", "{\"reason\": \"x\", \"more\": 1}")) {
            HttpResponse<String> refused = administrator.post(server, "/" + pin + "/acknowledge", body);
            assertThat(refused.statusCode()).as(body).isEqualTo(400);
            assertThat(Json.of(refused).path("code").asString()).isEqualTo("bad_pin");
        }
        assertThat(administrator
                        .post(server, "/" + pin + "/acknowledge", "{\"reason\": \"x\"}", "If-Match", "\"7\"")
                        .statusCode())
                .isEqualTo(412);
        assertThat(server.get("/v1/pins?review=perhaps").statusCode()).isEqualTo(400);
    }

    @Test
    void valueThatChangedSinceItWasShownIsNotAccepted() {
        AdminClient admin = AdminClient.signIn(server);
        BuildId id = newId();
        upload(id, 4, 1);
        String pin = pinned(id);
        upload(id, 8, 2);
        String page = "/admin/pins/" + pin;
        Map<String, String> form = Map.of(
                "revision",
                "1",
                "reason",
                REASON,
                "shown",
                shownIn(admin.get(page).body()));
        String body = "{\"reason\": \"" + REASON + "\", \"extracted\": " + pin(pin).path("extracted") + "}";
        upload(id, 12, 3);

        HttpResponse<String> refused = admin.post(page + "/acknowledge", form);
        assertThat(refused.statusCode()).isEqualTo(303);
        assertThat(admin.get(page).body()).contains("The extracted value has changed", "review it again");
        HttpResponse<String> conflict = administrator.post(server, "/" + pin + "/acknowledge", body);
        assertThat(conflict.statusCode()).isEqualTo(409);
        assertThat(Json.of(conflict).path("code").asString()).isEqualTo("pin_value_changed");
        assertThat(reviews(id)).containsExactly("value_changed");

        Map<String, String> again = Map.of(
                "revision",
                "1",
                "reason",
                REASON,
                "shown",
                shownIn(admin.get(page).body()));
        assertThat(admin.post(page + "/acknowledge", again).statusCode()).isEqualTo(303);
        assertThat(pin(pin).path("seen").path("offset").asInt()).isEqualTo(12);
    }

    @Test
    void vanishedItemIsAcceptedAsNull() {
        BuildId id = newId();
        upload(id, 4, 1);
        String pin = pinned(id);
        String path = "/" + pin + "/acknowledge";
        String accepted = "{\"reason\": \"x\", \"extracted\": null}";
        upload(id, 8, 2);
        assertThat(administrator.post(server, path, accepted).statusCode()).isEqualTo(409);
        upload(id, -1, 4);
        assertThat(administrator.post(server, path, accepted).statusCode()).isEqualTo(200);
        assertThat(reviews(id)).isEmpty();
    }

    /** Returns the value that the form of a page carries. */
    private static String shownIn(String page) {
        Matcher field = Pattern.compile("name=\"shown\" value=\"([^\"]+)\"").matcher(page);
        assertThat(field.find()).as(page).isTrue();
        return field.group(1).replace("&quot;", "\"");
    }

    @Test
    void pageAsksForAReviewAndAcceptsItWithAReason() {
        AdminClient admin = AdminClient.signIn(server);
        BuildId id = newId();
        upload(id, 4, 1);
        String path = "/admin/pins/" + pinned(id);
        assertThat(admin.get(path).body()).contains("differs").doesNotContain("Acknowledge");
        upload(id, 8, 2);
        assertThat(admin.get(path).body()).contains("value changed", "4 (0x4)", "8 (0x8)", "Acknowledge");
        assertThat(admin.get("/admin/pins?review=true&build=" + id).body()).contains(path);

        String shown = Json.of(server.get(path.replace("/admin/", "/v1/")))
                .path("extracted")
                .toString();
        Map<String, String> typed = Map.of("revision", "1", "reason", REASON, "shown", shown);
        assertThat(admin.post(path + "/acknowledge", Map.of("revision", "1", "reason", "", "shown", shown))
                        .statusCode())
                .isEqualTo(303);
        assertThat(admin.get(path).body()).contains("Not done: ", "Acknowledge");
        assertThat(admin.post(path + "/acknowledge", typed).statusCode()).isEqualTo(303);
        assertThat(admin.get(path).body()).contains(REASON).doesNotContain("value changed");
        assertThat(admin.get("/admin/pins?review=true&build=" + id).body()).doesNotContain(path);
        assertThat(AdminClient.signIn(server, "onlooker", "read")
                        .post(path + "/acknowledge", typed)
                        .statusCode())
                .isEqualTo(403);
    }
}
