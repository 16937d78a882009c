package dev.offsetd.server.exports;

import dev.offsetd.query.gooffsets.OffsetsFormat;
import dev.offsetd.query.gooffsets.TrackedModule;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
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

    @RequestMapping(
            path = "/v1/exports/go/offsets.json",
            method = {RequestMethod.GET, RequestMethod.POST})
    ResponseEntity<SpooledBody> tracker(HttpServletRequest request, HttpServletResponse response) throws IOException {
        return table(OffsetsFormat.TRACKER, request, response);
    }

    @RequestMapping(
            path = "/v1/exports/go/offset_results.json",
            method = {RequestMethod.GET, RequestMethod.POST})
    ResponseEntity<SpooledBody> results(HttpServletRequest request, HttpServletResponse response) throws IOException {
        return table(OffsetsFormat.RESULTS, request, response);
    }

    private ResponseEntity<SpooledBody> table(
            OffsetsFormat format, HttpServletRequest request, HttpServletResponse response) throws IOException {
        String machine = machine(request);
        List<TrackedModule> modules = HttpMethod.POST.matches(request.getMethod())
                ? modules(request)
                : builtIn.getOrDefault(format, List.of());
        ContentCoding coding = ContentCoding.of(request, ContentCoding.COMMON);
        GoOffsets.GoTable table = offsets.of(format, machine, modules, coding, Caller.of(request));
        response.setHeader(ExportResponse.OMITTED, Long.toString(table.omitted()));
        return new Answer(Representation.JSON, table.body(), coding, true).response(request);
    }

    private static String machine(HttpServletRequest request) {
        Representation.of(request, Set.of(Representation.JSON));
        return QueryParameters.of(request.getQueryString(), Set.of(MACHINE), Set.of())
                .one(MACHINE)
                .filter(name -> !name.isEmpty() && name.length() <= MAX_CHARS)
                .orElseThrow(() -> ListQuery.badValue(MACHINE, "", "the processor, such as \"x86_64\" or \"aarch64\""));
    }

    /** Returns the list in the body of a request. */
    static List<TrackedModule> modules(HttpServletRequest request) throws IOException {
        return TrackedList.parse(JsonBody.read(request, MAX_BODY_BYTES, TrackedList.EXPECTED));
    }
}
