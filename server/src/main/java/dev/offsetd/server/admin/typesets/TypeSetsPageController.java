package dev.offsetd.server.admin.typesets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.typeset.Entry;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.json.JsonMapper;

/** Shows type sets, and what of them builds have. */
@Controller
class TypeSetsPageController {

    private static final char LIST = 't';

    /** Most versions that are listed. */
    private static final int VERSIONS = 50;

    private static final Pattern NAME = Pattern.compile(TypeSetParser.NAME);

    private final TypeSets sets;
    private final BuildsOfSet builds;
    private final JsonMapper json;

    TypeSetsPageController(TypeSets sets, BuildsOfSet builds, JsonMapper json) {
        this.sets = sets;
        this.builds = builds;
        this.json = json;
    }

    @GetMapping("/admin/type-sets")
    String list(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, Set.of());
        String after = query.position(LIST)
                .map(place -> new String(place, StandardCharsets.US_ASCII))
                .orElse("");
        // One more than asked for: it tells whether there is a next page.
        List<TypeSets.Known> found = sets.after(after, query.limit() + 1);
        boolean more = found.size() > query.limit();
        List<TypeSets.Known> page = more ? found.subList(0, query.limit()) : found;
        String next = more
                ? query.next(LIST, page.getLast().document().set().name().getBytes(StandardCharsets.US_ASCII))
                : null;
        model.addAttribute(
                "sets",
                new TypeSetsPage(page.stream().map(TypeSetsPageController::row).toList(), next, after.isEmpty()));
        return "admin/type-sets/page";
    }

    private static TypeSetsPage.Row row(TypeSets.Known known) {
        TypeSet set = known.document().set();
        return new TypeSetsPage.Row(
                set.name(),
                set.version(),
                set.title(),
                known.builtIn(),
                set.count(Need.REQUIRED),
                set.count(Need.OPTIONAL),
                set.items().size());
    }

    @GetMapping("/admin/type-sets/{name}")
    String one(@PathVariable String name, @RequestParam(name = "builds", defaultValue = "") String asked, Model model) {
        TypeSets.Known known = require(sets, name);
        TypeSet set = known.document().set();
        model.addAttribute(
                "set",
                new TypeSetPage(
                        set.name(),
                        set.version(),
                        set.title(),
                        known.builtIn(),
                        set.count(Need.REQUIRED),
                        set.count(Need.OPTIONAL),
                        set.entries().stream()
                                .map(TypeSetsPageController::entry)
                                .toList(),
                        laidOut(json, known.document().text()),
                        sets.versions(name, VERSIONS).stream()
                                .map(version -> new TypeSetPage.Version(
                                        version.document().set().version(),
                                        version.author(),
                                        Moment.of(version.createdAt()),
                                        version.document().set().entries().size()))
                                .toList(),
                        coverage(name, asked)));
        return "admin/type-sets/one";
    }

    @GetMapping(
            path = "/admin/type-sets/{name}",
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String coverageOf(
            @PathVariable String name, @RequestParam(name = "builds", defaultValue = "") String asked, Model model) {
        one(name, asked, model);
        return "admin/type-sets/one :: coverage";
    }

    /** The set of this name, or 404. */
    static TypeSets.Known require(TypeSets sets, String name) {
        if (NAME.matcher(name).matches()) {
            TypeSets.Known known = sets.find(name).orElse(null);
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

    /** JSON with a member a line. */
    static String laidOut(JsonMapper json, String text) {
        return json.writerWithDefaultPrettyPrinter().writeValueAsString(json.readTree(text));
    }

    private static TypeSetPage.Entry entry(Entry entry) {
        boolean required = entry.need() == Need.REQUIRED;
        return switch (entry) {
            case Entry.One one ->
                new TypeSetPage.Entry(null, required, List.of(List.of(one.item().text())), one.note());
            case Entry.Group group ->
                new TypeSetPage.Entry(
                        group.name(),
                        required,
                        group.oneOf().stream()
                                .map(way -> way.stream().map(Item::text).toList())
                                .toList(),
                        group.note());
        };
    }

    private TypeSetPage.Coverage coverage(String set, String asked) {
        Set<BuildId> ids = new LinkedHashSet<>();
        for (String word : asked.split("[\\s,;]+", -1)) {
            if (!word.isEmpty()) {
                try {
                    ids.add(BuildId.parse(word));
                } catch (IllegalArgumentException e) {
                    return new TypeSetPage.Coverage(
                            asked,
                            HostileText.quote(word) + " is no build-id: " + e.getMessage(),
                            BuildsOfSet.MOST,
                            List.of());
                }
            }
        }
        if (ids.size() > BuildsOfSet.MOST) {
            return new TypeSetPage.Coverage(
                    asked, "more than " + BuildsOfSet.MOST + " builds; expected fewer", BuildsOfSet.MOST, List.of());
        }
        return new TypeSetPage.Coverage(
                asked, null, BuildsOfSet.MOST, ids.isEmpty() ? builds.latest(set) : builds.of(set, ids));
    }
}
