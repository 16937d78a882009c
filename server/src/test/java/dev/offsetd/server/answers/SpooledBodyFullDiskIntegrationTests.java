package dev.offsetd.server.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonGenerator;

/** Answers that do not fit into memory, while the disk is full. */
class SpooledBodyFullDiskIntegrationTests {

    private static final int DISK_BYTES = SpooledBody.MOST_IN_MEMORY + (1 << 20);

    @TempDir
    private Path folder;

    private SmallDisk disk;

    @BeforeEach
    void mount() {
        disk = SmallDisk.over(folder, "size=" + DISK_BYTES);
    }

    @AfterEach
    void unmount() {
        disk.close();
    }

    @Test
    @ChecklistRow(16)
    void answerThatDoesNotFitIs503AndGivesItsSpaceBack() throws Exception {
        byte[] part = new byte[1 << 16];
        SpooledBody.Writing tooLarge = out -> {
            for (int written = 0; written <= 2 * DISK_BYTES; written += part.length) {
                out.write(part);
            }
        };
        for (int time = 0; time < 3; time++) {
            assertDiskFailed(tooLarge);
        }
        // A generator wraps what the stream throws.
        assertDiskFailed(bytes -> {
            try (JsonGenerator out = Representation.JSON.generator(bytes)) {
                out.writeStartArray();
                for (int i = 0; i < 2 * DISK_BYTES / 100; i++) {
                    out.writeString("x".repeat(100));
                }
                out.writeEndArray();
            }
        });

        byte[] fits = new byte[SpooledBody.MOST_IN_MEMORY + 1000];
        assertThat(SpooledBody.of(folder, out -> out.write(fits)).read().readAllBytes())
                .isEqualTo(fits);
        assertThat(folder).isEmptyDirectory();
    }

    private void assertDiskFailed(SpooledBody.Writing writing) {
        assertThatThrownBy(() -> SpooledBody.of(folder, writing)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().status().value()).isEqualTo(503);
            assertThat(e.problem().code()).isEqualTo("disk_failed");
        });
    }
}
