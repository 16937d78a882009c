package dev.offsetd.extractor.testkit;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Keys of hash tables in the sources of a module whose look-ups may take linear time. Files and clients can be made of
 * names that all have one hash. The maps of the JDK find a key among them in logarithmic time only if its class is
 * {@code Comparable} to itself, and its immutable sets and maps not even then: these look at one entry after the other.
 */
public final class HashKeys {

    private static final Set<String> HASHED = Set.of(
            "java.util.HashMap",
            "java.util.LinkedHashMap",
            "java.util.HashSet",
            "java.util.LinkedHashSet",
            "java.util.Hashtable",
            "java.util.WeakHashMap",
            "java.util.concurrent.ConcurrentHashMap");

    /** Methods that make a hash table, by the type argument of their result that is the key. */
    private static final Map<String, Integer> MAKERS = Map.ofEntries(
            Map.entry("java.util.stream.Stream.distinct", 0),
            Map.entry("java.util.concurrent.ConcurrentHashMap.newKeySet", 0),
            Map.entry("java.util.HashMap.newHashMap", 0),
            Map.entry("java.util.HashSet.newHashSet", 0),
            Map.entry("java.util.LinkedHashMap.newLinkedHashMap", 0),
            Map.entry("java.util.LinkedHashSet.newLinkedHashSet", 0),
            Map.entry("com.github.benmanes.caffeine.cache.Caffeine.build", 0),
            Map.entry("com.github.benmanes.caffeine.cache.Caffeine.buildAsync", 0));

    /** Collectors, whose result is their last type argument. */
    private static final Set<String> COLLECTORS =
            Set.of("groupingBy", "groupingByConcurrent", "toMap", "toSet", "toConcurrentMap");

    /** Text of all files that the compiler looks at. */
    private static final Pattern MAY_MAKE =
            Pattern.compile("Hash(?:Map|Set|table)[<.]|copyOf\\(|distinct\\(|Collectors\\.|Caffeine\\.");

    private static final Set<String> IMMUTABLE = Set.of(
            "java.util.Set.copyOf",
            "java.util.Map.copyOf",
            "java.util.stream.Collectors.toUnmodifiableSet",
            "java.util.stream.Collectors.toUnmodifiableMap");

    private final Types types;
    private final Trees trees;
    private final SortedSet<String> found = new TreeSet<>();

    private HashKeys(JavacTask task) {
        this.types = task.getTypes();
        this.trees = Trees.instance(task);
    }

    /**
     * Returns those keys, as {@code CLASS: KEY} for maps and sets, and {@code CLASS: immutable KEY} for the immutable ones.
     *
     * @param sources folder of the sources
     */
    public static SortedSet<String> slow(Path sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> paths = Files.walk(sources)) {
            List<Path> java = new ArrayList<>();
            for (Path path :
                    paths.filter(each -> each.toString().endsWith(".java")).toList()) {
                if (MAY_MAKE.matcher(Files.readString(path)).find()) {
                    java.add(path);
                }
            }
            if (java.isEmpty()) {
                return Collections.emptySortedSet();
            }
            List<String> errors = new ArrayList<>();
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    problem -> {
                        if (problem.getKind() == javax.tools.Diagnostic.Kind.ERROR) {
                            errors.add(problem.toString());
                        }
                    },
                    List.of("-proc:none", "-implicit:none", "-cp", System.getProperty("java.class.path")),
                    null,
                    files.getJavaFileObjectsFromPaths(java));
            Iterable<? extends CompilationUnitTree> units = task.parse();
            task.analyze();
            if (!errors.isEmpty()) {
                throw new IllegalStateException(String.join("\n", errors));
            }
            HashKeys keys = new HashKeys(task);
            units.forEach(unit -> keys.new Search().scan(unit, null));
            return keys.found;
        }
    }

    private final class Search extends TreePathScanner<Void, Void> {

        @Override
        public Void visitNewClass(NewClassTree tree, Void unused) {
            TypeMirror made = trees.getTypeMirror(getCurrentPath());
            if (made instanceof DeclaredType type && HASHED.contains(name(type.asElement()))) {
                check(type, 0);
            }
            return super.visitNewClass(tree, null);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree tree, Void unused) {
            TreePath path = getCurrentPath();
            ExpressionTree select = tree.getMethodSelect();
            Element method = trees.getElement(new TreePath(path, select));
            TypeMirror made = trees.getTypeMirror(path);
            if (method instanceof ExecutableElement && made instanceof DeclaredType type) {
                String owner = name(method.getEnclosingElement());
                String name = owner + "." + method.getSimpleName();
                if (IMMUTABLE.contains(name)) {
                    checkImmutable(owner.endsWith("Collectors") ? (DeclaredType) last(type) : type);
                } else if (MAKERS.containsKey(name)) {
                    check(type, MAKERS.get(name));
                } else if (owner.equals("java.util.stream.Collectors")
                        && COLLECTORS.contains(method.getSimpleName().toString())
                        && last(type) instanceof DeclaredType result
                        && !name(result.asElement()).contains("Tree")
                        && !name(result.asElement()).contains("Sorted")) {
                    check(result, 0);
                }
            }
            return super.visitMethodInvocation(tree, null);
        }

        private void checkImmutable(DeclaredType made) {
            TypeMirror key = made.getTypeArguments().getFirst();
            if (!isEnum(key)) {
                add("immutable " + key);
            }
        }

        private void check(DeclaredType made, int argument) {
            TypeMirror key = made.getTypeArguments().isEmpty()
                    ? made
                    : made.getTypeArguments().get(argument);
            if (!isEnum(key) && !isComparable(key)) {
                add(key.toString());
            }
        }

        private void add(String key) {
            TreePath at = getCurrentPath();
            while (!(trees.getElement(at) instanceof TypeElement)) {
                at = at.getParentPath();
            }
            String owner = getCurrentPath().getCompilationUnit().getSourceFile().getName();
            found.add(owner.substring(owner.lastIndexOf('/') + 1).replace(".java", "") + ": "
                    + key.replaceAll("@[\\w.]+ ", "").replaceAll("\\b[a-z]\\w*\\.", ""));
        }
    }

    private static TypeMirror last(DeclaredType type) {
        return type.getTypeArguments().getLast();
    }

    private static boolean isEnum(TypeMirror type) {
        return type instanceof DeclaredType declared && declared.asElement().getKind() == ElementKind.ENUM;
    }

    /** Returns whether the class says of itself that it is comparable to itself, which is where maps look. */
    private boolean isComparable(TypeMirror type) {
        return type.getKind() == TypeKind.DECLARED
                && types.asElement(type) instanceof TypeElement element
                && element.getModifiers().contains(Modifier.FINAL)
                && element.getInterfaces().stream()
                        .anyMatch(each -> each instanceof DeclaredType comparable
                                && name(comparable.asElement()).equals("java.lang.Comparable")
                                && types.isSameType(
                                        comparable.getTypeArguments().getFirst(), type));
    }

    private static String name(@Nullable Element type) {
        return type instanceof TypeElement element ? element.getQualifiedName().toString() : "";
    }
}
