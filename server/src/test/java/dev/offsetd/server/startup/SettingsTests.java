package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.support.SystemEnvironmentPropertySourceEnvironmentPostProcessor;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A setting that has no effect is told, wherever it is set. */
class SettingsTests {

    private static final Path DOCUMENTS = Path.of("..", "docs");

    private final StandardEnvironment environment = new StandardEnvironment() {
        @Override
        protected void customizePropertySources(MutablePropertySources sources) {
            // Neither variables nor properties of the process of the tests.
        }
    };

    private List<String> warnings() {
        ConfigurationPropertySources.attach(environment);
        return Settings.ofServer().check(environment);
    }

    private SettingsTests file(String yaml) throws IOException {
        new YamlPropertySourceLoader()
                .load("file", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)) {
                    @Override
                    public String getFilename() {
                        return "application.yaml";
                    }
                })
                .forEach(environment.getPropertySources()::addLast);
        return this;
    }

    private SettingsTests variables(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        new SystemEnvironmentPropertySourceEnvironmentPostProcessor()
                .postProcessEnvironment(environment, new SpringApplication());
        return this;
    }

    private String explain() {
        try {
            return "started with " + warnings();
        } catch (RuntimeException e) {
            return new StartFailure(e, environment).text();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            offsetd: {read-atuh: true}             | offsetd.read-atuh is not a setting; did you mean offsetd.read-auth? (application.yaml, line 1)
            offsetd.upstreams.servers: [{ulr: x}]  | offsetd.upstreams.servers[0].ulr is not a setting; did you mean offsetd.upstreams.servers[0].url? (application.yaml, line 1)
            offsetd: {nonsense: {a: 1}}            | offsetd.nonsense.a is not a setting; docs/configuration.md lists them (application.yaml, line 1)
            offsetd.read-auth.x: 1                 | offsetd.read-auth.x is not a setting; did you mean offsetd.read-auth? (application.yaml, line 1)
            """)
    void unknownSettingInAFileStopsTheStart(String yaml, String text) throws IOException {
        assertThat(file(yaml).explain()).isEqualTo(text);
    }

    @Test
    void unknownSettingsOnTheCommandLineStopTheStartTogether() {
        environment
                .getPropertySources()
                .addFirst(new SimpleCommandLinePropertySource("--offsetd.uploads.keap=true", "--offsetd.ofline=true"));

        assertThatThrownBy(this::warnings)
                .isInstanceOf(StartException.class)
                .hasMessage("offsetd.ofline is not a setting; did you mean offsetd.offline? (command line); "
                        + "offsetd.uploads.keap is not a setting; did you mean offsetd.uploads.keep? (command line)");
    }

    @Test
    void unknownVariableIsAWarning() {
        assertThat(variables(Map.of("OFFSETD_READ_ATUH", "true")).warnings())
                .containsExactly("OFFSETD_READ_ATUH is not a setting; did you mean OFFSETD_READ_AUTH? (environment)");
    }

    @Test
    void portOfAPersonIsNotOneOfKubernetes() {
        assertThat(variables(Map.of("OFFSETD_PORT", "9090")).warnings())
                .singleElement()
                .asString()
                .startsWith("OFFSETD_PORT is not a setting; ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OFFSETD_READ_AUTH",
                "OFFSETD_READAUTH",
                "OFFSETD_UPSTREAMS_SERVERS_11_NOT_FOUND",
                "OFFSETD_LOCAL_FOLDERS_0",
                "OFFSETD_JAVA_OPTS",
                "OFFSETD_ARGUMENTS",
                "OFFSETD_SERVICE_HOST",
                "OFFSETD_SERVICE_PORT",
                "OFFSETD_SERVICE_PORT_HTTP",
                "OFFSETD_PORT",
                "OFFSETD_PORT_80_TCP",
                "OFFSETD_PORT_80_TCP_PROTO",
                "OFFSETD_PORT_80_TCP_PORT",
                "OFFSETD_PORT_80_TCP_ADDR",
                "OFFSETD_DATABASE_PORT_5432_TCP_ADDR"
            })
    void variableOfOffsetdOrOfKubernetesIsNoWarning(String variable) {
        String value = variable.endsWith("AUTH") ? "true" : variable.contains("PORT") ? "tcp://10.0.0.1:80" : "/a";
        assertThat(variables(Map.of(variable, value)).warnings()).isEmpty();
    }

    @Test
    void settingThatHasNoEffectAnyMoreNamesItsSuccessor() throws IOException {
        variables(Map.of("OFFSETD_ANSWERS_CACHE_TIME", "5s"));
        file("offsetd.extraction.retry.max-refused: 5m");

        assertThat(warnings())
                .containsExactly(
                        "OFFSETD_ANSWERS_CACHE_TIME has no effect any more; use offsetd.answers.cache (environment)",
                        "offsetd.extraction.retry.max-refused has no effect any more; use offsetd.upstreams.max-retry-after"
                                + " (application.yaml, line 1)");
    }

    @Test
    void anySpellingOfSpringBootIsKnown() throws IOException {
        file("""
                offsetd:
                  readAuth: true
                  upstreams:
                    servers:
                      - url: http://a
                        not-found: [1s, 2s]
                        headers_timeout: 1s
                    allowed-networks:
                """);
        assertThat(warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            OFFSETD_CACHE_MAX_SIZE        | 10XB  | offsetd.cache.max-size is "10XB"; expected a size such as 10GB (environment variable OFFSETD_CACHE_MAX_SIZE)
            OFFSETD_DRAINDELAY            | 10q   | offsetd.drain-delay is "10q"; expected a time such as 10s (environment variable OFFSETD_DRAINDELAY)
            OFFSETD_OFFLINE               | maybe | offsetd.offline is "maybe"; expected true or false (environment variable OFFSETD_OFFLINE)
            OFFSETD_EXTRACTION_MAXPARSING | two   | offsetd.extraction.max-parsing is "two"; expected a whole number (environment variable OFFSETD_EXTRACTION_MAXPARSING)
            OFFSETD_EXTRACTION_RETRY_NOTFOUND | 10m,xx | offsetd.extraction.retry.not-found is "10m,xx"; expected a list with commas, each a time such as 10s (environment variable OFFSETD_EXTRACTION_RETRY_NOTFOUND)
            OFFSETD_CACHE_MAX_SIZE        | 1 2   | offsetd.cache.max-size is "1 2"; expected a size such as 10GB (environment variable OFFSETD_CACHE_MAX_SIZE)
            OFFSETD_EXTRACTION_MAXPARSING | 1 2   | offsetd.extraction.max-parsing is "1 2"; expected a whole number (environment variable OFFSETD_EXTRACTION_MAXPARSING)
            OFFSETD_EXTRACTION_RETRY_NOTFOUND | 1 0m, 1h | offsetd.extraction.retry.not-found is "1 0m, 1h"; expected a list with commas, each a time such as 10s (environment variable OFFSETD_EXTRACTION_RETRY_NOTFOUND)
            OFFSETD_EXTRACTION_RETRY_NOTFOUND | 10m, 1h | started with []
            OFFSETD_UPSTREAMS_SERVERS_0_TOTAL_TIMEOUT | 1 0s | offsetd.upstreams.servers[0].total-timeout is "1 0s"; expected a time such as 10s (environment variable OFFSETD_UPSTREAMS_SERVERS_0_TOTAL_TIMEOUT)
            MANAGEMENT_SERVER_PORT        | 1 2   | management.server.port is "1 2"; expected a whole number (environment variable MANAGEMENT_SERVER_PORT)
            MANAGEMENT_SERVER_PORT        | abc   | management.server.port is "abc"; expected a whole number (environment variable MANAGEMENT_SERVER_PORT)
            MANAGEMENT_SERVER_ADDRESS     | a b   | management.server.address is "a b"; expected an IP address or a host name (environment variable MANAGEMENT_SERVER_ADDRESS)
            MANAGEMENT_TRACING_SAMPLING_PROBABILITY | often | management.tracing.sampling.probability is "often"; expected a number (environment variable MANAGEMENT_TRACING_SAMPLING_PROBABILITY)
            MANAGEMENT_OTLP_METRICS_EXPORT_URL | foo | management.otlp.metrics.export.url is "foo"; expected a URL such as http://collector:4318/v1/traces
            MANAGEMENT_OPENTELEMETRY_TRACING_EXPORT_OTLP_ENDPOINT | foo | management.opentelemetry.tracing.export.otlp.endpoint is "foo"; expected a URL such as http://collector:4318/v1/traces
            """)
    void badValueIsNamedWithWhatIsExpected(String variable, String value, String text) {
        assertThat(variables(Map.of(variable, value)).explain()).isEqualTo(text);
    }

    @Test
    void sizeOfTwoLinesIsNotReadAsOne() {
        assertThat(variables(Map.of("OFFSETD_CACHE_MAX_SIZE", "1\n2")).explain())
                .startsWith("offsetd.cache.max-size is \"1\\u000a2\"; expected a size such as 10GB");
        assertThat(variables(Map.of("OFFSETD_CACHE_MAX_SIZE", "12GB\n")).explain())
                .isEqualTo("started with []");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            OFFSETD_DRAINDELAY       | 5   | offsetd.drain-delay is "5"; expected a time such as 10s (environment variable OFFSETD_DRAINDELAY)
            OFFSETD_UPLOADS_MAX_SIZE | 4   | offsetd.uploads.max-size is "4"; expected a size such as 10GB (environment variable OFFSETD_UPLOADS_MAX_SIZE)
            OFFSETD_EXTRACTION_RETRY_NOTFOUND | 10m,60 | offsetd.extraction.retry.not-found is "10m,60"; expected a list with commas, each a time such as 10s (environment variable OFFSETD_EXTRACTION_RETRY_NOTFOUND)
            OFFSETD_UPSTREAMS_SERVERS_0_TOTAL_TIMEOUT | 10 | offsetd.upstreams.servers[0].total-timeout is "10"; expected a time such as 10s (environment variable OFFSETD_UPSTREAMS_SERVERS_0_TOTAL_TIMEOUT)
            OFFSETD_DRAINDELAY       | 0   | started with []
            OFFSETD_UPLOADS_MAX_CONCURRENT | 4 | started with []
            """)
    void timesAndSizesHaveUnits(String variable, String value, String text) {
        assertThat(variables(Map.of(variable, value)).explain()).isEqualTo(text);
    }

    @Test
    void timeInAFileHasAUnit() throws IOException {
        assertThat(file("offsetd.lease.duration: 15").explain())
                .isEqualTo("offsetd.lease.duration is \"15\"; expected a time such as 10s (application.yaml, line 1)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"configuration.md", "debuginfod.md", "events.md"})
    void everySettingOfTheDocumentsExists(String document) throws IOException {
        List<String> documented = new ArrayList<>();
        Matcher row = Pattern.compile("(?m)^\\| `(offsetd\\.[a-z0-9.-]+)`((?:, `[a-z0-9.-]+`)*) ")
                .matcher(Files.readString(DOCUMENTS.resolve(document)));
        while (row.find()) {
            documented.add(row.group(1));
            String group = row.group(1).substring(0, row.group(1).lastIndexOf('.') + 1);
            Matcher further = Pattern.compile("`([^`]+)`").matcher(row.group(2));
            while (further.find()) {
                documented.add(group + further.group(1));
            }
        }
        assertThat(String.join("\n", documented) + "\n").isNotBlank();
        StringBuilder yaml = new StringBuilder();
        documented.forEach(name -> yaml.append(name).append(":\n"));
        file(yaml.toString());
        assertThat(explain()).isEqualTo("started with []");
    }
}
