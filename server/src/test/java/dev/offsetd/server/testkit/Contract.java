package dev.offsetd.server.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.ValidationReport;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Checks of the server's answers against its contract, {@code openapi.yaml}. */
public final class Contract {

    private static final String FILE = "dev/offsetd/api/openapi.yaml";

    /** Methods and paths in the contract. Any other request has only the schema of problems. */
    private static final List<Pattern> PATHS = List.of(
            Pattern.compile("GET /v1/(offsets|builds)/[^/]+"),
            Pattern.compile("(GET|POST) /v1/symbols/[^/]+"),
            Pattern.compile("POST /v1/symbols"),
            Pattern.compile("GET /v1/resolve/[^/]+"),
            Pattern.compile("POST /v1/offsets(/[^/]+)?"),
            Pattern.compile("GET /v1/diff"),
            Pattern.compile("GET /v1/builds/[^/]+/types"),
            Pattern.compile("GET /v1/(builds|demand|whoami)"),
            Pattern.compile("(GET|POST) /v1/prewarms"),
            Pattern.compile("(GET|DELETE) /v1/prewarms/[^/]+"),
            Pattern.compile("(GET|POST) /v1/watches"),
            Pattern.compile("(GET|DELETE) /v1/watches/[^/]+"),
            Pattern.compile("POST /v1/watches/[^/]+/run"),
            Pattern.compile("GET /v1/releases"),
            Pattern.compile("GET /v1/type-sets(/[^/]+)?"),
            Pattern.compile("PUT /v1/type-sets/[^/]+"),
            Pattern.compile("(GET|POST) /v1/pins"),
            Pattern.compile("POST /v1/pins/(check|copy)"),
            Pattern.compile("(GET|PUT|DELETE) /v1/pins/(?!check$|copy$)[^/]+"),
            Pattern.compile("POST /v1/pins/[^/]+/(restore|acknowledge)"),
            Pattern.compile("PUT /v1/builds/[^/]+/(debuginfo|executable)"),
            Pattern.compile("GET /v1/builds/[^/]+/debuginfo/precheck"),
            Pattern.compile("POST /v1/builds/[^/]+/retry"),
            Pattern.compile("GET /buildid/[^/]+/(debuginfo|executable|section/[^/]+)"),
            Pattern.compile("GET /(livez|readyz|version|metrics)"));

    private static final OpenApiInteractionValidator VALIDATOR =
            OpenApiInteractionValidator.createFor(FILE).build();

    private Contract() {}

    /**
     * Fails unless the contract allows this response.
     *
     * @param body the response body; for CBOR, the equivalent JSON, to which the same schema applies
     */
    static void check(String method, String path, HttpResponse<?> response, String body) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        assertThat(response.headers().firstValue("X-Request-ID")).isPresent();
        if (response.statusCode() >= 400) {
            assertThat(type).isEqualTo("application/problem+json");
        }
        if (PATHS.stream().noneMatch(known -> known.matcher(method + " " + path).matches())) {
            return;
        }
        SimpleResponse.Builder answer = SimpleResponse.Builder.status(response.statusCode());
        response.headers().map().forEach((name, values) -> answer.withHeader(name, values));
        if (type.equals("application/cbor")) {
            answer.withContentType("application/json");
        }
        if (!body.isEmpty()) {
            answer.withBody(body);
        }
        ValidationReport report = VALIDATOR.validateResponse(
                path, Request.Method.valueOf(method.toUpperCase(Locale.ROOT)), answer.build());
        assertThat(report.getMessages())
                .as("%s %s: %d %s", method, path, response.statusCode(), body)
                .isEmpty();
    }
}
