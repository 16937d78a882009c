package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedEnumerator;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The C types of a file whose name says which layout is meant: tools that are asked by name, not by DIE, have no choice
 * with these.
 */
final class NamedLayouts {

    private static final String AMBIGUOUS = "";

    private final Map<String, String> texts = new HashMap<>();

    /** Takes one of the file's definitions. */
    void add(Definition definition, ExpectedDefinition comparable) {
        // Tools differ in whether they find types that are local to a function, and how. They print the 0 that stands
        // for
        // the places that the runtime of Objective-C sets.
        boolean usable = definition.language().family() == Family.C
                && definition.function() == null
                && !isPlacedAtRunTime(definition);
        String text = usable ? text(comparable) : AMBIGUOUS;
        texts.merge(
                comparable.kind() + " " + comparable.name(),
                text,
                (known, next) -> known.equals(next) ? known : AMBIGUOUS);
    }

    private static boolean isPlacedAtRunTime(Definition definition) {
        return definition.shape() instanceof AggregateShape aggregate
                && definition.language().name().startsWith("Objective-C")
                && aggregate.members().stream()
                        .anyMatch(member -> member.location() instanceof MemberLocation.Computed);
    }

    /** The layouts by kind and name, in the order of these: {@code struct list_head}. */
    Map<String, String> unambiguous() {
        Map<String, String> found = new TreeMap<>(texts);
        found.values().removeIf(AMBIGUOUS::equals);
        return found;
    }

    /** Size, a tab, and the parts as the scripts of {@link SecondOpinion} print them. */
    private static String text(ExpectedDefinition definition) {
        String parts = definition.kind().equals("enum")
                ? definition.enumerators().stream().map(NamedLayouts::text).collect(Collectors.joining("|"))
                : definition.members().stream().map(NamedLayouts::text).collect(Collectors.joining("|"));
        return definition.size() + "\t" + parts;
    }

    private static String text(ExpectedEnumerator enumerator) {
        return enumerator.name() + "," + enumerator.value();
    }

    private static String text(ExpectedMember member) {
        String name = member.name() == null ? "" : member.name();
        String bitSize = member.bitSize() == null ? "" : member.bitSize().toString();
        return name + "," + member.bitOffset() + "," + bitSize + "," + member.size();
    }
}
