package dev.offsetd.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.testkit.HashKeys;
import dev.offsetd.extractor.testkit.LinearText;
import dev.offsetd.extractor.testkit.OptionalUse;
import dev.offsetd.server.operations.compute.ComputePool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.stereotype.Component;
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

    /** Packages, top to bottom, and those that each may use besides {@link #COMMON}. */
    private static final String USES = """
            startup    | storage sources builds access operations database
            admin      | watches prewarms exports answers pins typesets builds webhooks events sources storage access operations database
            prewarms   | answers pins builds events typesets sources storage access operations
            uploads    | watches answers pins builds sources storage access operations
            watches    | events answers builds typesets sources storage access operations
            exports    | answers pins builds typesets sources storage access operations
            debuginfod | builds sources access operations
            answers    | pins builds typesets sources storage access operations
            pins       | builds storage access operations
            builds     | events typesets sources storage access operations database
            typesets   | access operations
            webhooks   | events sources access operations
            sources    | storage operations
            events     | access operations
            storage    | operations database
            access     | operations database
            operations | database
            database   |
            web        |
            api        |
            """;

    /** Packages that all may use. */
    private static final List<String> COMMON = List.of("web", "api");

    @Test
    void arrowsRunOneWay() {
        for (String line : USES.lines().toList()) {
            String[] columns = line.split("\\|", -1);
            String name = columns[0].strip();
            List<String> allowed = new ArrayList<>(COMMON);
            allowed.add(name);
            allowed.addAll(Pattern.compile("[a-z]+")
                    .matcher(columns[1])
                    .results()
                    .map(MatchResult::group)
                    .toList());
            check(classes()
                    .that()
                    .resideInAPackage(ROOT + "." + name + "..")
                    .should()
                    .onlyDependOnClassesThat(resideOutsideOfPackage(ROOT + "..")
                            .or(resideInAnyPackage(within(allowed.toArray(String[]::new)))))
                    .because("a newcomer can read any package with only those below it in mind"));
        }
    }

    @Test
    void everyPackageHasItsLine() {
        assertThat(SERVER.getPackage(ROOT).getSubpackages())
                .extracting(JavaPackage::getRelativeName)
                .containsExactlyInAnyOrderElementsOf(
                        USES.lines().map(line -> line.split(" ", 2)[0]).toList());
    }

    @Test
    void packagesHaveAtMostNineLayers() {
        Map<String, Integer> layers = new HashMap<>();
        for (String line : USES.lines().toList().reversed()) {
            String[] columns = line.split("\\|", -1);
            int below = Pattern.compile("[a-z]+")
                    .matcher(columns[1])
                    .results()
                    .mapToInt(used -> layers.get(used.group()))
                    .max()
                    .orElse(0);
            layers.put(columns[0].strip(), below + 1);
        }
        assertThat(Collections.max(layers.values())).isLessThanOrEqualTo(9);
    }

    /** A call with more is not read without its declaration. Constructors of records and beans name each by its field. */
    @Test
    void methodsHaveAtMostFiveParametersAndTwoFunctions() {
        assertThat(SERVER.stream()
                        .flatMap(type -> type.getMethods().stream())
                        .filter(method -> !method.getModifiers().contains(JavaModifier.SYNTHETIC)
                                && (method.getRawParameterTypes().size() > 5 || functions(method) > 2))
                        .map(JavaMethod::getFullName))
                .isEmpty();
    }

    private static long functions(JavaMethod method) {
        return method.getRawParameterTypes().stream()
                .filter(type -> type.getPackageName().equals("java.util.function")
                        || type.isEquivalentTo(Runnable.class)
                        || type.isEquivalentTo(Callable.class))
                .count();
    }

    /** Records of settings are values. */
    @Test
    void beansHaveAtMostNineCollaborators() {
        assertThat(SERVER.stream()
                        .filter(type -> type.isMetaAnnotatedWith(Component.class))
                        .flatMap(type -> type.getConstructors().stream())
                        .filter(constructor -> constructor.getRawParameterTypes().stream()
                                        .filter(type -> !type.isRecord())
                                        .count()
                                > 9)
                        .map(JavaConstructor::getFullName))
                .isEmpty();
    }

    /** Records that mirror a table, the contract, a form or the settings have as many components as it has. */
    @Test
    void recordsHaveAtMostTwelveComponents() {
        assertThat(SERVER.stream()
                        .filter(type -> type.isRecord()
                                && !type.getPackageName().startsWith(ROOT + ".api")
                                && type.reflect().getRecordComponents().length > 12)
                        .map(JavaClass::getSimpleName))
                .isSubsetOf("Build", "Pin", "Watch", "PinForm", "Upstreams");
    }

    @Test
    void packagesFormNoCycles() {
        for (String each : List.of(".(*)..", ".(**)")) {
            check(slices().matching(ROOT + each)
                    .should()
                    .beFreeOfCycles()
                    .because("two packages that need each other are one package in two folders"));
        }
    }

    @Test
    void packagesHaveNoNamesOfModules() throws IOException {
        List<String> modules = Pattern.compile("<module>(.*)</module>")
                .matcher(Files.readString(Path.of("../pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
        assertThat(modules).contains("query");
        assertThat(SERVER.getPackage(ROOT).getSubpackagesInTree())
                .extracting(JavaPackage::getRelativeName)
                .doesNotContainAnyElementsOf(modules);
    }

    @Test
    void httpClientKnowsNothingOfFiles() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + ".sources.http..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROOT + ".sources", ROOT + ".sources.outcome..")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.offsetd.extractor.builds..", "dev.offsetd.extractor.layout..")
                .because("what an upstream may do to a connection is decided without knowing what is fetched"));
    }

    @Test
    void onlySourcesSpeakToUpstreams() {
        check(
                noClasses()
                        .that()
                        .resideOutsideOfPackages(
                                ROOT + ".sources..",
                                ROOT + ".admin.signin..",
                                ROOT + ".webhooks..",
                                ROOT + ".watches..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("okhttp3..", "okio..", "java.net.http..")
                        .because(
                                "debug files are verified in one place, and only sign-in, webhooks and watches speak to another service"));
    }

    @Test
    void onlyObjectsSpeaksToTheObjectStore() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".storage.objects..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("software.amazon.awssdk..")
                .because("objects are verified in one place"));
    }

    /** A file can make any reading take minutes, and a carrier that reads answers no requests. */
    @Test
    void filesAreReadOnThreadsThatCompute() {
        assertThat(SERVER.stream()
                        .filter(type -> type.getMethodCallsFromSelf().stream()
                                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(DebugInfo.class)
                                        && Set.of("read", "open").contains(call.getName())))
                        .filter(type -> type.getDirectDependenciesFromSelf().stream()
                                .noneMatch(used -> used.getTargetClass().isEquivalentTo(ComputePool.class)))
                        .map(JavaClass::getSimpleName))
                .containsExactly(
                        // The C library, at the start.
                        "LibcOfThisProcess");
    }

    @Test
    void transactionsNeedNoGeneratedClasses() {
        check(methods()
                .that()
                .areDeclaredInClassesThat()
                .areNotInterfaces()
                .should()
                .notBeAnnotatedWith(Transactional.class)
                .because("a generated proxy lists its methods in another order in each build, so artefacts"
                        + " would differ"));
    }

    @Test
    void onlyStoresSpeakSql() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(within(
                        "access",
                        "builds",
                        "events",
                        "webhooks",
                        "watches",
                        "storage",
                        "operations",
                        "database",
                        "pins",
                        "prewarms",
                        "startup.backup"))
                .and()
                // They tell what is wrong with a database that does not answer.
                .haveNameNotMatching(".*[.](StartFailure|CommandDatabase)")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.springframework.jdbc..", "com.zaxxer.hikari..")
                .because("tables have one owner each, and extraction must not hold a connection while it works"));
    }

    @Test
    void onlyTheEdgeSpeaksHttp() {
        check(noClasses()
                .that()
                .resideInAnyPackage(ROOT + ".builds.extraction..", ROOT + ".storage")
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
    void optionalIsAReturnValueOnly() {
        assertThat(OptionalUse.otherThanReturned(SERVER)).isEmpty();
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
                        "Problem: immutable String",
                        "OffsetsQuery: immutable String",
                        // Work of one server at a time.
                        "BuildFiles: Object",
                        "ComputePool: Computation<?>",
                        "Heartbeat: Lease",
                        "Leases: Lease",
                        "ProgressWriter: Lease",
                        "SharedReads: K",
                        "SingleFlight: K",
                        // Names of the server's own, and its configuration.
                        "BuildListController: immutable String",
                        "Cause: immutable String",
                        "Extractions: immutable String",
                        "RequestMeter: RequestMeter.Series",
                        "TypeSetDocument: immutable String",
                        "UpstreamPolicies: HttpUrl",
                        // Words of one search.
                        "BuildSearch: List<SearchWord>",
                        "IdentityFacets: List<SearchWord>",
                        // A build has few peers.
                        "Consensus: ComparableBuilds.ComparableBuild",
                        "PeerSearch: Architecture",
                        "PeerSearch: TypeSet",
                        "PeerSelection: immutable ComparableBuilds.ComparableBuild",
                        // Caches of few entries.
                        "BoundedFolder: K",
                        "RenderedTables: K",
                        // Inodes, which clients cannot choose.
                        "FileVerification: FileVerification.Unchanged",
                        // Parts of one file by number.
                        "KeptFiles: immutable Integer",
                        // Hashes and ids that the server made.
                        "Tokens: immutable TokenHash",
                        "KnownTokens: immutable UUID",
                        // Tokens and networks.
                        "RateLimits: Object",
                        "Shares: Object");
    }
}
