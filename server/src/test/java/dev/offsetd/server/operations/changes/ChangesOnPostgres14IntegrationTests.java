package dev.offsetd.server.operations.changes;

import dev.offsetd.server.testkit.TestDatabase;

/** Repeats the tests on the oldest supported PostgreSQL. */
class ChangesOnPostgres14IntegrationTests extends ChangesIntegrationTests {

    @Override
    TestDatabase database() {
        return TestDatabase.onPostgres14();
    }
}
