package dev.offsetd.extractor.testkit;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.BaseShape.Encoding;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Hand-written types and definitions. Offsets are in bytes unless a name says bits. */
public final class Types {

    public static final Language C = new Language("C11", Language.Family.C);
    public static final Language CPP = new Language("C++14", Language.Family.CPP);
    public static final Language RUST = new Language("Rust", Language.Family.RUST);
    public static final Language GO = new Language("Go", Language.Family.GO);

    public static final BaseShape INT = new BaseShape("int", 4, Encoding.SIGNED);
    public static final BaseShape UNSIGNED = new BaseShape("unsigned int", 4, Encoding.UNSIGNED);
    public static final BaseShape LONG = new BaseShape("long int", 8, Encoding.SIGNED);
    public static final BaseShape UNSIGNED_LONG = new BaseShape("long unsigned int", 8, Encoding.UNSIGNED);
    public static final BaseShape CHAR = new BaseShape("char", 1, Encoding.OTHER);

    private Types() {}

    public static PointerShape pointer(String spelling, @Nullable String pointee) {
        return pointer(Spelling.of(spelling), pointee);
    }

    public static PointerShape pointer(Spelling declarator, @Nullable String pointee) {
        TypeShape target = pointee == null
                ? new BaseShape("void", TypeShape.UNKNOWN_SIZE, Encoding.OTHER)
                : new NamedShape(pointee.startsWith("struct ") ? TypeKind.STRUCT : TypeKind.TYPEDEF, pointee);
        return new PointerShape(PointerKind.POINTER, declarator, 8, target);
    }

    public static AliasShape alias(String spelling, TypeShape target) {
        return new AliasShape(spelling, target);
    }

    public static ArrayShape array(TypeShape element, long... counts) {
        long bytes = element.byteSize();
        StringBuilder spelling = new StringBuilder();
        for (long count : counts) {
            bytes *= Math.max(count, 0);
            spelling.append('[').append(count < 0 ? "" : Long.toString(count)).append(']');
        }
        return new ArrayShape(
                element.declarator().array(spelling.toString()),
                element,
                Arrays.stream(counts).boxed().toList(),
                bytes);
    }

    public static AggregateShape struct(@Nullable String name, long size, Member... members) {
        return aggregate(TypeKind.STRUCT, name, size, members);
    }

    public static AggregateShape union(@Nullable String name, long size, Member... members) {
        return aggregate(TypeKind.UNION, name, size, members);
    }

    public static AggregateShape aggregate(TypeKind kind, @Nullable String name, long size, Member... members) {
        String spelling = kind.word() + " " + (name == null ? "{...}" : name);
        return new AggregateShape(kind, name, spelling, size, 0, List.of(members));
    }

    public static EnumShape enumeration(@Nullable String name, long size, boolean signed, Enumerator... enumerators) {
        String spelling = name == null ? "enum {...}" : "enum " + name;
        return new EnumShape(name, spelling, size, signed, List.of(enumerators));
    }

    public static IncompleteShape incomplete(String spelling) {
        return new IncompleteShape(spelling, IncompleteShape.Reason.DECLARED);
    }

    public static Member field(@Nullable String name, long offset, TypeShape type) {
        return new Member(
                Member.Role.FIELD, name, new MemberLocation.Fixed(offset * 8), Member.NOT_A_BIT_FIELD, 0, type);
    }

    public static Member bits(@Nullable String name, long bitOffset, int bitSize, TypeShape type) {
        return new Member(Member.Role.FIELD, name, new MemberLocation.Fixed(bitOffset), bitSize, type.byteSize(), type);
    }

    public static Member unnamed(long offset, AggregateShape type) {
        return field(null, offset, type);
    }

    public static Member base(long offset, TypeShape type) {
        return new Member(
                Member.Role.BASE_CLASS, null, new MemberLocation.Fixed(offset * 8), Member.NOT_A_BIT_FIELD, 0, type);
    }

    public static Member virtualBase(TypeShape type) {
        return new Member(
                Member.Role.BASE_CLASS,
                null,
                new MemberLocation.Computed("virtual base class"),
                Member.NOT_A_BIT_FIELD,
                0,
                type);
    }

    public static Member computed(String name, TypeShape type) {
        return new Member(
                Member.Role.FIELD,
                name,
                new MemberLocation.Computed("location is an expression"),
                Member.NOT_A_BIT_FIELD,
                0,
                type);
    }

    /** A definition at file scope in {@code main.c}, in C. */
    public static Definition define(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate -> define(aggregate.kind(), name(aggregate.name()), shape);
            case EnumShape enumeration -> define(TypeKind.ENUM, name(enumeration.name()), shape);
            case AliasShape alias -> define(TypeKind.TYPEDEF, alias.spelling(), shape);
            case BaseShape base -> define(TypeKind.BASE, base.spelling(), shape);
            default -> throw new IllegalArgumentException(shape.spelling());
        };
    }

    public static Definition define(TypeKind kind, String name, TypeShape shape) {
        return new Definition(kind, name, name, null, "main.c", C, ".debug_info", 0x2a, shape);
    }

    public static Definition declare(TypeKind kind, String name) {
        return define(kind, name, incomplete(kind.word() + " " + name));
    }

    public static Definition in(String unit, Language language, Definition definition) {
        return new Definition(
                definition.kind(),
                definition.name(),
                definition.qualifiedName(),
                definition.function(),
                unit,
                language,
                definition.section(),
                definition.dieOffset(),
                definition.shape());
    }

    public static Definition qualified(String qualifiedName, Definition definition) {
        return new Definition(
                definition.kind(),
                definition.name(),
                qualifiedName,
                definition.function(),
                definition.unit(),
                definition.language(),
                definition.section(),
                definition.dieOffset(),
                definition.shape());
    }

    public static Definition local(String function, Definition definition) {
        return new Definition(
                definition.kind(),
                definition.name(),
                definition.qualifiedName(),
                function,
                definition.unit(),
                definition.language(),
                definition.section(),
                definition.dieOffset(),
                definition.shape());
    }

    /** A build with these definitions. */
    public static TypeIndex build(Definition... definitions) {
        return new Build(List.of(definitions));
    }

    private static String name(@Nullable String name) {
        return name == null ? "" : name;
    }

    private record Build(List<Definition> definitions) implements TypeIndex {

        @Override
        public List<Definition> definitionsNamed(String name) {
            return definitions.stream()
                    .filter(definition -> TypeNames.normalize(definition.name()).equals(TypeNames.normalize(name)))
                    .toList();
        }

        @Override
        public void forEachTypeName(String from, Predicate<String> goOn) {
            new TypeCatalogue(definitions, List.of()).forEachTypeName(from, goOn);
        }

        @Override
        public void forEachEnumeratorName(String from, Predicate<String> goOn) {
            new TypeCatalogue(definitions, List.of()).forEachEnumeratorName(from, goOn);
        }

        @Override
        public void forEachVariableName(String from, Predicate<String> goOn) {}

        @Override
        public Set<String> inlineNamespaces() {
            return Set.of();
        }

        @Override
        public void forEachVariable(Consumer<Variable> sink) {
            // It has none.
        }

        @Override
        public List<Variable> variablesNamed(String name) {
            return List.of();
        }

        @Override
        public List<EnumeratorDefinition> enumeratorsNamed(String name) {
            List<EnumeratorDefinition> found = new ArrayList<>();
            for (Definition definition : definitions) {
                if (definition.shape() instanceof EnumShape enumeration) {
                    for (Enumerator enumerator : enumeration.enumerators()) {
                        if (enumerator.name().equals(name)) {
                            found.add(new EnumeratorDefinition(enumerator, definition));
                        }
                    }
                }
            }
            return found;
        }
    }
}
