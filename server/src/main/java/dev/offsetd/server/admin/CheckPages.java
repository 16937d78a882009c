package dev.offsetd.server.admin;

import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Finding;
import dev.offsetd.server.exports.BuildChecks;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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

    /** Findings of a build that are listed, and characters of those of all builds: the thread of the request renders them. */
    private static final int LISTED = 50;

    private static final long LISTED_CHARACTERS = 256 << 10;

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
            Optional<Results> results = checks.check(
                    list,
                    request,
                    checked -> new Results(
                            new ListPage<>(list, lines(checked.report()), checked.next()), titles(checked.report())));
            model.addAttribute("waiting", results.isEmpty());
            results.ifPresent(
                    found -> model.addAttribute("found", found.page()).addAttribute("titles", found.titles()));
        } catch (ProblemException e) {
            response.setStatus(e.problem().status().value());
            model.addAttribute("error", e.problem().detail());
        }
    }

    /**
     * The row of a build.
     *
     * @param listed the first findings that are not resolved
     * @param more the number of others
     */
    record BuildLine(
            String build,
            boolean passes,
            long resolved,
            @Nullable String problem,
            List<FindingLine> listed,
            int more) {}

    /** @param fails whether the build fails by it */
    record FindingLine(Finding finding, boolean fails) {}

    private record Results(ListPage<BuildLine> page, Map<String, String> titles) {}

    private static List<BuildLine> lines(CheckReport report) {
        List<BuildLine> lines = new ArrayList<>();
        long characters = 0;
        for (CheckReport.Row row : report.rows()) {
            List<Finding> others = row.others();
            List<FindingLine> listed = new ArrayList<>();
            while (listed.size() < Math.min(others.size(), LISTED) && characters < LISTED_CHARACTERS) {
                Finding finding = others.get(listed.size());
                characters += finding.characters();
                listed.add(new FindingLine(finding, finding.status().fails(report.strict())));
            }
            lines.add(new BuildLine(
                    row.build(),
                    row.passes(report.strict()),
                    row.resolved(),
                    row.problem(),
                    listed,
                    others.size() - listed.size()));
        }
        return lines;
    }

    private static Map<String, String> titles(CheckReport report) {
        return report.rows().stream()
                .filter(row -> !row.title().isEmpty())
                .collect(Collectors.toMap(CheckReport.Row::build, CheckReport.Row::title));
    }
}
