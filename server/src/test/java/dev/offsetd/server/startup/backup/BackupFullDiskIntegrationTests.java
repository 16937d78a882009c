package dev.offsetd.server.startup.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import java.io.OutputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup to a full disk. Needs permission to mount one. */
class BackupFullDiskIntegrationTests {

    @Test
    @ChecklistRow(16)
    void backupToAFullDiskFailsAndLeavesNothing(@TempDir Path folder) throws Exception {
        try (SmallDisk _ = SmallDisk.over(folder, "size=64k")) {
            try (NewFile file = NewFile.at(folder.resolve("backup"), false);
                    OutputStream out = file.content()) {
                assertThatThrownBy(() -> out.write(new byte[128 << 10])).hasMessageContaining("No space left");
            }
            assertThat(folder).isEmptyDirectory();
        }
    }
}
