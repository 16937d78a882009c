package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class FetchConfigurationTests {

    @TempDir
    private Path folder;

    private ApplicationContextRunner context;

    @BeforeEach
    void dataFolder() {
        context = context(folder);
    }

    /** Returns the beans of the sources, with this data folder. */
    static ApplicationContextRunner context(Path folder) {
        return new ApplicationContextRunner()
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withUserConfiguration(FetchConfiguration.class, Settings.class)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(PeriodicTasks.class, PeriodicTasks::new)
                .withPropertyValues("offsetd.data-dir=" + folder, "DEBUGINFOD_URLS=");
    }

    @Test
    void installedFilesComeBeforeThePublicFederation() {
        assertThat(sourceNames()).containsExactly("/usr/lib/debug", "https://debuginfod.elfutils.org/");
    }

    @Test
    void sourcesAreQueriedInTheConfiguredOrder() {
        assertThat(sourceNames(
                        "offsetd.local-folders=/b,/a",
                        "offsetd.upstreams.urls=https://y.example,http://x.example:8002/z"))
                .containsExactly("/b", "/a", "https://y.example/", "http://x.example:8002/z/");
    }

    @Test
    void disabledUpstreamIsNotQueriedButListed() {
        context.withPropertyValues(
                        "offsetd.local-folders=",
                        "offsetd.upstreams.servers[0].url=https://off.example",
                        "offsetd.upstreams.servers[0].enabled=false",
                        "offsetd.upstreams.servers[1].url=https://on.example",
                        "offsetd.upstreams.servers[1].not-found=1m")
                .run(running -> {
                    assertThat(running.getBean(DebugFileSources.class).inOrder())
                            .singleElement()
                            .satisfies(source -> {
                                assertThat(source.name()).isEqualTo("https://on.example/");
                                assertThat(source.missTimes()).containsExactly(Duration.ofMinutes(1));
                            });
                    assertThat(running.getBean(DebugFileSources.class).health())
                            .extracting(UpstreamHealth::name, UpstreamHealth::enabled)
                            .containsExactly(
                                    Assertions.tuple("https://off.example/", false),
                                    Assertions.tuple("https://on.example/", true));
                    assertThat(running.getBean(MeterRegistry.class)
                                    .get("offsetd.upstream.breaker")
                                    .tag("upstream", "https://on.example/")
                                    .tag("state", "closed")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                });
    }

    @Test
    void debuginfodUrlsReplacesThePublicFederation() {
        assertThat(sourceNames("offsetd.local-folders=", "DEBUGINFOD_URLS=https://a.example https://b.example"))
                .containsExactly("https://a.example/", "https://b.example/");
    }

    @Test
    void offlineLeavesTheDiskCacheInPlaceOfTheUpstreams() {
        assertThat(sourceNames("offsetd.offline=true", "DEBUGINFOD_URLS=https://a.example"))
                .containsExactly("/usr/lib/debug", "disk cache");
    }

    @Test
    void cacheIsReleasedWithTheContext() {
        context.withPropertyValues("offsetd.offline=true", "offsetd.local-folders=")
                .run(first -> {
                    assertThat(first).hasNotFailed();
                    assertThat(folder.resolve("cache/lock")).exists();
                    context.run(second -> assertThat(second)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("cache folder " + folder.resolve("cache") + " is in use"));
                });
        context.run(again -> assertThat(again).hasNotFailed());
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void folderThatDoesNotExistIsAWarning(CapturedOutput output) {
        sourceNames("offsetd.local-folders=" + folder + "," + folder.resolve("typo"));
        assertThat(output.getOut().lines().filter(line -> line.contains("offsetd.local-folders")))
                .singleElement()
                .asString()
                .contains(folder.resolve("typo") + ", which is not a folder");
    }

    @Test
    void sourcesFindInstalledFiles() throws Exception {
        Path file = BuildIdPath.below(folder.resolve(".build-id"), ID);
        Files.createDirectories(file.resolveSibling(""));
        Files.write(file, TestElf.of(ID));
        context.withPropertyValues("offsetd.offline=true", "offsetd.local-folders=" + folder)
                .run(running -> {
                    DebugFileSources sources = running.getBean(DebugFileSources.class);
                    UpstreamFixture.fetched(sources.inOrder().getFirst().fetch(ID, FetchProgress.NONE))
                            .close();
                    assertThat(sources.inOrder().getLast().fetch(ID, FetchProgress.NONE))
                            .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "offsetd.upstreams.urls=ftp://a | offsetd.upstreams.urls has \"ftp://a\"; expected an http or https URL",
                "offsetd.upstreams.connect-timeout=0s | offsetd.upstreams.connect-timeout is 0s; expected more than 0",
                "offsetd.upstreams.headers-timeout=-1s | offsetd.upstreams.headers-timeout is -1s; expected more than 0",
                "offsetd.upstreams.stall-timeout=0 | offsetd.upstreams.stall-timeout is 0s; expected more than 0",
                "offsetd.upstreams.total-timeout=0 | offsetd.upstreams.total-timeout is 0s; expected more than 0",
                "offsetd.upstreams.max-file-size=0 | offsetd.upstreams.max-file-size is 0B; expected more than 0",
                "offsetd.upstreams.max-concurrent-per-host=0 | offsetd.upstreams.max-concurrent-per-host is 0; expected more than 0",
                "offsetd.upstreams.max-retry-after=0 | offsetd.upstreams.max-retry-after is 0s; expected more than 0",
                "offsetd.upstreams.servers[0].kind=on-demand | offsetd.upstreams.servers[].url is missing; expected the base URL of a debuginfod",
                "offsetd.upstreams.breaker.failures=0 | offsetd.upstreams.breaker.failures is 0; expected more than 0",
                "offsetd.upstreams.breaker.open-for=0 | offsetd.upstreams.breaker.open-for is 0s; expected more than 0",
                "offsetd.upstreams.allowed-networks=all | offsetd.upstreams.allowed-networks has \"all\"; expected a network",
                "offsetd.upstreams.proxy=socks://a | offsetd.upstreams.proxy is \"socks://a\"; expected an http URL",
                "offsetd.upstreams.contact=a)b | offsetd.upstreams.contact is not a plain address or URL",
                "offsetd.cache.max-size=1MB | offsetd.cache.max-size is 1.0 MiB; expected at least offsetd.upstreams.max-file-size",
            })
    void invalidValueStopsTheStartAndIsNamed(String property, String message) {
        context.withPropertyValues(property)
                .run(failed -> assertThat(failed).getFailure().rootCause().hasMessageContaining(message));
    }

    @Test
    void userAgentNamesVersionAndContact() {
        assertThat(FetchConfiguration.userAgent("1.2", "https://example.org/contact"))
                .isEqualTo("offsetd/1.2 (+https://example.org/contact)");
        assertThat(FetchConfiguration.userAgent(null, null)).isEqualTo("offsetd/dev");
    }

    @EnableConfigurationProperties(FetchProperties.class)
    static class Settings {}

    private List<String> sourceNames(String... properties) {
        List<String> names = new ArrayList<>();
        context.withPropertyValues(properties)
                .run(running ->
                        running.getBean(DebugFileSources.class).inOrder().forEach(source -> names.add(source.name())));
        return names;
    }
}
