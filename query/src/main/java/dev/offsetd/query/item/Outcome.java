package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.TlsSegment;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.Variable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one question came to. */
public sealed interface Outcome {

    ItemStatus status();

    /**
     * A type.
     *
     * @param definition the definition that answers; the first of those that are equal
     * @param alsoMatches definitions that the name could have meant too, but that rank behind, the first of them:
     *     typedefs and base types behind tags, base types behind typedefs
     * @param fields for a struct, union or class its fields by name: members, those of unnamed members and of base
     *     classes included. More than one placement for a name that is not clear. Else empty
     */
    record TypeFound(Definition definition, List<Definition> alsoMatches, Map<String, List<Placement>> fields)
            implements Outcome {

        public TypeFound {
            alsoMatches = List.copyOf(alsoMatches);
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        /** Whether the name is a typedef's, but the answer is about the struct, union, class or enum that it names. */
        public boolean viaTypedef() {
            return definition.kind() == TypeKind.TYPEDEF && kind() != TypeKind.TYPEDEF;
        }

        /** The kind of what the answer is about. */
        public TypeKind kind() {
            return switch (definition.shape().peeled()) {
                case AggregateShape aggregate -> aggregate.kind();
                case EnumShape _ -> TypeKind.ENUM;
                default -> definition.kind();
            };
        }

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /**
     * A member, or an element of an array.
     *
     * @param definition the definition that the path starts from
     * @param alsoMatches as in {@link TypeFound}
     */
    record PathFound(Definition definition, List<Definition> alsoMatches, Placement.Fixed place) implements Outcome {

        public PathFound {
            alsoMatches = List.copyOf(alsoMatches);
        }

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /** An enumerator. */
    record EnumeratorFound(EnumeratorDefinition found) implements Outcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /**
     * A static member: a variable with an address of its own, and no place in the objects of its class.
     *
     * @param definition the class
     */
    record StaticFound(Definition definition, Variable variable) implements Outcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /**
     * Symbols.
     *
     * @param symbols the first of them, sorted by name
     * @param total how many there are; at least one
     */
    record SymbolsFound(List<Symbol> symbols, int total) implements Outcome {

        public SymbolsFound {
            symbols = List.copyOf(symbols);
        }

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /** The segment of thread-local variables. */
    record TlsFound(TlsSegment tls) implements Outcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /**
     * A type set; its items have answers of their own.
     *
     * @param version of the set that was looked for
     */
    record SetFound(String name, int version, Coverage coverage) implements Outcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /**
     * Several answers that differ.
     *
     * @param variants the first of the different answers, in the order of the debug information
     * @param total how many different answers there are
     */
    record Ambiguous(List<Variant> variants, int total) implements Outcome {

        public Ambiguous {
            variants = List.copyOf(variants);
        }

        @Override
        public ItemStatus status() {
            return ItemStatus.AMBIGUOUS;
        }
    }

    /**
     * One of several answers that differ.
     *
     * @param definition what gave it
     */
    record Variant(Definition definition, Outcome outcome) {}

    /**
     * A path that would have to follow a pointer.
     *
     * @param at the path up to the pointer, as an item
     * @param place of the pointer
     * @param pointee what it points to, as an item; null if that is void, or has no name
     */
    record CrossesPointer(
            Definition definition,
            String at,
            Placement.Fixed place,
            @Nullable String pointee) implements Outcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.CROSSES_POINTER;
        }
    }

    /**
     * A path through a member whose place only the running program knows.
     *
     * @param at the path up to that member, as an item
     * @param reason why, in a few words
     */
    record Computed(Definition definition, String at, String reason) implements Outcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.COMPUTED;
        }
    }

    /**
     * No answer.
     *
     * @param status why
     * @param detail the same in a sentence; null if there is no more to say
     */
    record Missed(ItemStatus status, @Nullable String detail) implements Outcome {}
}
