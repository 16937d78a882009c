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

/**
 * Looks at what the tests of all modules cover, after they have run. No test by its name: Maven's profile
 * {@code reliability} runs it last.
 */
class ReliabilityCheck {

    private static final String DOCUMENT = "docs/reliability.md";
    /** Figures of a run of half an hour, which no test can renew. */
    private static final String SOAK = "docs/soak.md";

    private static final String RENEW = "./mvnw -q -DskipTests -Dreliability=renew verify";

    /** {@code check}, or {@code renew} to write the document anew. */
    private final String mode = System.getProperty("reliability", "check");

    private final Path root = Path.of("..").toAbsolutePath().normalize();

    @Test
    void documentSaysWhatTheTestsSay() throws IOException {
        // Its heading becomes one of the document's sections.
        String expected = ReliabilityReport.of(root).document() + "\n#" + Files.readString(root.resolve(SOAK));
        Path document = root.resolve(DOCUMENT);
        if (mode.equals("renew")) {
            Files.writeString(document, expected);
            return;
        }
        assertThat(Files.exists(document) ? Files.readString(document) : "")
                .as("%s is out of date; renew it with %s", DOCUMENT, RENEW)
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
