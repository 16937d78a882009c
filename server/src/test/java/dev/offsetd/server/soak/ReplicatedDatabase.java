package dev.offsetd.server.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A primary and a synchronous standby. When the primary was killed, the standby is promoted, and a new standby takes the
 * place of the old primary, whose data is discarded.
 */
final class ReplicatedDatabase implements Database {

    private static final Duration CATCHES_UP = Duration.ofMinutes(1);
    private static final String NAME = "soak_standby";

    private final Postgres postgres;
    private final Path home;
    private final int[] ports;

    private int primary = -1;
    private int copies;
    private @Nullable Process standby;

    private ReplicatedDatabase(Postgres postgres, Path home, int... ports) {
        this.postgres = postgres;
        this.home = home;
        this.ports = ports;
    }

    /** @param programs folder of the programs of PostgreSQL, {@code pg_basebackup} included */
    static ReplicatedDatabase in(Path home, Path programs, int port, int other)
            throws IOException, InterruptedException {
        Files.createDirectories(home);
        Postgres postgres = new Postgres(programs, home.resolve("soak.log"), "postgres", "");
        postgres.run(
                "initdb", home.resolve("data-0"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8");
        return new ReplicatedDatabase(postgres, home, port, other);
    }

    @Override
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + ports[0] + ",127.0.0.1:" + ports[1]
                + "/postgres?targetServerType=primary&hostRecheckSeconds=1&connectTimeout=1";
    }

    @Override
    public Postgres postgres() {
        return postgres;
    }

    @Override
    public Process primary() throws IOException, InterruptedException {
        Process promoted = standby;
        if (promoted == null) {
            primary = 0;
            Process started = postgres.start(home.resolve("data-0"), ports[0]);
            protect();
            return started;
        }
        primary = 1 - primary;
        if (!sql("select pg_promote()").equals("t")) {
            throw new IOException("the standby is not promoted within a minute");
        }
        standby = null;
        return promoted;
    }

    @Override
    public void protect() throws IOException, InterruptedException {
        if (standby != null) {
            return;
        }
        int other = 1 - primary;
        Path data = home.resolve("data-" + ++copies);
        postgres.run(
                "pg_basebackup",
                data,
                "-R",
                "-c",
                "fast",
                "-d",
                "host=127.0.0.1 port=" + ports[primary] + " user=postgres application_name=" + NAME);
        standby = postgres.start(data, ports[other]);
        Part.await("the standby", CATCHES_UP, () -> replicates("state = 'streaming'"));
        // The standby was copied before, so after its promotion it waits for no standby.
        sql("alter system set synchronous_standby_names = '" + NAME + "'");
        sql("select pg_reload_conf()");
        Part.await("synchronous replication", CATCHES_UP, () -> replicates("sync_state = 'sync'"));
        // Its commit waits until the standby has everything before it.
        sql("select pg_current_xact_id()");
    }

    private boolean replicates(String how) {
        try {
            return sql("select exists (select from pg_stat_replication where application_name = '" + NAME + "' and "
                            + how + ")")
                    .equals("t");
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Runs a statement on the primary. */
    private String sql(String statement) throws IOException {
        try {
            return postgres.sql(ports[primary], statement);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        Process running = standby;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }
}
