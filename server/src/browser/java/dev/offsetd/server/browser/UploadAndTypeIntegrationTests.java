package dev.offsetd.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.JSHandle;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.FilePayload;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.browser.Chromium.Window;
import dev.offsetd.server.testkit.SmallBuild;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Uploads from the page of unmet demand, and the views of the page of a type. */
class UploadAndTypeIntegrationTests {

    private static final Site SITE = Site.get();

    private static final BuildId DROPPED = BuildId.parse("d20b000000000000000000000000000000000001");

    private static final BuildId PADDED = BuildId.parse("d20b000000000000000000000000000000000002");

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
    void fileUploadedFromTheDemandPageIsStoredUnderItsBuildId() {
        byte[] file = SmallBuild.debugFile();
        page.navigate(SITE.server().url() + "/admin/demand");
        upload("notes.txt", "not an ELF file".getBytes(StandardCharsets.UTF_8));
        assertThat(status()).hasText("notes.txt is not an ELF file.");
        upload("small.debug", file);
        // The script and the server write sizes alike.
        assertThat(status()).containsText("Stored small.debug, " + Format.bytes(file.length) + ".");
        page.getByText("Show the build").click();
        assertThat(page.locator("#build-id")).hasText(SmallBuild.ID.toString());
        assertThat(page.locator("main")).containsText("by ada");

        page.navigate(SITE.server().url() + SITE.sample().pages().get("build-not-found"));
        upload("small.debug", file);
        assertThat(status()).containsText("has the build-id " + SmallBuild.ID + "; expected ");
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    /** A size that rounds up to 1,000.0 of a unit is written in the next one. */
    @Test
    void uploadsSayTheirSizeInTheUnitThatTheServerChooses() {
        byte[] file = Arrays.copyOf(SmallBuild.debugFile(PADDED), 1000 * 1024 - 1);
        page.navigate(SITE.server().url() + "/admin/demand");

        upload("padded.debug", file);

        assertThat(status()).containsText("Stored padded.debug, 1.0 MiB.");
        assertThat(Format.bytes(file.length)).isEqualTo("1.0 MiB");
    }

    @Test
    void fileDroppedOnTheZoneIsUploaded() {
        byte[] file = SmallBuild.debugFile(DROPPED);
        page.navigate(SITE.server().url() + "/admin/demand");
        JSHandle files = page.evaluateHandle(
                "bytes => { const files = new DataTransfer();"
                        + " files.items.add(new File([new Uint8Array(bytes)], 'dropped.debug')); return files; }",
                toIntegers(file));
        Locator zone = page.locator(".drop");
        zone.dispatchEvent("dragover", Map.of("dataTransfer", files));
        assertThat(zone).hasClass(Pattern.compile("\\bis-over\\b"));
        zone.dispatchEvent("dragleave", Map.of("dataTransfer", files));
        assertThat(zone).not().hasClass(Pattern.compile("\\bis-over\\b"));

        zone.dispatchEvent("dragover", Map.of("dataTransfer", files));
        zone.dispatchEvent("drop", Map.of("dataTransfer", files));

        assertThat(zone).not().hasClass(Pattern.compile("\\bis-over\\b"));
        assertThat(status()).containsText("Stored dropped.debug, ");
        page.getByText("Show the build").click();
        assertThat(page.locator("#build-id")).hasText(DROPPED.toString());
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    private static List<Integer> toIntegers(byte[] bytes) {
        return IntStream.range(0, bytes.length)
                .mapToObj(at -> Byte.toUnsignedInt(bytes[at]))
                .toList();
    }

    private static void upload(String name, byte[] bytes) {
        page.getByLabel(Pattern.compile("^Debug file")).setInputFiles(new FilePayload(name, "", bytes));
        Visitor.press(page, "Upload");
    }

    private static Locator status() {
        return page.locator(".drop [role=status]");
    }

    @Test
    void membersAreSortedCacheLinesHiddenAndTheTypeCopied() {
        page.navigate(SITE.server().url() + LongNamesBuild.path(LongNamesBuild.SHORT_TYPE));
        Locator members = page.locator("table.members tbody tr:not(.pin-row)");
        assertThat(members.first()).containsText("state");
        choose("size");
        assertThat(members.first()).containsText("received");
        choose("hole");
        assertThat(members.first()).containsText("bytes_sent");
        assertThat(members.nth(1)).containsText("hole");

        assertThat(page.locator(".map-line").count()).isPositive();
        choose("hidden");
        assertThat(page.locator(".map-line")).hasCount(0);
        // The order stays.
        assertThat(members.first()).containsText("bytes_sent");

        page.locator("summary").filter(new Locator.FilterOptions().setHasText(Pattern.compile("^C$"))).click();
        Visitor.press(page, "Copy C");
        assertThat(page.evaluate("navigator.clipboard.readText()").toString())
                .startsWith("struct net::Session {")
                .contains("/* size: 352");
        assertThat(SITE.chromium().errors()).isEmpty();
    }

    private static void choose(String view) {
        Locator link = page.locator("#layout .choices")
                .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName(view).setExact(true));
        link.click();
        assertThat(link).hasAttribute("aria-current", "true");
    }

    @Test
    void viewsNeedNoScriptAndUploadsHideWithoutIt() {
        Page plain = SITE.signedIn(Window.DESK.withoutScript());
        try {
            plain.navigate(SITE.server().url() + LongNamesBuild.path(LongNamesBuild.SHORT_TYPE));
            plain.locator("#layout .choices")
                    .getByRole(
                            AriaRole.LINK,
                            new Locator.GetByRoleOptions().setName("size").setExact(true))
                    .click();
            assertThat(plain.locator("table.members tbody tr").first()).containsText("received");
            plain.locator("summary")
                    .filter(new Locator.FilterOptions().setHasText(Pattern.compile("^JSON$")))
                    .click();
            assertThat(plain.locator("#copy-json")).containsText("\"size\" : 352");
            plain.navigate(SITE.server().url() + "/admin/demand");
            // It would submit nothing.
            assertThat(plain.locator("#upload .drop")).hasCount(1);
            assertThat(plain.locator("#upload .drop")).isHidden();
        } finally {
            plain.context().close();
        }
    }

    @Test
    void narrowWindowShowsTheMapWithEightBytesARow() {
        page.navigate(SITE.server().url() + LongNamesBuild.path(LongNamesBuild.SHORT_TYPE));
        Locator columns = page.locator(".map-head .map-cells span:visible");
        try {
            // 40rem
            page.setViewportSize(640, 900);
            assertThat(columns).hasCount(8);
            assertThat(page.locator(".for-wide").first()).isHidden();
            page.setViewportSize(641, 900);
            assertThat(page.locator(".for-wide").first()).isVisible();
            assertThat(page.locator(".for-narrow").first()).isHidden();
        } finally {
            page.setViewportSize(Window.DESK.width(), Window.DESK.height());
        }
    }

    @Test
    void longNameIsCutAndShownInFull() {
        page.navigate(SITE.server().url() + LongNamesBuild.path(LongNamesBuild.LONG_TYPE));
        Locator title = page.locator("h1");
        double cut = title.boundingBox().height;
        page.getByText("Show all").click();
        assertThat(title.boundingBox().height).isGreaterThan(2 * cut);
        assertThat(title).hasText(LongNamesBuild.LONG_TYPE);
    }
}
