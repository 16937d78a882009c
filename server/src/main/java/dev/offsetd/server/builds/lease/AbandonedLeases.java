package dev.offsetd.server.builds.lease;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Releases the leases that an earlier run of this server held when it was killed, so that callers need not wait for them to
 * expire. Only with the embedded database: no other server uses it, so no lease in it has a living holder at startup.
 */
@Component
class AbandonedLeases implements InitializingBean {

    private static final Logger log = LoggerFactory.getLogger(AbandonedLeases.class);

    private final JdbcClient jdbc;
    private final boolean embeddedDatabase;

    AbandonedLeases(JdbcClient jdbc, @Value("${spring.datasource.url:embedded}") String datasource) {
        this.jdbc = jdbc;
        this.embeddedDatabase = datasource.equals("embedded");
    }

    @Override
    public void afterPropertiesSet() {
        if (!embeddedDatabase) {
            return;
        }
        int freed = jdbc.sql("update extraction_lease set owner = null, lease_until = null where owner is not null")
                .update();
        if (freed > 0) {
            log.info("{} extractions were interrupted by the end of the last run; they restart when requested", freed);
        }
    }
}
