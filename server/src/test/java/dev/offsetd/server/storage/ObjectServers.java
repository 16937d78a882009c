package dev.offsetd.server.storage;

import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Servers that share a database and an object store.
 *
 * @param folder for their data
 */
record ObjectServers(Path folder, TestDatabase database, S3Service service) implements AutoCloseable {

    static ObjectServers in(Path folder) throws IOException {
        return new ObjectServers(folder, TestDatabase.create(), S3Service.create());
    }

    /** Returns servers with copies of the database, which no server may use meanwhile, and of the bucket. */
    ObjectServers copy(Path other) throws IOException {
        return new ObjectServers(other, database.copy(), service.copy());
    }

    /** Returns servers of another database with the same object store. */
    ObjectServers on(TestDatabase other) {
        return new ObjectServers(folder, other, service);
    }

    /** Starts a server that queries no upstream. */
    TestServer start(String name, String... more) {
        return TestServer.start(
                folder.resolve(name),
                database,
                service.properties(Stream.concat(Stream.of("offsetd.offline=true"), Stream.of(more))
                        .toArray(String[]::new)));
    }

    @Override
    public void close() {
        service.close();
    }
}
