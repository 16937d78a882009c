package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystemProperty;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The shape of a log line, for people and for programs, as the server's configuration makes it. */
@ExtendWith(OutputCaptureExtension.class)
class LogFormatTests {

    private static final Logger log = LoggerFactory.getLogger(LogFormatTests.class);
    private static final BuildId BUILD = BuildId.parse("0123456789abcdef");
    private static final String HOSTILE = "a\r\nb\u001b[31m\u2028c";

    /** An application of nothing: what it starts is the logging that the configuration asks for. */
    private static void configureLogging(String... properties) {
        new SpringApplicationBuilder(LogFormatTests.class)
                .web(WebApplicationType.NONE)
                .run(properties)
                .close();
    }

    @AfterEach
    void restore() {
        // Spring Boot leaves it behind for the next application of this virtual machine.
        System.clearProperty(LoggingSystemProperty.CONSOLE_STRUCTURED_FORMAT.getEnvironmentVariableName());
        configureLogging();
        MDC.clear();
    }

    private static String last(CapturedOutput output) {
        return output.getOut().lines().toList().getLast();
    }

    @Test
    void lineForPeopleIsOneLineWithTheRequest(CapturedOutput output) {
        configureLogging();
        MDC.put("requestId", "r1");
        log.info("found {}", HOSTILE);
        assertThat(last(output)).endsWith(" INFO  LogFormatTests [r1]: found a b?[31m c");
        MDC.clear();
        log.info("plain");
        assertThat(last(output)).endsWith(" INFO  LogFormatTests: plain");
    }

    @Test
    @ChecklistRow(44)
    void noTokenIsInALineWhereverItComesFrom(CapturedOutput output) {
        String token = "offsetd_" + "Ab0_-".repeat(10).substring(1);
        for (String format : List.of("", "ecs", "logstash", "gelf")) {
            configureLogging("--logging.structured.format.console=" + format);
            MDC.put("requestId", token);
            log.atWarn()
                    .addKeyValue("url.original", "/t/" + token)
                    .setCause(new IllegalStateException("a", new IllegalArgumentException("GET /t/" + token)))
                    .log("GET /t/%6F{} of {}", token.substring(1), format);
        }
        assertThat(output.getOut()).contains("GET /t/hidden of gelf").doesNotContain(token.substring(0, 24));
    }

    @Test
    void linesOfAStackTraceAreMarked(CapturedOutput output) {
        configureLogging();
        log.error("failed", new IllegalStateException(HOSTILE));
        String text = output.getOut();
        String trace = text.substring(text.indexOf("failed") + "failed\n".length());
        assertThat(trace.lines()).isNotEmpty().allMatch(line -> line.startsWith("| "));
        assertThat(trace).contains("| b?[31m?c").contains("| \tat dev.offsetd");
    }

    @Test
    void structuredLineHasTheRequestAndTheBuild(CapturedOutput output) throws InterruptedException, ExecutionException {
        configureLogging("--logging.structured.format.console=ecs");
        MDC.put("requestId", "r1");
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            thread.submit(WorkContext.about(BUILD, () -> log.info("found {}", HOSTILE)))
                    .get();
        }
        JsonNode line = JsonMapper.shared().readTree(last(output));
        assertThat(line.path("message").asString()).isEqualTo("found " + HOSTILE);
        assertThat(line.path("requestId").asString()).isEqualTo("r1");
        assertThat(line.path("buildId").asString()).isEqualTo(BUILD.toString());
        assertThat(last(output).chars()).noneMatch(Character::isISOControl);
        assertThat(MDC.get("buildId")).as("on this thread").isNull();
    }
}
