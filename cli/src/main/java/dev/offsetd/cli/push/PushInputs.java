package dev.offsetd.cli.push;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.packages.BuildFinder;
import dev.offsetd.packages.FolderFiles;
import dev.offsetd.packages.PackageUnpacker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files to push. A named ELF file is one in any case; of folders, packages, archives and images those with
 * debug information, and executables if wanted. Files in packages are copied to a temporary folder until this is closed.
 */
final class PushInputs implements AutoCloseable {

    private final DebugFileFinder files;
    private final Console console;
    private final boolean executables;
    private final Path copies;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Path> leftOut = new ArrayList<>();

    /** Stripped programs of the current path that describe types themselves. */
    private int describing;

    /** @param executables whether stripped executables in folders and packages are pushed, too */
    PushInputs(DebugFileFinder files, Console console, boolean executables) throws IOException {
        this.files = files;
        this.console = console;
        this.executables = executables;
        this.copies = Files.createTempDirectory("offsetd-push-");
    }

    /** Adds the files of the paths that the user named. Reports and leaves out those that have nothing to push. */
    void addAll(List<Path> named) {
        for (Path path : named) {
            try {
                add(path);
            } catch (CommandFailure e) {
                leftOut.add(path);
                console.say(e.getMessage() + "; it is left out");
            }
        }
    }

    /** The named paths that are left out, and the files and folders in them that cannot be read. */
    List<Path> leftOut() {
        return List.copyOf(leftOut);
    }

    private void add(Path named) throws CommandFailure {
        int before = candidates.size();
        int leftOutBefore = leftOut.size();
        describing = 0;
        try {
            if (named.toString().equals(BuildFinder.STANDARD_INPUT)) {
                addPackage("standard input", System.in);
            } else if (Files.isDirectory(named)) {
                addFolder(named);
            } else if (Files.isRegularFile(named) && PackageUnpacker.isPackage(named)) {
                addPackage(named);
            } else {
                candidates.add(new Candidate(named.toString(), named, files.inspect(named)));
            }
        } catch (IOException e) {
            if (candidates.size() == before) {
                throw unreadable(named, e);
            }
            leaveOut(named, IoReason.of(e), before);
        }
        if (candidates.size() == before) {
            throw new CommandFailure(
                    ExitCode.NOTHING_TO_SEND,
                    HostileText.quote(named.toString()) + ": no "
                            + (leftOut.size() == leftOutBefore ? "" : "readable ")
                            + "file in it has debug information"
                            + (describing == 0
                                    ? ""
                                    : "; programs that describe types themselves: " + describing
                                            + ", which --executables sends"));
        }
    }

    private static CommandFailure unreadable(Path named, IOException e) {
        return new CommandFailure(
                ExitCode.NOTHING_TO_SEND, HostileText.quote(named.toString()) + ": " + IoReason.of(e));
    }

    List<Candidate> candidates() {
        return List.copyOf(candidates);
    }

    /** Adds the files in a folder and its subfolders, and leaves out those that cannot be read. */
    private void addFolder(Path folder) throws IOException {
        FolderFiles found = FolderFiles.of(folder);
        found.unreadable()
                .forEach(subfolder -> leaveOut(subfolder.path(), IoReason.of(subfolder.failure()), candidates.size()));
        for (Path file : found.files()) {
            console.progress("searching " + file);
            int before = candidates.size();
            try {
                addFound(file);
            } catch (IOException e) {
                leaveOut(file, IoReason.of(e), before);
            } catch (ExtractionException e) {
                leaveOut(file, String.valueOf(e.getMessage()), before);
            }
        }
    }

    private void addFound(Path file) throws IOException, ExtractionException {
        if (PackageUnpacker.isPackage(file)) {
            addPackage(file);
        } else if (PackageUnpacker.isElf(file)) {
            takes(file.toString(), file);
        }
    }

    /**
     * Reports a path that cannot be read, or only in part.
     *
     * @param before number of candidates before its files
     */
    private void leaveOut(Path path, String reason, int before) {
        leftOut.add(path);
        int read = candidates.size() - before;
        console.say(HostileText.quote(path.toString())
                + (read == 0 ? " skipped: " : " cannot be read to its end, files before that: " + read + ": ")
                + reason);
    }

    private void addPackage(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            addPackage(file.toString(), in);
        }
    }

    private void addPackage(String file, InputStream in) throws IOException {
        console.progress("searching " + file);
        PackageUnpacker.unpack(file, in, copies, new PackageUnpacker.Taker() {
            @Override
            public boolean take(String place, Path copy) throws IOException, ExtractionException {
                return takes(place, copy);
            }

            @Override
            public void skipped(String place, String reason) {
                console.say(HostileText.quote(place) + " skipped: " + reason);
            }
        });
    }

    private boolean takes(String place, Path file) throws IOException, ExtractionException {
        Candidate candidate = new Candidate(place, file, DebugInfo.read(file, files.options(), DebugInfo::facts));
        if (candidate.isUploadable(executables)) {
            return candidates.add(candidate);
        }
        if (candidate.isLinked() && candidate.elf().describesTypes()) {
            describing++;
        }
        return false;
    }

    /** Deletes the copies. */
    @Override
    public void close() throws IOException {
        try (Stream<Path> left = Files.list(copies)) {
            for (Path copy : left.toList()) {
                Files.delete(copy);
            }
        }
        Files.delete(copies);
    }
}
