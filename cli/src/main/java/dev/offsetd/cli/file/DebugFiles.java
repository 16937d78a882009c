package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.extract.ElfFacts;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Opens the files that a user names, and finds the debug file of a stripped one. */
public final class DebugFiles {

    /** Where distributions install separate debug files (GDB manual, "Separate Debug Files"). */
    public static final Path SYSTEM_FOLDER = Path.of("/usr/lib/debug");

    private final OffsetExtractor extractor;
    private final List<Path> folders;
    private final Console console;

    /**
     * @param folders folders that hold {@code .build-id/xx/rest.debug}, in the order in which they are searched
     */
    public DebugFiles(OffsetExtractor extractor, List<Path> folders, Console console) {
        this.extractor = extractor;
        this.folders = List.copyOf(folders);
        this.console = console;
    }

    /**
     * A file with DWARF or BTF in it.
     *
     * @param path the file that was named, or the debug file that belongs to it
     */
    public record DebugFile(Path path, ElfFacts elf) {}

    /** What the ELF headers of this file say. */
    public ElfFacts inspect(Path file) throws CommandFailure {
        return read(file, () -> extractor.inspect(file));
    }

    /**
     * The file itself if it has DWARF, else its debug file, else the file for its BTF; where it is not the DWARF of the
     * file itself the user is told.
     */
    public DebugFile withTypes(Path file) throws CommandFailure {
        ElfFacts elf = inspect(file);
        return findTypes(file, elf).orElseThrow(() -> new CommandFailure(ExitCode.BAD_FILE, file + noTypes(elf)));
    }

    /** As {@link #withTypes}; empty if there are no types. */
    Optional<DebugFile> findTypes(Path file, ElfFacts elf) throws CommandFailure {
        if (elf.hasDwarf()) {
            return Optional.of(new DebugFile(file, elf));
        }
        if (elf.hasBtf() && elf.buildId().isEmpty()) {
            console.say(file + " has no DWARF; reading its BTF");
            return Optional.of(new DebugFile(file, elf));
        }
        for (Path candidate : elf.buildId().map(this::installed).orElse(List.of())) {
            ElfFacts found = inspect(candidate);
            if (found.hasDwarf() && found.buildId().equals(elf.buildId())) {
                console.say(file + " has no DWARF; reading its debug file " + candidate);
                return Optional.of(new DebugFile(candidate, found));
            }
            console.say(candidate + " passed over: "
                    + (found.hasDwarf()
                            ? "its build-id is "
                                    + found.buildId().map(BuildId::toString).orElse("missing")
                            : "no DWARF in it either"));
        }
        if (elf.hasBtf()) {
            console.say(file + " has no DWARF, and no debug file is installed; reading its BTF");
            return Optional.of(new DebugFile(file, elf));
        }
        return Optional.empty();
    }

    /** What a file lacks whose types cannot be found. */
    String noTypes(ElfFacts elf) {
        return elf.buildId()
                .map(buildId -> ": no DWARF, and no debug file "
                        + folders.stream()
                                .map(folder -> pathOf(folder, buildId).toString())
                                .collect(Collectors.joining(" or "))
                        + "; the package that ends in -dbg, -dbgsym or -debuginfo has it")
                .orElse(": no DWARF, and no build-id that would lead to its debug file");
    }

    /**
     * The separate debug file of the same build; empty if none is installed, or the file has no build-id that would lead to
     * it.
     */
    Optional<Path> debugFileOf(ElfFacts elf) throws CommandFailure {
        if (elf.buildId().isEmpty()) {
            return Optional.empty();
        }
        for (Path candidate : installed(elf.buildId().get())) {
            Optional<BuildId> found = inspect(candidate).buildId();
            if (found.equals(elf.buildId())) {
                return Optional.of(candidate);
            }
            console.say(candidate + " passed over: its build-id is "
                    + found.map(BuildId::toString).orElse("missing"));
        }
        return Optional.empty();
    }

    private List<Path> installed(BuildId buildId) {
        return folders.stream()
                .map(folder -> pathOf(folder, buildId))
                .filter(Files::isRegularFile)
                .toList();
    }

    /** Runs something that reads this file, and says in one line why it cannot be read. */
    public <T> T read(Path file, Reading<T> reading) throws CommandFailure {
        try {
            return reading.run();
        } catch (NoSuchFileException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, HostileText.quote(file.toString()) + ": no such file");
        } catch (AccessDeniedException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, HostileText.quote(file.toString()) + ": permission denied");
        } catch (FileSystemException e) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE, file + ": " + Objects.requireNonNullElse(e.getReason(), "cannot be read"));
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + ": cannot be read: " + e.getMessage());
        } catch (ExtractionException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + ": " + e.getMessage());
        }
    }

    private static Path pathOf(Path folder, BuildId buildId) {
        String hex = buildId.toString();
        return folder.resolve(".build-id", hex.substring(0, 2), hex.substring(2) + ".debug");
    }

    /** Something that reads a file. */
    @FunctionalInterface
    public interface Reading<T> {

        T run() throws IOException, ExtractionException;
    }
}
