package dev.offsetd.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Frame;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.LoadState;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.server.browser.Chromium.Window;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Attacks by hostile files and other sites on the pages of a signed-in user. */
class AttacksIntegrationTests {

    private static final Site SITE = Site.get();

    private static Page page;
    private static HttpServer otherSite;

    @BeforeAll
    static void start() throws IOException {
        page = SITE.signedIn(Window.DESK);
        otherSite = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        otherSite.start();
    }

    @AfterAll
    static void stop() {
        otherSite.stop(0);
        page.context().close();
    }

    @AfterEach
    void forgetReportedErrors() {
        SITE.chromium().errors();
    }

    @Test
    void markupInNamesIsShownAndNeverRun() {
        List<String> dialogs = new ArrayList<>();
        page.onDialog(dialog -> {
            dialogs.add(dialog.message());
            dialog.dismiss();
        });
        page.navigate(SITE.server().url() + "/admin/builds/" + HostileBuild.ID);
        assertThat(page.locator("main")).containsText(HostileBuild.TYPE);
        page.navigate(SITE.server().url() + "/admin/builds/" + HostileBuild.ID + "/types?name="
                + TestServer.escape(HostileBuild.TYPE));
        assertThat(page.locator("h1")).containsText(HostileBuild.TYPE);
        assertThat(page.locator("main")).containsText(HostileBuild.MEMBER);
        page.navigate(SITE.server().url() + "/admin/pins/new?build=" + HostileBuild.ID + "&item="
                + TestServer.escape('"' + HostileBuild.TYPE + '"'));
        assertThat(page.getByLabel("Type or member")).hasValue('"' + HostileBuild.TYPE + '"');
        assertThat(page.locator("main script, main img[src=x], [onerror]").count()).isZero();
        assertThat(dialogs).isEmpty();
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    @Test
    void otherSitesCannotShowThePagesInAFrame() {
        serve("/frame", "<iframe src='" + SITE.server().url() + "/admin/pins'></iframe>");
        page.navigate(otherUrl() + "/frame");
        page.waitForLoadState(LoadState.NETWORKIDLE);
        assertThat(SITE.chromium().errors())
                .anySatisfy(error -> assertThat(error).contains("frame-ancestors"));
        assertThat(page.frames().stream().map(Frame::url)).noneMatch(url -> url.contains("/admin"));
    }

    /** Ports do not make another site, so the browser sends the cookie along; the token is what is missing. */
    @Test
    void otherSitesCannotSendForms() {
        Pins pins = SITE.server().bean(Pins.class);
        Pin before = pins.find(SITE.sample().pin()).orElseThrow();
        serve(
                "/form",
                "<form method='post' action='" + SITE.server().url() + "/admin/pins/" + before.id()
                        + "/retire'><input name='revision' value='" + before.revision()
                        + "'><button>Win a prize</button></form>");
        page.navigate(otherUrl() + "/form");
        Visitor.press(page, "Win a prize");
        page.waitForLoadState();
        assertThat(page.url()).startsWith(SITE.server().url());
        assertThat(page.locator("h1")).not().containsText("Pins");
        assertThat(pins.find(before.id())).contains(before);
    }

    private static String otherUrl() {
        return "http://127.0.0.1:" + otherSite.getAddress().getPort();
    }

    private static void serve(String path, String html) {
        otherSite.createContext(path, exchange -> {
            byte[] body = ("<!doctype html><title>other</title>" + html).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }
}
