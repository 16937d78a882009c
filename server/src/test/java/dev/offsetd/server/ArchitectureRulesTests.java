package dev.offsetd.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;
import dev.offsetd.extractor.testkit.HashKeys;
import dev.offsetd.extractor.testkit.LinearText;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.annotation.Transactional;

/** Which way the arrows between the server's packages run, and why. */
@Tag("long")
class ArchitectureRulesTests {

    private static final String ROOT = "dev.offsetd.server";

    /** Excludes the bean definitions that the build generates. */
    static final ImportOption WRITTEN_BY_HAND =
            location -> !location.contains("__") && !location.contains("$$SpringCGLIB$$");

    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(WRITTEN_BY_HAND)
            .importPackages(ROOT);

    private static String[] within(String... features) {
        String[] packages = new String[features.length];
        for (int i = 0; i < features.length; i++) {
            packages[i] = ROOT + "." + features[i] + "..";
        }
        return packages;
    }

    private static void check(ArchRule rule) {
        rule.check(SERVER);
    }

    @Test
    void arrowsRunOneWay() {
        check(Architectures.layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
                .withOptionalLayers(true)
                .layer("program")
                .definedBy(ROOT)
                .layer("startup")
                .definedBy(within("startup"))
                .layer("backup")
                .definedBy(within("backup"))
                .layer("admin")
                .definedBy(within("admin"))
                .layer("users")
                .definedBy(within("users"))
                .layer("prewarms")
                .definedBy(within("prewarms"))
                .layer("pins")
                .definedBy(within("pins"))
                .layer("timers")
                .definedBy(within("timers"))
                .layer("compute")
                .definedBy(within("compute"))
                .layer("health")
                .definedBy(within("health"))
                .layer("offsets")
                .definedBy(within("offsets"))
                .layer("exports")
                .definedBy(within("exports"))
                .layer("bundles")
                .definedBy(within("bundles"))
                .layer("symbols")
                .definedBy(within("symbols"))
                .layer("types")
                .definedBy(within("types"))
                .layer("query")
                .definedBy(within("query"))
                .layer("typesets")
                .definedBy(within("typesets"))
                .layer("debuginfod")
                .definedBy(within("debuginfod"))
                .layer("uploads")
                .definedBy(within("uploads"))
                .layer("retries")
                .definedBy(within("retries"))
                .layer("demand")
                .definedBy(within("demand"))
                .layer("extraction")
                .definedBy(within("extraction"))
                .layer("enrichment")
                .definedBy(within("enrichment"))
                .layer("identities")
                .definedBy(within("identities"))
                .layer("builds")
                .definedBy(within("builds"))
                .layer("changes")
                .definedBy(within("changes"))
                .layer("catalogues")
                .definedBy(within("catalogues"))
                .layer("fetch")
                .definedBy(within("fetch"))
                .layer("objects")
                .definedBy(within("objects"))
                .layer("files")
                .definedBy(within("files"))
                .layer("outcome")
                .definedBy(within("outcome"))
                .layer("tokens")
                .definedBy(within("tokens"))
                .layer("audit")
                .definedBy(within("audit"))
                .layer("access")
                .definedBy(within("access"))
                .layer("database")
                .definedBy(within("database"))
                .layer("telemetry")
                .definedBy(within("telemetry"))
                .layer("web")
                .definedBy(within("web"))
                .layer("contract")
                .definedBy(within("contract"))
                .layer("api")
                .definedBy(within("api"))
                .whereLayer("program")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("startup")
                .mayOnlyBeAccessedByLayers("program")
                .whereLayer("backup")
                .mayOnlyBeAccessedByLayers("startup")
                .whereLayer("admin")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("users")
                .mayOnlyBeAccessedByLayers("admin", "startup")
                .whereLayer("prewarms")
                .mayOnlyBeAccessedByLayers("admin")
                .whereLayer("pins")
                .mayOnlyBeAccessedByLayers(
                        "admin", "offsets", "symbols", "types", "query", "extraction", "exports", "bundles")
                .whereLayer("health")
                .mayOnlyBeAccessedByLayers("startup", "extraction", "enrichment", "timers", "exports", "compute")
                .whereLayer("compute")
                .mayOnlyBeAccessedByLayers(
                        "extraction",
                        "catalogues",
                        "offsets",
                        "exports",
                        "symbols",
                        "types",
                        "uploads",
                        "debuginfod",
                        "admin")
                .whereLayer("timers")
                .mayOnlyBeAccessedByLayers(
                        "builds",
                        "compute",
                        "extraction",
                        "exports",
                        "catalogues",
                        "changes",
                        "tokens",
                        "pins",
                        "demand",
                        "prewarms",
                        "enrichment")
                .whereLayer("enrichment")
                .mayOnlyBeAccessedByLayers("uploads")
                .whereLayer("offsets")
                .mayOnlyBeAccessedByLayers("prewarms", "enrichment", "admin")
                .whereLayer("exports")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("bundles")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("symbols")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("types")
                .mayOnlyBeAccessedByLayers("admin")
                .whereLayer("query")
                .mayOnlyBeAccessedByLayers("offsets", "symbols", "types", "admin", "exports", "bundles")
                .whereLayer("typesets")
                .mayOnlyBeAccessedByLayers("offsets", "types", "extraction", "enrichment", "admin", "exports")
                .whereLayer("debuginfod")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("uploads")
                .mayOnlyBeAccessedByLayers("bundles")
                .whereLayer("retries")
                .mayOnlyBeAccessedByLayers("admin")
                .whereLayer("demand")
                .mayOnlyBeAccessedByLayers("query", "debuginfod", "admin")
                .whereLayer("extraction")
                .mayOnlyBeAccessedByLayers(
                        "enrichment", "query", "debuginfod", "uploads", "retries", "prewarms", "admin", "bundles")
                .whereLayer("identities")
                .mayOnlyBeAccessedByLayers(
                        "extraction", "enrichment", "offsets", "uploads", "prewarms", "admin", "exports", "bundles")
                .whereLayer("builds")
                .mayOnlyBeAccessedByLayers(
                        "extraction",
                        "enrichment",
                        "identities",
                        "query",
                        "offsets",
                        "symbols",
                        "types",
                        "uploads",
                        "debuginfod",
                        "retries",
                        "demand",
                        "prewarms",
                        "admin",
                        "pins",
                        "exports",
                        "bundles")
                .whereLayer("changes")
                .mayOnlyBeAccessedByLayers("builds", "debuginfod", "offsets", "typesets", "pins", "admin")
                .whereLayer("catalogues")
                .mayOnlyBeAccessedByLayers(
                        "builds",
                        "extraction",
                        "offsets",
                        "symbols",
                        "types",
                        "uploads",
                        "admin",
                        "pins",
                        "exports",
                        "bundles",
                        "startup")
                .whereLayer("fetch")
                .mayOnlyBeAccessedByLayers(
                        "extraction", "enrichment", "startup", "uploads", "debuginfod", "admin", "bundles")
                .whereLayer("objects")
                .mayOnlyBeAccessedByLayers("catalogues", "enrichment", "health", "prewarms", "backup", "startup")
                .whereLayer("files")
                .mayOnlyBeAccessedByLayers("fetch", "exports", "objects")
                .whereLayer("tokens")
                .mayOnlyBeAccessedByLayers("startup", "admin")
                .whereLayer("database")
                .mayOnlyBeAccessedByLayers("backup", "builds", "changes", "startup", "health", "users", "admin")
                .whereLayer("telemetry")
                .mayOnlyBeAccessedByLayers("query", "extraction", "fetch", "debuginfod", "users", "admin", "compute")
                .whereLayer("web")
                .mayOnlyBeAccessedByLayers(
                        "contract",
                        "fetch",
                        "audit",
                        "compute",
                        "health",
                        "query",
                        "offsets",
                        "symbols",
                        "types",
                        "typesets",
                        "builds",
                        "identities",
                        "database",
                        "objects",
                        "uploads",
                        "debuginfod",
                        "retries",
                        "demand",
                        "prewarms",
                        "access",
                        "telemetry",
                        "admin",
                        "pins",
                        "users",
                        "exports",
                        "bundles")
                .whereLayer("contract")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("api")
                .mayOnlyBeAccessedByLayers(
                        "health",
                        "query",
                        "offsets",
                        "symbols",
                        "types",
                        "typesets",
                        "builds",
                        "identities",
                        "uploads",
                        "retries",
                        "demand",
                        "access",
                        "pins",
                        "bundles")
                .because("a query goes down from offsets to the stores and never back up; a newcomer can read any"
                        + " package with only those below it in mind"));
    }

    @Test
    void packagesFormNoCycles() {
        check(slices().matching(ROOT + ".(*)..")
                .should()
                .beFreeOfCycles()
                .because("two packages that need each other are one package in two folders"));
    }

    @Test
    void httpClientKnowsNothingOfFiles() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + ".fetch.http..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROOT + ".fetch", ROOT + ".outcome..", "dev.offsetd.extractor.layout..")
                .because("what an upstream may do to a connection is decided without knowing what is fetched"));
    }

    @Test
    void onlyFetchSpeaksToUpstreams() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".fetch..", ROOT + ".admin.signin..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("okhttp3..", "okio..", "java.net.http..")
                .because("debug files are verified in one place, and only sign-in speaks to another service"));
    }

    @Test
    void onlyObjectsSpeaksToTheObjectStore() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".objects..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("software.amazon.awssdk..")
                .because("objects are verified in one place"));
    }

    @Test
    void transactionsNeedNoGeneratedClasses() {
        check(
                methods()
                        .that()
                        .areDeclaredInClassesThat()
                        .areNotInterfaces()
                        .should()
                        .notBeAnnotatedWith(Transactional.class)
                        .because(
                                "a generated proxy lists its methods in another order in each build, so artefacts would differ"));
    }

    @Test
    void onlyStoresSpeakSql() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(within(
                        "audit",
                        "builds",
                        "catalogues",
                        "changes",
                        "demand",
                        "database",
                        "health",
                        "identities",
                        "pins",
                        "users",
                        "prewarms",
                        "backup"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.springframework.jdbc..", "com.zaxxer.hikari..")
                .because("tables have one owner each, and extraction must not hold a connection while it works"));
    }

    @Test
    void onlyTheEdgeSpeaksHttp() {
        check(noClasses()
                .that()
                .resideInAnyPackage(within("extraction", "catalogues"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet..", "org.springframework.web..", "org.springframework.http..")
                .because("the work is the same for every caller"));
    }

    @Test
    void serverSeesOnlyWhatTheExtractorExports() {
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.offsetd.extractor.bytes..", "dev.offsetd.extractor.elf..", "dev.offsetd.extractor.dwarf..")
                .because("the server runs on the class path, where the extractor's module does not hide its insides"));
    }

    @Test
    void nothingIsInjectedIntoFields() {
        check(fields().should()
                .notBeAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
                .andShould()
                .notBeAnnotatedWith("org.springframework.beans.factory.annotation.Value")
                .because("an object is whole once its constructor returns"));
    }

    @Test
    void controllersAndConfigurationsStayInTheirPackage() {
        check(classes()
                .that()
                .areAnnotatedWith("org.springframework.web.bind.annotation.RestController")
                .or()
                .areAnnotatedWith("org.springframework.web.bind.annotation.RestControllerAdvice")
                .or()
                .areAnnotatedWith("org.springframework.context.annotation.Configuration")
                .should()
                .notBePublic()
                .because("Spring finds them without; other code must not"));
    }

    @Test
    void textIsReadInLinearTime() throws IOException {
        LinearText.check(SERVER, Path.of("src/main/java"));
    }

    @Test
    void keysOfHashTablesAreComparable() throws IOException {
        assertThat(HashKeys.slow(Path.of("src/main/java")))
                .isSubsetOf(
                        // Compared as their texts and by identity.
                        "BoundedSockets: Socket",
                        // Items of one request, and headers and members of one answer.
                        "BuildDifferences: immutable String",
                        "ConsensusItems: immutable String",
                        "Fallback: immutable String",
                        "FallbackAnswer: immutable String",
                        "FormFields: immutable String",
                        "Problem: immutable String",
                        "QueryText: immutable String",
                        // What one server works on at a time.
                        "BuildFiles: Object",
                        "ComputePool: Computation<?>",
                        "Heartbeat: Lease",
                        "Leases: Lease",
                        "ProgressWriter: Lease",
                        "SharedReads: K",
                        // Names of the server's own, and its configuration.
                        "BuildListController: immutable String",
                        "Cause: immutable String",
                        "Extractions: immutable String",
                        "RequestMeter: RequestMeter.Series",
                        "TypeSetDocument: immutable String",
                        "UpstreamPolicies: HttpUrl",
                        "UpstreamUrls: HttpUrl",
                        // Words of one search.
                        "BuildSearch: List<SearchWord>",
                        "IdentityFacets: List<SearchWord>",
                        // Few builds speak for another.
                        "ConsensusAnswers: SimilarBuilds.SimilarBuild",
                        "SpeakerSearch: Architecture",
                        "SpeakerSearch: TypeSet",
                        "SpeakerSelection: immutable SimilarBuilds.SimilarBuild",
                        // Caches of few entries.
                        "BoundedFolder: K",
                        "RenderedTables: K",
                        // Inodes, which nobody can choose.
                        "FileVerification: FileVerification.Unchanged",
                        // Parts of one file by number.
                        "KeptFiles: immutable Integer",
                        // Hashes and ids that the server made.
                        "KnownTokens: immutable TokenHash",
                        "KnownTokens: immutable UUID",
                        // Tokens and networks.
                        "RateLimits: Object",
                        "Shares: Object");
    }
}
