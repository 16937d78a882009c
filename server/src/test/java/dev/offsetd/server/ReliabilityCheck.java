package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.offsetd.extractor.checklist.ReliabilityReport;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks what the tests of all modules cover. Maven's profile {@code reliability} runs it last, so no other run finds it. */
class ReliabilityCheck {

    private static final String PAGE = "docs/reliability.md";

    private static final String RENEW = "./offsetd renew checklist";

    /** {@code check}, or {@code renew} to write the page. */
    private final String mode = System.getProperty("reliability", "check");

    private final Path root = Path.of("..").toAbsolutePath().normalize();

    @Test
    void pageMatchesTheTests() throws IOException {
        String expected = ReliabilityReport.of(root).page();
        Path page = root.resolve(PAGE);
        if (mode.equals("renew")) {
            Files.writeString(page, expected);
            return;
        }
        assertThat(Files.exists(page) ? Files.readString(page) : "")
                .as("%s is out of date; renew it with %s", PAGE, RENEW)
                .isEqualTo(expected);
    }

    @Test
    void everyRiskIsCoveredByTestsThatRan() throws IOException {
        if (mode.equals("renew")) {
            return;
        }
        List<String> gaps = ReliabilityReport.of(root).gaps();
        if (!gaps.isEmpty()) {
            fail("the reliability checklist is not covered:\n" + String.join("\n", gaps));
        }
    }

    @Test
    void noTestOfARiskWasSkipped() throws IOException {
        if (mode.equals("renew")) {
            return;
        }
        List<String> skipped = ReliabilityReport.of(root).skipped();
        if (!skipped.isEmpty()) {
            throw RequiredTool.unavailable(
                    "the reliability checklist is not wholly covered here:\n" + String.join("\n", skipped));
        }
    }
}
