package dev.offsetd.server.builds;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Frees what an earlier run of this server was working on when it was killed. Only with the database that the server
 * brings along: no other server uses that one, so at the start every lease in it is a dead one's, and waiting for it to
 * run out would keep callers waiting for nothing.
 */
@Component
@ConditionalOnProperty(name = "spring.datasource.url", havingValue = "embedded", matchIfMissing = true)
class AbandonedLeases implements InitializingBean {

    private static final Logger log = LoggerFactory.getLogger(AbandonedLeases.class);

    private final JdbcClient jdbc;

    AbandonedLeases(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public void afterPropertiesSet() {
        int freed = jdbc.sql("update extraction_lease set owner = null, lease_until = null where owner is not null")
                .update();
        if (freed > 0) {
            log.info("{} extractions were cut off by the end of the last run; they begin anew when asked for", freed);
        }
    }
}
