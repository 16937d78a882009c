package dev.offsetd.server.startup;

import dev.offsetd.server.database.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Unpacks the programs of the embedded PostgreSQL into the folder of a release. For packaging only. */
@Command(name = UnpackCommand.NAME, hidden = true)
public final class UnpackCommand implements Callable<Integer> {

    public static final String NAME = "unpack-postgresql";

    @Parameters(paramLabel = "DIR")
    private @Nullable Path folder;

    @Override
    public Integer call() throws IOException {
        EmbeddedDatabase.unpackPrograms(Objects.requireNonNull(folder));
        return 0;
    }
}
