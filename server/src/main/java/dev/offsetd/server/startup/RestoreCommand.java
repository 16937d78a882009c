package dev.offsetd.server.startup;

import dev.offsetd.server.startup.backup.BackupFileException;
import dev.offsetd.server.startup.backup.BackupManifest;
import dev.offsetd.server.startup.backup.UnusableDatabaseException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Restores a file of {@link BackupCommand} into an empty database. */
@Command(
        name = RestoreCommand.NAME,
        description = {
            "Restores a backup into an empty database, and migrates its tables.",
            "",
            "Works on the database at SPRING_DATASOURCE_URL, or else on the one in DIR, which is created if missing.",
            "FILE is checked before anything is written; a failed restore leaves nothing behind."
        },
        footer = {
            "",
            "Exit codes: 0 done, 1 the database cannot be used or is not empty, 2 invalid options, 3 FILE is not a complete backup."
        })
public final class RestoreCommand extends DatabaseCommand implements Callable<Integer> {

    public static final String NAME = "restore";

    private static final int BAD_FILE = 3;

    @Parameters(paramLabel = "FILE", description = "output of offsetd backup")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        return run(folder -> CommandDatabase.asItIs(folder, true), this::restore);
    }

    private String restore(CommandDatabase database) {
        ProgressLine progress = new ProgressLine(err());
        try {
            BackupManifest restored = database.restores().restore(file, cause(), progress);
            progress.clear();
            return isJson()
                    ? JSON.writeValueAsString(BackupCommand.properties(restored.header(), restored.tables()))
                    : restored.rows() + " rows of " + restored.tables().size() + " tables from " + file + ", taken at "
                            + restored.header().takenAt();
        } catch (BackupFileException e) {
            throw new StartException(String.valueOf(e.getMessage()), BAD_FILE);
        } catch (UnusableDatabaseException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        } finally {
            progress.clear();
        }
    }
}
