package dev.offsetd.server;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which packages use which, as Markdown. A package here is one with all below it.
 *
 * @param uses names of packages, each with those that its classes use
 */
record ArchitectureDiagram(Map<String, Set<String>> uses) {

    private static final Pattern COMMENT = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern SENTENCE = Pattern.compile("(.*?\\.)(\\s.*)?", Pattern.DOTALL);

    /**
     * Reads the arrows out of classes.
     *
     * @param root the package whose parts count; classes right in it are left out
     */
    static ArchitectureDiagram of(JavaClasses classes, String root) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass one : classes) {
            String from = part(one, root);
            if (!from.isEmpty()) {
                Set<String> used = uses.computeIfAbsent(from, _ -> new TreeSet<>());
                for (Dependency dependency : one.getDirectDependenciesFromSelf()) {
                    String to = part(dependency.getTargetClass().getBaseComponentType(), root);
                    if (!to.isEmpty() && !to.equals(from)) {
                        used.add(to);
                    }
                }
            }
        }
        return new ArchitectureDiagram(uses);
    }

    private static String part(JavaClass one, String root) {
        String name = one.getPackageName();
        return name.startsWith(root + ".") ? name.substring(root.length() + 1).split("\\.", 2)[0] : "";
    }

    /** Without these packages and the arrows to and from them. */
    ArchitectureDiagram without(String... packages) {
        Map<String, Set<String>> fewer = new TreeMap<>();
        uses.forEach((from, to) -> fewer.put(from, new TreeSet<>(to)));
        for (String one : packages) {
            fewer.remove(one);
            fewer.values().forEach(used -> used.remove(one));
        }
        return new ArchitectureDiagram(fewer);
    }

    /** With only those arrows that do not follow from others: not A to C where A uses B and B uses C. */
    ArchitectureDiagram reduced() {
        Map<String, Set<String>> fewer = new TreeMap<>();
        uses.forEach((from, to) -> {
            Set<String> left = new TreeSet<>(to);
            to.forEach(one -> left.removeAll(below(one)));
            fewer.put(from, left);
        });
        return new ArchitectureDiagram(fewer);
    }

    /** All packages that this one uses, and that those use, and so on. */
    private Set<String> below(String name) {
        Set<String> below = new TreeSet<>();
        for (String used : uses.getOrDefault(name, Set.of())) {
            if (below.add(used)) {
                below.addAll(below(used));
            }
        }
        return below;
    }

    /** A Mermaid flow chart; an arrow says "uses". */
    String mermaid() {
        StringBuilder text = new StringBuilder("```mermaid\nflowchart TD\n");
        uses.forEach((from, to) -> {
            if (to.isEmpty()) {
                text.append("  ").append(from).append('\n');
            } else {
                text.append("  ")
                        .append(from)
                        .append(" --> ")
                        .append(String.join(" & ", to))
                        .append('\n');
            }
        });
        return text.append("```\n").toString();
    }

    /**
     * A table of the packages with what each is for, from its {@code package-info.java}.
     *
     * @param repository its root, to which links lead from a folder below it
     * @param sources the folder with the packages, seen from there
     */
    String table(Path repository, String sources) throws IOException {
        StringBuilder text = new StringBuilder("| package | is | uses |\n|---|---|---|\n");
        for (Map.Entry<String, Set<String>> one : uses.entrySet()) {
            String place = sources + "/" + one.getKey();
            text.append("| [`")
                    .append(one.getKey())
                    .append("`](../")
                    .append(place)
                    .append(") | ");
            text.append(firstSentence(repository.resolve(place).resolve("package-info.java")));
            text.append(" | ").append(String.join(", ", one.getValue())).append(" |\n");
        }
        return text.toString();
    }

    private static String firstSentence(Path packageInfo) throws IOException {
        Matcher comment = COMMENT.matcher(Files.readString(packageInfo));
        if (!comment.find()) {
            throw new IOException(packageInfo + ": no comment");
        }
        String text = comment.group(1)
                .replaceAll("(?m)^\\s*\\* ?", "")
                .replaceAll("\\{@(?:code|link) ([^}]*)}", "`$1`")
                .replaceAll("\\s+", " ")
                .strip();
        Matcher sentence = SENTENCE.matcher(text);
        return sentence.matches() ? sentence.group(1).replace("|", "\\|") : text;
    }
}
