package dev.offsetd.server.admin.checks;

import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.exports.BuildChecks;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

/** The page of checks: a row for each build that a search finds. */
@Controller
class CheckPages {

    private static final String PATH = "/admin/checks";
    private static final String PAGE = "admin/checks/page";

    /** Builds of one page. */
    private static final int SHOWN = 50;

    /** Type sets to suggest. */
    private static final int SETS = 50;

    private final BuildChecks checks;
    private final TypeSets sets;

    CheckPages(BuildChecks checks, TypeSets sets) {
        this.checks = checks;
        this.sets = sets;
    }

    /** Shows the form, and the check of a type set or name map. */
    @GetMapping(PATH)
    String page(HttpServletRequest request, HttpServletResponse response, Model model) throws IOException {
        ListQuery list = ListQuery.of(request, BuildChecks.PARAMETERS, SHOWN, SHOWN);
        model.addAttribute("list", list);
        model.addAttribute("sets", sets.first(SETS));
        if (BuildChecks.hasItems(list)) {
            check(list, request, response, model);
        }
        return Htmx.view(request, PAGE, "results");
    }

    /** Shows the check of the BPF program in the body. */
    @PostMapping(PATH)
    String program(HttpServletRequest request, HttpServletResponse response, Model model) throws IOException {
        check(ListQuery.of(request, BuildChecks.PARAMETERS, SHOWN, SHOWN), request, response, model);
        return PAGE + " :: results";
    }

    private void check(ListQuery list, HttpServletRequest request, HttpServletResponse response, Model model)
            throws IOException {
        model.addAttribute("waiting", false);
        try {
            Optional<BuildChecks.Checked> checked = checks.check(list, request);
            model.addAttribute("waiting", checked.isEmpty());
            checked.ifPresent(found -> {
                model.addAttribute("report", found.report());
                model.addAttribute("found", new ListPage<>(list, found.report().rows(), found.next()));
                model.addAttribute("titles", titles(found.report()));
            });
        } catch (ProblemException e) {
            response.setStatus(e.problem().status().value());
            model.addAttribute("error", e.problem().detail());
        }
    }

    private static Map<String, String> titles(CheckReport report) {
        return report.rows().stream()
                .filter(row -> !row.title().isEmpty())
                .collect(Collectors.toMap(CheckReport.Row::build, CheckReport.Row::title));
    }
}
