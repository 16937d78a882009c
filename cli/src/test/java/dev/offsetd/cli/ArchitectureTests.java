package dev.offsetd.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.offsetd.extractor.extract.OffsetExtractor;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArchitectureTests {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.offsetd.cli");

    /** What {@code module-info.java} of the extractor exports; the class path does not hold anyone to it. */
    private static final Set<String> EXPORTED = Set.of(
            "dev.offsetd.extractor.layout",
            "dev.offsetd.extractor.input",
            "dev.offsetd.extractor.item",
            "dev.offsetd.extractor.blob",
            "dev.offsetd.extractor.catalogue",
            "dev.offsetd.extractor.extract",
            "dev.offsetd.extractor.resolve",
            "dev.offsetd.extractor.diff",
            "dev.offsetd.extractor.pin",
            "dev.offsetd.extractor.text",
            "dev.offsetd.extractor.symbol",
            "dev.offsetd.extractor.typeset");

    @Test
    void onlyExportedPackagesOfTheExtractorAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(new DescribedPredicate<JavaClass>("lie in the extractor's hidden packages") {
                    @Override
                    public boolean test(JavaClass type) {
                        return type.getPackageName().startsWith("dev.offsetd.extractor")
                                && !EXPORTED.contains(type.getPackageName());
                    }
                })
                .because("the readers change with every optimisation; what the module exports is what is kept stable")
                .check(CLASSES);
    }

    @Test
    void exportedPackagesAreThoseOfTheModule() throws Exception {
        Path extractor = Path.of(OffsetExtractor.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());

        assertThat(ModuleFinder.of(extractor).find("dev.offsetd.extractor"))
                .hasValueSatisfying(module -> assertThat(module.descriptor().exports())
                        .extracting(ModuleDescriptor.Exports::source)
                        .containsExactlyInAnyOrderElementsOf(EXPORTED));
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
                .dependOnClassesThat(new DescribedPredicate<JavaClass>("belong to offsetd, but not to terminal") {
                    @Override
                    public boolean test(JavaClass type) {
                        return type.getPackageName().startsWith("dev.offsetd.")
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
                .resideInAnyPackage("dev.offsetd.cli.file", "dev.offsetd.cli.bench", "dev.offsetd.cli.packages")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.offsetd.cli.remote", "java.net.http")
                .because("reading a file has to work without a network, and nothing on that way may ask for one")
                .check(CLASSES);
    }
}
