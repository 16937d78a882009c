package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.testkit.RealDebuginfod;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fetches from elfutils' debuginfod, the reference implementation of the protocol. */
class RealDebuginfodIntegrationTests {

    @TempDir
    private Path folder;

    private RealDebuginfod debuginfod;

    @BeforeEach
    void startDebuginfod() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.write(served.resolve("libexample.so.debug"), TestElf.of(ID));
        debuginfod = RealDebuginfod.over(served, 1, folder);
    }

    @AfterEach
    void stopDebuginfod() {
        if (debuginfod != null) {
            debuginfod.close();
        }
    }

    @Test
    void fileIsFetchedOnceAndServedAfterTheUpstreamIsGone() throws Exception {
        try (UpstreamFixture upstreams = new UpstreamFixture(folder.resolve("cache"))) {
            CachedSource source = upstreams.source(debuginfod.url());
            try (CachedFile file = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE))) {
                assertThat(file.path()).hasBinaryContent(TestElf.of(ID));
            }
            UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
            assertThat(debuginfod.requests()).isEqualTo(1);
            stopDebuginfod();
            UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
            assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        }
    }

    @Test
    void unknownBuildIsNotFound() throws Exception {
        try (UpstreamFixture upstreams = new UpstreamFixture(folder.resolve("cache"))) {
            assertThat(upstreams.source(debuginfod.url()).fetch(OTHER_ID, FetchProgress.NONE))
                    .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.MAY_HIDE_A_FAILURE));
            upstreams.assertNoFiles();
        }
    }
}
