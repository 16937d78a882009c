package dev.offsetd.extractor.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The rule that text of files and clients is read in linear time: the expressions of {@code java.util.regex} go back and try
 * again, those of RE2/J do not.
 */
public final class LinearText {

    private static final String REASON =
            "expressions of java.util.regex can take quadratic time; those of RE2/J do not";

    /** A call of {@link String#split}; expressions are constants, in capitals. */
    private static final Pattern SPLIT = Pattern.compile("(?<![A-Z]\\w{0,50}+)\\.split\\(\\s*+([^,)]++(?:,\\s*+\")?+)");

    /** The only arguments for which it uses no expression: a character, or an escaped one. */
    private static final Pattern PLAIN =
            Pattern.compile("\"([^.$|(\\[{^?*+\\\\]|\\\\[tn]|\\\\\\\\[^0-9A-Za-z])\"?+.*+");

    private LinearText() {}

    /**
     * Checks a module.
     *
     * @param sources folder of its sources
     * @param exempt simple names of the classes that may use {@code java.util.regex}
     */
    public static void check(JavaClasses classes, Path sources, String... exempt) throws IOException {
        Set<String> exempted = Set.of(exempt);
        noClasses()
                .that(DescribedPredicate.describe("are not exempt", each -> !exempted.contains(each.getSimpleName())))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.util.regex")
                .orShould()
                .callMethod(String.class, "matches", String.class)
                .orShould()
                .callMethod(String.class, "replaceAll", String.class, String.class)
                .orShould()
                .callMethod(String.class, "replaceFirst", String.class, String.class)
                .because(REASON)
                .check(classes);
        List<String> splits = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(sources)) {
            for (Path path :
                    paths.filter(each -> each.toString().endsWith(".java")).toList()) {
                Matcher split = SPLIT.matcher(Files.readString(path));
                while (split.find()) {
                    if (!PLAIN.matcher(split.group(1)).matches()) {
                        splits.add(path.getFileName() + ": " + split.group());
                    }
                }
            }
        }
        assertThat(splits).as(REASON).isEmpty();
    }
}
