package dev.offsetd.server.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The installed Chromium. Collects the errors that pages report, including violations of their content security policy.
 */
final class Chromium implements AutoCloseable {

    /** Disables updates and first-run pages. */
    private static final List<String> ARGUMENTS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    /** Time for an answer while the tests of other JVMs have the processors. */
    private static final int TIMEOUT_MILLIS = 30_000;

    private final Playwright playwright;
    private final Browser browser;
    private final List<String> errors = new ArrayList<>();

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /** Starts the browser. Without Chromium the test is skipped, or fails in CI. */
    static Chromium start() {
        RequiredTool chromium = RequiredTool.require("chromium");
        PlaywrightAssertions.setDefaultAssertionTimeout(TIMEOUT_MILLIS);
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(chromium.path())
                        .setArgs(ARGUMENTS));
        return new Chromium(playwright, browser);
    }

    /** Opens a page in a new browser context, without cookies. */
    Page open(Window window) {
        BrowserContext context = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(window.width(), window.height())
                .setColorScheme(window.dark() ? ColorScheme.DARK : ColorScheme.LIGHT)
                // Transitions would make axe measure a colour halfway through a change.
                .setReducedMotion(ReducedMotion.REDUCE)
                .setJavaScriptEnabled(window.script())
                .setPermissions(List.of("clipboard-read", "clipboard-write")));
        context.setDefaultTimeout(TIMEOUT_MILLIS);
        Page page = context.newPage();
        page.onPageError(error -> errors.add(page.url() + ": " + error));
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                errors.add(page.url() + ": " + message.text());
            }
        });
        return page;
    }

    /** Returns the errors that pages have reported since the last call. */
    List<String> errors() {
        List<String> reported = List.copyOf(errors);
        errors.clear();
        return reported;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }

    /** A browser window; sizes are in CSS pixels. */
    record Window(int width, int height, boolean dark, boolean script) {

        static final Window DESK = new Window(1280, 900, false, true);
        static final Window PHONE = new Window(390, 844, false, true);

        Window inTheDark() {
            return new Window(width, height, true, script);
        }

        Window withoutScript() {
            return new Window(width, height, dark, false);
        }
    }
}
