package dev.offsetd.server.builds.demand;

import dev.offsetd.server.api.model.ClaimedBy;
import dev.offsetd.server.api.model.DemandEntry;
import dev.offsetd.server.api.model.DemandList;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.Csv;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Unmet demand, as JSON or CBOR, or as CSV for scripts. */
@RestController
class DemandController {

    private static final Set<Representation> REPRESENTATIONS =
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.CSV);
    private static final String SORT = "sort";

    private final DemandTable table;

    DemandController(DemandTable table) {
        this.table = table;
    }

    @GetMapping("/v1/demand")
    ResponseEntity<?> list(HttpServletRequest request) {
        Representation representation = Representation.of(request, REPRESENTATIONS);
        ListQuery query = ListQuery.of(request, Set.of(SORT));
        String sort = query.parameter(SORT).orElse(DemandOrder.COUNT.word());
        DemandOrder order = Word.find(DemandOrder.class, sort)
                .orElseThrow(() -> ListQuery.badValue(SORT, sort, "\"count\" or \"last_asked\""));
        DemandCount after =
                query.position(order.letter()).map(DemandOrder::countAt).orElse(null);
        ListPage<DemandCount> page = ListPage.read(
                query, order.letter(), limit -> table.page(order, null, after, limit), DemandOrder::position);
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.ok().cacheControl(CacheControl.noStore()).header(HttpHeaders.VARY, HttpHeaders.ACCEPT);
        page.link(answer);
        answer.header(HttpHeaders.CONTENT_TYPE, representation.contentType());
        return representation == Representation.CSV ? answer.body(csv(page.rows())) : answer.body(entity(page));
    }

    private static DemandList entity(ListPage<DemandCount> page) {
        return new DemandList(page.map(DemandController::entry).rows()).next(page.next());
    }

    private static DemandEntry entry(DemandCount count) {
        DemandEntry entry = new DemandEntry(
                count.id().toString(),
                count.asked(),
                count.firstAsked().atOffset(ZoneOffset.UTC),
                count.lastAsked().atOffset(ZoneOffset.UTC),
                count.cause());
        ClaimedName claimed = count.claimed();
        return claimed == null
                ? entry
                : entry.claimedName(claimed.name())
                        .claimedPackage(claimed.packageName().orElse(null))
                        .claimedBy(ClaimedBy.fromValue(claimed.by().word()));
    }

    private static String csv(List<DemandCount> page) {
        return page.stream()
                .map(count -> Csv.line(count.cells()))
                .collect(Collectors.joining("", Csv.line(DemandCount.COLUMNS), ""));
    }
}
