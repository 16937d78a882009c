package dev.offsetd.cli.file;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.packages.repositories.Patterns;
import dev.offsetd.query.item.MemberTree;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Selection and order of named types.
 *
 * @param pattern part of the qualified name, or a pattern of it with {@code *} and {@code ?}
 * @param minSize bytes; types of unknown size count as 0
 */
record TypeFilter(
        @Nullable String pattern,
        @Nullable TypeKind kind,
        Language.@Nullable Family language,
        long minSize,
        Order order) {

    private static final Comparator<Definition> BY_NAME = Comparator.comparing(Definition::qualifiedName)
            .thenComparing(Definition::kind)
            .thenComparingLong(Definition::dieOffset);

    /** Orders of the list; by size and by holes, the largest is first. */
    enum Order {
        NAME,
        SIZE,
        HOLES
    }

    List<Definition> apply(List<Definition> definitions) {
        Predicate<String> names = names();
        Stream<Definition> selected = definitions.parallelStream()
                .filter(definition -> !definition.name().isEmpty())
                .filter(definition -> kind == null || definition.kind() == kind)
                .filter(definition -> language == null || definition.language().family() == language)
                .filter(definition -> Math.max(0, definition.shape().byteSize()) >= minSize)
                .filter(definition -> names.test(definition.qualifiedName()));
        Comparator<Definition> largestFirst = switch (order) {
            case NAME -> BY_NAME;
            case SIZE ->
                Comparator.comparingLong(
                                (Definition definition) -> definition.shape().byteSize())
                        .reversed();
            case HOLES -> Comparator.comparingLong(TypeFilter::unusedBytes).reversed();
        };
        return selected.sorted(largestFirst.thenComparing(BY_NAME)).toList();
    }

    private Predicate<String> names() {
        String text = pattern;
        if (text == null) {
            return _ -> true;
        }
        if (text.indexOf('*') < 0 && text.indexOf('?') < 0) {
            return name -> name.contains(text);
        }
        return new Patterns(List.of(text))::match;
    }

    /** Returns the bytes of a struct, union or class that no member uses, at its end included. */
    static long unusedBytes(Definition definition) {
        if (!(definition.shape() instanceof AggregateShape aggregate)) {
            return 0;
        }
        try {
            return MemberTree.of(aggregate).stream()
                            .mapToLong(entry -> entry instanceof MemberTree.Entry.Padding gap ? gap.bitSize() : 0)
                            .sum()
                    / Byte.SIZE;
        } catch (ArithmeticException e) {
            // A member ends past the last bit that can be counted.
            return 0;
        }
    }
}
