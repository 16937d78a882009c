package dev.offsetd.extractor;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.testkit.HashKeys;
import dev.offsetd.extractor.testkit.LinearText;
import dev.offsetd.extractor.testkit.OptionalUse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packages, and the one direction in which they may know each other. */
@Tag("long")
class ArchitectureRulesTests {

    private static final String BASE = "dev.offsetd.extractor.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.offsetd.extractor");

    private static String[] packages(String... names) {
        return Stream.of(names).map(name -> BASE + name + "..").toArray(String[]::new);
    }

    private static void onlyKnows(String name, String reason, String... known) {
        String[] allowed = Stream.concat(
                        Stream.of(packages(known)),
                        Stream.of(
                                BASE + name + "..",
                                "java..",
                                "javax..",
                                "org.jspecify..",
                                "com.github.luben..",
                                "com.google.re2j..",
                                "org.tukaani.."))
                .toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(BASE + name + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .because(reason)
                .check(CLASSES);
    }

    @Test
    void layoutKnowsOnlyWhenToStop() {
        onlyKnows(
                "layout",
                "the answer is what everything else speaks in, and must be usable without any of it; comparing layouts"
                        + " takes as long as a file makes it",
                "input");
    }

    @Test
    void recordsKnowNoReader() {
        String reason = "records are what everything else speaks in, and must be usable without any of it";
        onlyKnows("builds", reason);
        onlyKnows("bpf", reason, "layout");
        onlyKnows("symbols", reason, "layout");
        onlyKnows("frames", reason, "layout");
    }

    @Test
    void omissionKnowsNoReader() {
        onlyKnows("omission", "readers of every format log what they leave out", "input", "layout");
    }

    @Test
    void inputIsALeaf() {
        onlyKnows("input", "the lowest reader checks limits and throws, so nothing that it needs may point up");
    }

    @Test
    void bytesKnowsOnlyHowToRefuse() {
        onlyKnows("bytes", "reading bytes safely is the same for every format", "input");
    }

    @Test
    void elfKnowsNoDwarf() {
        onlyKnows(
                "elf",
                "a DWARF test needs a few bytes and no ELF file, and BTF comes in ELF files too",
                "bytes",
                "input",
                "builds",
                "layout",
                "omission",
                "symbols");
    }

    @Test
    void dwarfKnowsNoElf() {
        onlyKnows(
                "dwarf",
                "the entry point takes named sections out of elf and hands them over",
                "bytes",
                "input",
                "layout",
                "omission",
                "frames");
    }

    @Test
    void dwarfIsReadInLayers() {
        String reason =
                "attributes, units, types, names, the scan, the builder and frames are layers, each usable without the next";
        String[] lower = {"bytes", "input", "layout", "omission", "frames"};
        for (String layer : List.of("abbreviation", "unit", "type", "name", "scan", "build", "frame")) {
            onlyKnows("dwarf." + layer, reason, lower);
            lower = Arrays.copyOf(lower, lower.length + 1);
            lower[lower.length - 1] = "dwarf." + layer;
        }
    }

    @Test
    void goKnowsNeitherElfNorDwarf() {
        onlyKnows(
                "go",
                "descriptors are read at addresses, and a test needs a few bytes",
                "bytes",
                "input",
                "layout",
                "omission",
                "frames");
    }

    @Test
    void pythonKnowsNeitherElfNorDwarf() {
        onlyKnows("python", "a table is a section, and a test needs a few bytes", "bytes", "input", "layout");
    }

    @Test
    void btfKnowsNeitherElfNorDwarf() {
        onlyKnows(
                "btf",
                "it is a separate format, and a test needs a few bytes",
                "bytes",
                "input",
                "layout",
                "omission",
                "bpf");
    }

    @Test
    void identityKnowsNeitherElfNorDwarf() {
        onlyKnows(
                "identity",
                "the entry point hands over sections and attributes, and a test needs a few bytes",
                "bytes",
                "input",
                "layout");
        noClasses()
                .that()
                .resideInAPackage(BASE + "identity")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(BASE + "identity.scan..")
                .because("names are records, usable without what reads them")
                .check(CLASSES);
    }

    @Test
    void nothingKnowsTheEntryPoint() {
        noClasses()
                .that()
                .resideInAPackage(BASE + "*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.offsetd.extractor")
                .because("the entry point wires the readers, and what is wired does not know it")
                .check(CLASSES);
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("dev.offsetd.extractor.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    @Test
    void nativeAndParserLibrariesStayWhereTheyAreUsed() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + "elf..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.github.luben..")
                .because("zstd is for compressed sections and files")
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + "elf..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.tukaani..")
                .because("xz is for compressed files, and the small one in a stripped program")
                .check(CLASSES);
    }

    @Test
    void threadsStartInTheEntryPointOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.offsetd.extractor")
                .and()
                // It asks whether its thread was interrupted, and starts none.
                .doNotBelongToAnyOf(Deadline.class)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Thread.class, ExecutorService.class, ForkJoinPool.class)
                .because("a unit is the unit of work, and one place decides how many run side by side")
                .check(CLASSES);
    }

    @Test
    void everyPackageSaysWhereNullMayBe() {
        assertThat(CLASSES.stream()
                        .map(type -> type.getPackage())
                        .distinct()
                        .filter(type -> !type.isAnnotatedWith(NullMarked.class))
                        .map(type -> type.getName()))
                .isEmpty();
    }

    @Test
    void readersRefuseOnlyInTheKindsOfInput() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.offsetd.extractor",
                        BASE + "bytes..",
                        BASE + "elf..",
                        BASE + "dwarf..",
                        BASE + "btf..",
                        BASE + "go..",
                        BASE + "identity..")
                .and()
                .doNotHaveSimpleName("AmbiguousNameException")
                .and()
                .doNotHaveSimpleName("AwaitedDeclaration")
                .should()
                .beAssignableTo(Throwable.class)
                .because("callers switch over the kinds of refusals in input; an ambiguous name is the caller's, not"
                        + " the file's, and an awaited declaration ends in the builder of types")
                .check(CLASSES);
    }

    @Test
    void optionalIsAReturnValueOnly() {
        assertThat(OptionalUse.otherThanReturned(CLASSES)).isEmpty();
    }

    @Test
    void textIsReadInLinearTime() throws IOException {
        // Each of its repetitions is possessive, and stands where no other has looked at the same characters.
        LinearText.check(CLASSES, Path.of("src/main/java"), "TypeNames");
    }

    @Test
    void keysOfHashTablesAreComparable() throws IOException {
        assertThat(HashKeys.slow(Path.of("src/main/java")))
                .isSubsetOf(
                        // Most that 1,000 units state.
                        "CompilationIdentity: T",
                        // Names of the reader's own.
                        "DebugOffsets: OffsetTable.CType",
                        "Distribution: immutable String",
                        // Its hash is mixed, so that few places in a file share one.
                        "AbbreviationTables: AbbreviationTables.Key",
                        // Few places where a file may be.
                        "LinkedPaths: Path",
                        "MappedFiles: Path",
                        "SupplementaryFile: Path");
    }
}
