package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.TlsSegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Result of resolving an item. */
public sealed interface ItemOutcome {

    ItemStatus status();

    /** A type, member, enumerator, symbol or set that an item refers to. */
    sealed interface Located extends ItemOutcome {

        @Override
        default ItemStatus status() {
            return ItemStatus.FOUND;
        }
    }

    /**
     * A type.
     *
     * @param definition the definition that answers, the first of equal ones
     * @param alsoMatches the first of the definitions that the name could also mean but that rank behind: typedefs and base
     *     types behind tags, base types behind typedefs
     * @param fields the fields of a struct, union or class by name, including those of unnamed members and base classes;
     *     several placements for an ambiguous name. Else empty
     */
    record TypeFound(Definition definition, List<Definition> alsoMatches, Map<String, List<Placement>> fields)
            implements Located {

        public TypeFound {
            alsoMatches = List.copyOf(alsoMatches);
            // Not a copy: hundreds of typedefs may share a struct of thousands of fields.
            fields = Collections.unmodifiableMap(fields);
        }

        /** Returns whether the name is a typedef but the answer describes the struct, union, class or enum behind it. */
        public boolean viaTypedef() {
            return definition.kind() == TypeKind.TYPEDEF && kind() != TypeKind.TYPEDEF;
        }

        /** Returns the kind of type that the answer describes. */
        public TypeKind kind() {
            return switch (definition.shape().peeled()) {
                case AggregateShape aggregate -> aggregate.kind();
                case EnumShape _ -> TypeKind.ENUM;
                default -> definition.kind();
            };
        }
    }

    /**
     * A member, or an element of an array.
     *
     * @param definition the definition that the path starts from
     * @param alsoMatches as in {@link TypeFound}
     */
    record PathFound(Definition definition, List<Definition> alsoMatches, Placement.Fixed placement)
            implements Located {

        public PathFound {
            alsoMatches = List.copyOf(alsoMatches);
        }
    }

    /**
     * A member behind pointers.
     *
     * @param definition the definition that the path starts from
     * @param alsoMatches as in {@link TypeFound}
     */
    record PlanFound(Definition definition, List<Definition> alsoMatches, ReadPlan plan) implements Located {

        public PlanFound {
            alsoMatches = List.copyOf(alsoMatches);
        }
    }

    /**
     * A variable, or a part of one, or a member behind pointers in it.
     *
     * @param symbol the symbol of the variable; null if the build has none, or if symbols were not looked up
     * @param name the name of the symbol, if it leads to the variable alone; if symbols were not looked up, the one that
     *     debug information has; else null
     * @param part where it is in the variable: a {@link PathFound} or a {@link PlanFound}; in the block of thread-local
     *     variables of its module if it is one of them
     * @param program what the file of the program states; null if it was not looked up
     */
    record VariableFound(
            Variable variable,
            @Nullable Symbol symbol,
            @Nullable String name,
            Located part,
            @Nullable ProgramFacts program)
            implements ItemOutcome {

        @Override
        public ItemStatus status() {
            return symbol == null && variable.address() == null ? ItemStatus.UNSUPPORTED : ItemStatus.FOUND;
        }

        public boolean isThreadLocal() {
            return symbol != null && symbol.type() == SymbolType.TLS;
        }

        /**
         * Returns the address of the variable: an ELF virtual address, in a relocatable file the offset in its section. Empty
         * for a thread-local variable.
         */
        public OptionalLong address() {
            if (variable.address() != null) {
                return OptionalLong.of(variable.address());
            }
            return symbol == null || isThreadLocal() ? OptionalLong.empty() : OptionalLong.of(symbol.value());
        }

        /** Returns the offset of the variable in the program's file; empty if the file has no byte of it, or that is not known. */
        public OptionalLong fileOffset() {
            OptionalLong address = address();
            return program == null || address.isEmpty()
                    ? OptionalLong.empty()
                    : program.offsets().ofAddress(address.getAsLong());
        }

        /** Returns why the place of the variable is not known; null if it is. */
        public @Nullable String problem() {
            return status() == ItemStatus.FOUND
                    ? null
                    : "its place is not known: it is thread-local or in a relocatable file, and the build has no single"
                            + " symbol of it";
        }
    }

    /** An enumerator. */
    record EnumeratorFound(EnumeratorDefinition found) implements Located {}

    /**
     * A static member: a variable with an address, outside the objects of its class.
     *
     * @param definition the class
     */
    record StaticFound(Definition definition, Variable variable) implements Located {}

    /**
     * Symbols.
     *
     * @param symbols the first of them, sorted by name
     * @param total the number of matches, at least one
     * @param program what the file of the program states; null if it was not looked up
     */
    record SymbolsFound(
            List<Symbol> symbols, int total, @Nullable ProgramFacts program) implements Located {

        public SymbolsFound {
            symbols = List.copyOf(symbols);
        }
    }

    /** The segment of thread-local variables. */
    record TlsFound(TlsSegment tls) implements Located {}

    /**
     * A type set; each of its items has a separate answer.
     *
     * @param version the version of the set
     */
    record SetFound(String name, int version, Coverage coverage) implements Located {}

    /**
     * Several definitions that differ in the item.
     *
     * @param variants the first different answers, in the order of the debug information
     * @param total the number of different answers
     */
    record Ambiguous(List<DifferingAnswer> variants, int total) implements ItemOutcome {

        public Ambiguous {
            variants = List.copyOf(variants);
        }

        @Override
        public ItemStatus status() {
            return ItemStatus.AMBIGUOUS;
        }
    }

    /** One of several different answers. */
    record DifferingAnswer(Definition definition, ItemOutcome outcome) {}

    /**
     * A path that leads through a pointer.
     *
     * @param at the path up to the pointer, as an item
     * @param step the index of the step that leads through it
     * @param placement of the pointer
     * @param pointee the target type as an item; null if it is void or has no name
     * @param following the path with {@code ->} in place of the dot; null if the pointer cannot be followed
     */
    record CrossesPointer(
            Definition definition,
            String at,
            int step,
            Placement.Fixed placement,
            @Nullable String pointee,
            @Nullable String following)
            implements ItemOutcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.CROSSES_POINTER;
        }
    }

    /**
     * A path through a member whose location is known only at run time.
     *
     * @param at the path up to that member, as an item
     * @param reason the reason, in a few words
     */
    record Computed(Definition definition, String at, String reason) implements ItemOutcome {

        @Override
        public ItemStatus status() {
            return ItemStatus.COMPUTED;
        }
    }

    /**
     * No answer.
     *
     * @param detail the reason in a sentence, or null
     * @param member the member that a type lacks, or null
     */
    record Missed(
            ItemStatus status,
            @Nullable String detail,
            @Nullable MissingMember member) implements ItemOutcome {

        public Missed(ItemStatus status, @Nullable String detail) {
            this(status, detail, null);
        }
    }

    /**
     * A member that a struct, union or class lacks.
     *
     * @param at the path up to that struct, as an item
     * @param others the members that it has
     */
    record MissingMember(String at, String name, Set<String> others) {}
}
