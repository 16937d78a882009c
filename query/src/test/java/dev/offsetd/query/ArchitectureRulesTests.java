package dev.offsetd.query;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.offsetd.extractor.testkit.HashKeys;
import dev.offsetd.extractor.testkit.LinearText;
import dev.offsetd.extractor.testkit.OptionalUse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ArchitectureRulesTests {

    private static final String BASE = "dev.offsetd.query.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.offsetd.query");

    /** Checks that a package uses only the JDK, the records of the extractor, {@code input} and these packages. */
    private static void onlyUses(String name, String reason, String... used) {
        String[] allowed = Stream.concat(
                        Stream.of(used).map(one -> BASE + one + ".."),
                        Stream.of(
                                BASE + name + "..",
                                "dev.offsetd.extractor.builds..",
                                "dev.offsetd.extractor.frames..",
                                "dev.offsetd.extractor.identity",
                                "dev.offsetd.extractor.layout..",
                                "dev.offsetd.extractor.symbols..",
                                "dev.offsetd.extractor.input..",
                                "java..",
                                "javax.xml.stream",
                                "org.jspecify..",
                                "com.github.luben..",
                                "com.google.re2j..",
                                "tools.jackson.."))
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
    void storeUsesRecordsOfTheReaderOnly() {
        onlyUses("store", "a stored catalogue is read where no debug file is");
    }

    @Test
    void itemUsesIndexesOnly() {
        onlyUses("item", "items are answered from any index, stored or fresh", "symbol");
    }

    @Test
    void resolveAsksItemWhatANameMeans() {
        onlyUses("resolve", "one place decides which definition answers a name", "item", "symbol");
    }

    @Test
    void diffAsksItemWhatANameMeans() {
        onlyUses("diff", "one place decides which definition answers a name", "item");
    }

    @Test
    void answerRendersAnswersOnly() {
        onlyUses(
                "answer",
                "representations are made of answers that are complete",
                "check",
                "item",
                "symbol",
                "resolve",
                "consensus",
                "diff",
                "overlay",
                "typeset");
    }

    @Test
    void typesetUsesItemsOnly() {
        onlyUses("typeset", "a set is a list of items", "item");
    }

    @Test
    void overlayUsesItemsOnly() {
        onlyUses("overlay", "pins override answers from any index", "item");
    }

    @Test
    void entryPointOfTheReaderIsUsedForSymbolsOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + "symbol..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.offsetd.extractor")
                .because("only symbol tables are made from what the reader reports; layouts come as an index")
                .check(CLASSES);
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("dev.offsetd.query.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void compressionStaysInStore() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + "store..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.github.luben..")
                .because("zstd is for stored blobs")
                .check(CLASSES);
    }

    @Test
    void onlyAnswersExportsBundlesAndTypeSetsAreJson() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        BASE + "answer..",
                        BASE + "bundle..",
                        BASE + "export..",
                        BASE + "gooffsets..",
                        BASE + "typeset..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("tools.jackson..")
                .because("JSON is a representation of answers, of exports and of what bundles say")
                .check(CLASSES);
    }

    @Test
    void everyPackageIsNullMarked() {
        assertThat(CLASSES.stream()
                        .map(type -> type.getPackage())
                        .distinct()
                        .filter(type -> !type.isAnnotatedWith(NullMarked.class))
                        .map(type -> type.getName()))
                .isEmpty();
    }

    @Test
    void optionalIsAReturnValueOnly() {
        assertThat(OptionalUse.otherThanReturned(CLASSES)).isEmpty();
    }

    @Test
    void textIsReadInLinearTime() throws IOException {
        LinearText.check(CLASSES, Path.of("src/main/java"));
    }

    @Test
    void keysOfHashTablesAreComparable() throws IOException {
        assertThat(HashKeys.slow(Path.of("src/main/java")))
                .isSubsetOf(
                        // Items of one request.
                        "AnswerWriter: immutable String",
                        "Expansion: immutable Item",
                        "Expansion: immutable String",
                        // Tokens of a build, and items of a set, of which the numbers are limited.
                        "ConsensusIdentity: immutable String",
                        "TypeSet: Coverage.MissingItem",
                        // Hashes that clients cannot choose.
                        "CatalogueWriter: ByteBuffer",
                        // By the values that the writers give it: texts, languages, versions and sections of symbols.
                        "Numbering: T",
                        // Pins of a build, which administrators set.
                        "PinTargets: immutable String",
                        "PinTargets: PinnedItem",
                        // Lists of the three tables that have symbols.
                        "SymbolMerge: List<SymbolSource>",
                        "SymbolTable: List<SymbolSource>",
                        // Each type has one object.
                        "IsfTypes: IsfType");
    }
}
