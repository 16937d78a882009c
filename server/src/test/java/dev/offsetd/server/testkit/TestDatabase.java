package dev.offsetd.server.testkit;

import dev.offsetd.server.database.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A database on a PostgreSQL that all tests of a JVM share. */
public final class TestDatabase {

    /** Tells the folders of JVMs apart that run tests side by side. */
    static final String FORK = "-" + System.getProperty("offsetd.fork", "1");

    /** The database that PostgreSQL copies if it is not told another. */
    private static final String EMPTY = "template1";

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Server server;
    private final String name;

    private TestDatabase(Server server, String name) {
        this.server = server;
        this.name = name;
    }

    /** A database with the newest tables, and nothing in them. */
    public static TestDatabase create() {
        return create(Shared.SERVER, Shared.TABLES.name);
    }

    /** The same on the oldest PostgreSQL that the server works with. */
    public static TestDatabase onPostgres14() {
        return create(Postgres14.SERVER, Postgres14.TABLES.name);
    }

    /** A database without a table. */
    public static TestDatabase empty() {
        return create(Shared.SERVER, EMPTY);
    }

    /** A copy of this database. No server may use it meanwhile. */
    public TestDatabase copy() {
        return create(server, name);
    }

    /** A database to copy: making the tables takes longer than copying them. */
    static TestDatabase withTables(Server server) {
        TestDatabase database = create(server, EMPTY);
        Flyway.configure().dataSource(database.dataSource()).load().migrate();
        return database;
    }

    private static TestDatabase create(Server server, String template) {
        String name = "test_" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet();
        try (Connection connection =
                        DriverManager.getConnection(server.url() + "postgres", server.user(), server.password());
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name + " template " + template);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new TestDatabase(server, name);
    }

    public String url() {
        return server.url() + name;
    }

    public String user() {
        return server.user();
    }

    public String password() {
        return server.password();
    }

    /** A way to look into the database past the server. */
    public JdbcClient jdbc() {
        return JdbcClient.create(dataSource());
    }

    public DataSource dataSource() {
        return new DriverManagerDataSource(url(), user(), password());
    }

    /**
     * A PostgreSQL that runs.
     *
     * @param url JDBC URL up to the name of the database
     */
    record Server(String url, String user, String password) {}

    private static final class Shared {

        static final Server SERVER = start();
        static final TestDatabase TABLES = withTables(SERVER);

        private static Server start() {
            try {
                EmbeddedDatabase server = EmbeddedDatabase.start(Path.of("target", "test-database" + FORK));
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
                hurry(server);
                return new Server(
                        server.getJdbcUrl().replaceFirst("[^/]*$", ""), server.getUsername(), server.getPassword());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /**
         * Makes connections and commits cheap. Deriving a key from the password takes most of the time of a connection, and
         * tests open one for each look into the database. No test here needs commits to survive a crash.
         */
        private static void hurry(EmbeddedDatabase server) {
            try (Connection connection = DriverManager.getConnection(
                            server.getJdbcUrl(), server.getUsername(), server.getPassword());
                    Statement statement = connection.createStatement()) {
                statement.execute("set scram_iterations = 1");
                statement.execute("alter role " + server.getUsername() + " password '" + server.getPassword() + "'");
                statement.execute("alter role " + server.getUsername() + " set synchronous_commit = off");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void stop(EmbeddedDatabase server) {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
