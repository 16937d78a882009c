package dev.offsetd.extractor;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One reading of types from a source that is small enough to be read whole: BTF, Go or CPython. */
final class WholeTypeReader implements TypeReader {

    private final long bytes;
    private final TypeCatalogue types;

    /** @param bytes of the section that the types are from */
    WholeTypeReader(long bytes, TypeCatalogue types) {
        this.bytes = bytes;
        this.types = types;
    }

    @Override
    public TypeCatalogue selected(RequestedNames wanted) {
        Set<String> names = wanted.allTypes();
        Set<String> canonical = names.stream().map(TypeNames::canonical).collect(Collectors.toSet());
        List<Definition> selected = types.definitions().stream()
                .filter(definition -> (!definition.name().isEmpty()
                                && (canonical.contains(TypeNames.canonical(definition.name()))
                                        || isGoType(definition, names)))
                        || hasEnumerator(definition, wanted.enumerators()))
                .toList();
        return types.isFromProgram()
                ? TypeCatalogue.ofProgram(selected, types.omissions())
                : new TypeCatalogue(selected, List.of(), Set.of(), types.omissions());
    }

    /** Returns whether one of the names is that of a Go type without its package. */
    static boolean isGoType(Definition definition, Set<String> names) {
        return definition.language().family() == Language.Family.GO
                && names.contains(TypeNames.withoutPackage(definition.name()));
    }

    private static boolean hasEnumerator(Definition definition, Set<String> names) {
        return definition.shape() instanceof EnumShape enumeration
                && enumeration.enumerators().stream().anyMatch(enumerator -> names.contains(enumerator.name()));
    }

    @Override
    public TypeCatalogue all() {
        return types;
    }

    @Override
    public List<Omission> forEachDefinition(Consumer<Definition> sink) {
        types.definitions().stream().filter(WholeTypeReader::isCompleteTag).forEach(sink);
        return types.omissions();
    }

    /** Returns whether this is a complete definition of a named struct, union, class or enumeration. */
    private static boolean isCompleteTag(Definition definition) {
        return definition.kind().isTag() && !definition.name().isEmpty() && !definition.isDeclaration();
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
