package dev.offsetd.server.admin.audit;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.audit.AuditTrail;
import dev.offsetd.server.web.Csv;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.json.JsonMapper;

/** The page of changes, and the same as a file. */
@Controller
class AuditController {

    private static final char LIST = 'a';
    private static final String WHO = "who";
    private static final String ACTION = "action";
    private static final String SUBJECT = "subject";
    private static final String FROM = "from";
    private static final String UNTIL = "until";
    private static final Set<String> FILTER = Set.of(WHO, ACTION, SUBJECT, FROM, UNTIL);

    private final AuditTrail audit;
    private final JsonMapper json;

    AuditController(AuditTrail audit, JsonMapper json) {
        this.audit = audit;
        this.json = json;
    }

    @GetMapping("/admin/audit")
    String page(HttpServletRequest request, Model model) {
        model.addAttribute("audit", found(request));
        return "admin/audit/page";
    }

    @GetMapping(
            path = "/admin/audit",
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String results(HttpServletRequest request, Model model) {
        page(request, model);
        return "admin/audit/page :: results";
    }

    private AuditPage found(HttpServletRequest request) {
        ListQuery query = ListQuery.of(request, FILTER);
        Optional<AuditTrail.Place> after = query.position(LIST).map(AuditController::place);
        // One more than asked for: it tells whether there is a next page.
        List<AuditTrail.Row> rows = audit.page(filter(query), after, query.limit() + 1);
        boolean more = rows.size() > query.limit();
        List<AuditTrail.Row> page = more ? rows.subList(0, query.limit()) : rows;
        AuditPage.Asked asked = new AuditPage.Asked(
                text(query, WHO), text(query, ACTION), text(query, SUBJECT), text(query, FROM), text(query, UNTIL));
        return new AuditPage(
                page.stream().map(this::row).toList(),
                asked,
                audit.actions(),
                more ? query.next(LIST, place(page.getLast().place())) : null,
                after.isEmpty(),
                csv(asked));
    }

    private static String text(ListQuery query, String name) {
        return query.parameter(name).map(String::strip).orElse("");
    }

    private static AuditTrail.Filter filter(ListQuery query) {
        return new AuditTrail.Filter(
                wanted(query, WHO),
                wanted(query, ACTION),
                wanted(query, SUBJECT),
                time(query, FROM),
                time(query, UNTIL));
    }

    /** What a form leaves empty is not asked for. */
    private static @Nullable String wanted(ListQuery query, String name) {
        String text = text(query, name);
        if (text.indexOf('\0') >= 0) {
            throw ListQuery.badValue(name, text, "text without NUL");
        }
        return text.isEmpty() ? null : text;
    }

    /** A time as a browser's field sends it, as a date, or with its offset from UTC. */
    private static @Nullable Instant time(ListQuery query, String name) {
        String text = text(query, name);
        if (text.isEmpty()) {
            return null;
        }
        try {
            Instant time = text.length() == "2026-01-01".length()
                    ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
                    : text.endsWith("Z") || text.indexOf('+') > 0
                            ? DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from)
                            : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
            requireStorable(time);
            return time;
        } catch (DateTimeException e) {
            throw ListQuery.badValue(name, text, "a time in UTC such as 2026-01-31T12:00");
        }
    }

    /** What the database has no room for. */
    private static void requireStorable(Instant time) {
        if (time.isBefore(Instant.EPOCH) || time.atOffset(ZoneOffset.UTC).getYear() > 9999) {
            throw new DateTimeException("out of range");
        }
    }

    private static String csv(AuditPage.Asked asked) {
        return UriComponentsBuilder.fromPath("/admin/audit.csv")
                .queryParam(WHO, "{who}")
                .queryParam(ACTION, "{action}")
                .queryParam(SUBJECT, "{subject}")
                .queryParam(FROM, "{from}")
                .queryParam(UNTIL, "{until}")
                .encode()
                .buildAndExpand(asked.who(), asked.action(), asked.subject(), asked.from(), asked.until())
                .toUriString();
    }

    private AuditPage.Row row(AuditTrail.Row row) {
        return new AuditPage.Row(
                row.id(),
                Moment.of(row.at()),
                row.who(),
                row.token() == null ? null : row.token().toString(),
                row.address(),
                row.action(),
                row.subject(),
                isBuildId(row.subject()),
                row.requestId(),
                JsonChanges.between(json, row.before(), row.after()));
    }

    private static boolean isBuildId(String text) {
        // Ids of tokens have hyphens; names of sets may be hex, but no set's is this long.
        try {
            return BuildId.parse(text).toString().length() > 16;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** All that is asked for, however much: a few rows are in memory at a time. */
    @GetMapping("/admin/audit.csv")
    void csv(HttpServletRequest request, HttpServletResponse response) throws IOException {
        AuditTrail.Filter filter = filter(ListQuery.of(request, FILTER));
        response.setContentType(Representation.CSV.contentType());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"audit.csv\"");
        PrintWriter out = response.getWriter();
        out.print(Csv.line(
                List.of("at", "who", "token", "address", "action", "subject", "before", "after", "request_id")));
        audit.forEach(
                filter,
                row -> out.print(Csv.line(Arrays.asList(
                        row.at().toString(),
                        row.who(),
                        row.token() == null ? null : row.token().toString(),
                        row.address(),
                        row.action(),
                        row.subject(),
                        row.before(),
                        row.after(),
                        row.requestId()))));
    }

    private static byte[] place(AuditTrail.Place place) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, place.at()))
                .putLong(place.id())
                .array();
    }

    private static AuditTrail.Place place(byte[] bytes) {
        if (bytes.length != 2 * Long.BYTES) {
            throw ListQuery.badCursor();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            Instant at = Instant.EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            requireStorable(at);
            return new AuditTrail.Place(at, in.getLong());
        } catch (DateTimeException | ArithmeticException e) {
            throw ListQuery.badCursor();
        }
    }
}
