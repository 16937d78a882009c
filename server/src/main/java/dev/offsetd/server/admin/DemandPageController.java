package dev.offsetd.server.admin;

import dev.offsetd.server.builds.demand.DemandCount;
import dev.offsetd.server.builds.demand.DemandOrder;
import dev.offsetd.server.builds.demand.DemandTable;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The page of unmet demand and its CSV export. */
@Controller
class DemandPageController {

    private static final String CSV = "/admin/demand.csv";
    private static final String SORT = "sort";
    private static final String CAUSE = "cause";
    private static final Set<String> FILTER = Set.of(SORT, CAUSE);

    private final DemandTable demand;
    private final BuildTitles titles;

    DemandPageController(DemandTable demand, BuildTitles titles) {
        this.demand = demand;
        this.titles = titles;
    }

    @GetMapping("/admin/demand")
    String page(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, FILTER);
        DemandOrder order = order(query);
        String cause = query.filter(CAUSE).orElse(null);
        DemandCount after =
                query.position(order.letter()).map(DemandOrder::countAt).orElse(null);
        ListPage<DemandCount> list = ListPage.read(
                query, order.letter(), limit -> demand.page(order, cause, after, limit), DemandOrder::position);
        model.addAttribute("list", list);
        titles.addTo(model, list.rows().stream().map(DemandCount::id));
        model.addAttribute("sort", order.word());
        model.addAttribute("causes", demand.causes());
        model.addAttribute(
                "csv",
                PagePath.of(CSV).with(SORT, order.word()).with(CAUSE, cause).toString());
        return Htmx.view(request, "admin/demand/page", "results");
    }

    private static DemandOrder order(ListQuery query) {
        String sort = query.parameter(SORT).orElse(DemandOrder.COUNT.word());
        return Word.find(DemandOrder.class, sort)
                .orElseThrow(() -> ListQuery.badValue(SORT, sort, "\"count\" or \"last_asked\""));
    }

    @GetMapping(CSV)
    void csv(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ListQuery query = ListQuery.of(request, FILTER);
        DemandOrder order = order(query);
        String cause = query.filter(CAUSE).orElse(null);
        CsvDownload.write(
                response,
                "demand.csv",
                DemandCount.COLUMNS,
                last -> demand.page(order, cause, last, CsvDownload.BATCH),
                DemandCount::cells);
    }
}
