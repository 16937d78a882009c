package dev.offsetd.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.browser.Chromium.Window;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first session of an administrator: from the printed password to a pinned answer on another server. */
class FirstPinIntegrationTests {

    private static final Site SITE = Site.get();
    private static final String OWN_PASSWORD = "four words of my own";

    /** The second within which a pin takes effect on every server, with a margin for a busy machine. */
    private static final Duration EVERYWHERE = Duration.ofSeconds(30);

    @Test
    void firstAdminSignsInPinsAFieldAndRetiresThePin(@TempDir Path data) {
        Page page = SITE.chromium().open(Window.DESK);
        String url = SITE.server().url();
        try {
            Matcher printed =
                    Pattern.compile("sign in there as (\\S+) with the one-time password (\\S+)").matcher(SITE.printed());
            assertThat(printed.find()).as(SITE.printed()).isTrue();
            Visitor.signIn(page, url, printed.group(1), printed.group(2));
            assertThat(page).hasURL(url + "/admin/password");
            page.navigate(url + "/admin/builds");
            assertThat(page).hasURL(url + "/admin/password");
            page.getByLabel("New password", new Page.GetByLabelOptions().setExact(true)).fill(OWN_PASSWORD);
            page.getByLabel("New password again").fill(OWN_PASSWORD);
            Visitor.press(page, "Change password");
            assertThat(page).not().hasURL(url + "/admin/password");
        } catch (RuntimeException | Error e) {
            page.context().close();
            throw e;
        }

        // Started later: its start would replace an unused one-time password.
        try (TestServer second = TestServer.start(data, SITE.database(), SITE.properties())) {
            HttpResponse<String> before = mode(second);
            assertThat(offset(before)).isEqualTo(28);

            page.navigate(url + "/admin/builds");
            page.getByLabel("Name, version or build-id").fill(ShapesBuild.ID.toString().substring(0, 8));
            Locator found = page.locator("#results").getByRole(AriaRole.LINK).filter(withText(ShapesBuild.ID));
            assertThat(page.locator("#results tbody tr")).hasCount(1);
            found.click();
            page.getByRole(AriaRole.LINK, named("line")).first().click();
            page.getByRole(AriaRole.LINK, named("Pin mode")).click();
            // The form is checked once its events are bound, a moment after it is shown; only a program types before that.
            Awaitility.await().atMost(EVERYWHERE).pollInSameThread().untilAsserted(() -> {
                page.getByLabel("Offset", new Page.GetByLabelOptions().setExact(true)).fill("68");
                assertThat(page.locator(".pin-check"))
                        .containsText("28", new LocatorAssertions.ContainsTextOptions().setTimeout(2000));
            });
            page.getByLabel("Reason").fill("Measured in a running process.");
            Visitor.press(page, "Pin");
            assertThat(page.locator(".is-pinned")).containsText("mode");

            awaitOffset(second, 68);
            HttpResponse<String> pinned = mode(second);
            assertThat(etag(pinned)).isNotEqualTo(etag(before));
            assertThat(Json.of(pinned).at("/offsets/line.mode/extracted/offset").asInt()).isEqualTo(28);

            page.locator(".is-pinned").getByRole(AriaRole.LINK, inside("pinned")).click();
            Visitor.press(page, "Retire");
            assertThat(page.locator("main")).containsText("retired");
            awaitOffset(second, 28);
            assertThat(etag(mode(second))).isEqualTo(etag(before));
            assertThat(SITE.chromium().errors()).isEmpty();
        } finally {
            page.context().close();
        }
    }

    @Test
    void everythingWorksWithoutScript() {
        Page page = SITE.signedIn(Window.PHONE.withoutScript());
        try {
            page.navigate(SITE.server().url() + "/admin/builds");
            page.getByLabel("Name, version or build-id").fill(ShapesBuild.ID.toString().substring(0, 8));
            Visitor.press(page, "Search");
            page.locator("#results").getByRole(AriaRole.LINK).filter(withText(ShapesBuild.ID)).click();
            page.getByRole(AriaRole.LINK, named("point")).first().click();
            page.getByRole(AriaRole.LINK, named("Pin y")).click();
            page.getByLabel("Offset", new Page.GetByLabelOptions().setExact(true)).fill("4");
            Visitor.press(page, "Pin");
            assertThat(page.getByText("Not pinned.")).isVisible();
            assertThat(page.getByLabel("Offset", new Page.GetByLabelOptions().setExact(true))).hasValue("4");
            page.getByLabel("Reason").fill("There is no padding.");
            Visitor.press(page, "Pin");
            assertThat(page.locator(".is-pinned")).containsText("extracted");
            page.locator(".is-pinned").getByRole(AriaRole.LINK, inside("pinned")).click();
            Visitor.press(page, "Retire");
            assertThat(page.locator("main")).containsText("retired");
            // The pin without a reason; Chromium reports each response above 399.
            assertThat(SITE.chromium().errors()).singleElement().asString().contains("422");
        } finally {
            page.context().close();
        }
    }

    private static Page.GetByRoleOptions named(String name) {
        return new Page.GetByRoleOptions().setName(name).setExact(true);
    }

    private static Locator.GetByRoleOptions inside(String name) {
        return new Locator.GetByRoleOptions().setName(name).setExact(true);
    }

    private static Locator.FilterOptions withText(BuildId id) {
        return new Locator.FilterOptions().setHasText(Format.shortId(id));
    }

    private static void awaitOffset(TestServer server, int expected) {
        Awaitility.await()
                .atMost(EVERYWHERE)
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(offset(mode(server))).isEqualTo(expected));
    }

    private static HttpResponse<String> mode(TestServer server) {
        return server.offsets(ShapesBuild.ID, "line.mode");
    }

    private static int offset(HttpResponse<String> response) {
        return Json.of(response).at("/offsets/line.mode/offset").asInt();
    }

    private static String etag(HttpResponse<String> response) {
        return response.headers().firstValue("ETag").orElseThrow();
    }
}
