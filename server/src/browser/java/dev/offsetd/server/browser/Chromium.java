package dev.offsetd.server.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The system's Chromium. What pages report as an error, a refusal of their content security policy included, is kept. */
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

    private final Playwright playwright;
    private final Browser browser;
    private final List<String> errors = new ArrayList<>();

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /** Starts it; without it the test is skipped, or fails where nothing may be skipped. */
    static Chromium start() {
        RequiredTool chromium = RequiredTool.require("chromium");
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(chromium.path())
                        .setArgs(ARGUMENTS));
        return new Chromium(playwright, browser);
    }

    /** A new visitor's window. */
    Page open(Window window) {
        BrowserContext context = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(window.width(), window.height())
                .setColorScheme(window.dark() ? ColorScheme.DARK : ColorScheme.LIGHT)
                // What is looked at is not on its way from one colour to another.
                .setReducedMotion(ReducedMotion.REDUCE)
                .setJavaScriptEnabled(window.script())
                .setPermissions(List.of("clipboard-read", "clipboard-write")));
        // Pages are on this machine: what takes longer will not come.
        context.setDefaultTimeout(10_000);
        Page page = context.newPage();
        page.onPageError(error -> errors.add(page.url() + ": " + error));
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                errors.add(page.url() + ": " + message.text());
            }
        });
        return page;
    }

    /** What pages have reported since the last call. */
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
