package dev.offsetd.extractor.identity;

import dev.offsetd.extractor.identity.IdentityField.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Names of a build: project, version, soname, file names, package, distribution, compiler and more, each with its
 * source.
 *
 * @param fields in the order of preference within a kind; each value occurs once per kind, and none is empty
 * @param goModules the modules that a Go program is built from, the main module first
 */
public record Identity(List<IdentityField> fields, List<GoModule> goModules) {

    /** Most fields of an identity; more are dropped. */
    public static final int MAX_FIELDS = 200;

    /** The identity of a build of which nothing is known. */
    public static final Identity UNKNOWN = new Identity(List.of());

    private record Value(Kind kind, String text) implements Comparable<Value> {

        @Override
        public int compareTo(Value other) {
            int order = kind.compareTo(other.kind);
            return order != 0 ? order : text.compareTo(other.text);
        }
    }

    public Identity {
        Map<Value, IdentityField> distinct = new LinkedHashMap<>();
        for (IdentityField field : fields) {
            if (!field.value().isEmpty()) {
                distinct.merge(
                        new Value(field.kind(), field.value()),
                        field,
                        (first, other) -> first.derived() && !other.derived() ? other : first);
            }
        }
        fields = distinct.values().stream().limit(MAX_FIELDS).toList();
        goModules = List.copyOf(goModules);
    }

    public Identity(List<IdentityField> fields) {
        this(fields, List.of());
    }

    /** Returns all values of a kind: those that a source states, then those that are derived. */
    public List<String> all(Kind kind) {
        return Stream.of(false, true)
                .flatMap(derived -> fields.stream()
                        .filter(field -> field.kind() == kind && field.derived() == derived)
                        .map(IdentityField::value))
                .toList();
    }

    /** Returns the first value of a kind that a source states; else the first that is derived. */
    public Optional<String> first(Kind kind) {
        return all(kind).stream().findFirst();
    }

    /**
     * Returns the fields of both; of equal values, the field of this identity unless only the other is not derived. The modules
     * are those of this identity if it has any.
     */
    public Identity merge(Identity other) {
        List<IdentityField> union = new ArrayList<>(fields);
        union.addAll(other.fields);
        return new Identity(union, goModules.isEmpty() ? other.goModules : goModules);
    }

    /**
     * Returns name, version and distribution, such as {@code libruby.so.3.4 3.4.5, Debian 13}: the soname says which file
     * of a project or package it is, so it comes before these.
     *
     * @return without the version or the distribution if that is unknown; empty if no name is known
     */
    public String title() {
        Optional<String> name = firstOf(Kind.SONAME, Kind.FILE_NAME, Kind.GO_MODULE, Kind.PROJECT, Kind.PACKAGE)
                .or(() -> first(Kind.KERNEL_RELEASE).map(release -> "Linux"));
        return name.map(found -> found
                        + firstOf(Kind.KERNEL_RELEASE, Kind.GO_MODULE_VERSION, Kind.VERSION, Kind.PACKAGE_VERSION)
                                .map(version -> " " + version)
                                .orElse("")
                        + first(Kind.DISTRIBUTION)
                                .map(distribution -> ", " + distribution)
                                .orElse(""))
                .orElse("");
    }

    private Optional<String> firstOf(Kind... kinds) {
        return Stream.of(kinds).flatMap(kind -> first(kind).stream()).findFirst();
    }
}
