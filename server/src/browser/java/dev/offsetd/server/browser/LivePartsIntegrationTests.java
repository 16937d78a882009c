package dev.offsetd.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.browser.Chromium.Window;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Parts of pages that poll while a build is fetched. */
class LivePartsIntegrationTests {

    /** Longer than the interval of each poll. */
    private static final int POLLS_MILLIS = 5_000;

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

    /** Stores a debug file of a build that another server seems to fetch. */
    private static void hold(BuildId id) throws IOException {
        Path file = Site.CRAFTED.resolve(id.debugFilePath());
        Files.createDirectories(file.getParent());
        Files.write(file, SmallBuild.debugFile(id));
        SITE.database()
                .jdbc()
                .sql("""
                        with added as (insert into builds (build_id) values (:id) returning build_id)
                        insert into extraction_lease (build_id, owner, lease_until, attempt)
                        select build_id, 'another', now() + interval '1 hour', 1 from added
                        """)
                .param("id", id.toBytes())
                .update();
    }

    /** Lets this server fetch the build. */
    private static void release(BuildId id) {
        SITE.database()
                .jdbc()
                .sql("update extraction_lease set lease_until = now() where build_id = :id")
                .param("id", id.toBytes())
                .update();
    }

    @Test
    void comparisonReplacesTheNoticeThatABuildIsFetched() throws IOException {
        BuildId id = BuildId.parse("11fe000000000000000000000000000000000001");
        hold(id);
        page.navigate(SITE.server().url() + "/admin/diff?from=" + ShapesBuild.ID + "&to=" + id);
        assertThat(page.getByText("is being fetched")).isVisible();
        Locator types = page.getByLabel("Types", new Page.GetByLabelOptions().setExact(true));
        types.fill("point");
        page.waitForTimeout(POLLS_MILLIS);
        assertThat(types).hasValue("point");

        types.fill("");
        types.blur();
        release(id);

        assertThat(page.getByText("compared types")).isVisible();
        assertThat(page.getByText("is being fetched")).hasCount(0);
        assertThat(page.locator("main")).hasCount(1);
        assertThat(types).isVisible();
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    @Test
    void typesOfABuildAppearWhenItHasBeenFetched() throws IOException {
        BuildId id = BuildId.parse("11fe000000000000000000000000000000000002");
        hold(id);
        page.navigate(SITE.server().url() + "/admin/builds/" + id);
        assertThat(page.locator("#status")).containsText("in progress");
        assertThat(page.locator("#types")).hasCount(0);

        release(id);
        SITE.server().offsets(id, "point");

        assertThat(page.locator("#types")).containsText("point");
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    @Test
    void focusStaysInAListThatPolls() throws IOException {
        BuildId id = BuildId.parse("11fe000000000000000000000000000000000003");
        hold(id);
        page.navigate(SITE.server().url() + "/admin/builds?q=" + id.toString().substring(0, 39));
        Locator build = page.locator("#results").getByRole(AriaRole.LINK).first();
        build.focus();

        page.waitForTimeout(POLLS_MILLIS);

        assertThat(build).isFocused();
        release(id);
        SITE.server().offsets(id, "point");
    }

    @Test
    void troubleIsHiddenWhenThePageUpdatesAgain() throws IOException {
        BuildId id = BuildId.parse("11fe000000000000000000000000000000000004");
        hold(id);
        page.navigate(SITE.server().url() + "/admin/builds?q=" + id.toString().substring(0, 39));
        Consumer<Route> unreachable = Route::abort;
        page.route("**/admin/builds?*", unreachable);
        assertThat(page.locator("#trouble")).hasText("The server cannot be reached. This page may be out of date.");

        page.unroute("**/admin/builds?*", unreachable);

        assertThat(page.locator("#trouble")).isHidden();
        // The browser reports failed requests on the console.
        SITE.chromium().errors();
        release(id);
        SITE.server().offsets(id, "point");
    }
}
