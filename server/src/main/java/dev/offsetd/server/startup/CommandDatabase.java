package dev.offsetd.server.startup;

import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.access.users.FirstAdmin;
import dev.offsetd.server.access.users.Passwords;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.database.BaselineMigration;
import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.startup.backup.Backups;
import dev.offsetd.server.startup.backup.Restores;
import dev.offsetd.server.storage.BlobMoves;
import dev.offsetd.server.storage.ObjectRows;
import dev.offsetd.server.storage.objects.CommandStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.info.ProjectInfoAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Database of the server for a command: the configured one, or the embedded one of the data folder, whether a server
 * uses it or not.
 */
final class CommandDatabase implements AutoCloseable {

    private static final Duration OTHERS_START = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(100);

    private final @Nullable DataFolderLock lock;
    private final ConfigurableApplicationContext context;

    private CommandDatabase(@Nullable DataFolderLock lock, ConfigurableApplicationContext context) {
        this.lock = lock;
        this.context = context;
    }

    /**
     * Connects to the database and migrates its tables. An embedded database is started if it does not run, and refused if
     * there is none: a token in a new one would be of no use to the server that the caller means.
     */
    static CommandDatabase open(@Nullable Path data) {
        // A command needs one connection, and nothing polls.
        return open(data, new Embedded(false), Program.class, "--spring.datasource.hikari.maximum-pool-size=2");
    }

    /**
     * Connects to the database without migrating it, for statements on whole tables without a timeout. An embedded
     * database is started if it does not run.
     *
     * @param mayBeNew whether an embedded database is created if there is none
     */
    static CommandDatabase asItIs(@Nullable Path data, boolean mayBeNew) {
        return open(
                data,
                new Embedded(mayBeNew),
                AsItIs.class,
                "--spring.datasource.hikari.maximum-pool-size=3",
                "--spring.datasource.hikari.data-source-properties.socketTimeout=0");
    }

    /** Connects to the database, migrates its tables, and connects to the object store, to move many large rows. */
    static CommandDatabase withObjects(@Nullable Path data) {
        return open(
                data,
                new Embedded(false),
                WithObjects.class,
                "--spring.datasource.hikari.maximum-pool-size=" + (BlobMoves.THREADS + 2),
                "--spring.datasource.hikari.data-source-properties.socketTimeout=0");
    }

    private static CommandDatabase open(
            @Nullable Path data, Embedded embedded, Class<?> program, String... properties) {
        // The build generates the definitions of the server only, and the JVM may have been started with the server's
        // option.
        SpringProperties.setProperty(AotDetector.AOT_ENABLED, "false");
        SpringApplication spring = new SpringApplication(program);
        spring.setWebApplicationType(WebApplicationType.NONE);
        spring.addListeners(new LogFormat());
        AtomicReference<Environment> environment = new AtomicReference<>();
        spring.addInitializers(context -> {
            Environment settings = context.getEnvironment();
            environment.set(settings);
            Settings.ofServer().check(settings).forEach(warning -> System.err.println("offsetd: " + warning));
            StartFailure.requirePostgres(settings);
            String url = settings.getProperty(StartFailure.DATABASE_URL, StartFailure.EMBEDDED);
            if (url.equals(StartFailure.EMBEDDED) && context instanceof GenericApplicationContext generic) {
                Path folder = ServeCommand.folder(Path.of(settings.getRequiredProperty("offsetd.data-dir")));
                // A singleton of the context is stopped after the connections to it.
                generic.registerBean(EmbeddedDatabase.class, () -> embedded.open(folder));
            }
        });
        List<String> arguments = new ArrayList<>(List.of(properties));
        if (data != null) {
            arguments.add("--offsetd.data-dir=" + data);
        }
        arguments.add("--spring.datasource.hikari.minimum-idle=1");
        // The command reports an error once, in one line.
        for (String logger : List.of("root", "com.zaxxer.hikari")) {
            arguments.add("--logging.level." + logger + "=off");
        }
        try {
            ConfigurableApplicationContext context = spring.run(arguments.toArray(String[]::new));
            connect(context);
            return new CommandDatabase(embedded.lock, context);
        } catch (RuntimeException e) {
            if (embedded.lock != null) {
                embedded.lock.close();
            }
            if (StartFailure.isTraced()) {
                e.printStackTrace();
            }
            throw new StartException(new StartFailure(e, environment.get()).text());
        }
    }

    /** Connects, which only migrations do at the start, so that a database that cannot be used is reported as one. */
    private static void connect(ConfigurableApplicationContext context) {
        try {
            JdbcClient.create(context.getBean(DataSource.class))
                    .sql("select 1")
                    .query()
                    .singleValue();
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    Tokens tokens() {
        return context.getBean(Tokens.class);
    }

    Backups backups() {
        return context.getBean(Backups.class);
    }

    BlobMoves moves() {
        return context.getBean(BlobMoves.class);
    }

    Restores restores() {
        return context.getBean(Restores.class);
    }

    /** Returns the version of this program. */
    String product() {
        return String.valueOf(context.getBean(BuildProperties.class).getVersion());
    }

    FirstAdmin firstAdmin() {
        return context.getBean(FirstAdmin.class);
    }

    @Override
    public void close() {
        context.close();
        if (lock != null) {
            lock.close();
        }
    }

    /** Parts of the server that commands need. Not a {@code @Configuration}, so that the server does not pick it up. */
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        JdbcClientAutoConfiguration.class,
        FlywayAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JacksonAutoConfiguration.class
    })
    @Import({BaselineMigration.class, Tokens.class, FirstAdmin.class, Users.class, Passwords.class, AuditLog.class})
    static class Program {}

    /** Parts of the server that backups need, without migrations. */
    @ImportAutoConfiguration({DataSourceAutoConfiguration.class, ProjectInfoAutoConfiguration.class})
    @Import({CommandStore.class, Backups.class, Restores.class})
    static class AsItIs {}

    /** Parts of the server that moves of stored bytes need. */
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        JdbcClientAutoConfiguration.class,
        FlywayAutoConfiguration.class
    })
    @Import({BaselineMigration.class, CommandStore.class, ObjectRows.class, BlobMoves.class})
    static class WithObjects {}

    /** Embedded database of a data folder: started here, or shared with another process. */
    private static final class Embedded {

        private final boolean mayBeNew;
        private @Nullable DataFolderLock lock;

        Embedded(boolean mayBeNew) {
            this.mayBeNew = mayBeNew;
        }

        EmbeddedDatabase open(Path folder) {
            try {
                if (!mayBeNew && hasNone(folder)) {
                    throw new StartException(
                            "no database in " + folder + ", and only \"offsetd serve\" creates one;"
                                    + " name the server's data folder with --data, or its PostgreSQL with SPRING_DATASOURCE_URL");
                }
                lock = DataFolderLock.acquire(folder);
                return EmbeddedDatabase.start(folder);
            } catch (DataFolderLock.HeldException e) {
                return ofAnother(folder, e);
            } catch (IOException e) {
                throw new StartException("the embedded PostgreSQL in " + folder + " cannot be used: " + e.getMessage());
            }
        }

        /** Returns whether a folder certainly has no database. One that this user cannot enter may have one. */
        private static boolean hasNone(Path folder) {
            return !EmbeddedDatabase.isIn(folder) && (Files.notExists(folder) || Files.isExecutable(folder));
        }

        /** Returns the database of the process that holds the lock on the folder. It may still be starting. */
        private EmbeddedDatabase ofAnother(Path folder, DataFolderLock.HeldException busy) {
            long end = System.nanoTime() + OTHERS_START.toNanos();
            try {
                while (System.nanoTime() < end) {
                    Optional<EmbeddedDatabase> running = EmbeddedDatabase.running(folder);
                    if (running.isPresent()) {
                        return running.get();
                    }
                    Thread.sleep(LOOK);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
            throw busy;
        }
    }
}
