package dev.offsetd.server.admin.typesets;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.typeset.TypeSetEntry;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.json.JsonMapper;

/** The list of type sets, and one set with its coverage in builds. */
@Controller
class TypeSetsPageController {

    private static final char LIST = 't';

    /** Most versions listed. */
    private static final int VERSIONS = 50;

    private static final Pattern NAME = Pattern.compile(TypeSetParser.NAME);

    private final TypeSets sets;
    private final BuildsOfSet builds;
    private final JsonMapper json;
    private final BuildTitles titles;

    TypeSetsPageController(TypeSets sets, BuildsOfSet builds, JsonMapper json, BuildTitles titles) {
        this.sets = sets;
        this.builds = builds;
        this.json = json;
        this.titles = titles;
    }

    @GetMapping("/admin/type-sets")
    String list(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, Set.of());
        String after = query.position(LIST)
                .map(name -> new String(name, StandardCharsets.US_ASCII))
                .orElse("");
        model.addAttribute(
                "list",
                ListPage.read(
                        query,
                        LIST,
                        limit -> sets.after(after, limit),
                        known -> known.document().set().name().getBytes(StandardCharsets.US_ASCII)));
        return "admin/type-sets/page";
    }

    @GetMapping("/admin/type-sets/{name}")
    String one(
            @PathVariable String name,
            @RequestParam(name = "builds", defaultValue = "") String typed,
            HttpServletRequest request,
            Model model) {
        TypeSets.CurrentSet known = require(sets, name);
        TypeSetPage.CoverageTable covered = builds.of(name, typed);
        titles.addTo(model, covered.rows().stream().map(TypeSetPage.CoverageLine::id));
        model.addAttribute(
                "page",
                new TypeSetPage(
                        known,
                        known.document().set().entries().stream()
                                .map(TypeSetsPageController::line)
                                .toList(),
                        indented(json, known.document().text()),
                        sets.versions(name, VERSIONS),
                        covered));
        return Htmx.view(request, "admin/type-sets/one", "coverage");
    }

    /** Returns the set, or throws a problem with status 404. */
    static TypeSets.CurrentSet require(TypeSets sets, String name) {
        if (NAME.matcher(name).matches()) {
            TypeSets.CurrentSet known = sets.find(name).orElse(null);
            if (known != null) {
                return known;
            }
        }
        throw new ProblemException(Problem.of(
                HttpStatus.NOT_FOUND,
                "type_set_not_found",
                "No such type set",
                "no type set is named " + HostileText.quote(name)));
    }

    static String indented(JsonMapper json, String text) {
        return json.writerWithDefaultPrettyPrinter().writeValueAsString(json.readTree(text));
    }

    private static TypeSetPage.EntryLine line(TypeSetEntry entry) {
        return switch (entry) {
            case TypeSetEntry.SingleEntry one ->
                new TypeSetPage.EntryLine(
                        null, one.need(), List.of(List.of(one.item().text())), one.note());
            case TypeSetEntry.GroupEntry group ->
                new TypeSetPage.EntryLine(
                        group.name(),
                        group.need(),
                        group.oneOf().stream()
                                .map(way -> way.stream().map(Item::text).toList())
                                .toList(),
                        group.note());
        };
    }
}
