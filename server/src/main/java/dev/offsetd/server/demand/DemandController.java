package dev.offsetd.server.demand;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.api.model.DemandEntry;
import dev.offsetd.server.api.model.DemandList;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What to upload: as JSON, or as CSV for scripts. */
@RestController
class DemandController {

    private static final MediaType CSV = new MediaType("text", "csv", StandardCharsets.UTF_8);
    private static final String CSV_HEAD = "build_id,count,first_asked,last_asked,cause\r\n";
    private static final String SORT = "sort";

    private final DemandTable table;

    DemandController(DemandTable table) {
        this.table = table;
    }

    @GetMapping(
            path = "/v1/demand",
            produces = {MediaType.APPLICATION_JSON_VALUE, "text/csv"})
    ResponseEntity<?> list(HttpServletRequest request) {
        ListQuery query = ListQuery.of(request, Set.of(SORT));
        String sort = query.parameter(SORT).orElse(DemandOrder.COUNT.word());
        DemandOrder order = DemandOrder.ofWord(sort)
                .orElseThrow(() -> ListQuery.badValue(SORT, sort, "\"count\" or \"last_asked\""));
        Optional<Count> after = query.place(letter(order)).map(DemandController::place);
        // One more than asked for: it tells whether there is a next page.
        List<Count> counts = table.page(order, after, query.limit() + 1);
        boolean more = counts.size() > query.limit();
        List<Count> page = more ? counts.subList(0, query.limit()) : counts;
        String next = more ? query.next(letter(order), place(page.getLast())) : null;
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.ok().cacheControl(CacheControl.noStore()).header(HttpHeaders.VARY, HttpHeaders.ACCEPT);
        if (next != null) {
            answer.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
        }
        return prefersCsv(request)
                ? answer.contentType(CSV).body(csv(page))
                : answer.contentType(MediaType.APPLICATION_JSON).body(json(page, next));
    }

    private static boolean prefersCsv(HttpServletRequest request) {
        List<MediaType> accepted =
                new ArrayList<>(MediaType.parseMediaTypes(Collections.list(request.getHeaders(HttpHeaders.ACCEPT))));
        // Specific types come before wildcards then, so the first that fits says how much a type is wanted (RFC 9110
        // §12.5.1).
        MimeTypeUtils.sortBySpecificity(accepted);
        return quality(accepted, CSV) > quality(accepted, MediaType.APPLICATION_JSON);
    }

    private static double quality(List<MediaType> accepted, MediaType type) {
        return accepted.stream()
                .filter(range -> range.isCompatibleWith(type))
                .findFirst()
                .map(MediaType::getQualityValue)
                .orElse(0.0);
    }

    private static DemandList json(List<Count> page, @Nullable String next) {
        return new DemandList(page.stream()
                        .map(count -> new DemandEntry(
                                count.id().toString(),
                                count.asked(),
                                count.firstAsked().atOffset(ZoneOffset.UTC),
                                count.lastAsked().atOffset(ZoneOffset.UTC),
                                count.cause()))
                        .toList())
                .next(next);
    }

    /** Lines as RFC 4180 has them; nothing in them needs quotes. */
    private static String csv(List<Count> page) {
        return page.stream()
                .map(count -> count.id() + "," + count.asked() + "," + count.firstAsked() + "," + count.lastAsked()
                        + "," + count.cause() + "\r\n")
                .collect(Collectors.joining("", CSV_HEAD, ""));
    }

    private static char letter(DemandOrder order) {
        return switch (order) {
            case COUNT -> 'c';
            case LAST_ASKED -> 'l';
        };
    }

    private static byte[] place(Count count) {
        byte[] id = count.id().toBytes();
        return ByteBuffer.allocate(2 * Long.BYTES + id.length)
                .putLong(count.asked())
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, count.lastAsked()))
                .put(id)
                .array();
    }

    private static Count place(byte[] place) {
        int idLength = place.length - 2 * Long.BYTES;
        if (idLength < BuildId.MIN_BYTES || idLength > BuildId.MAX_BYTES) {
            throw ListQuery.badCursor();
        }
        ByteBuffer in = ByteBuffer.wrap(place);
        long asked = in.getLong();
        Instant lastAsked;
        try {
            lastAsked = Instant.EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            // What the database has no room for, it has never handed out.
            if (lastAsked.isBefore(Instant.EPOCH)
                    || lastAsked.atOffset(ZoneOffset.UTC).getYear() > 9999) {
                throw ListQuery.badCursor();
            }
        } catch (ArithmeticException e) {
            throw ListQuery.badCursor();
        }
        BuildId id = BuildId.of(Arrays.copyOfRange(place, 2 * Long.BYTES, place.length));
        return new Count(id, asked, lastAsked, lastAsked, "");
    }
}
