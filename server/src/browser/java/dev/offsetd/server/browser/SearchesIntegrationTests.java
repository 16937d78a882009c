package dev.offsetd.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.browser.Chromium.Window;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Searches whose results appear while their text is typed. */
class SearchesIntegrationTests {

    private static final Site SITE = Site.get();
    private static final BuildId LIBC = SITE.sample().libc();

    private static Page page;

    @BeforeAll
    static void signIn() {
        page = SITE.signedIn(Window.DESK);
    }

    @AfterAll
    static void close() {
        page.context().close();
    }

    @Test
    void buildFoundWhileTypingOpensWithOneClick() {
        page.navigate(SITE.server().url() + "/admin/builds");
        page.getByLabel("Name, version or build-id").fill(LIBC.toString().substring(0, 8));
        assertThat(page.locator("#results tbody tr")).hasCount(1);
        click(page.locator("#results").getByRole(AriaRole.LINK));
        assertThat(page.locator("#build-id")).hasText(LIBC.toString());
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    @Test
    void typeFoundWhileTypingOpensWithOneClick() {
        page.navigate(SITE.server().url() + "/admin/builds/" + LIBC);
        page.getByLabel("Name contains").fill("link_map");
        Locator found = page.locator("#types .type-name").first();
        assertThat(found).hasText("link_map");
        click(found);
        assertThat(page.locator("#type-name")).hasText("link_map");
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    /** Holds the button for longer than a search takes: results replaced in between would take the click with them. */
    private static void click(Locator link) {
        link.hover();
        page.mouse().down();
        page.waitForTimeout(500);
        page.mouse().up();
    }
}
