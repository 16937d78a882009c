package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Real debug files out of Debian's packages: installed ones where there are any. Nothing of the machine is changed and no root is needed: packages are
 * unpacked, not installed, under {@code target/debian} of the module that runs the tests, and stay there for the next
 * run; {@code apt-get} keeps its lists there too, so that packages of other architectures can be had.
 */
public final class DebianPackages {

    private static final Path CACHE = Path.of("target", "debian").toAbsolutePath();

    private DebianPackages() {}

    /**
     * The folder that a package is unpacked in; it is fetched for it once.
     *
     * @param packageName such as {@code libc6-dbg}
     * @param architecture Debian's name of it, such as {@code s390x}
     */
    public static synchronized Path unpacked(String packageName, String architecture) throws IOException {
        Path folder = CACHE.resolve(packageName + "-" + architecture);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        RequiredTool aptGet = RequiredTool.require("apt-get");
        RequiredTool dpkgDeb = RequiredTool.require("dpkg-deb");
        Path state = CACHE.resolve("apt-" + architecture);
        Files.createDirectories(state.resolve("lists/partial"));
        Files.createDirectories(state.resolve("cache/archives/partial"));
        Object[] options = {
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
        Path unfinished = CACHE.resolve(folder.getFileName() + ".unfinished");
        deleteTree(unfinished);
        String problem = "";
        try {
            aptGet.output(append(options, "update"));
        } catch (IOException e) {
            // A mirror that is being updated lacks some list; the one that is needed may be there all the same.
            problem = e.getMessage() + "; ";
        }
        try {
            aptGet.outputIn(state, append(options, "download", packageName + ":" + architecture));
        } catch (IOException e) {
            throw RequiredTool.unavailable(
                    "package " + packageName + ":" + architecture + " cannot be fetched: " + problem + e.getMessage());
        }
        Path archive;
        try (Stream<Path> files = Files.list(state)) {
            archive = files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(packageName + "_") && name.endsWith(".deb");
                    })
                    .sorted()
                    .findFirst()
                    .orElseThrow(() -> new IOException("apt-get download left no " + packageName + "_*.deb"));
        }
        dpkgDeb.output("-x", archive, unfinished);
        Files.delete(archive);
        Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        return folder;
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
