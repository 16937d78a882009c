package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.TestDatabase;
import org.junit.jupiter.api.Test;

/** Repeats the tests on the oldest supported PostgreSQL. */
class LeasesOnPostgres14IntegrationTests extends LeasesIntegrationTests {

    @Override
    TestDatabase database() {
        return TestDatabase.onPostgres14();
    }

    @Test
    void itIsVersion14() {
        assertThat(database()
                        .jdbc()
                        .sql("show server_version")
                        .query(String.class)
                        .single())
                .startsWith("14.");
    }
}
