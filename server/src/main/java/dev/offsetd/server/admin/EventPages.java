package dev.offsetd.server.admin;

import dev.offsetd.server.events.Event;
import dev.offsetd.server.events.EventFilter;
import dev.offsetd.server.events.EventKind;
import dev.offsetd.server.events.EventLog;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.webhooks.Webhooks;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The page of events, newest first, and the page of webhooks with what they did not get. */
@Controller
class EventPages {

    private static final char LIST = 'V';
    private static final String KIND = "kind";
    private static final String SET = "set";

    /** Events on the page of webhooks that were given up. */
    private static final int UNDELIVERED = 100;

    private final EventLog log;
    private final Webhooks webhooks;
    private final BuildTitles titles;

    EventPages(EventLog log, Webhooks webhooks, BuildTitles titles) {
        this.log = log;
        this.webhooks = webhooks;
        this.titles = titles;
    }

    @GetMapping("/admin/events")
    String events(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, Set.of(KIND, SET));
        EventFilter filter = EventFilter.of(
                query.filter(KIND).map(List::of).orElse(List.of()),
                query.filter(SET).map(List::of).orElse(List.of()),
                (kind, expected) -> ListQuery.bad("bad_kind", kind + "; expected " + expected));
        Long before = query.numberPosition(LIST).orElse(null);
        ListPage<Event> page = ListPage.read(
                query, LIST, limit -> log.latest(filter, before, limit), event -> ListQuery.position(event.id()));
        model.addAttribute("list", page);
        model.addAttribute(
                "kinds", Arrays.stream(EventKind.values()).map(EventKind::word).toList());
        titles.addTo(model, page.rows().stream().flatMap(event -> Stream.ofNullable(event.build())));
        return Htmx.view(request, "admin/events/page", "results");
    }

    @GetMapping("/admin/webhooks")
    String webhooks(Model model) {
        model.addAttribute("webhooks", webhooks.all());
        model.addAttribute("undelivered", webhooks.undelivered(UNDELIVERED));
        return "admin/events/webhooks";
    }
}
