package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import org.jspecify.annotations.Nullable;

/**
 * A name that an export has at most one layout of. Structs, unions, enumerations and typedefs of one name are different
 * types; structs and classes are not.
 *
 * @param kind {@code STRUCT}, {@code UNION}, {@code ENUM} or {@code TYPEDEF}
 * @param name without a tag
 */
public record ExportName(TypeKind kind, String name) implements Comparable<ExportName> {

    @Override
    public int compareTo(ExportName other) {
        int order = kind.compareTo(other.kind);
        return order != 0 ? order : name.compareTo(other.name);
    }

    public ExportName {
        if (kind == TypeKind.CLASS) {
            kind = TypeKind.STRUCT;
        }
    }

    /** Returns the name of a definition; null for an unnamed enumeration and for a base type. */
    static @Nullable ExportName of(Definition definition, NameStyle style) {
        if (definition.name().isEmpty() || definition.kind() == TypeKind.BASE) {
            return null;
        }
        String spelling = definition.kind() == TypeKind.TYPEDEF
                ? definition.qualifiedName()
                : definition.kind().untagged(definition.shape().spelling());
        return new ExportName(definition.kind(), style.of(spelling));
    }

    /** Returns the name that a type is referred to by; null if it has none. */
    static @Nullable ExportName of(TypeShape shape, NameStyle style) {
        TypeKind kind = kind(shape);
        return kind == null ? null : new ExportName(kind, style.of(kind.untagged(shape.spelling())));
    }

    /** Returns the name of a type with its scopes and without a tag, in the style of answers. */
    static String spelled(TypeShape shape) {
        TypeKind kind = kind(shape);
        return kind == null ? shape.spelling() : kind.untagged(shape.spelling());
    }

    private static @Nullable TypeKind kind(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate -> aggregate.name() == null ? null : aggregate.kind();
            case EnumShape enumeration -> enumeration.name() == null ? null : TypeKind.ENUM;
            case AliasShape alias -> alias.kind() == AliasKind.TYPEDEF ? TypeKind.TYPEDEF : null;
            case NamedShape named -> named.kind() == TypeKind.BASE ? null : named.kind();
            default -> null;
        };
    }

    /** Returns the name as C writes it: {@code struct point}. */
    String text() {
        return kind.isTag() ? kind.word() + " " + name : name;
    }
}
