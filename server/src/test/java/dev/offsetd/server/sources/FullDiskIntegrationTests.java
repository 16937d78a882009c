package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk: a tmpfs with room for one file. Needs permission to mount one. */
@ChecklistRow(16)
class FullDiskIntegrationTests {

    @TempDir
    private Path folder;

    private SmallDisk disk;

    @BeforeEach
    void mount() {
        disk = SmallDisk.over(folder, "size=64k");
    }

    @AfterEach
    void unmount() {
        disk.close();
    }

    @Test
    void fullDiskIsALocalFailureThatLeavesNoFile() throws Exception {
        try (FaultServer server = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID));
                UpstreamFixture upstreams = new UpstreamFixture(folder)) {
            Path ballast = Files.write(folder.resolve("ballast"), new byte[40 << 10]);
            FetchOutcome outcome = upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE);
            assertThat(outcome).returns("local_failure", FetchOutcome::word);
            assertThat(((FetchOutcome.Failed) outcome).detail()).contains("No space left on device");
            Files.delete(ballast);
            upstreams.assertNoFiles();
            UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                    .close();
        }
    }

    @Test
    void cacheEvictsFilesBeforeAFetchFails() throws Exception {
        try (FaultServer server = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID));
                FaultServer others = FaultServer.serving(TestElf.of(OTHER_ID), TestElf.of(ID));
                UpstreamFixture upstreams = new UpstreamFixture(folder)) {
            UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                    .close();
            // The disk has room for one file, the cache for ten.
            CachedFile second =
                    UpstreamFixture.fetched(upstreams.source(others.url("ok")).fetch(OTHER_ID, FetchProgress.NONE));
            assertThat(BuildIdPath.below(folder, ID)).doesNotExist();
            assertThat(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                    .as("a file that is in use is not given up")
                    .returns("local_failure", FetchOutcome::word);
            assertThat(second.path()).hasBinaryContent(TestElf.of(OTHER_ID));
            second.close();
            UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                    .close();
        }
    }
}
