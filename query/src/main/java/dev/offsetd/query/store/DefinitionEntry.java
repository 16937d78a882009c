package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeKind;
import org.jspecify.annotations.Nullable;

/**
 * Stored form of a definition, with numbers for its unit, language and shape. Only this record knows the order of the
 * fields.
 */
record DefinitionEntry(
        TypeKind kind,
        String name,
        String qualifiedName,
        @Nullable String function,
        int unit,
        int language,
        String section,
        long dieOffset,
        int shape) {

    static DefinitionEntry of(Definition definition, int unit, int language, int shape) {
        return new DefinitionEntry(
                definition.kind(),
                definition.name(),
                definition.qualifiedName(),
                definition.function(),
                unit,
                language,
                definition.section(),
                definition.dieOffset(),
                shape);
    }

    byte[] toBytes() {
        return new BlobOutput()
                .unsigned(ShapeCodec.indexOf(CatalogueFormat.KINDS, kind))
                .string(name)
                .string(qualifiedName)
                .optional(function)
                .unsigned(unit)
                .unsigned(language)
                .string(section)
                .unsigned(dieOffset)
                .unsigned(shape)
                .toBytes();
    }

    static DefinitionEntry read(BlobInput in) {
        return new DefinitionEntry(
                ShapeCodec.at(CatalogueFormat.KINDS, in.count()),
                in.string(),
                in.string(),
                in.optional(),
                in.count(),
                in.count(),
                in.string(),
                in.unsigned(),
                in.count());
    }

    /** Reads the qualified name only: thousands of C++ definitions can share one bare name. */
    static String readQualifiedName(BlobInput in) {
        in.count();
        in.string();
        return in.string();
    }
}
