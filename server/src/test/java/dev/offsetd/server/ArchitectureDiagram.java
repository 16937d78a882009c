package dev.offsetd.server;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

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
        StringBuilder text = new StringBuilder("| package | is |\n|---|---|\n");
        for (String name : uses.keySet()) {
            String place = sources + "/" + name;
            text.append(row(name, place, firstSentence(repository.resolve(place).resolve("package-info.java"))));
        }
        return text.toString();
    }

    private static String row(String name, String place, String job) {
        return "| [`" + name + "`](../" + place + ") | " + job.replace("|", "\\|") + " |\n";
    }

    /** The modules of the repository as diagram and table, from what Maven reads. */
    static String modules(Path repository) throws IOException {
        Map<String, Set<String>> uses = new TreeMap<>();
        Map<String, String> jobs = new TreeMap<>();
        Element root = pom(repository);
        for (Element module : elements(root, "module")) {
            String name = module.getTextContent();
            Element pom = pom(repository.resolve(name));
            Set<String> used = new TreeSet<>();
            for (Element dependency : elements(pom, "dependency")) {
                if (child(dependency, "groupId").equals(child(root, "groupId"))
                        && !child(dependency, "scope").equals("test")) {
                    used.add(child(dependency, "artifactId").replaceFirst("^offsetd-", ""));
                }
            }
            uses.put(name, used);
            jobs.put(name, child(pom, "description"));
        }
        StringBuilder table = new StringBuilder("| module | is |\n|---|---|\n");
        jobs.forEach((name, job) -> table.append(row(name, name, job)));
        return new ArchitectureDiagram(uses).mermaid() + "\n" + table;
    }

    private static Element pom(Path folder) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve("pom.xml").toFile())
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(folder + ": its pom.xml cannot be read", e);
        }
    }

    private static List<Element> elements(Element within, String name) {
        NodeList found = within.getElementsByTagName(name);
        return IntStream.range(0, found.getLength())
                .mapToObj(found::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast)
                .toList();
    }

    /** The text of a child of this name; empty if there is none. */
    private static String child(Element parent, String name) {
        return elements(parent, name).stream()
                .filter(one -> parent.equals(one.getParentNode()))
                .map(Node::getTextContent)
                .findFirst()
                .orElse("");
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
        return sentence.matches() ? sentence.group(1) : text;
    }
}
