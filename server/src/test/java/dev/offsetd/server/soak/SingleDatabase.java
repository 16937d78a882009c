package dev.offsetd.server.soak;

import dev.offsetd.server.database.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A separate process of the embedded PostgreSQL. It restarts on its data. */
record SingleDatabase(Postgres postgres, Path data, int port) implements Database {

    static SingleDatabase in(Path home, int port) throws IOException, InterruptedException {
        try (EmbeddedDatabase made = EmbeddedDatabase.start(home)) {
            Postgres postgres =
                    new Postgres(programs(home), home.resolve("soak.log"), made.getUsername(), made.getPassword());
            return new SingleDatabase(postgres, home.resolve("postgres"), port);
        }
    }

    private static Path programs(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith(Path.of("bin", "postgres")))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no PostgreSQL below " + home))
                    .resolveSibling("");
        }
    }

    @Override
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    @Override
    public Process primary() throws IOException, InterruptedException {
        return postgres.start(data, port);
    }
}
