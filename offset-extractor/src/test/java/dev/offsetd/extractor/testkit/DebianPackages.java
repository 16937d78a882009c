package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Real debug files and programs out of Debian's packages: installed ones where there are any. Nothing of the machine is
 * changed and no root is needed: packages are unpacked, not installed, under {@code target/debian} of the module that
 * runs the tests, or the folder in the system property {@code offsetd.packages}, and stay there for the next run;
 * {@code apt-get} keeps its lists there too, so that packages of other architectures can be had.
 */
public final class DebianPackages {

    private static final Path CACHE =
            Path.of(System.getProperty("offsetd.packages", "target/debian")).toAbsolutePath();
    private static final Set<String> UPDATED = new HashSet<>();

    /** The release whose packages the machine is set up for. */
    private static final String OF_THIS_MACHINE = "";

    /** Debian's name of the machine that sources are compiled for. */
    private static final String THIS_ARCHITECTURE = "amd64";

    private DebianPackages() {}

    /**
     * The folder that a package is unpacked in; it is fetched for it once.
     *
     * @param packageName such as {@code libc6-dbg}
     * @param architecture Debian's name of it, such as {@code s390x}
     */
    public static Path unpacked(String packageName, String architecture) throws IOException {
        return unpacked(List.of(packageName), architecture);
    }

    /** The folder that several packages are unpacked in together, as if they were installed below it. */
    public static synchronized Path unpacked(List<String> packageNames, String architecture) throws IOException {
        return unpacked(packageNames, architecture, OF_THIS_MACHINE);
    }

    /**
     * The folder that a package of an older or newer release is unpacked in.
     *
     * @param release name of it or of a suite of it, such as {@code bullseye} or {@code bookworm-security}; it is looked for
     *     where this machine's own packages are from
     */
    public static synchronized Path unpackedOfRelease(String release, String packageName, String architecture)
            throws IOException {
        return unpacked(List.of(packageName), architecture, release);
    }

    /**
     * Returns the first of these releases that has a list of packages for an architecture. A mirror that is being updated has a
     * list of another day than the signed one of the release, and {@code apt-get} refuses it.
     */
    public static synchronized String firstListed(List<String> releases, String architecture) throws IOException {
        for (String release : releases) {
            try {
                updatedOfRelease(release, architecture);
                return release;
            } catch (IOException e) {
                System.err.println(e.getMessage());
            }
        }
        throw RequiredTool.unavailable("no list of " + architecture + " packages in any of " + releases);
    }

    private static Path unpacked(List<String> packageNames, String architecture, String release) throws IOException {
        String place = release.isEmpty() ? architecture : architecture + "-" + release;
        return once(String.join("+", packageNames) + "-" + place, unfinished -> {
            RequiredTool dpkgDeb = RequiredTool.require("dpkg-deb");
            List<String> versions = new ArrayList<>();
            for (String packageName : packageNames) {
                Path archive = download(packageName, architecture, release);
                dpkgDeb.output("-x", archive, unfinished);
                versions.add(packageName + " " + version(archive));
                Files.delete(archive);
            }
            return String.join(", ", versions);
        });
    }

    /** Fills a folder. */
    @FunctionalInterface
    private interface Filling {

        /** Fills this one and says the names and versions of what is in it. */
        String fill(Path folder) throws IOException;
    }

    /** The folder of this name; it is filled if it is not there. Other processes may want the same at the same time. */
    private static Path once(String name, Filling filling) throws IOException {
        Path folder = CACHE.resolve(name);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        Files.createDirectories(CACHE);
        try (FileChannel channel =
                        FileChannel.open(CACHE.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            if (Files.isDirectory(folder)) {
                return folder;
            }
            Path unfinished = CACHE.resolve(name + ".unfinished");
            deleteTree(unfinished);
            Files.createDirectories(unfinished);
            Files.writeString(versionsFile(folder), filling.fill(unfinished));
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        }
        return folder;
    }

    /**
     * The folder that the upstream part of a source package is unpacked in; Debian's changes are not in it.
     *
     * @param release of Debian, such as {@code bookworm}
     */
    public static synchronized Path source(String release, String sourceName) throws IOException {
        return once(sourceName + "-source-" + release, unfinished -> {
            Path fetched;
            try {
                Path state = updatedSources(release);
                fetched = state.resolve("fetched");
                deleteTree(fetched);
                Files.createDirectories(fetched);
                RequiredTool.require("apt-get")
                        .outputIn(
                                fetched,
                                append(
                                        options(state, THIS_ARCHITECTURE, release),
                                        "source",
                                        "--download-only",
                                        "--tar-only",
                                        sourceName));
            } catch (IOException e) {
                throw RequiredTool.unavailable(
                        "sources of " + sourceName + " in " + release + " cannot be fetched: " + e.getMessage());
            }
            Path archive = upstreamArchive(fetched);
            RequiredTool.require("tar").output("--no-same-owner", "-xf", archive, "-C", unfinished);
            String name = archive.getFileName().toString();
            deleteTree(fetched);
            return sourceName + " " + name.substring(name.indexOf('_') + 1, name.indexOf(".orig.tar."));
        });
    }

    private static Path upstreamArchive(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches("[^_]+_[^_]+\\.orig\\.tar\\.(gz|bz2|xz)"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("apt-get source left no *.orig.tar.* in " + folder));
        }
    }

    /** Names and versions of the packages that {@link #unpacked} or {@link #source} has unpacked in this folder. */
    public static String versions(Path folder) throws IOException {
        return Files.readString(versionsFile(folder));
    }

    /** The first dependency of a package whose name begins so: for a package that only stands for the newest of its kind. */
    public static synchronized String dependency(String packageName, String architecture, String prefix)
            throws IOException {
        Path state = updated(architecture);
        String printed = RequiredTool.require("apt-cache")
                .output(append(options(state, architecture), "show", "--no-all-versions", packageName));
        return printed.lines()
                .filter(line -> line.startsWith("Depends: "))
                .flatMap(line -> Stream.of(line.substring("Depends: ".length()).split("[ ,|]+", -1)))
                .filter(name -> name.startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> RequiredTool.unavailable(packageName + " depends on no " + prefix + "*"));
    }

    private static Path download(String packageName, String architecture, String release) throws IOException {
        Path state;
        try {
            state = release.isEmpty() ? updated(architecture) : updatedOfRelease(release, architecture);
            RequiredTool.require("apt-get")
                    .outputIn(
                            state,
                            append(
                                    options(state, architecture, release),
                                    "download",
                                    packageName + ":" + architecture));
        } catch (IOException e) {
            throw RequiredTool.unavailable(
                    "package " + packageName + ":" + architecture + " cannot be fetched: " + e.getMessage());
        }
        try (Stream<Path> files = Files.list(state)) {
            return files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(packageName + "_") && name.endsWith(".deb");
                    })
                    .sorted()
                    .findFirst()
                    .orElseThrow(() -> new IOException("apt-get download left no " + packageName + "_*.deb"));
        }
    }

    /** The folder of an architecture's lists, brought up to date once in a run. */
    private static Path updated(String architecture) throws IOException {
        Path state = CACHE.resolve("apt-" + architecture);
        if (UPDATED.add(architecture)) {
            Files.createDirectories(state.resolve("lists/partial"));
            Files.createDirectories(state.resolve("cache/archives/partial"));
            try {
                RequiredTool.require("apt-get").output(append(options(state, architecture), "update"));
            } catch (IOException e) {
                // A mirror that is being updated lacks some list; the one that is needed may be there all the same.
                System.err.println(e.getMessage());
            }
        }
        return state;
    }

    /** {@link #updated} for the lists of one release; this machine's lists say where they are. */
    private static Path updatedOfRelease(String release, String architecture) throws IOException {
        Path state = CACHE.resolve("apt-" + architecture + "-" + release);
        if (!UPDATED.contains(architecture + "-" + release)) {
            updateRelease(state, "deb", release, architecture);
            UPDATED.add(architecture + "-" + release);
        }
        return state;
    }

    private static void updateRelease(Path state, String kind, String release, String architecture) throws IOException {
        RequiredTool aptGet = RequiredTool.require("apt-get");
        String mirror = aptGet.output(append(
                        options(updated(architecture), architecture),
                        "indextargets",
                        "--format",
                        "$(REPO_URI)",
                        "Created-By: Packages",
                        release.endsWith("-security") ? "Label: Debian-Security" : "Label: Debian"))
                .lines()
                .findFirst()
                .orElseThrow(() -> RequiredTool.unavailable("this machine has no packages of Debian"));
        Files.createDirectories(state.resolve("lists/partial"));
        Files.createDirectories(state.resolve("cache/archives/partial"));
        Files.writeString(sources(state), kind + " " + mirror + " " + release + " main\n");
        aptGet.output(append(options(state, architecture, release), "update"));
    }

    /** {@link #updatedOfRelease} for the lists of source packages. */
    private static Path updatedSources(String release) throws IOException {
        Path state = CACHE.resolve("apt-source-" + release);
        if (!UPDATED.contains("source-" + release)) {
            updateRelease(state, "deb-src", release, THIS_ARCHITECTURE);
            UPDATED.add("source-" + release);
        }
        return state;
    }

    private static Path sources(Path state) {
        return state.resolve("release.list");
    }

    private static Object[] options(Path state, String architecture, String release) {
        return release.isEmpty()
                ? options(state, architecture)
                : append(
                        options(state, architecture),
                        "-o",
                        "Dir::Etc::sourcelist=" + sources(state),
                        "-o",
                        "Dir::Etc::sourceparts=/dev/null");
    }

    private static Object[] options(Path state, String architecture) {
        return new Object[] {
            "-q",
            "-o",
            "APT::Architecture=" + architecture,
            "-o",
            "APT::Architectures=" + architecture,
            "-o",
            "APT::Sandbox::User=",
            "-o",
            "Dir::State=" + state,
            "-o",
            "Dir::State::status=/dev/null",
            "-o",
            "Dir::Cache=" + state.resolve("cache")
        };
    }

    /** The middle of {@code NAME_VERSION_ARCHITECTURE.deb}; the colon of an epoch is written in hexadecimal there. */
    private static String version(Path archive) {
        return archive.getFileName().toString().split("_", -1)[1].replace("%3a", ":");
    }

    private static Path versionsFile(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".versions");
    }

    /**
     * The debug files of a package, in the order of their names, which are their build-ids: the installed ones, or those
     * of the package that is fetched for it.
     */
    public static List<Path> debugFiles(String packageName, String architecture) throws IOException {
        List<Path> installed = installedFiles(packageName, architecture);
        if (!installed.isEmpty()) {
            return installed;
        }
        Path folder = unpacked(packageName, architecture).resolve("usr/lib/debug");
        try (Stream<Path> files = Files.walk(folder)) {
            return debugFiles(files);
        }
    }

    private static List<Path> installedFiles(String packageName, String architecture) {
        try {
            String list = RequiredTool.require("dpkg-query").output("-L", packageName + ":" + architecture);
            return debugFiles(list.lines().map(Path::of));
        } catch (IOException notInstalled) {
            return List.of();
        }
    }

    private static List<Path> debugFiles(Stream<Path> files) {
        return files.filter(file -> file.toString().endsWith(".debug"))
                .filter(Files::isRegularFile)
                .sorted()
                .toList();
    }

    /** The largest debug file of a package: of {@code libc6-dbg} that of the C library itself. */
    public static Path largestDebugFile(String packageName, String architecture) throws IOException {
        Path largest = null;
        for (Path file : debugFiles(packageName, architecture)) {
            if (largest == null || Files.size(file) > Files.size(largest)) {
                largest = file;
            }
        }
        if (largest == null) {
            throw new IOException(packageName + ":" + architecture + " holds no .debug file");
        }
        return largest;
    }

    private static Object[] append(Object[] options, Object... more) {
        return Stream.concat(Stream.of(options), Stream.of(more)).toArray();
    }

    private static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
