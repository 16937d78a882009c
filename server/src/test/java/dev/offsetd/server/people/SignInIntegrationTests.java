package dev.offsetd.server.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How people get in, and who does not. */
@ChecklistRow(22)
@Timeout(120)
class SignInIntegrationTests {

    @TempDir
    private static Path folder;

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(folder, TestDatabase.create(), "offsetd.offline=true");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void pageThatWasAskedForIsShownAfterSigningIn() {
        AdminClient client = AdminClient.anonymous(server);
        HttpResponse<String> asked = client.get("/admin/password?x=1");
        assertThat(asked.statusCode()).isEqualTo(303);
        assertThat(location(asked)).isEqualTo("/admin/sign-in?next=%2Fadmin%2Fpassword%3Fx%3D1");
        AdminClient.makeUser(server, "asker", "read");
        assertThat(client.get(location(asked)).body()).contains("value=\"/admin/password?x=1\"");
        HttpResponse<String> signedIn = client.post(
                "/admin/sign-in",
                Map.of("name", "asker", "password", AdminClient.PASSWORD, "next", "/admin/password?x=1"));
        assertThat(signedIn.statusCode()).isEqualTo(303);
        assertThat(location(signedIn)).isEqualTo("/admin/password?x=1");
        assertThat(client.get("/admin/password").body()).contains("value=\"asker\"");
        assertThat(location(client.post("/admin/sign-out", Map.of()))).isEqualTo("/admin/sign-in");
        assertThat(client.get("/admin/password").statusCode()).isEqualTo(303);
    }

    @Test
    void formOfAnotherSiteIsRefused() {
        AdminClient client = AdminClient.signIn(server);
        HttpResponse<String> response = client.postWithToken("/admin/password", Map.of(), null);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("form_out_of_date");
        assertThat(client.postWithToken(
                                "/admin/sign-in",
                                Map.of(),
                                AdminClient.signIn(server).token())
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.get("/admin/password").statusCode()).isEqualTo(200);
    }

    private static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElse("");
    }
}
