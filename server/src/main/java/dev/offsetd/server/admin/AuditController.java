package dev.offsetd.server.admin;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.audit.AuditTrail;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import tools.jackson.databind.json.JsonMapper;

/** The audit page and its CSV export. */
@Controller
class AuditController {

    private static final String CSV = "/admin/audit.csv";
    private static final char LIST = 'a';
    private static final String WHO = "who";
    private static final String ACTION = "action";
    private static final String SUBJECT = "subject";
    private static final String FROM = "from";
    private static final String UNTIL = "until";
    private static final Set<String> FILTER = Set.of(WHO, ACTION, SUBJECT, FROM, UNTIL);

    private final AuditTrail audit;
    private final JsonMapper json;
    private final BuildTitles titles;

    AuditController(AuditTrail audit, JsonMapper json, BuildTitles titles) {
        this.audit = audit;
        this.json = json;
        this.titles = titles;
    }

    /**
     * A row of the audit.
     *
     * @param build whether the subject is a build-id
     * @param link to the page of another subject; null if it has none
     */
    record EntryLine(
            AuditTrail.AuditEntry row,
            boolean build,
            @Nullable SubjectLink link,
            JsonChanges.ChangeList changes) {}

    /**
     * A link to the page of a subject.
     *
     * @param text what people call it: ids are for programs
     */
    record SubjectLink(String path, String text) {}

    @GetMapping("/admin/audit")
    String page(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, FILTER);
        AuditTrail.AuditFilter filter = filter(query);
        AuditTrail.AuditPosition after =
                query.position(LIST, 2).map(AuditController::place).orElse(null);
        ListPage<AuditTrail.AuditEntry> page =
                ListPage.read(query, LIST, limit -> audit.page(filter, after, limit), row -> place(row.place()));
        model.addAttribute("list", page.map(this::line));
        titles.addTo(
                model,
                page.rows().stream()
                        .map(AuditTrail.AuditEntry::subject)
                        .filter(AuditController::isBuildId)
                        .map(BuildId::parseKey));
        model.addAttribute("actions", audit.actions());
        model.addAttribute("csv", csv(page));
        return Htmx.view(request, "admin/audit/page", "results");
    }

    private EntryLine line(AuditTrail.AuditEntry row) {
        return new EntryLine(
                row,
                isBuildId(row.subject()),
                link(row).orElse(null),
                JsonChanges.between(json, row.before(), row.after()));
    }

    private Optional<SubjectLink> link(AuditTrail.AuditEntry row) {
        String subject = row.subject();
        return switch (row.action().split("\\.", 2)[0]) {
            case "pin" -> Optional.of(new SubjectLink("/admin/pins/" + subject, pinnedItem(row)));
            case "prewarm" ->
                Optional.of(new SubjectLink("/admin/prewarms/" + subject, "batch " + Format.shortId(subject)));
            case "type-set" -> Optional.of(new SubjectLink("/admin/type-sets/" + subject, "@" + subject));
            default -> Optional.empty();
        };
    }

    private String pinnedItem(AuditTrail.AuditEntry row) {
        String pin = row.after() == null ? row.before() : row.after();
        return pin == null ? row.subject() : json.readTree(pin).path("item").asString(row.subject());
    }

    private static boolean isBuildId(String text) {
        // Ids of tokens have hyphens. The name of a set may be hex, but is shorter than this.
        try {
            return BuildId.parseKey(text).toString().length() > 16;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static AuditTrail.AuditFilter filter(ListQuery query) {
        return new AuditTrail.AuditFilter(
                query.filter(WHO).orElse(null),
                query.filter(ACTION).orElse(null),
                query.filter(SUBJECT).orElse(null),
                time(query, FROM),
                time(query, UNTIL));
    }

    /** Parses a date, a local time as a browser's field sends it (in UTC), or a time with its offset from UTC. */
    private static @Nullable Instant time(ListQuery query, String name) {
        String text = query.filter(name).orElse(null);
        if (text == null) {
            return null;
        }
        try {
            Instant time = text.length() == "2026-01-01".length()
                    ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
                    : text.endsWith("Z") || text.indexOf('+') > 0
                            ? DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from)
                            : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
            if (CreationPosition.isStorable(time)) {
                return time;
            }
            throw new DateTimeException("out of range");
        } catch (DateTimeException e) {
            throw ListQuery.badValue(name, text, "a time in UTC such as 2026-01-31T12:00");
        }
    }

    /** Returns the path of the CSV export with the filters of the page. */
    private static String csv(ListPage<?> page) {
        PagePath path = PagePath.of(CSV);
        FILTER.stream().sorted().forEach(name -> path.with(name, page.typed(name)));
        return path.toString();
    }

    @GetMapping(CSV)
    void csv(HttpServletRequest request, HttpServletResponse response) throws IOException {
        AuditTrail.AuditFilter filter = filter(ListQuery.of(request, FILTER));
        CsvDownload.<AuditTrail.AuditEntry>write(
                response,
                "audit.csv",
                List.of("at", "who", "token", "address", "action", "subject", "before", "after", "request_id"),
                last -> audit.page(filter, last == null ? null : last.place(), CsvDownload.BATCH),
                row -> Arrays.asList(
                        row.at().toString(),
                        row.who(),
                        row.token() == null ? null : row.token().toString(),
                        row.address(),
                        row.action(),
                        row.subject(),
                        row.before(),
                        row.after(),
                        row.requestId()));
    }

    private static byte[] place(AuditTrail.AuditPosition place) {
        return ListQuery.position(CreationPosition.micros(place.at()), place.id());
    }

    private static AuditTrail.AuditPosition place(long[] numbers) {
        return new AuditTrail.AuditPosition(CreationPosition.time(numbers[0]), numbers[1]);
    }
}
