package dev.offsetd.packages;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.offsetd.extractor.testkit.HashKeys;
import dev.offsetd.extractor.testkit.LinearText;
import dev.offsetd.extractor.testkit.OptionalUse;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ArchitectureTests {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.offsetd.packages");

    @Test
    void elfFilesAreReadByTheExtractorAndNothingIsSent() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "dev.offsetd.packages..",
                                "dev.offsetd.extractor",
                                "dev.offsetd.extractor.builds",
                                "dev.offsetd.extractor.layout",
                                "dev.offsetd.extractor.input",
                                "java.io",
                                "java.lang..",
                                "java.nio..",
                                "java.security",
                                "java.time..",
                                "java.util..",
                                "javax.xml.stream..",
                                "org.jspecify..",
                                "org.apache.commons.compress..",
                                "org.bouncycastle..",
                                "com.github.luben..",
                                "com.google.re2j..",
                                "org.tukaani..",
                                "tools.jackson..")
                        .or(belongToAnyOf(URI.class, URISyntaxException.class, URLEncoder.class)))
                .because("commands and servers read packages, and neither network nor terminal is their business here")
                .check(CLASSES);
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
        assertThat(HashKeys.slow(Path.of("src/main/java"))).isEmpty();
    }
}
