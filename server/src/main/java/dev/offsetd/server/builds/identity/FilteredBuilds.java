package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Lists of builds. */
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

    /**
     * Returns a page of builds, ordered by build-id.
     *
     * @param after the last build of the previous page; empty for the first page
     */
    public List<Build> page(BuildFilter filter, Optional<BuildId> after, int limit) {
        return transaction.execute(status -> builds.find(search.page(filter, after, limit)));
    }
}
