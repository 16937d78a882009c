package dev.offsetd.server.identities;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Lists of builds. */
@Component
public class FilteredBuilds {

    private final BuildSearch search;
    private final Builds builds;

    FilteredBuilds(BuildSearch search, Builds builds) {
        this.search = search;
        this.builds = builds;
    }

    /**
     * Returns a page of builds, ordered by build-id.
     *
     * @param after the last build of the previous page; empty for the first page
     */
    @Transactional
    public List<Build> page(BuildFilter filter, Optional<BuildId> after, int limit) {
        return builds.find(search.page(filter, after, limit));
    }
}
