package dev.offsetd.server.admin;

import dev.offsetd.server.access.Scope;
import java.util.List;
import java.util.Set;

/** Groups of links in the side bar. */
final class Navigation {

    private static final List<NavigationGroup> ALL = List.of(
            new NavigationGroup(
                    "Answers",
                    List.of(
                            new NavigationLink("overview", "Overview", "/admin", Scope.READ),
                            new NavigationLink("builds", "Builds", "/admin/builds", Scope.READ),
                            new NavigationLink("pins", "Pins", "/admin/pins", Scope.READ),
                            new NavigationLink("diff", "Diff", "/admin/diff", Scope.READ),
                            new NavigationLink("type-sets", "Type sets", "/admin/type-sets", Scope.READ),
                            new NavigationLink("checks", "Checks", "/admin/checks", Scope.READ))),
            new NavigationGroup(
                    "Prewarming",
                    List.of(
                            new NavigationLink("prewarms", "Prewarms", "/admin/prewarms", Scope.READ),
                            new NavigationLink("demand", "Demand", "/admin/demand", Scope.READ),
                            new NavigationLink("events", "Events", "/admin/events", Scope.READ),
                            new NavigationLink("watches", "Watches", "/admin/watches", Scope.ADMIN))),
            new NavigationGroup(
                    "Access",
                    List.of(
                            new NavigationLink("tokens", "Tokens", "/admin/tokens", Scope.ADMIN),
                            new NavigationLink("users", "Users", "/admin/users", Scope.ADMIN),
                            new NavigationLink("audit", "Audit", "/admin/audit", Scope.ADMIN))));

    private Navigation() {}

    /** Returns the pages that a user with these scopes can open. */
    static List<NavigationGroup> of(Set<Scope> scopes) {
        return ALL.stream()
                .map(group -> new NavigationGroup(
                        group.title(),
                        group.entries().stream()
                                .filter(entry -> scopes.contains(entry.scope()))
                                .toList()))
                .filter(group -> !group.entries().isEmpty())
                .toList();
    }

    record NavigationGroup(String title, List<NavigationLink> entries) {}

    /**
     * A link.
     *
     * @param section name by which templates mark their page as current
     * @param scope required to open the page
     */
    record NavigationLink(String section, String title, String path, Scope scope) {}
}
