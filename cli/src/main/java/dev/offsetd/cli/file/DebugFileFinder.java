package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.DebugLink;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.packages.PackageUnpacker;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.TypeSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Opens files that a user names, and finds the debug files of stripped ones. */
public final class DebugFileFinder {

    /** Where distributions install separate debug files (GDB manual, "Separate Debug Files"). */
    public static final Path SYSTEM_FOLDER = Path.of("/usr/lib/debug");

    /** Describes the parameter of a file in the help. */
    public static final String FILE = "ELF file: a debug file, or a program or library with an installed debug file";

    /** Describes an unstripped file without DWARF. */
    public static final String WITHOUT_G = "it is not stripped, so compile it with -g";

    /** Most names of a folder that are compared with that of a missing file. */
    private static final int MAX_COMPARED_FILES = 10_000;

    private final ReadOptions options;
    private final List<Path> folders;
    private final Console console;
    private final Set<String> said = new HashSet<>();

    /**
     * @param folders folders with installed debug files, in search order
     */
    public DebugFileFinder(ReadOptions options, List<Path> folders, Console console) {
        this.options = options;
        this.folders = List.copyOf(folders);
        this.console = console;
    }

    /** Returns a reader with one thread, which searches the debug files of the system. */
    public static DebugFileFinder ofSystem(Console console) {
        return new DebugFileFinder(ReaderOptions.readOptions(1), List.of(SYSTEM_FOLDER), console);
    }

    /**
     * A file with DWARF or BTF in it.
     *
     * @param path the named file, or its debug file
     */
    public record DebugFile(Path path, ElfFacts elf) {}

    public ReadOptions options() {
        return options;
    }

    public ElfFacts inspect(Path file) throws CommandFailure {
        return readFile(file, DebugInfo::facts);
    }

    /** Returns every key that identifies the build of a file. */
    public FileKeys keys(Path file) throws CommandFailure {
        return readFile(file, DebugInfo::keys);
    }

    /** Returns why the build-id of a file cannot be a key; empty if it has none. */
    Optional<String> unusableBuildId(Path file) throws CommandFailure {
        return readFile(file, DebugInfo::unusableBuildId);
    }

    /** Returns what the build of this file is called. */
    Identity identity(Path file) throws CommandFailure {
        Probes probes = TypeSet.probes(new BuiltInTypeSets().all());
        return read(file, () -> DebugInfo.read(file, options.withProbes(probes), DebugInfo::identity));
    }

    /** Returns name, architecture and short build-id of a file, for people. */
    static String title(Path file, Identity identity, ElfFacts elf) {
        String name = identity.title().isEmpty() ? String.valueOf(file.getFileName()) : identity.title();
        return name + ", " + elf.architecture().machine()
                + (elf.buildId() == null
                        ? ""
                        : " (" + TextTable.shortId(elf.buildId().toString()) + ")");
    }

    /**
     * Returns the file if it has DWARF, else its debug file, else the file for its BTF. Tells the user if it is not the
     * file's DWARF.
     */
    public DebugFile withTypes(Path file) throws CommandFailure {
        ElfFacts elf = inspect(file);
        Optional<DebugFile> found = findTypes(file, elf);
        if (found.isEmpty()) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + noTypes(file, elf));
        }
        return found.get();
    }

    /** Like {@link #withTypes}, but returns empty if there are no types. */
    Optional<DebugFile> findTypes(Path file, ElfFacts elf) throws CommandFailure {
        if (elf.hasDwarf()) {
            return Optional.of(new DebugFile(file, elf));
        }
        for (Path candidate : installed(file, elf)) {
            ElfFacts found = inspect(candidate);
            if (found.hasDwarf()) {
                console.say(file + " has no DWARF; reading its debug file " + candidate);
                return Optional.of(new DebugFile(candidate, found));
            }
            console.say(candidate + " skipped: it has no DWARF either");
        }
        Optional<String> other = otherSource(elf);
        if (other.isPresent()) {
            if (elf.isRawBtf()) {
                return Optional.of(new DebugFile(file, elf));
            }
            console.say(file + " has no DWARF, and no debug file is installed; reading its " + other.get());
            return Optional.of(new DebugFile(file, elf));
        }
        return Optional.empty();
    }

    /** Returns what a file without DWARF has layouts in. */
    private static Optional<String> otherSource(ElfFacts elf) {
        if (elf.hasBtf()) {
            return Optional.of("BTF");
        }
        if (elf.hasGoTypes()) {
            return Optional.of("Go type descriptors");
        }
        return elf.hasDebugOffsets() ? Optional.of("CPython debug offsets") : Optional.empty();
    }

    /** Describes why no types of a file were found. */
    String noTypes(Path file, ElfFacts elf) throws CommandFailure {
        if (elf.isCore()) {
            return ": no DWARF; it is a core file, whose modules \"offsetd core\" lists";
        }
        Optional<DebugLink> link = link(file);
        Set<Path> places = new LinkedHashSet<>();
        if (elf.buildId() != null) {
            places.addAll(places(elf.buildId()));
        }
        link.ifPresent(name -> places.addAll(places(file, name.fileName())));
        Optional<String> unusable = readFile(file, DebugInfo::unusableSectionHeaders);
        if (unusable.isPresent()) {
            return ": its section headers cannot be used, so no DWARF is found in it (" + unusable.get() + ")"
                    + (places.isEmpty() ? "" : ", and no debug file is in " + Places.text(places));
        }
        String searched = places.isEmpty()
                ? ": no DWARF, and neither a build-id nor a .gnu_debuglink to find its debug file by"
                : ": no DWARF, and no debug file in " + Places.text(places);
        if (link.isEmpty() && isUnstripped(file)) {
            return searched + "; " + WITHOUT_G;
        }
        return places.isEmpty()
                ? searched
                : searched + "; install the package that ends in -dbg, -dbgsym or -debuginfo, name its folder with"
                        + " --debug-dir, or pass the unstripped file";
    }

    /** Returns whether a file has the symbols that stripping removes. Without DWARF, it was compiled without. */
    public boolean isUnstripped(Path file) {
        try {
            return FileSymbols.hasSymtab(DebugInfo.read(file, options, DebugInfo::symbolTables));
        } catch (IOException | ExtractionException e) {
            // The caller reports that the file has no types.
            return false;
        }
    }

    /** Returns the file that has the lines of a file: itself, or its debug file if it has no DWARF. */
    private Path withLines(Path file) throws CommandFailure {
        ElfFacts own = inspect(file);
        return own.hasDwarf() ? file : debugFileOf(file, own).orElse(file);
    }

    /** Returns the installed debug file of a file. */
    Optional<Path> debugFileOf(Path file, ElfFacts elf) throws CommandFailure {
        return installed(file, elf).stream().findFirst();
    }

    /** Returns the installed debug files of a file, that of its build-id first. Reports and skips those of other builds. */
    private List<Path> installed(Path file, ElfFacts elf) throws CommandFailure {
        Set<Path> found = new LinkedHashSet<>();
        if (elf.buildId() != null) {
            for (Path candidate : regular(places(elf.buildId()))) {
                BuildId id = inspect(candidate).buildId();
                if (id != null && id.equals(elf.buildId())) {
                    found.add(candidate);
                } else {
                    console.say(candidate + " skipped: its build-id is " + (id == null ? "missing" : id));
                }
            }
        }
        if (!found.isEmpty()) {
            return List.copyOf(found);
        }
        Optional<DebugLink> link = link(file);
        if (link.isPresent()) {
            for (Path candidate : regular(places(file, link.get().fileName()))) {
                long crc32 = read(candidate, () -> DebugLink.crc32(candidate));
                if (crc32 == link.get().crc32()) {
                    found.add(candidate);
                } else {
                    console.say("%s skipped: its CRC-32 is %08x; .gnu_debuglink of %s expects %08x"
                            .formatted(candidate, crc32, file, link.get().crc32()));
                }
            }
        }
        return List.copyOf(found);
    }

    private Optional<DebugLink> link(Path file) throws CommandFailure {
        return readFile(file, DebugInfo::debugLink);
    }

    /** Returns where the debug file of a build may be. */
    List<Path> places(BuildId buildId) {
        return folders.stream()
                .map(folder -> folder.resolve(buildId.debugFilePath()))
                .toList();
    }

    /**
     * Returns where a program or library may be found by its build: as links beside its debug file, and, as Fedora has them, above
     * the folder of debug files. Some distributions install whole programs as debug files.
     */
    public List<Path> programPlaces(BuildId buildId) {
        String debugFile = buildId.debugFilePath();
        String program = debugFile.substring(0, debugFile.lastIndexOf('.'));
        Set<Path> found = new LinkedHashSet<>();
        folders.forEach(folder -> found.add(folder.resolve(program)));
        folders.forEach(folder -> found.add(folder.resolveSibling(program)));
        found.addAll(places(buildId));
        return List.copyOf(found);
    }

    /**
     * Returns where the debug file of this name may be (GDB manual, "Separate Debug Files"): beside the file, in
     * {@code .debug/} there, and below each debug folder in the same folder as the file; never the file itself.
     */
    public List<Path> places(Path file, String name) {
        Set<Path> found = new LinkedHashSet<>();
        try {
            for (Path path : List.of(file.toAbsolutePath().normalize(), realPath(file))) {
                found.add(path.resolveSibling(name));
                found.add(path.resolveSibling(".debug").resolve(name));
                Path folder = path.getParent();
                if (folder != null) {
                    folders.forEach(debugFolder -> found.add(
                            debugFolder.resolve(folder.toString().substring(1)).resolve(name)));
                }
                found.remove(path);
            }
        } catch (InvalidPathException notAName) {
            // A link with an invalid file name has no target.
        }
        return List.copyOf(found);
    }

    private static Path realPath(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file.toAbsolutePath().normalize();
        }
    }

    private static List<Path> regular(List<Path> places) {
        return places.stream().filter(Files::isRegularFile).toList();
    }

    /** Opens a file, to read it several times. */
    public DebugInfo open(Path file) throws CommandFailure {
        return read(file, () -> DebugInfo.open(file, options));
    }

    /** Reads a file, and turns a failure into one line for the user. */
    public <T> T readFile(Path file, DebugInfo.Reading<T> reading) throws CommandFailure {
        return read(file, () -> DebugInfo.read(file, options, reading));
    }

    /** Runs an action that reads this file, and turns its failure into one line for the user. */
    public <T> T read(Path file, ReadAction<T> reading) throws CommandFailure {
        try {
            return reading.run();
        } catch (NoSuchFileException e) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE, HostileText.quote(file.toString()) + ": no such file" + similarFiles(file));
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, HostileText.quote(file.toString()) + ": " + IoReason.of(e));
        } catch (ExtractionException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + ": " + reason(file, e));
        }
    }

    private static String reason(Path file, ExtractionException e) {
        try {
            if (!e.section().equals("elf header") || !PackageUnpacker.isPackage(file)) {
                return Objects.toString(e.getMessage());
            }
            String description = PackageUnpacker.description(file);
            return "expected an ELF file; this is " + description
                    + (description.startsWith("compressed") ? ", and holds none" : "")
                    + " (prewarm and push read packages)";
        } catch (IOException unreadable) {
            return Objects.toString(e.getMessage());
        }
    }

    private static String similarFiles(Path missing) {
        Path folder = missing.toAbsolutePath().getParent();
        Path name = missing.getFileName();
        if (folder == null || name == null) {
            return "";
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<String> names = files.limit(MAX_COMPARED_FILES)
                    .map(file -> String.valueOf(file.getFileName()))
                    .toList();
            List<String> similar = Suggestions.similar(name.toString(), names).stream()
                    .map(found -> missing.resolveSibling(found).toString())
                    .toList();
            return similar.isEmpty() ? "" : "; " + Suggestions.sentence(similar);
        } catch (IOException | UncheckedIOException e) {
            return "";
        }
    }

    /** Says what was left out of a report, as {@link #note} does. */
    ExtractionReport noting(Path file, ExtractionReport report) {
        note(file, report.types().omissions());
        return report;
    }

    /** Says what was left out of a file, each omission once: several readings of a file may meet it. */
    void note(Path file, List<Omission> omissions) {
        String omitted = Omission.summary(omissions.stream()
                .filter(omission -> said.add(file + ": " + Omission.summary(List.of(omission))))
                .toList());
        if (omitted != null) {
            console.say(file + ": " + omitted);
        }
    }

    /** Reads the symbols of a file, and says what was left out. */
    SymbolReport symbols(Path file) throws CommandFailure {
        SymbolReport report = readFile(file, DebugInfo::symbolTables);
        note(file, report.omissions());
        return report;
    }

    /** Reads functions and lines from this file, or from its debug file, and says what was left out. */
    public FrameTable frames(Path file, DebugInfo.Reading<FrameTable> reading) throws CommandFailure {
        Path lines = withLines(file);
        FrameTable table = readFile(lines, reading);
        note(lines, table.omissions());
        return table;
    }

    /** Reads all types of this file, or of its debug file, and says what was left out. */
    ExtractionReport extractAll(Path file) throws CommandFailure {
        return extractAll(withTypes(file));
    }

    /** Reads all types, and says what was left out. */
    ExtractionReport extractAll(DebugFile file) throws CommandFailure {
        console.progress("reading " + file.path());
        ExtractionReport report = noting(file.path(), readFile(file.path(), DebugInfo::extractAll));
        console.clearProgress();
        return report;
    }

    @FunctionalInterface
    public interface ReadAction<T> {

        T run() throws IOException, ExtractionException;
    }
}
