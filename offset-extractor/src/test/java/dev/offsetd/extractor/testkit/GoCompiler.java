package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A Go compiler out of Debian's packages. */
public final class GoCompiler {

    private static final String FLAGS = "-mod=mod -buildvcs=false";

    /** Versions that do not know the option for the state of the repository, and do not note it. */
    private static final Set<String> WITHOUT_REPOSITORY = Set.of("1.15");

    private final RequiredTool go;
    private final String packages;

    private GoCompiler(RequiredTool go, String packages) {
        this.go = go;
        this.packages = packages;
    }

    /**
     * Unpacks a compiler. Compiled programs stay beside its packages for the next run.
     *
     * @param release that has it: {@code trixie-backports}
     * @param version such as {@code 1.26}
     * @param folder for its root
     */
    public static GoCompiler unpacked(String release, String version, Path folder) throws IOException {
        Path packages = DebianPackages.unpackedOfRelease(release, "golang-" + version + "-go", "amd64");
        Path tools = packages.resolve("usr/lib/go-" + version);
        Path sources = DebianPackages.unpackedOfRelease(release, "golang-" + version + "-src", "amd64")
                .resolve("usr/share/go-" + version);
        Path root = folder.resolve("root-" + version);
        if (!Files.exists(root)) {
            Files.createDirectories(root.resolve("pkg"));
            for (String part : List.of("bin", "pkg/tool", "pkg/include", "VERSION")) {
                Files.createSymbolicLink(root.resolve(part), tools.resolve(part));
            }
            Files.createSymbolicLink(root.resolve("src"), sources.resolve("src"));
        }
        return new GoCompiler(
                RequiredTool.at(root.resolve("bin/go"))
                        .with("GOROOT", root)
                        .with("GOCACHE", packages.resolveSibling(packages.getFileName() + ".compiled"))
                        .with("GOFLAGS", WITHOUT_REPOSITORY.contains(version) ? "-mod=mod" : FLAGS),
                DebianPackages.versions(packages));
    }

    /** Writes a module of sources of the corpus. */
    public static void writeModule(Path module, String... sources) throws IOException {
        Files.createDirectories(module);
        Files.writeString(module.resolve("go.mod"), "module example.com/program\n\ngo 1.18\n");
        for (String source : sources) {
            try (InputStream in = GoCompiler.class.getResourceAsStream("/corpus/" + source)) {
                Files.write(
                        module.resolve(source),
                        Objects.requireNonNull(in, source).readAllBytes());
            }
        }
    }

    /** Returns the installed compiler. */
    public static GoCompiler installed() {
        return new GoCompiler(RequiredTool.require("go").with("GOFLAGS", FLAGS), "the installed compiler");
    }

    /** Returns the packages of the compiler, with their versions. */
    public String packages() {
        return packages;
    }

    /**
     * Builds the module in a folder, without the network.
     *
     * @param environment variables such as {@code GOARCH=arm64 CGO_ENABLED=0}
     * @return the program
     */
    public Path build(Path module, String environment, String... options) throws IOException {
        RequiredTool configured =
                go.with("GOTOOLCHAIN", "local").with("GOPROXY", "off").with("GOPATH", module.resolve("path"));
        for (String variable : environment.split(" ", -1)) {
            String[] parts = variable.split("=", 2);
            configured = configured.with(parts[0], parts[1]);
        }
        List<String> words = new ArrayList<>(List.of("build", "-o", "program"));
        words.addAll(List.of(options));
        configured.outputIn(module, words.toArray());
        return module.resolve("program");
    }
}
