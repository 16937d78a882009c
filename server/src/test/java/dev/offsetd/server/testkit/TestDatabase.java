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
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** An empty database on the one PostgreSQL that all tests of a JVM share. */
public final class TestDatabase {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name;

    private TestDatabase(String name) {
        this.name = name;
    }

    /** A database that nobody has used before. */
    public static TestDatabase create() {
        String name = "test_" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet();
        EmbeddedDatabase server = Shared.SERVER;
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new TestDatabase(name);
    }

    public String url() {
        return Shared.SERVER.jdbcUrl(name);
    }

    public String user() {
        return Shared.SERVER.user();
    }

    public String password() {
        return Shared.SERVER.password();
    }

    /** A way to look into the database past the server. */
    public JdbcClient jdbc() {
        return JdbcClient.create(dataSource());
    }

    public DataSource dataSource() {
        return new DriverManagerDataSource(url(), user(), password());
    }

    private static final class Shared {

        static final EmbeddedDatabase SERVER = start();

        private static EmbeddedDatabase start() {
            try {
                EmbeddedDatabase server = EmbeddedDatabase.start(Path.of("target", "test-database"));
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
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
