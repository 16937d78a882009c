package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Uploads of signed-in users from the page of a build. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageUploadIntegrationTests {

    private static final String BUILD = "/admin/builds/" + SmallBuild.ID;
    private static final String FILE = BUILD + "/debuginfo";

    private TestServer server;

    @BeforeAll
    void start(@TempDir Path data) {
        server = TestServer.start(
                data,
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.uploads.max-size=1MB",
                "offsetd.demand.flush=20ms");
        server.offsets(SmallBuild.ID, "point");
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void publisherUploadsWithTheSessionAlone() throws InterruptedException {
        AdminClient publisher = AdminClient.signIn(server, "ada", "publish");
        // Demand is written behind the answers; the time limit of the class ends the wait.
        while (!publisher.get("/admin/demand").body().contains(BUILD + "#upload")) {
            Thread.sleep(20);
        }
        assertThat(publisher.get("/admin/demand").body())
                .contains("data-upload=", "<code>offsetd push " + server.url() + " FILE</code>")
                .doesNotContain("data-build=");
        assertThat(publisher.get(BUILD).body()).contains("data-build=\"" + SmallBuild.ID + "\"");
        assertThat(Json.of(publisher.get(FILE + "/precheck?size=9000000"))
                        .path("reason")
                        .asString())
                .isEqualTo("too_large");
        assertThat(Json.of(publisher.get(FILE + "/precheck?size=700"))
                        .path("upload")
                        .asBoolean())
                .isTrue();
        HttpResponse<String> wrong = publisher.put(FILE, new byte[100], publisher.token());
        assertThat(wrong.statusCode()).isEqualTo(422);
        assertThat(Json.of(wrong).path("detail").asString()).isNotEmpty();
        assertThat(publisher.put(FILE, new byte[2_000_000], publisher.token()).statusCode())
                .isEqualTo(413);

        HttpResponse<String> stored = publisher.put(FILE, SmallBuild.debugFile(), publisher.token());
        assertThat(stored.statusCode()).as(stored.body()).isEqualTo(201);
        assertThat(Json.of(stored).path("result").asString()).isEqualTo("taken");
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(publisher.get(BUILD).body()).contains("by ada");
        assertThat(Json.of(AdminClient.signIn(server, "bob", "publish").get(FILE + "/precheck"))
                        .path("reason")
                        .asString())
                .isEqualTo("other_token");
    }

    @Test
    void uploadWithoutCsrfTokenRoleOrSessionIsRefused() {
        AdminClient publisher = AdminClient.signIn(server, "ada", "publish");
        AdminClient reader = AdminClient.signIn(server, "onlooker", "read");

        assertThat(publisher.put(FILE, SmallBuild.debugFile(), null).statusCode())
                .isEqualTo(403);
        assertThat(reader.put(FILE, SmallBuild.debugFile(), reader.token()).statusCode())
                .isEqualTo(403);
        assertThat(reader.get(FILE + "/precheck").statusCode()).isEqualTo(403);
        assertThat(reader.get(BUILD).body()).doesNotContain("data-upload");
        AdminClient nobody = AdminClient.anonymous(server);
        assertThat(nobody.put(FILE, SmallBuild.debugFile(), nobody.token()).statusCode())
                .isIn(303, 401, 403);
    }
}
