package dev.offsetd.server.admin.demand;

import dev.offsetd.server.admin.shell.Figures;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.demand.Count;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.demand.DemandOrder;
import dev.offsetd.server.web.Csv;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.util.UriComponentsBuilder;

/** The page of demand, and the same as a file. */
@Controller
class DemandPageController {

    private static final String SORT = "sort";
    private static final String CAUSE = "cause";

    /** Rows that are read at a time for the file. */
    private static final int BATCH = 500;

    private final Demand demand;

    DemandPageController(Demand demand) {
        this.demand = demand;
    }

    @GetMapping("/admin/demand")
    String page(HttpServletRequest request, Model model) {
        model.addAttribute("demand", found(request));
        return "admin/demand/page";
    }

    @GetMapping(
            path = "/admin/demand",
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String results(HttpServletRequest request, Model model) {
        page(request, model);
        return "admin/demand/page :: results";
    }

    private DemandPage found(HttpServletRequest request) {
        ListQuery query = ListQuery.of(request, Set.of(SORT, CAUSE));
        DemandOrder order = order(query);
        Optional<String> cause = cause(query);
        Optional<Count> after = query.position(order.letter()).map(DemandOrder::countAt);
        // One more than asked for: it tells whether there is a next page.
        List<Count> counts = demand.page(order, cause, after, query.limit() + 1);
        boolean more = counts.size() > query.limit();
        List<Count> page = more ? counts.subList(0, query.limit()) : counts;
        UriComponentsBuilder csv =
                UriComponentsBuilder.fromPath("/admin/demand.csv").queryParam(SORT, order.word());
        cause.ifPresent(word -> csv.queryParam(CAUSE, "{cause}"));
        return new DemandPage(
                page.stream().map(DemandPageController::row).toList(),
                demand.causes(),
                order.word(),
                cause.orElse(""),
                more ? query.next(order.letter(), DemandOrder.position(page.getLast())) : null,
                after.isEmpty(),
                csv.encode().buildAndExpand(cause.orElse("")).toUriString());
    }

    private static DemandOrder order(ListQuery query) {
        String sort = query.parameter(SORT).orElse(DemandOrder.COUNT.word());
        return DemandOrder.ofWord(sort)
                .orElseThrow(() -> ListQuery.badValue(SORT, sort, "\"count\" or \"last_asked\""));
    }

    /** What a form leaves empty is not asked for. */
    private static Optional<String> cause(ListQuery query) {
        Optional<String> cause = query.parameter(CAUSE).filter(word -> !word.isBlank());
        cause.filter(word -> word.indexOf('\0') >= 0).ifPresent(word -> {
            throw ListQuery.badValue(CAUSE, word, "the code of a problem");
        });
        return cause;
    }

    private static DemandPage.Row row(Count count) {
        return new DemandPage.Row(
                count.id().toString(),
                Figures.count(count.asked()),
                Moment.of(count.firstAsked()),
                Moment.of(count.lastAsked()),
                count.cause());
    }

    /** All of it, read in parts, so that it takes no more memory for more rows. */
    @GetMapping("/admin/demand.csv")
    void csv(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ListQuery query = ListQuery.of(request, Set.of(SORT, CAUSE));
        DemandOrder order = order(query);
        Optional<String> cause = cause(query);
        response.setContentType(Representation.CSV.contentType());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"demand.csv\"");
        PrintWriter out = response.getWriter();
        out.print(Csv.line(List.of("build_id", "count", "first_asked", "last_asked", "cause")));
        Optional<Count> last = Optional.empty();
        while (true) {
            List<Count> counts = demand.page(order, cause, last, BATCH);
            for (Count count : counts) {
                out.print(Csv.line(List.of(
                        count.id().toString(),
                        Long.toString(count.asked()),
                        count.firstAsked().toString(),
                        count.lastAsked().toString(),
                        count.cause())));
            }
            if (counts.size() < BATCH) {
                return;
            }
            last = Optional.of(counts.getLast());
        }
    }
}
