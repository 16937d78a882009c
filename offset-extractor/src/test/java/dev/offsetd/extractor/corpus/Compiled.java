package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Corpus files compiled on this machine, for variants of DWARF that no package contains. */
final class Compiled {

    /** Debian's name of the architecture of the compilers and packages. */
    static final String ARCHITECTURE = "amd64";

    private static final List<String> SHARED = List.of("-g", "-shared", "-fPIC");

    private final Path folder;

    /** @param folder output folder; files of earlier runs are overwritten */
    Compiled(Path folder) {
        this.folder = folder;
    }

    /** Returns the folder that the command is given. */
    static Path defaultFolder() {
        return Path.of(System.getProperty("offsetd.compiled", "target/compiled"))
                .toAbsolutePath();
    }

    List<CorpusEntry> entries() {
        return Stream.concat(ofInstalledCompilers().stream(), new UnpackedCompilers(this).entries().stream())
                .toList();
    }

    private List<CorpusEntry> ofInstalledCompilers() {
        return List.of(
                new CorpusEntry(
                        "gcc-dwarf5", "C++, all types of the headers", () -> cxx("g++", "-gdwarf-5", "-O2", UNUSED)),
                new CorpusEntry("clang-dwarf5", "C++ by clang", () -> cxx("clang++", "-gdwarf-5", STANDALONE)),
                new CorpusEntry("clang-dwarf4", "C++ by clang", () -> cxx("clang++", "-gdwarf-4", STANDALONE)),
                new CorpusEntry("gcc-lto", "C++ with -flto", () -> cxx("g++", "-flto", "-O2")),
                new CorpusEntry("gcc-type-units5", "C++ with type units", () -> cxx("g++", "-gdwarf-5", TYPE_UNITS)),
                new CorpusEntry("gcc-type-units4", "C++ with .debug_types", () -> cxx("g++", "-gdwarf-4", TYPE_UNITS)),
                new CorpusEntry("gcc-dwarf2", "C++ as of 1993", () -> cxx("g++", "-gdwarf-2", "-gstrict-dwarf")),
                new CorpusEntry("gcc-split5", ".dwo", () -> List.of(dwo("g++", "-gdwarf-5"))),
                new CorpusEntry("gcc-split4", ".dwo of DWARF 4", () -> List.of(dwo("g++", "-gdwarf-4"))),
                new CorpusEntry("clang-split5", ".dwo by clang", () -> List.of(dwo("clang++", "-gdwarf-5"))),
                new CorpusEntry("gcc-dwp", ".dwp of DWARF 4", () -> List.of(dwp("g++", "-gdwarf-4", Oracle.READELF))),
                new CorpusEntry(
                        "clang-dwp",
                        ".dwp by clang, type units",
                        () -> List.of(dwp("clang++", TYPE_UNITS, Oracle.LLVM_DWARFDUMP))),
                new CorpusEntry(
                        "clang-spellings", "C++ names by clang", () -> library("clang++", "-g", "spellings.cpp")),
                new CorpusEntry("gcc-spellings", "C++ names by GCC", () -> library("g++", "-g", "spellings.cpp")),
                new CorpusEntry(
                        "gcc-declarators", "C declarators and qualifiers", () -> library("gcc", "-g", "declarators.c")),
                new CorpusEntry(
                        "gcc-bounds",
                        "C arrays of 4 GiB, of none and flexible",
                        () -> library("gcc", "-g", "bounds.c")),
                new CorpusEntry("clang-bounds", "the same by clang", () -> library("clang", "-g", "bounds.c")),
                new CorpusEntry("gcc-declared", "C++ classes that other units define", this::declared),
                new CorpusEntry(
                        "gcc-variants",
                        "C, two layouts of one name",
                        () -> library("gcc", "-g", "variants.c", "variants_wide.c")),
                new CorpusEntry("s390x-dwarf3", "C, big-endian, old bit-fields", this::bigEndian),
                new CorpusEntry("fortran", "arrays of Fortran", () -> program("gfortran", "arrays.f90")),
                new CorpusEntry("ada", "arrays and subranges of Ada", this::ada),
                new CorpusEntry("pascal", "records, sets and arrays of Free Pascal", this::pascal),
                new CorpusEntry("d", "structs and classes of D", () -> library("gdc", "-g", "shapes.d")),
                new CorpusEntry("d-modules", "modules of D", () -> library("gdc", "-g", "scopes.d", "scopes_inner.d")),
                new CorpusEntry("fortran-modules", "modules of Fortran", () -> program("gfortran", "modules.f90")),
                new CorpusEntry("clang-gmodules", "C++ whose types are in a module, and the module", this::modules),
                new CorpusEntry("clang-objc", "Objective-C, places set at run time", this::instanceVariables),
                new CorpusEntry("dwz-m", "C library after dwz -m", this::dwz));
    }

    private static final String STANDALONE = "-fstandalone-debug";
    private static final String TYPE_UNITS = "-fdebug-types-section";
    private static final String UNUSED = "-fno-eliminate-unused-debug-types";

    private List<CorpusFile> cxx(String compiler, String... options) throws IOException {
        List<Object> all = join(SHARED, List.of("-std=c++20"), List.of(options));
        Path library = fresh(compiler, options).resolve("library.so");
        RequiredTool.require(compiler)
                .output(join(all, List.of(source("standard_library.cpp"), source("inheritance.cpp"), "-o", library))
                        .toArray());
        return List.of(CorpusFile.of(
                compiler + " " + String.join(" ", options), library, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    /** Compiles a program with {@code -gsplit-dwarf}, so that its types are in one file beside it. */
    private CorpusFile dwo(String compiler, String dwarf) throws IOException {
        Path built = fresh(compiler, "dwo", dwarf);
        RequiredTool tool = RequiredTool.require(compiler);
        List<String> options = List.of("-g", dwarf, "-gsplit-dwarf", "-fPIC", "-std=c++20");
        tool.outputIn(
                built,
                join(options, List.of("-c", source("standard_library.cpp"), "-o", "library.o"))
                        .toArray());
        tool.outputIn(built, "-shared", "library.o", "-o", "library.so");
        return split(
                compiler + " -gsplit-dwarf " + dwarf,
                built.resolve("library.so"),
                built.resolve("library.dwo"),
                // readelf 2.40 counts the string offsets of split DWARF 5 from the header of their table;
                // llvm-dwarfdump 14 fails on DWARF 4 ranges in the linked file.
                List.of(dwarf.equals("-gdwarf-5") ? Oracle.LLVM_DWARFDUMP : Oracle.READELF));
    }

    /** llvm-dwp 14 hangs on the DWARF 5 that GCC writes, so no caller combines them. */
    private CorpusFile dwp(String compiler, String option, Oracle oracle) throws IOException {
        Path built = fresh(compiler, "dwp", option);
        RequiredTool tool = RequiredTool.require(compiler);
        List<String> options = List.of("-g", option, "-gsplit-dwarf", "-fPIC", "-std=c++20");
        for (String name : List.of("standard_library", "inheritance")) {
            tool.outputIn(
                    built,
                    join(options, List.of("-c", source(name + ".cpp"), "-o", name + ".o"))
                            .toArray());
        }
        tool.outputIn(built, "-shared", "standard_library.o", "inheritance.o", "-o", "library.so");
        RequiredTool.require("llvm-dwp").outputIn(built, "-e", "library.so", "-o", "library.so.dwp");
        return split(
                compiler + " -gsplit-dwarf " + option + ", llvm-dwp",
                built.resolve("library.so"),
                built.resolve("library.so.dwp"),
                List.of(oracle));
    }

    private static CorpusFile split(String origin, Path linked, Path units, List<Oracle> oracles) {
        return new CorpusFile(origin, linked, units, Optional.empty(), oracles);
    }

    private List<CorpusFile> library(String compiler, String option, String... sources) throws IOException {
        Path library = fresh(compiler, sources).resolve("library.so");
        List<Object> all = join(SHARED, List.of(option));
        for (String each : sources) {
            all = join(all, List.of(source(each)));
        }
        RequiredTool.require(compiler).output(join(all, List.of("-o", library)).toArray());
        return List.of(CorpusFile.of(compiler + " " + option, library, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    private List<CorpusFile> declared() throws IOException {
        source("declared.h");
        return library("g++", "-g", "declared_holder.cpp", "declared_keeper.cpp");
    }

    private List<CorpusFile> bigEndian() throws IOException {
        Path library = fresh("s390x").resolve("layout.so");
        Path sources = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling(".");
        List<String> options = List.of("-gdwarf-3", "-gstrict-dwarf");
        RequiredTool.require("s390x-linux-gnu-gcc")
                .output(join(
                                options,
                                SHARED.subList(1, SHARED.size()),
                                List.of(
                                        "-nostdlib",
                                        sources.resolve("layout.c"),
                                        sources.resolve("second.c"),
                                        "-o",
                                        library))
                        .toArray());
        return List.of(CorpusFile.of(
                "s390x-linux-gnu-gcc " + String.join(" ", options), library, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    private List<CorpusFile> program(String compiler, String source) throws IOException {
        Path built = fresh(compiler, source);
        Path program = built.resolve("program");
        RequiredTool.require(compiler).outputIn(built, "-g", source(source), "-o", program);
        return List.of(CorpusFile.of(compiler + " -g", program, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    /** Compiles a library that only declares the types of its module, which clang writes into a file of the module. */
    private List<CorpusFile> modules() throws IOException {
        Path built = fresh("modules");
        source("modules.h");
        RequiredTool.require("clang++")
                .outputIn(
                        built,
                        "-g",
                        "-gmodules",
                        "-fmodules",
                        "-fmodules-cache-path=cache",
                        "-fmodule-map-file=" + source("modules.modulemap"),
                        "-std=c++20",
                        "-shared",
                        "-fPIC",
                        source("modules.cpp"),
                        "-o",
                        "library.so");
        List<CorpusFile> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(built)) {
            all.filter(path -> path.toString().endsWith(".pcm") || path.endsWith("library.so"))
                    .forEach(path -> files.add(CorpusFile.of(
                            "clang++ -g -gmodules -fmodules", path, Oracle.READELF, Oracle.LLVM_DWARFDUMP)));
        }
        return files;
    }

    private List<CorpusFile> instanceVariables() throws IOException {
        Path object = fresh("objc").resolve("variables.o");
        RequiredTool.require("clang")
                .output("-g", "-fobjc-runtime=gnustep-2.0", "-c", source("instance_variables.m"), "-o", object);
        return List.of(
                CorpusFile.of("clang -g -fobjc-runtime=gnustep-2.0", object, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    private List<CorpusFile> ada() throws IOException {
        Path built = fresh("gnat");
        source("layouts.ads");
        RequiredTool.require("gnatmake")
                .outputIn(built, "-q", "-g", source("layouts_main.adb"), "-I" + folder, "-o", "layouts");
        return List.of(CorpusFile.of("gnatmake -g", built.resolve("layouts"), Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    private List<CorpusFile> pascal() throws IOException {
        Path built = fresh("fpc");
        Path program = built.resolve("shapes");
        RequiredTool.require("fpc").outputIn(built, "-gw3", source("shapes.pas"), "-o" + program);
        return List.of(CorpusFile.of("fpc -gw3", program, Oracle.READELF, Oracle.LLVM_DWARFDUMP));
    }

    /** Runs dwz on two files of the C library package, to move their common types into a supplementary file. */
    private List<CorpusFile> dwz() throws IOException {
        Path built = fresh("dwz");
        Path unpacked = DebianPackages.unpacked("libc6-dbg", ARCHITECTURE);
        List<Path> largest;
        try (Stream<Path> files = Files.walk(unpacked)) {
            largest = files.filter(file -> file.toString().endsWith(".debug"))
                    .sorted((a, b) ->
                            Long.compare(b.toFile().length(), a.toFile().length()))
                    .limit(2)
                    .toList();
        }
        List<Path> copies = new ArrayList<>();
        for (Path file : largest) {
            Path copy = built.resolve(file.getFileName());
            // dwz skips files with compressed sections.
            RequiredTool.require("objcopy").output("--decompress-debug-sections", file, copy);
            copies.add(copy);
        }
        RequiredTool.require("dwz")
                .outputIn(built, join(List.of("-m", "common.dwz", "-r"), copies).toArray());
        List<CorpusFile> files = new ArrayList<>();
        for (Path copy : copies) {
            files.add(new CorpusFile(
                    DebianPackages.versions(unpacked) + ", dwz -m",
                    copy,
                    copy,
                    Optional.of(built.resolve("common.dwz")),
                    List.of(Oracle.READELF)));
        }
        return files;
    }

    /** Returns the folder for the output of a compilation. */
    Path fresh(String first, String... more) throws IOException {
        Path built = folder.resolve(first + String.join("", more));
        Files.createDirectories(built);
        return built;
    }

    /** Copies a source out of the test resources into the folder, because its path ends up in the debug information. */
    Path source(String name) throws IOException {
        URL resource = Compiled.class.getResource("/corpus/" + name);
        if (resource == null) {
            throw new IOException("no resource /corpus/" + name);
        }
        try {
            Files.createDirectories(folder);
            return Files.copy(Path.of(resource.toURI()), folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private static List<Object> join(List<?>... lists) {
        return Stream.of(lists).<Object>flatMap(List::stream).toList();
    }
}
