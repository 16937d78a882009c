package dev.offsetd.server.changes;

import dev.offsetd.server.testkit.TestDatabase;

/** The same on the oldest PostgreSQL that the server works with. */
class ChangesOnPostgres14IntegrationTests extends ChangesIntegrationTests {

    @Override
    TestDatabase database() {
        return TestDatabase.onPostgres14();
    }
}
