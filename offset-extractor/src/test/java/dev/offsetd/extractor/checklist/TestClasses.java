package dev.offsetd.extractor.checklist;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.resolvers.SelectedClassResolverFromClasspath;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.platform.commons.annotation.Testable;

/** Finds the tests that name risks, in compiled classes and without loading them. */
final class TestClasses {

    private static final Path CLASSES = Path.of("target", "test-classes");
    private static final Path SOURCES = Path.of("src", "test", "java");

    /** By its name, because its library is not at hand in every module. */
    private static final String FUZZ_TEST = "com.code_intelligence.jazzer.junit.FuzzTest";

    /** The tests that were found, and annotations that cover nothing. */
    record Found(List<CoveringTest> tests, List<String> mistakes) {}

    private TestClasses() {}

    /** The test classes of all modules below the repository's root. */
    static Found ofModules(Path root) throws IOException {
        List<CoveringTest> tests = new ArrayList<>();
        List<String> mistakes = new ArrayList<>();
        for (Path module : modules(root)) {
            Path classes = module.resolve(CLASSES);
            if (Files.isDirectory(classes)) {
                Found found = in(classes, root.relativize(module).toString(), root);
                tests.addAll(found.tests());
                mistakes.addAll(found.mistakes());
            }
        }
        return new Found(
                tests.stream().sorted().toList(), mistakes.stream().sorted().toList());
    }

    /** The folders of all modules, by name. */
    static List<Path> modules(Path root) throws IOException {
        try (Stream<Path> folders = Files.list(root)) {
            return folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .sorted()
                    .toList();
        }
    }

    private static Found in(Path classes, String module, Path root) {
        List<CoveringTest> tests = new ArrayList<>();
        List<String> mistakes = new ArrayList<>();
        for (JavaClass type : imported(classes)) {
            Set<Integer> ofClass = rowsOfClass(type);
            boolean covers = false;
            for (JavaMethod method : type.getAllMethods()) {
                Set<Integer> rows = new TreeSet<>(rows(method.tryGetAnnotationOfType(ChecklistRow.class)));
                boolean isTest = isTest(method);
                if (!rows.isEmpty() && !isTest && method.getOwner().equals(type)) {
                    mistakes.add(type.getName() + "." + method.getName() + " names a risk and is no test");
                }
                rows.addAll(ofClass);
                if (!rows.isEmpty() && isTest && !type.getModifiers().contains(JavaModifier.ABSTRACT)) {
                    covers = true;
                    tests.add(new CoveringTest(
                            module, type.getName(), method.getName(), rows, sourceOf(method, module, root)));
                }
            }
            if (type.isAnnotatedWith(ChecklistRow.class) && !covers && !holdsTests(type)) {
                mistakes.add(type.getName() + " names a risk and has no test");
            }
        }
        return new Found(tests, mistakes);
    }

    /** The classes, with what they refer to only as far as it tells tests from other methods: that is much faster. */
    private static JavaClasses imported(Path classes) {
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setClassResolver(SelectedClassResolverFromClasspath.class);
            configuration.setClassResolverArguments("org.junit", ChecklistRow.class.getPackageName());
            return new ClassFileImporter().importPath(classes);
        });
    }

    private static boolean isTest(JavaMethod method) {
        return method.isMetaAnnotatedWith(Testable.class) || method.isAnnotatedWith(FUZZ_TEST);
    }

    /** The rows of the class and of those around it. */
    private static Set<Integer> rowsOfClass(JavaClass type) {
        Set<Integer> rows = new TreeSet<>();
        for (Optional<JavaClass> each = Optional.of(type);
                each.isPresent();
                each = each.get().getEnclosingClass()) {
            rows.addAll(rows(each.get().tryGetAnnotationOfType(ChecklistRow.class)));
        }
        return rows;
    }

    private static Set<Integer> rows(Optional<ChecklistRow> annotation) {
        Set<Integer> rows = new TreeSet<>();
        annotation.ifPresent(present -> {
            for (int row : present.value()) {
                rows.add(row);
            }
        });
        return rows;
    }

    /** Whether classes in the class have its tests. */
    private static boolean holdsTests(JavaClass type) {
        return type.getPackage().getClasses().stream()
                .anyMatch(other -> other.getName().startsWith(type.getName() + "$")
                        && other.getMethods().stream().anyMatch(TestClasses::isTest));
    }

    /** The source that the method is in, with slashes; checked to be there, as the document links to it. */
    private static String sourceOf(JavaMethod method, String module, Path root) {
        JavaClass owner = method.getOwner();
        String fileName = owner.getSource()
                .flatMap(source -> source.getFileName())
                .orElseThrow(() -> new IllegalStateException(owner.getName() + " does not say its source file"));
        Path file = Path.of(module)
                .resolve(SOURCES)
                .resolve(owner.getPackageName().replace('.', '/'))
                .resolve(fileName);
        if (!Files.exists(root.resolve(file))) {
            throw new IllegalStateException(owner.getName() + ": no source at " + file);
        }
        return file.toString().replace('\\', '/');
    }
}
