package dev.offsetd.server.browser;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotType;
import dev.offsetd.server.browser.Chromium.Window;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of every page in a browser: it reports no error, passes axe in both themes, and fits a phone. The system
 * property {@code screenshots} names a folder for screenshots.
 */
class PagesIntegrationTests {

    private static final Optional<Path> SCREENSHOTS =
            Optional.ofNullable(System.getProperty("screenshots")).map(Path::of);

    /** Rules of axe that depend on colours. */
    private static final List<String> COLOUR_RULES = List.of("color-contrast", "link-in-text-block");

    /** Maximum height of a screenshot, in pixels. */
    private static final int MAX_HEIGHT = 1600;

    private static final Site SITE = Site.get();

    private static Page page;

    @BeforeAll
    static void signIn() {
        page = SITE.signedIn(Window.DESK);
    }

    @AfterAll
    static void close() {
        page.context().close();
    }

    /** @param name file name of the screenshot */
    record Shown(String name, String path, int status) {}

    static List<Shown> pages() {
        List<Shown> pages = new ArrayList<>();
        SITE.sample().pages().forEach((name, path) -> pages.add(new Shown(name, path, 200)));
        pages.add(new Shown("no-page", "/admin/nothing-here", 404));
        return pages;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageIsAccessibleAndFitsEveryWindow(Shown shown) {
        SITE.chromium().errors();
        SoftAssertions softly = new SoftAssertions();
        look(ColorScheme.LIGHT, Window.DESK);
        Response response = page.navigate(SITE.server().url() + shown.path());
        softly.assertThat(response.status()).isEqualTo(shown.status());
        softly.assertThat(page.locator("h1").count()).as("h1").isEqualTo(1);
        picture(shown.name() + "-1280");
        softly.assertThat(tooWide()).as("too wide at 1280").isFalse();
        softly.assertThat(violations(new AxeBuilder(page))).as("in the light").isEmpty();
        look(ColorScheme.DARK, Window.DESK);
        // The other rules do not depend on the theme.
        softly.assertThat(violations(new AxeBuilder(page).withRules(COLOUR_RULES)))
                .as("in the dark")
                .isEmpty();
        look(ColorScheme.LIGHT, Window.PHONE);
        picture(shown.name() + "-390");
        softly.assertThat(tooWide()).as("too wide at 390").isFalse();
        softly.assertThat(SITE.chromium().errors())
                // The browser reports every error status on the console.
                .filteredOn(error -> shown.status() == 200)
                .as("errors")
                .isEmpty();
        softly.assertAll();
    }

    private static void look(ColorScheme scheme, Window window) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
        page.setViewportSize(window.width(), window.height());
    }

    /** Returns whether the page scrolls sideways. */
    private static boolean tooWide() {
        return (boolean) page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
    }

    private static List<String> violations(AxeBuilder axe) {
        return axe.analyze().getViolations().stream()
                .map(PagesIntegrationTests::told)
                .toList();
    }

    private static String told(Rule rule) {
        return rule.getId() + ": " + rule.getHelp() + " at "
                + rule.getNodes().stream()
                        .limit(5)
                        .map(node -> node.getTarget() + " " + node.getFailureSummary())
                        .toList();
    }

    /** Saves a screenshot of the page, cropped to {@link #MAX_HEIGHT}, if a folder is configured. */
    private static void picture(String name) {
        if (SCREENSHOTS.isEmpty()) {
            return;
        }
        int height = (int) page.evaluate("document.documentElement.scrollHeight");
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(SCREENSHOTS.get().resolve(name + ".jpg"))
                .setType(ScreenshotType.JPEG)
                .setQuality(55)
                .setFullPage(true)
                .setClip(0, 0, page.viewportSize().width, Math.min(height, MAX_HEIGHT)));
    }
}
