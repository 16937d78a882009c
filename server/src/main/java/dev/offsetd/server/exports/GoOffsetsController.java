package dev.offsetd.server.exports;

import dev.offsetd.query.gooffsets.OffsetsFormat;
import dev.offsetd.query.gooffsets.TrackedModule;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.CacheHeaders;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Offsets of Go members by module version, in the files that eBPF agents ship. */
@RestController
class GoOffsetsController {

    private static final int MAX_BODY_BYTES = 1 << 18;
    private static final String MACHINE = "machine";
    private static final int MAX_CHARS = 64;

    private final GoOffsets offsets;
    private final Map<OffsetsFormat, List<TrackedModule>> builtIn = new EnumMap<>(OffsetsFormat.class);

    GoOffsetsController(GoOffsets offsets) {
        this.offsets = offsets;
        for (OffsetsFormat format : OffsetsFormat.values()) {
            builtIn.put(format, TrackedList.builtIn(format));
        }
    }

    @GetMapping("/v1/exports/go/offsets.json")
    ResponseEntity<SpooledBody> tracker(HttpServletRequest request) {
        return get(OffsetsFormat.TRACKER, request);
    }

    @PostMapping("/v1/exports/go/offsets.json")
    ResponseEntity<SpooledBody> trackerOf(HttpServletRequest request) throws IOException {
        return post(OffsetsFormat.TRACKER, request);
    }

    @GetMapping("/v1/exports/go/offset_results.json")
    ResponseEntity<SpooledBody> results(HttpServletRequest request) {
        return get(OffsetsFormat.RESULTS, request);
    }

    @PostMapping("/v1/exports/go/offset_results.json")
    ResponseEntity<SpooledBody> resultsOf(HttpServletRequest request) throws IOException {
        return post(OffsetsFormat.RESULTS, request);
    }

    private ResponseEntity<SpooledBody> get(OffsetsFormat format, HttpServletRequest request) {
        ContentCoding coding = ContentCoding.of(request, ContentCoding.COMMON);
        GoOffsets.GoTable table = offsets.of(
                format, machine(request), builtIn.getOrDefault(format, List.of()), coding, Caller.of(request));
        return begin(table, coding)
                .eTag(table.body().etag())
                .header(HttpHeaders.CACHE_CONTROL, CacheHeaders.LASTING)
                .header(HttpHeaders.VARY, CacheHeaders.VARY)
                .body(table.body());
    }

    private ResponseEntity<SpooledBody> post(OffsetsFormat format, HttpServletRequest request) throws IOException {
        String machine = machine(request);
        List<TrackedModule> modules = modules(request);
        ContentCoding coding = ContentCoding.of(request, ContentCoding.COMMON);
        GoOffsets.GoTable table = offsets.of(format, machine, modules, coding, Caller.of(request));
        return begin(table, coding)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .body(table.body());
    }

    private static String machine(HttpServletRequest request) {
        Representation.of(request, Set.of(Representation.JSON));
        return QueryParameters.of(request.getQueryString(), Set.of(MACHINE), Set.of(), _ -> false)
                .one(MACHINE)
                .filter(name -> !name.isEmpty() && name.length() <= MAX_CHARS)
                .orElseThrow(() -> ListQuery.badValue(MACHINE, "", "the processor, such as \"x86_64\" or \"aarch64\""));
    }

    private static ResponseEntity.BodyBuilder begin(GoOffsets.GoTable table, ContentCoding coding) {
        ResponseEntity.BodyBuilder response = ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .header(ExportResponse.OMITTED, Long.toString(table.omitted()));
        if (coding != ContentCoding.IDENTITY) {
            response.header(HttpHeaders.CONTENT_ENCODING, coding.token());
        }
        return response;
    }

    /** Returns the list in the body of a request. */
    static List<TrackedModule> modules(HttpServletRequest request) throws IOException {
        return TrackedList.parse(JsonBody.read(request, MAX_BODY_BYTES, TrackedList.EXPECTED));
    }
}
