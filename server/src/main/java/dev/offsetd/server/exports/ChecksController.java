package dev.offsetd.server.exports;

import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Checks whether a BPF program, a type set or a name map works with stored builds. */
@RestController
class ChecksController {

    private static final Set<Representation> OFFERED =
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.TEXT, Representation.XML);

    private final BuildChecks checks;
    private final BuildQueries queries;

    ChecksController(BuildChecks checks, BuildQueries queries) {
        this.checks = checks;
        this.queries = queries;
    }

    @PostMapping("/v1/checks")
    ResponseEntity<?> check(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, OFFERED);
        ListQuery list = ListQuery.of(request, BuildChecks.PARAMETERS);
        Optional<BuildChecks.Checked> checked = checks.check(list, request);
        if (checked.isEmpty()) {
            return queries.inProgress(checks.reference(list, request), Representation.JSON);
        }
        CheckReport report = checked.get().report();
        String next = checked.get().next();
        ResponseEntity.BodyBuilder response = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, representation.contentType())
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header("X-Offsetd-Passes", Boolean.toString(report.passes()));
        if (next != null) {
            response.header("X-Offsetd-Next", next);
        }
        return response.body(body(representation, report, next));
    }

    private static byte[] body(Representation representation, CheckReport report, @Nullable String next) {
        return switch (representation) {
            case TEXT -> (String.join("\n", report.lines()) + "\n").getBytes(StandardCharsets.UTF_8);
            case XML -> report.junit().getBytes(StandardCharsets.UTF_8);
            default ->
                representation.object(out -> {
                    out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
                    report.write(out);
                    if (next != null) {
                        out.writeStringProperty("next", next);
                    }
                });
        };
    }
}
