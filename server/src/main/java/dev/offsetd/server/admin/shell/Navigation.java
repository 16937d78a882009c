package dev.offsetd.server.admin.shell;

import dev.offsetd.server.access.Scope;
import java.util.List;
import java.util.Set;

/** Groups of links in the side bar. */
final class Navigation {

    private static final List<Group> ALL = List.of(
            new Group(
                    "Answers",
                    List.of(
                            new Entry("overview", "Overview", "/admin", Scope.READ),
                            new Entry("builds", "Builds", "/admin/builds", Scope.READ),
                            new Entry("pins", "Pins", "/admin/pins", Scope.READ),
                            new Entry("diff", "Diff", "/admin/diff", Scope.READ),
                            new Entry("type-sets", "Type sets", "/admin/type-sets", Scope.READ))),
            new Group(
                    "Prewarming",
                    List.of(
                            new Entry("prewarms", "Prewarms", "/admin/prewarms", Scope.READ),
                            new Entry("demand", "Demand", "/admin/demand", Scope.READ))),
            new Group(
                    "Access",
                    List.of(
                            new Entry("tokens", "Tokens", "/admin/tokens", Scope.ADMIN),
                            new Entry("users", "Users", "/admin/users", Scope.ADMIN),
                            new Entry("audit", "Audit", "/admin/audit", Scope.ADMIN))));

    private Navigation() {}

    /** Returns the pages that a user with these scopes can open. */
    static List<Group> of(Set<Scope> scopes) {
        return ALL.stream()
                .map(group -> new Group(
                        group.title(),
                        group.entries().stream()
                                .filter(entry -> scopes.contains(entry.scope()))
                                .toList()))
                .filter(group -> !group.entries().isEmpty())
                .toList();
    }

    record Group(String title, List<Entry> entries) {}

    /**
     * A link.
     *
     * @param section name by which templates mark their page as current
     * @param scope required to open the page
     */
    record Entry(String section, String title, String path, Scope scope) {}
}
