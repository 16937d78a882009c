package dev.offsetd.server.browser;

import com.deque.html.axecore.args.AxeRuleOptions;
import com.deque.html.axecore.args.AxeRunOptions;
import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.ColorScheme;
import dev.offsetd.server.browser.Chromium.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
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

    /** Rules that axe does not run by default in every version. */
    private static final List<String> MORE_RULES = List.of("landmark-unique", "label-content-name-mismatch");

    /** Maximum height of a screenshot, in pixels. */
    private static final int MAX_HEIGHT = 1100;

    /** Quality of a screenshot, of 100. Playwright itself writes no WebP, which takes half the space of JPEG. */
    private static final int QUALITY = Integer.getInteger("screenshots.quality", 30);

    /** Longest title of a page; browsers and search engines cut longer ones. */
    private static final int MAX_TITLE = 80;

    private static final Site SITE = Site.get();

    private static final String SIGN_IN = "sign-in";

    private static Page admin;
    private static Page stranger;

    @BeforeAll
    static void signIn() {
        admin = SITE.signedIn(Window.DESK);
        stranger = SITE.chromium().open(Window.DESK);
    }

    @AfterAll
    static void close() {
        admin.context().close();
        stranger.context().close();
    }

    /** @param name file name of the screenshot */
    record Shown(String name, String path, int status) {

        /** Returns the page before signing in for the one that only others see, else that of an admin. */
        Page window() {
            return name.equals(SIGN_IN) ? stranger : admin;
        }
    }

    static List<Shown> pages() {
        List<Shown> pages = new ArrayList<>();
        SITE.sample().pages().forEach((name, path) -> pages.add(new Shown(name, path, 200)));
        pages.add(new Shown("no-page", "/admin/nothing-here", 404));
        pages.add(new Shown(SIGN_IN, "/admin/sign-in", 200));
        return pages;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageIsAccessibleAndFitsEveryWindow(Shown shown) {
        SITE.chromium().errors();
        SoftAssertions softly = new SoftAssertions();
        Page page = shown.window();
        look(page, ColorScheme.LIGHT, Window.DESK);
        Response response = page.navigate(SITE.server().url() + shown.path());
        softly.assertThat(response.status()).isEqualTo(shown.status());
        softly.assertThat(page.locator("h1").count()).as("h1").isEqualTo(1);
        softly.assertThat(page.title().length()).as("title: %s", page.title()).isLessThan(MAX_TITLE);
        picture(page, shown.name() + "-1280");
        softly.assertThat(tooWide(page)).as("too wide at 1280").isFalse();
        softly.assertThat(violations(axe(page).options(withMoreRules())))
                .as("in the light")
                .isEmpty();
        look(page, ColorScheme.LIGHT, Window.PHONE);
        picture(page, shown.name() + "-390");
        softly.assertThat(tooWide(page)).as("too wide at 390").isFalse();
        softly.assertThat(page.evaluate("[...document.querySelectorAll('.table-wrap')]"
                        + ".filter(table => table.scrollWidth > table.clientWidth).map(table => table.ariaLabel)"))
                .as("tables that scroll sideways at 390")
                .isEqualTo(List.of());
        look(page, ColorScheme.DARK, Window.PHONE);
        picture(page, shown.name() + "-390-dark");
        look(page, ColorScheme.DARK, Window.DESK);
        picture(page, shown.name() + "-1280-dark");
        // The other rules do not depend on the theme.
        softly.assertThat(violations(axe(page).options(options()).withRules(COLOUR_RULES)))
                .as("in the dark")
                .isEmpty();
        softly.assertThat(SITE.chromium().errors())
                // The browser reports every error status on the console.
                .filteredOn(error -> shown.status() == 200)
                .as("errors")
                .isEmpty();
        softly.assertAll();
    }

    private static void look(Page page, ColorScheme scheme, Window window) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
        page.setViewportSize(window.width(), window.height());
    }

    /** Returns whether the page scrolls sideways. */
    private static boolean tooWide(Page page) {
        return (boolean) page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
    }

    /** No page has frames. For those, axe would merge the results in a separate page. */
    private static AxeBuilder axe(Page page) {
        return new AxeBuilder(page).setLegacyMode(true);
    }

    private static List<String> violations(AxeBuilder axe) {
        return axe.analyze().getViolations().stream()
                .map(PagesIntegrationTests::told)
                .toList();
    }

    /** Collecting the elements that pass takes longer than checking them. */
    private static AxeRunOptions options() {
        AxeRunOptions options = new AxeRunOptions();
        options.setResultTypes(List.of("violations"));
        return options;
    }

    private static AxeRunOptions withMoreRules() {
        AxeRuleOptions on = new AxeRuleOptions();
        on.setEnabled(true);
        AxeRunOptions options = options();
        options.setRules(MORE_RULES.stream().collect(Collectors.toMap(rule -> rule, rule -> on)));
        return options;
    }

    private static String told(Rule rule) {
        return rule.getId() + ": " + rule.getHelp() + " at "
                + rule.getNodes().stream()
                        .limit(5)
                        .map(node -> node.getTarget() + " " + node.getFailureSummary())
                        .toList();
    }

    /** Saves a screenshot of the page, cropped to {@link #MAX_HEIGHT}, if a folder is configured. */
    private static void picture(Page page, String name) {
        if (SCREENSHOTS.isEmpty()) {
            return;
        }
        int height = (int) page.evaluate("document.documentElement.scrollHeight");
        JsonObject clip = new JsonObject();
        clip.addProperty("x", 0);
        clip.addProperty("y", 0);
        clip.addProperty("width", page.viewportSize().width);
        clip.addProperty("height", Math.min(height, MAX_HEIGHT));
        clip.addProperty("scale", 1);
        JsonObject options = new JsonObject();
        options.addProperty("format", "webp");
        options.addProperty("quality", QUALITY);
        options.addProperty("captureBeyondViewport", true);
        options.add("clip", clip);
        CDPSession session = page.context().newCDPSession(page);
        try {
            String picture = session.send("Page.captureScreenshot", options).get("data").getAsString();
            Files.write(SCREENSHOTS.get().resolve(name + ".webp"), Base64.getDecoder().decode(picture));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            session.detach();
        }
    }
}
