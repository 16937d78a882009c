package dev.offsetd.extractor;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** One reading of types from a source that is small enough to be read whole: BTF, Go or CPython. */
final class WholeTypeReader implements TypeReader {

    private final long bytes;
    private final List<Definition> definitions;
    private final boolean fromProgram;

    private WholeTypeReader(long bytes, List<Definition> definitions, boolean fromProgram) {
        this.bytes = bytes;
        this.definitions = definitions;
        this.fromProgram = fromProgram;
    }

    /** @param bytes of the section that the definitions are from */
    static WholeTypeReader ofBtf(long bytes, List<Definition> definitions) {
        return new WholeTypeReader(bytes, definitions, false);
    }

    /** As {@link #ofBtf}, for definitions that the program itself describes. */
    static WholeTypeReader ofProgram(long bytes, List<Definition> definitions) {
        return new WholeTypeReader(bytes, definitions, true);
    }

    @Override
    public TypeCatalogue selected(RequestedNames wanted) {
        Set<String> names = wanted.types();
        return catalogue(definitions.stream()
                .filter(definition -> isNamed(definition, names) || hasEnumerator(definition, wanted.enumerators()))
                .toList());
    }

    private static boolean isNamed(Definition definition, Set<String> names) {
        return !definition.name().isEmpty()
                && names.stream()
                        .anyMatch(name -> TypeNames.canonical(name).equals(TypeNames.canonical(definition.name()))
                                || isGoType(definition, name));
    }

    /** Returns whether the name is that of a Go type without its package. */
    static boolean isGoType(Definition definition, String name) {
        return definition.language().family() == Language.Family.GO
                && name.equals(TypeNames.withoutPackage(definition.name()));
    }

    private static boolean hasEnumerator(Definition definition, Set<String> names) {
        return definition.shape() instanceof EnumShape enumeration
                && enumeration.enumerators().stream().anyMatch(enumerator -> names.contains(enumerator.name()));
    }

    @Override
    public TypeCatalogue all() {
        return catalogue(definitions);
    }

    private TypeCatalogue catalogue(List<Definition> selected) {
        return fromProgram ? TypeCatalogue.ofProgram(selected) : new TypeCatalogue(selected, List.of());
    }

    @Override
    public List<Definition> firstMatches(Set<String> names) {
        FirstMatches first = new FirstMatches(names);
        definitions.forEach(first);
        return first.found();
    }

    @Override
    public void forEachDefinition(Consumer<Definition> sink) {
        definitions.stream().filter(WholeTypeReader::isCompleteTag).forEach(sink);
    }

    /** Returns whether this is a complete definition of a named struct, union, class or enumeration. */
    static boolean isCompleteTag(Definition definition) {
        return definition.kind().isTag() && !definition.name().isEmpty() && !definition.isDeclaration();
    }

    @Override
    public int unitCount() {
        return 1;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public Identity identity() {
        return Identity.UNKNOWN;
    }

    @Override
    public List<MissingUnit> missing() {
        return List.of();
    }
}
