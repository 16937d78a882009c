package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@Component
public class FilteredBuilds {

    private final BuildSearch search;
    private final Builds builds;
    private final TransactionTemplate transaction;

    FilteredBuilds(BuildSearch search, Builds builds, PlatformTransactionManager transactions) {
        this.search = search;
        this.builds = builds;
        this.transaction = new TransactionTemplate(transactions);
    }

    /** Returns a page of builds, ordered by build-id, as {@link #page(BuildFilter, BuildOrder, BuildId, int)}. */
    public List<Build> page(BuildFilter filter, @Nullable BuildId after, int limit) {
        return transaction.execute(status -> builds.find(search.page(filter, after, limit)));
    }

    /**
     * Returns a page of builds. In another order than that of the build-ids, a search for words sorts the first {@value
     * BuildSearch#SORTED} builds that it finds.
     *
     * @param after the last build of the previous page; null for the first page
     */
    public List<Build> page(BuildFilter filter, BuildOrder order, @Nullable BuildId after, int limit) {
        if (order == BuildOrder.BUILD_ID) {
            return page(filter, after, limit);
        }
        return transaction.execute(status -> {
            List<BuildId> ids = search.sorted(filter, order, after, limit);
            return builds.find(ids).stream()
                    .sorted(Comparator.comparingInt(build -> ids.indexOf(build.id())))
                    .toList();
        });
    }
}
