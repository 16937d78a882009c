package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Entries of the corpus. */
final class CorpusEntries {

    private static final String ARCHITECTURE = Compiled.ARCHITECTURE;
    private static final String KERNEL = "linux-image-cloud-amd64-dbg";

    private CorpusEntries() {}

    /** Returns all entries, smallest first. */
    static List<CorpusEntry> all(Compiled compiled) {
        List<CorpusEntry> entries = new ArrayList<>(compiled.entries());
        for (String architecture : List.of("amd64", "arm64", "i386", "s390x")) {
            entries.add(new CorpusEntry(
                    "libc6-" + architecture,
                    "C library, " + architecture,
                    () -> debugFiles("libc6-dbg", architecture, Oracle.READELF, Oracle.LLVM_DWARFDUMP)));
        }
        entries.add(new CorpusEntry(
                "libpython",
                "Python, C",
                () -> files(
                        "libpython3.11-dbg",
                        path -> path.toString().endsWith(".so.1.0"),
                        Oracle.READELF,
                        Oracle.LLVM_DWARFDUMP)));
        entries.add(new CorpusEntry("libruby", "Ruby, C", CorpusEntries::libruby));
        entries.add(new CorpusEntry(
                "libstdcxx",
                "C++ library",
                // llvm-dwarfdump 14 hangs on one of the library's type names.
                () -> files("libstdc++6-12-dbg", path -> path.toString().endsWith(".so.6.0.30"), Oracle.READELF)));
        entries.add(new CorpusEntry(
                "librados",
                "large C++, sections compressed with zlib",
                () -> debugFiles("librados2-dbg", ARCHITECTURE, Oracle.READELF, Oracle.LLVM_DWARFDUMP)));
        entries.add(new CorpusEntry("vmlinux-btf", "Linux kernel, BTF", () -> List.of(vmlinuxWithBtfOnly())));
        entries.add(new CorpusEntry("linux-modules", "Linux modules, relocatable files", CorpusEntries::modules));
        entries.add(new CorpusEntry(
                "vmlinux", "Linux kernel", () -> List.of(vmlinux(Oracle.READELF, Oracle.LLVM_DWARFDUMP))));
        return entries;
    }

    /** Returns the debug files of a package. */
    private static List<CorpusFile> debugFiles(String packageName, String architecture, Oracle... oracles)
            throws IOException {
        return files(packageName, architecture, path -> path.toString().endsWith(".debug"), oracles);
    }

    private static List<CorpusFile> files(String packageName, Predicate<Path> wanted, Oracle... oracles)
            throws IOException {
        return files(packageName, ARCHITECTURE, wanted, oracles);
    }

    private static List<CorpusFile> files(
            String packageName, String architecture, Predicate<Path> wanted, Oracle... oracles) throws IOException {
        Path folder = DebianPackages.unpacked(packageName, architecture);
        String origin = DebianPackages.versions(folder) + " " + architecture;
        List<CorpusFile> files = new ArrayList<>();
        for (Path path : regularFiles(folder, wanted)) {
            files.add(CorpusFile.of(origin, path, oracles));
        }
        if (files.isEmpty()) {
            throw new IOException(packageName + " holds none of the files that are wanted of it");
        }
        return files;
    }

    private static List<Path> regularFiles(Path folder, Predicate<Path> wanted) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile).filter(wanted).sorted().toList();
        }
    }

    /**
     * Debian publishes Ruby's debug file in a separate archive, so it is fetched from a debuginfod or given with
     * --file.
     */
    private static List<CorpusFile> libruby() throws IOException {
        Path folder = DebianPackages.unpacked("libruby3.1", ARCHITECTURE);
        Path library = regularFiles(folder, path -> path.toString().contains(".so.3.1."))
                .getFirst();
        String buildId = Readelf.buildId(library);
        String servers = System.getenv("DEBUGINFOD_URLS");
        if (servers == null || servers.isEmpty()) {
            throw RequiredTool.unavailable("DEBUGINFOD_URLS names no server to ask for build-id " + buildId);
        }
        String path = RequiredTool.require("debuginfod-find").output("debuginfo", buildId);
        return List.of(CorpusFile.of(
                DebianPackages.versions(folder) + " " + ARCHITECTURE + " and debuginfod",
                Path.of(path.strip()),
                Oracle.READELF,
                Oracle.LLVM_DWARFDUMP));
    }

    private static String kernelPackage() throws IOException {
        return DebianPackages.dependency(KERNEL, ARCHITECTURE, "linux-image-");
    }

    private static CorpusFile vmlinux(Oracle... oracles) throws IOException {
        return files(kernelPackage(), path -> path.getFileName().toString().startsWith("vmlinux"), oracles)
                .getFirst();
    }

    /** The reader falls back to BTF only if the file has no DWARF. */
    private static CorpusFile vmlinuxWithBtfOnly() throws IOException {
        CorpusFile whole = vmlinux(Oracle.BPFTOOL);
        Path stripped = DebianPackages.unpacked(kernelPackage(), ARCHITECTURE).resolve("vmlinux-btf");
        RequiredTool.require("objcopy").output("--strip-debug", whole.path(), stripped);
        return new CorpusFile(
                whole.origin() + ", DWARF taken out",
                /* path= */ stripped,
                /* dumped= */ whole.path(),
                Optional.empty(),
                List.of(Oracle.BPFTOOL));
    }

    private static List<CorpusFile> modules() throws IOException {
        return files(
                kernelPackage(),
                path -> List.of("kvm.ko", "nf_tables.ko")
                        .contains(path.getFileName().toString()),
                Oracle.READELF,
                Oracle.LLVM_DWARFDUMP);
    }
}
