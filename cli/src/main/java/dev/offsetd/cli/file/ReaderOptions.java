package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.ByteProgress;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Options of the commands that read debug information, and how it is read. */
public sealed class ReaderOptions permits TypeReaderOptions {

    private static final int MAX_THREADS = 1024;

    private final Supplier<List<Path>> debugDirs;
    private final Supplier<@Nullable Integer> threads;

    /** Declares the options of this command. */
    public ReaderOptions(Command command) {
        debugDirs = debugDirs(command, "folder with installed debug files, searched as gdb does");
        threads = command.option(
                "--threads", "N", Integer.class, "threads that read the file (default: one per processor)");
    }

    static Supplier<List<Path>> debugDirs(Command command, String description) {
        return command.options(
                "-d,--debug-dir", "DIR", Path.class, description + "; repeatable (default: /usr/lib/debug)");
    }

    /** Returns the number of threads: that of this machine's processors unless one is given. */
    public int threads() throws CommandFailure {
        Integer given = threads.get();
        int number = given == null ? Runtime.getRuntime().availableProcessors() : given;
        if (number < 1 || number > MAX_THREADS) {
            throw CommandFailure.usage("--threads is " + number + "; expected 1 to " + MAX_THREADS);
        }
        return number;
    }

    /** Returns how files are read with these options. */
    public ReadOptions readOptions() throws CommandFailure {
        return readOptions(threads()).withDebugFolders(folders(debugDirs.get()));
    }

    /** Returns a reader of files that shows its progress. */
    public final DebugFileFinder files(Console console) throws CommandFailure {
        return files(readOptions().withProgress(new ByteProgress(console, "reading")::update), console);
    }

    /** Returns a reader that shows its progress, and leaves out units whose {@code .dwo} file is missing. */
    final DebugFileFinder filesWithoutMissingUnits(Console console) throws CommandFailure {
        DebugFileFinder files = files(console);
        return files(files.options().leavingOutMissingUnits(), console);
    }

    /** Returns a reader of files with these options. */
    public final DebugFileFinder files(ReadOptions options, Console console) throws CommandFailure {
        return new DebugFileFinder(options, folders(debugDirs.get()), console);
    }

    /** Returns the folders with debug files: that of the system unless others are given. */
    static List<Path> folders(List<Path> debugDirs) throws CommandFailure {
        for (Path folder : debugDirs) {
            if (!Files.isDirectory(folder)) {
                throw CommandFailure.usage(
                        "--debug-dir is " + HostileText.quote(folder.toString()) + "; expected a folder");
            }
        }
        return debugDirs.isEmpty() ? List.of(DebugFileFinder.SYSTEM_FOLDER) : debugDirs;
    }

    /** Returns options for a user's own files, with this number of threads. */
    public static ReadOptions readOptions(int threads) {
        return new ReadOptions(Limits.DEFAULT, threads).followingAnyPath();
    }
}
