package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Corpus files by compilers that are unpacked from Debian's packages, because few machines have them. */
final class UnpackedCompilers {

    private static final String LIBRARIES = "usr/lib/x86_64-linux-gnu";

    /** Compilers of Go in the suites of Debian. */
    private static final Map<String, String> SUITES_OF_GO = new TreeMap<>(Map.of(
            "1.15", "bullseye",
            "1.21", "bookworm-backports",
            "1.22", "bookworm-backports",
            "1.23", "bookworm-backports",
            "1.24", "trixie",
            "1.25", "trixie-backports",
            "1.26", "forky",
            "1.27", "forky"));

    private static final String ESBUILD = "@esbuild/linux-x64@0.28.2";

    private final Compiled compiled;

    /** @param compiled the folder of the sources and the output */
    UnpackedCompilers(Compiled compiled) {
        this.compiled = compiled;
    }

    List<CorpusEntry> entries() {
        List<CorpusEntry> entries = new ArrayList<>(ofOneVersion());
        SUITES_OF_GO.forEach((version, suite) -> entries.add(new CorpusEntry(
                "go-" + version,
                "Go " + version + ": executable, PIE, with C, arm64",
                () -> goPrograms(suite, version))));
        entries.add(new CorpusEntry("go-npm", "stripped Go program of an npm package", this::esbuild));
        return entries;
    }

    private List<CorpusEntry> ofOneVersion() {
        return List.of(
                new CorpusEntry("gcc-objc", "Objective-C, places set by the compiler", this::objectiveC),
                new CorpusEntry("mips-dwarf2", "C of MIPS, big-endian, constants as locations", this::mips),
                new CorpusEntry(
                        "gcc3-module", "kernel module as of GCC 3: C structs in structs, MIPS", this::kernelModule),
                new CorpusEntry("ldc-modules", "modules of D by LLVM", () -> ldc("scopes.d", "scopes_inner.d")),
                new CorpusEntry("ldc-library", "library of D, by LLVM", () -> ldc("scopes_library.d")),
                new CorpusEntry("crystal", "Crystal with its library", this::crystal),
                new CorpusEntry("rust", "Rust, Debian's compiler", () -> List.of(rust())),
                new CorpusEntry("go", "Go, Debian's compiler", () -> List.of(go())));
    }

    private List<CorpusFile> objectiveC() throws IOException {
        Path root = DebianPackages.unpacked("gobjc-12", Compiled.ARCHITECTURE);
        Path object = compiled.fresh("gobjc").resolve("variables.o");
        RequiredTool.require("gcc-12")
                .output(
                        "-B" + root.resolve("usr/lib/gcc/x86_64-linux-gnu/12"),
                        "-g",
                        "-c",
                        compiled.source("instance_variables.m"),
                        "-o",
                        object);
        return compared(DebianPackages.versions(root) + "; gcc -g", object);
    }

    private List<CorpusFile> mips() throws IOException {
        Path sources = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling(".");
        return mipsObject("gcc", List.of(sources.resolve("layout.c"), sources.resolve("second.c")));
    }

    /** GCC 3 nests a struct of C in the one that first names it, as C++ does, so this has units of C++ say that they are C. */
    private List<CorpusFile> kernelModule() throws IOException {
        compiled.source("kernel_module.h");
        return mipsObject(
                "g++", List.of(compiled.source("kernel_module.cc"), compiled.source("kernel_module_exit.cc")));
    }

    /**
     * Compiles and joins relocatable files for big-endian MIPS. The place of a member is written as GCC up to 4.3 wrote it
     * there: the expression is a constant and not an addition.
     */
    private List<CorpusFile> mipsObject(String compiler, List<Path> sources) throws IOException {
        Path root = DebianPackages.unpacked(
                List.of(
                        "binutils-mips-linux-gnu",
                        "cpp-12-mips-linux-gnu",
                        "gcc-12-mips-linux-gnu",
                        "g++-12-mips-linux-gnu"),
                Compiled.ARCHITECTURE);
        Path built = compiled.fresh("mips", compiler);
        RequiredTool tool = unpacked(root, "usr/bin/mips-linux-gnu-" + compiler + "-12");
        List<Object> link = new ArrayList<>(List.of("-r", "-o", "joined.ko"));
        for (Path source : sources) {
            Path assembly = built.resolve(source.getFileName() + ".s");
            tool.outputIn(built, "-gdwarf-2", "-gstrict-dwarf", "-dA", "-S", source, "-o", assembly);
            Files.writeString(
                    assembly,
                    Files.readString(assembly)
                            .replaceAll("0x23(\\s+# DW_OP_plus_uconst)", "0x10$1")
                            .replaceAll("0x4(\\s+# DW_AT_language)", "0x1$1"));
            Path object = built.resolve(source.getFileName() + ".o");
            tool.outputIn(built, "-c", assembly, "-o", object);
            link.add(object);
        }
        unpacked(root, "usr/bin/mips-linux-gnu-ld").outputIn(built, link.toArray());
        return compared(
                DebianPackages.versions(root) + "; mips-linux-gnu-" + compiler + " -gdwarf-2 -gstrict-dwarf, edited",
                built.resolve("joined.ko"));
    }

    private List<CorpusFile> ldc(String... sources) throws IOException {
        Path root = DebianPackages.unpacked(List.of("ldc", "libphobos2-ldc-shared-dev"), Compiled.ARCHITECTURE);
        Path object = compiled.fresh("ldc", sources).resolve("object.o");
        List<Object> arguments = new ArrayList<>(List.of(
                "-conf=", "-g", "-c", "-I" + root.resolve("usr/lib/ldc/x86_64-linux-gnu/include/d"), "-of=" + object));
        for (String source : sources) {
            arguments.add(compiled.source(source));
        }
        unpacked(root, "usr/bin/ldc2").output(arguments.toArray());
        return compared(DebianPackages.versions(root) + "; ldc2 -g", object);
    }

    /** Compiles without linking, which needs no library that the program uses. */
    private List<CorpusFile> crystal() throws IOException {
        Path root = DebianPackages.unpacked(
                List.of("crystal", "libpcre3", "libgc1", "libevent-2.1-7"), Compiled.ARCHITECTURE);
        Path built = compiled.fresh("crystal");
        unpacked(root, "usr/bin/crystal")
                .with("CRYSTAL_CACHE_DIR", built.resolve("cache"))
                .with("CRYSTAL_PATH", root.resolve("usr/lib/crystal/lib"))
                .outputIn(
                        built,
                        "build",
                        "-d",
                        "--no-color",
                        "--cross-compile",
                        "--target=x86_64-linux-gnu",
                        compiled.source("everyday.cr"),
                        "-o",
                        "program");
        return compared(DebianPackages.versions(root) + "; crystal build -d", built.resolve("program.o"));
    }

    /** Compiles a crate with many data-carrying enums, and the parts of Rust's standard library that it uses. */
    private CorpusFile rust() throws IOException {
        Path root = DebianPackages.unpacked(
                List.of("rustc", "libstd-rust-1.63", "libstd-rust-dev", "librust-regex-syntax-dev"),
                Compiled.ARCHITECTURE);
        Path library = compiled.fresh("rust").resolve("library.so");
        Path source;
        try (Stream<Path> crates = Files.list(root.resolve("usr/share/cargo/registry"))) {
            source = crates.findFirst().orElseThrow().resolve("src/lib.rs");
        }
        RequiredTool.at(root.resolve("usr/bin/rustc"))
                .with("LD_LIBRARY_PATH", root.resolve("usr/lib/x86_64-linux-gnu") + ":" + root.resolve("usr/lib"))
                .output(
                        "--sysroot",
                        root.resolve("usr"),
                        "-g",
                        "--crate-type=cdylib",
                        "--edition=2018",
                        "-o",
                        library,
                        source);
        return CorpusFile.of(
                DebianPackages.versions(root) + "; rustc -g --crate-type=cdylib",
                library,
                Oracle.READELF,
                Oracle.LLVM_DWARFDUMP);
    }

    /** Debian strips its Go programs, so this builds the {@code go} command with Debian's compiler. */
    private CorpusFile go() throws IOException {
        Path root = DebianPackages.unpacked(List.of("golang-1.19-go", "golang-1.19-src"), Compiled.ARCHITECTURE);
        Path built = compiled.fresh("go");
        Path installed = root.resolve("usr/lib/go-1.19");
        RequiredTool.at(installed.resolve("bin/go"))
                .with("GOROOT", installed)
                .with("GOCACHE", built.resolve("cache"))
                .with("GOPATH", built.resolve("path"))
                .with("GOPROXY", "off")
                .with("CGO_ENABLED", "0")
                .output("build", "-o", built.resolve("go"), "cmd/go");
        return CorpusFile.of(
                DebianPackages.versions(root) + "; go build cmd/go",
                built.resolve("go"),
                Oracle.READELF,
                Oracle.LLVM_DWARFDUMP);
    }

    private List<CorpusFile> goPrograms(String suite, String version) throws IOException {
        Path built = compiled.fresh("go", version);
        GoCompiler compiler = GoCompiler.unpacked(suite, version, built);
        Path module = built.resolve("module");
        // Go 1.15 knows no generic types.
        String functions = version.equals("1.15") ? "plain_functions.go" : "functions.go";
        GoCompiler.writeModule(module, functions, "functions_c.go");
        List<CorpusFile> files = new ArrayList<>();
        for (String style : List.of(
                "GOARCH=amd64 CGO_ENABLED=0 -buildmode=exe",
                "GOARCH=amd64 CGO_ENABLED=0 -buildmode=pie",
                "GOARCH=amd64 CGO_ENABLED=1 -buildmode=pie",
                "GOARCH=arm64 CGO_ENABLED=0 -buildmode=exe")) {
            int mode = style.lastIndexOf(' ');
            Path program = compiler.build(module, style.substring(0, mode), style.substring(mode + 1));
            Path kept =
                    Files.move(program, built.resolve("program" + files.size()), StandardCopyOption.REPLACE_EXISTING);
            files.add(CorpusFile.of(compiler.packages() + "; " + style, kept, Oracle.READELF));
        }
        return files;
    }

    private List<CorpusFile> esbuild() throws IOException {
        Path built = compiled.fresh("esbuild");
        String archive = RequiredTool.require("npm")
                .outputIn(built, "pack", "--silent", ESBUILD)
                .strip();
        RequiredTool.require("tar").outputIn(built, "-xzf", archive);
        return List.of(CorpusFile.of("npm's " + ESBUILD, built.resolve("package/bin/esbuild")));
    }

    private static RequiredTool unpacked(Path root, String program) {
        return RequiredTool.at(root.resolve(program))
                .with("LD_LIBRARY_PATH", root.resolve(LIBRARIES) + ":" + root.resolve("lib/x86_64-linux-gnu"));
    }

    private static List<CorpusFile> compared(String origin, Path file) {
        return List.of(CorpusFile.of(origin, file, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }
}
