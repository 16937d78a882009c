package dev.offsetd.server.admin;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.identity.Identities;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import org.springframework.ui.Model;

/** Titles of the builds of a page, for the fragment {@code build} of parts.html. */
@Component
public class BuildTitles {

    private static final String TITLES = "titles";

    private final Identities identities;

    BuildTitles(Identities identities) {
        this.identities = identities;
    }

    /** Looks up the titles of all builds of a page with one query. */
    public void addTo(Model model, Stream<BuildId> ids) {
        Map<String, String> titles = new HashMap<>();
        identities.titles(ids.distinct().toList()).forEach((id, title) -> titles.put(id.toString(), title));
        model.addAttribute(TITLES, titles);
    }
}
