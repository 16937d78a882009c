package dev.offsetd.server.exports;

import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
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
    private final ComputePool threads;

    ChecksController(BuildChecks checks, BuildQueries queries, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.checks = checks;
        this.queries = queries;
        this.threads = threads;
    }

    @PostMapping("/v1/checks")
    ResponseEntity<?> check(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, OFFERED);
        ListQuery list = ListQuery.of(request, BuildChecks.PARAMETERS);
        Optional<Rendered> rendered = checks.check(list, request, checked -> rendered(representation, checked));
        if (rendered.isEmpty()) {
            return queries.inProgress(checks.reference(list, request), Representation.JSON);
        }
        String next = rendered.get().next();
        ResponseEntity.BodyBuilder response = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, representation.contentType())
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header("X-Offsetd-Passes", Boolean.toString(rendered.get().passes()));
        if (next != null) {
            response.header("X-Offsetd-Next", next);
        }
        return response.body(rendered.get().body());
    }

    private record Rendered(
            SpooledBody body, boolean passes, @Nullable String next) {}

    private Rendered rendered(Representation representation, BuildChecks.Checked checked) {
        return new Rendered(
                threads.answer(() -> body(representation, checked.report(), checked.next())),
                checked.report().passes(),
                checked.next());
    }

    private static SpooledBody body(Representation representation, CheckReport report, @Nullable String next) {
        return switch (representation) {
            case TEXT ->
                text(out -> {
                    for (String line : report.lines()) {
                        out.write(line);
                        out.write('\n');
                    }
                });
            case XML -> text(report::writeJunit);
            default ->
                SpooledBody.of(representation, out -> {
                    out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
                    report.write(out);
                    if (next != null) {
                        out.writeStringProperty("next", next);
                    }
                });
        };
    }

    private interface Text {
        void writeTo(Writer out) throws IOException;
    }

    private static SpooledBody text(Text text) {
        return SpooledBody.of(bytes -> {
            try (Writer out = new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8))) {
                text.writeTo(out);
            }
        });
    }
}
