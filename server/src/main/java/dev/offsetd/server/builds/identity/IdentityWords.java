package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The words that find a build by its identity. */
final class IdentityWords {

    /** Most words of a build or of its facets, so that a hostile file cannot fill the index. */
    private static final int MAX_WORDS = 120;

    /** Names of an architecture besides that of {@code uname -m}. */
    private static final Map<String, List<String>> USUAL_NAMES = Map.of(
            "x86_64", List.of("amd64", "x64"),
            "aarch64", List.of("arm64"),
            "i386", List.of("i686", "x86"),
            "arm", List.of("armhf", "armv7l"),
            "ppc64le", List.of("ppc64el"));

    private final Map<String, Set<SearchWord.In>> shared = new LinkedHashMap<>();
    private final Map<String, Set<SearchWord.In>> own = new LinkedHashMap<>();

    IdentityWords(Identity identity, Architecture architecture) {
        add(shared, architecture.machine(), SearchWord.In.OTHER);
        USUAL_NAMES
                .getOrDefault(architecture.machine(), List.of())
                .forEach(name -> add(shared, name, SearchWord.In.OTHER));
        for (IdentityField field : identity.fields()) {
            if (!isFull(shared) || !isFull(own)) {
                add(field);
            }
        }
    }

    private static boolean isFull(Map<String, Set<SearchWord.In>> words) {
        return words.size() >= MAX_WORDS;
    }

    /** Returns the words that many builds have together, in PostgreSQL's syntax of {@code tsvector}. */
    String shared() {
        return tsvector(shared);
    }

    String own() {
        return tsvector(own);
    }

    private static String tsvector(Map<String, Set<SearchWord.In>> words) {
        return words.entrySet().stream()
                .map(word -> SearchWord.quoted(word.getKey()) + ":" + positions(word.getValue()))
                .collect(Collectors.joining(" "));
    }

    /** Returns the name of {@code uname -m} for a usual name of an architecture. */
    static String machine(String name) {
        return USUAL_NAMES.entrySet().stream()
                .filter(names -> names.getValue().contains(name))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(name);
    }

    private static String positions(Set<SearchWord.In> in) {
        return in.stream().map(SearchWord.In::position).collect(Collectors.joining(","));
    }

    private void add(IdentityField field) {
        if (field.kind() == IdentityField.Kind.VARIANT) {
            return;
        }
        SearchWord.In in = switch (field.kind()) {
            case SONAME, FILE_NAME, PACKAGE, PROJECT, GO_MODULE -> SearchWord.In.NAME;
            case VERSION, PACKAGE_VERSION, GO_MODULE_VERSION, KERNEL_RELEASE -> SearchWord.In.VERSION;
            case DISTRIBUTION -> SearchWord.In.DISTRIBUTION;
            default -> SearchWord.In.OTHER;
        };
        Map<String, Set<SearchWord.In>> words = isShared(field.kind()) ? shared : own;
        for (String word : SearchWord.words(field.value())) {
            add(words, word, in);
            if (in == SearchWord.In.NAME) {
                parts(word).forEach(part -> add(words, part, in));
            } else if (in == SearchWord.In.VERSION) {
                // A revision is searchable, but no version begins with it.
                parts(word).forEach(part -> add(words, part, SearchWord.In.OTHER));
            }
        }
    }

    private static boolean isShared(IdentityField.Kind kind) {
        return switch (kind) {
            case DISTRIBUTION, COMPILER, COMPILER_VERSION, COMPILER_FLAGS, LANGUAGE, GO_VERSION -> true;
            default -> false;
        };
    }

    /** Returns what follows each separator: {@code linux-image-6.12} is found by {@code image} and by {@code 6.12}. */
    private static List<String> parts(String word) {
        List<String> parts = new ArrayList<>();
        if (word.startsWith("lib")) {
            parts.add(word.substring("lib".length()));
        }
        for (int i = 0; i < word.length() - 1; i++) {
            if ("-_+~@".indexOf(word.charAt(i)) >= 0) {
                parts.add(word.substring(i + 1));
            }
        }
        return parts;
    }

    private static void add(Map<String, Set<SearchWord.In>> words, String word, SearchWord.In in) {
        if (!word.isEmpty() && (words.containsKey(word) || !isFull(words))) {
            words.computeIfAbsent(word, _ -> EnumSet.noneOf(SearchWord.In.class))
                    .add(in);
        }
    }
}
