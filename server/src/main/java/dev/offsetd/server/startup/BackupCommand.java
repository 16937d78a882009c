package dev.offsetd.server.startup;

import com.google.re2j.Pattern;
import dev.offsetd.query.answer.ByteCount;
import dev.offsetd.server.startup.backup.BackupManifest;
import dev.offsetd.server.startup.backup.Backups;
import dev.offsetd.server.startup.backup.NewFile;
import dev.offsetd.server.startup.backup.UnusableDatabaseException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Backs up the database, whether servers run or not. */
@Command(
        name = BackupCommand.NAME,
        description = {
            "Saves pins with their history, type sets, tokens, users, audit log, demand and uploaded builds as one file.",
            "",
            "Reads the database at SPRING_DATASOURCE_URL, or else the one in DIR. The server may be running. The",
            "database does not change."
        },
        footer = {
            "",
            "Exit codes: 0 done, 1 the database cannot be backed up, 2 invalid options, 5 FILE cannot be written."
        })
public final class BackupCommand extends DatabaseCommand implements Callable<Integer> {

    public static final String NAME = "backup";

    private static final String STANDARD_OUTPUT = "-";
    private static final int NOT_WRITTEN = 5;

    @Option(
            names = "--catalogues",
            description = {
                "include the types and symbols of builds that servers can fetch again;",
                "those of uploaded builds are always included"
            })
    private boolean catalogues;

    @Option(names = "--replace", description = "overwrite FILE if it exists")
    private boolean replace;

    @Parameters(paramLabel = "FILE", description = "output file; - is standard output")
    private String file = STANDARD_OUTPUT;

    /** Terminals of Linux: {@code /dev/pts/3}, {@code /dev/tty1}, {@code /dev/console}. */
    private static final Pattern TERMINAL = Pattern.compile("/dev/(pts/|tty|console$)");

    private final OutputStream standardOutput;
    private final boolean isTerminal;

    /** Creates a command that can write to the standard output of the process. */
    public BackupCommand() {
        this(new FileOutputStream(FileDescriptor.out), isTerminal(Path.of("/dev/stdout")));
    }

    /** @param isTerminal whether standard output is a terminal, which would take bytes for commands */
    BackupCommand(OutputStream standardOutput, boolean isTerminal) {
        this.standardOutput = standardOutput;
        this.isTerminal = isTerminal;
    }

    private static boolean isTerminal(Path device) {
        try {
            return TERMINAL.matcher(device.toRealPath().toString()).lookingAt();
        } catch (IOException pipe) {
            return false;
        }
    }

    @Override
    public Integer call() {
        if (file.equals(STANDARD_OUTPUT) && isTerminal) {
            throw usage("a backup is binary, and standard output is a terminal; expected FILE or a pipe");
        }
        return run(folder -> CommandDatabase.asItIs(folder, false), this::save);
    }

    private String save(CommandDatabase database) {
        ProgressLine progress = new ProgressLine(err());
        try {
            if (file.equals(STANDARD_OUTPUT)) {
                Backups.Saved saved = database.backups().take(standardOutput, database.product(), catalogues, progress);
                progress.clear();
                warn(saved);
                err().println("offsetd: " + words(saved, "standard output"));
                err().flush();
                return "";
            }
            Path place = Path.of(file);
            try (NewFile written = NewFile.at(place, replace)) {
                Backups.Saved saved =
                        database.backups().take(written.content(), database.product(), catalogues, progress);
                long bytes = written.size();
                written.finish();
                progress.clear();
                warn(saved);
                return isJson() ? json(saved, bytes) : words(saved, place + " (" + ByteCount.text(bytes) + ")");
            }
        } catch (UnusableDatabaseException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        } catch (NewFile.OutputException e) {
            throw new StartException(String.valueOf(e.getMessage()), NOT_WRITTEN);
        } finally {
            progress.clear();
        }
    }

    private void warn(Backups.Saved saved) {
        if (saved.lost() > 0) {
            err().println("offsetd: left out " + saved.lost() + " catalogues, symbol tables and chunks of kept uploads"
                    + " whose objects are missing or damaged in the object store");
            err().flush();
        }
    }

    private static String words(Backups.Saved saved, String place) {
        BackupManifest.Header header = saved.manifest().header();
        return saved.manifest().rows() + " rows of " + saved.manifest().tables().size() + " tables, schema version "
                + header.schemaVersion() + ", with "
                + (header.catalogues()
                        ? "all catalogues, " + saved.uploads() + " of them"
                        : "the catalogues of " + saved.uploads())
                + " uploaded " + (saved.uploads() == 1 ? "build" : "builds") + ", to " + place;
    }

    private String json(Backups.Saved saved, long bytes) {
        return JSON.createObjectNode()
                .put("file", file)
                .put("bytes", bytes)
                .put("uploadedBuilds", saved.uploads())
                .put("lostObjects", saved.lost())
                .setAll(json(saved.manifest()))
                .toString();
    }

    /** Returns the content of a backup, for JSON output. */
    static ObjectNode json(BackupManifest backup) {
        ObjectNode content = JSON.createObjectNode()
                .put("takenAt", backup.header().takenAt().toString())
                .put("schemaVersion", backup.header().schemaVersion())
                .put("catalogues", backup.header().catalogues());
        ObjectNode rows = content.putObject("rows");
        backup.tables().forEach(table -> rows.put(table.name(), table.rows()));
        return content;
    }
}
