package dev.offsetd.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.testkit.HashKeys;
import dev.offsetd.extractor.testkit.LinearText;
import dev.offsetd.extractor.testkit.OptionalUse;
import dev.offsetd.packages.BuildFinder;
import dev.offsetd.query.item.Item;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ArchitectureTests {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.offsetd.cli");

    /** Exports of the modules below; the class path does not enforce {@code module-info.java}. */
    private static final Set<String> EXPORTED = Set.of(
            "dev.offsetd.extractor",
            "dev.offsetd.extractor.bpf",
            "dev.offsetd.extractor.builds",
            "dev.offsetd.extractor.frames",
            "dev.offsetd.extractor.identity",
            "dev.offsetd.extractor.layout",
            "dev.offsetd.extractor.symbols",
            "dev.offsetd.extractor.training",
            "dev.offsetd.extractor.input",
            "dev.offsetd.packages",
            "dev.offsetd.packages.repositories",
            "dev.offsetd.query.answer",
            "dev.offsetd.query.bundle",
            "dev.offsetd.query.check",
            "dev.offsetd.query.consensus",
            "dev.offsetd.query.gooffsets",
            "dev.offsetd.query.diff",
            "dev.offsetd.query.export",
            "dev.offsetd.query.item",
            "dev.offsetd.query.overlay",
            "dev.offsetd.query.resolve",
            "dev.offsetd.query.store",
            "dev.offsetd.query.symbol",
            "dev.offsetd.query.typeset");

    @Test
    void onlyExportedPackagesAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(new DescribedPredicate<JavaClass>("lie in hidden packages of the modules below") {
                    @Override
                    public boolean test(JavaClass type) {
                        String name = type.getPackageName();
                        return (name.startsWith("dev.offsetd.extractor") || name.startsWith("dev.offsetd.query"))
                                && !EXPORTED.contains(name);
                    }
                })
                .because("the readers change with every optimisation; what the modules export is kept stable")
                .check(CLASSES);
    }

    @Test
    void exportedPackagesAreThoseOfTheModules() throws Exception {
        Set<String> exported = new TreeSet<>();
        exported.addAll(exports(ReadOptions.class, "dev.offsetd.extractor"));
        exported.addAll(exports(Item.class, "dev.offsetd.query"));
        exported.addAll(exports(BuildFinder.class, "dev.offsetd.packages"));
        assertThat(exported).containsExactlyInAnyOrderElementsOf(EXPORTED);
    }

    private static List<String> exports(Class<?> type, String module) throws Exception {
        Path classes =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        return ModuleFinder.of(classes).find(module).orElseThrow().descriptor().exports().stream()
                .map(ModuleDescriptor.Exports::source)
                .toList();
    }

    @Test
    void springAndTheServerAreUnknownHere() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "dev.offsetd.server..", "jakarta..")
                .because("the command line starts in a fraction of a second, and knows of the server only its API")
                .check(CLASSES);
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("dev.offsetd.cli.(*)..")
                .should()
                .beFreeOfCycles()
                .because("a feature can then be read without those that use it")
                .check(CLASSES);
    }

    @Test
    void terminalIsALeaf() {
        noClasses()
                .that()
                .resideInAPackage("dev.offsetd.cli.terminal")
                .should()
                .dependOnClassesThat(new DescribedPredicate<JavaClass>("belong to other packages of the command line") {
                    @Override
                    public boolean test(JavaClass type) {
                        return type.getPackageName().startsWith("dev.offsetd.cli")
                                && !type.getPackageName().equals("dev.offsetd.cli.terminal");
                    }
                })
                .because("every command uses it")
                .check(CLASSES);
    }

    @Test
    void filesAndServersDoNotMeet() {
        noClasses()
                .that()
                .resideInAPackage("dev.offsetd.cli.file")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.offsetd.cli.remote", "java.net.http")
                .because("reading a file has to work without a network, and nothing on that way may ask for one")
                .check(CLASSES);
    }

    @Test
    void optionalIsAReturnValueOnly() {
        assertThat(OptionalUse.otherThanReturned(CLASSES)).isEmpty();
    }

    @Test
    void textIsReadInLinearTime() throws IOException {
        LinearText.check(CLASSES, Path.of("src/main/java"), "PrewarmCommand");
    }

    @Test
    void keysOfHashTablesAreComparable() throws IOException {
        assertThat(HashKeys.slow(Path.of("src/main/java")))
                .isSubsetOf(
                        // Items of one command.
                        "ExtractCommand: immutable Item",
                        // Names of the symbols at one place.
                        "ResolveCommand: immutable String",
                        // Few places where a file may be.
                        "DebugFileFinder: Path");
    }
}
