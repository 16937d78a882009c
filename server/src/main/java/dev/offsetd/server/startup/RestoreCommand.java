package dev.offsetd.server.startup;

import dev.offsetd.server.startup.backup.BackupFileException;
import dev.offsetd.server.startup.backup.BackupManifest;
import dev.offsetd.server.startup.backup.Restores;
import dev.offsetd.server.startup.backup.UnusableDatabaseException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
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

    @FunctionalInterface
    private interface Step {

        BackupManifest run(ProgressLine progress) throws BackupFileException, UnusableDatabaseException;
    }

    @Override
    public Integer call() {
        AtomicReference<BackupManifest> checked = new AtomicReference<>();
        return run(
                folder -> {
                    // A file that cannot be restored must not leave a new database.
                    checked.set(attempt(progress -> Restores.check(file, progress)));
                    return CommandDatabase.asItIs(folder, true);
                },
                database -> restore(database, Objects.requireNonNull(checked.get())));
    }

    private String restore(CommandDatabase database, BackupManifest backup) {
        attempt(progress -> {
            database.restores().restore(file, backup, cause(), progress);
            return backup;
        });
        return isJson()
                ? BackupCommand.json(backup).toString()
                : backup.rows() + " rows of " + backup.tables().size() + " tables from " + file + ", taken at "
                        + backup.header().takenAt();
    }

    private BackupManifest attempt(Step step) {
        ProgressLine progress = new ProgressLine(err());
        try {
            return step.run(progress);
        } catch (BackupFileException e) {
            throw new StartException(String.valueOf(e.getMessage()), BAD_FILE);
        } catch (UnusableDatabaseException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        } finally {
            progress.clear();
        }
    }
}
