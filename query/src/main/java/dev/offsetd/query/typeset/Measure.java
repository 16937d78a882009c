package dev.offsetd.query.typeset;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.symbols.TlsRelocation;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.item.ReadPlan;
import java.math.BigInteger;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Measure that a name of a {@link NameMap} takes from the answer to its item. */
public enum Measure {
    /** Bytes from the start of the outermost type, for a bit-field to the byte that holds its first bit. */
    OFFSET("offset"),
    /** Bytes of a type or member. */
    SIZE("size"),
    /** Bits from the start of the outermost type in memory order. */
    BIT_OFFSET("bitOffset"),
    /** Width in bits. */
    BIT_SIZE("bitSize"),
    /** Elements of an array, of all its dimensions. */
    COUNT("count"),
    /** Value of an enumerator. */
    VALUE("value"),
    /** Address of a function or variable as the program was linked. */
    ADDRESS("address"),
    /** Bytes of a thread-local variable from the start of its module's block. */
    TLS_OFFSET("tlsOffset"),
    /** Address of the descriptor of a thread-local variable, whose second word is its offset from the thread pointer. */
    TLS_DESCRIPTOR("tlsDescriptor"),
    /** Address at which the dynamic linker writes the number of the module of a thread-local variable. */
    TLS_MODULE("tlsModule"),
    /** Bytes from the thread pointer to a thread-local variable of a program. */
    THREAD_POINTER_OFFSET("threadPointerOffset"),
    /** The steps from a variable or type to a value, also behind pointers. */
    PLAN("plan");

    private static final String OTHER_BYTE_ORDER = "it is not stored in the byte order of the build";
    private static final String NOT_THREAD_LOCAL = "it is not a thread-local variable of this file";

    private final String word;

    Measure(String word) {
        this.word = word;
    }

    /** Returns the word in type sets. */
    public String word() {
        return word;
    }

    /** Returns whether it differs between builds of one version. */
    boolean isOfBuild() {
        return switch (this) {
            case ADDRESS, TLS_OFFSET, TLS_DESCRIPTOR, TLS_MODULE, THREAD_POINTER_OFFSET -> true;
            case OFFSET, SIZE, BIT_OFFSET, BIT_SIZE, COUNT, VALUE, PLAN -> false;
        };
    }

    /** Returns the words of all measures, for error messages. */
    static String words() {
        return Stream.of(values()).map(Measure::word).collect(Collectors.joining(", "));
    }

    /** Returns whether every alternative of an item may have this measure. */
    boolean suits(Item item) {
        return item.alternatives().stream().allMatch(alternative -> switch (this) {
            case VALUE -> alternative instanceof Alternative.EnumeratorName;
            case ADDRESS, TLS_OFFSET, TLS_DESCRIPTOR, TLS_MODULE, THREAD_POINTER_OFFSET ->
                alternative instanceof Alternative.SymbolGlob;
            case SIZE -> alternative instanceof Alternative.TypePath || alternative instanceof Alternative.SymbolGlob;
            case OFFSET, BIT_OFFSET, BIT_SIZE, COUNT, PLAN -> alternative instanceof Alternative.TypePath;
        });
    }

    /** Returns what {@link #suits}, for error messages. */
    String subject() {
        return switch (this) {
            case VALUE -> "an enumerator, \"enumerator NAME\"";
            case ADDRESS, TLS_OFFSET, TLS_DESCRIPTOR, TLS_MODULE, THREAD_POINTER_OFFSET -> "a symbol, \"symbol NAME\"";
            case SIZE -> "a type, a member or a symbol";
            case OFFSET, BIT_OFFSET, BIT_SIZE, COUNT -> "a member, TYPE.MEMBER";
            case PLAN -> "a member or variable, TYPE.MEMBER->MEMBER";
        };
    }

    /** Returns this measure of what an item was found to be. */
    MapValue of(ItemAnswer answer) {
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound path -> of(path.placement(), answer);
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) when this == PLAN -> plan(null, plan, answer);
            case ItemOutcome.VariableFound variable
            when this == PLAN && variable.problem() == null -> of(variable, answer);
            case ItemOutcome.TypeFound type
            when this == SIZE -> bytes(type.definition().shape().byteSize(), 1, answer);
            case ItemOutcome.EnumeratorFound found
            when this == VALUE ->
                of(found.found().enumerator(), found.found().enumeration().shape(), answer);
            case ItemOutcome.SymbolsFound symbols -> of(symbols, answer);
            case ItemOutcome outcome
            when outcome.status() != ItemStatus.FOUND -> new MapValue.Missing(answer.item(), outcome.status(), null);
            default -> unsupported(answer, "it is not " + subject());
        };
    }

    private MapValue of(Placement.Fixed placement, ItemAnswer answer) {
        boolean isPlace = this == OFFSET || this == BIT_OFFSET;
        if (isPlace && placement.type().byteOrder() != null) {
            return unsupported(answer, OTHER_BYTE_ORDER);
        }
        return switch (this) {
            case OFFSET -> new MapValue.Known(BigInteger.valueOf(placement.offset()), limit(placement, answer));
            case BIT_OFFSET -> new MapValue.Known(placement.bitOffset());
            case SIZE -> bytes(placement.size(), 1, answer);
            case BIT_SIZE ->
                placement.isBitField()
                        ? new MapValue.Known(placement.bitSize())
                        : bytes(placement.size(), Byte.SIZE, answer);
            case COUNT -> count(placement, answer);
            case PLAN -> plan(null, new ReadPlan(List.of(), placement), answer);
            case VALUE, ADDRESS, TLS_OFFSET, TLS_DESCRIPTOR, TLS_MODULE, THREAD_POINTER_OFFSET ->
                unsupported(answer, "it is not " + subject());
        };
    }

    private static MapValue of(ItemOutcome.VariableFound found, ItemAnswer answer) {
        String symbol = found.name();
        if (symbol == null) {
            return unsupported(answer, "the build has no symbol whose name leads to this variable alone");
        }
        return switch (found.part()) {
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) -> plan(symbol, plan, answer);
            case ItemOutcome.PathFound path -> plan(symbol, new ReadPlan(List.of(), path.placement()), answer);
            default -> unsupported(answer, "it is not " + PLAN.subject());
        };
    }

    private static MapValue plan(@Nullable String symbol, ReadPlan plan, ItemAnswer answer) {
        if (plan.target().type().byteOrder() != null) {
            return unsupported(answer, OTHER_BYTE_ORDER);
        }
        return plan.target().size() == TypeShape.UNKNOWN_SIZE
                ? unsupported(answer, "its size is not known")
                : MapValue.Plan.of(symbol, plan);
    }

    private static MapValue.@Nullable Limit limit(Placement.Fixed placement, ItemAnswer answer) {
        Definition outermost = answer.definition();
        if (outermost == null || placement.size() < 0 || outermost.shape().byteSize() < 0) {
            return null;
        }
        return new MapValue.Limit(placement.size(), outermost.shape().byteSize());
    }

    private static MapValue count(Placement.Fixed placement, ItemAnswer answer) {
        if (!(placement.type().peeled() instanceof ArrayShape array)) {
            return unsupported(answer, "it is not an array");
        }
        BigInteger elements = BigInteger.ONE;
        for (long count : array.counts()) {
            if (count < 0) {
                return unsupported(answer, "the number of its elements is not known");
            }
            elements = elements.multiply(BigInteger.valueOf(count));
        }
        return elements.bitLength() < Long.SIZE
                ? new MapValue.Known(elements)
                : unsupported(answer, "the number of its elements is not known");
    }

    private MapValue of(ItemOutcome.SymbolsFound found, ItemAnswer answer) {
        if (found.total() != 1) {
            return unsupported(answer, found.total() + " symbols have this name");
        }
        Symbol symbol = found.symbols().getFirst();
        boolean threadLocal = symbol.type() == SymbolType.TLS;
        return switch (this) {
            case ADDRESS ->
                symbol.isPlace()
                        ? new MapValue.Known(unsigned(symbol.value()))
                        : unsupported(answer, threadLocal ? "it is thread-local" : "it has no address");
            case TLS_OFFSET ->
                threadLocal && !symbol.isImported()
                        ? new MapValue.Known(unsigned(symbol.value()))
                        : unsupported(answer, NOT_THREAD_LOCAL);
            case TLS_DESCRIPTOR, TLS_MODULE, THREAD_POINTER_OFFSET ->
                threadLocal && !symbol.isImported()
                        ? ofProgram(symbol, found.program(), answer)
                        : unsupported(answer, NOT_THREAD_LOCAL);
            case SIZE ->
                symbol.size() == 0
                        ? unsupported(answer, "its size is not known")
                        : new MapValue.Known(unsigned(symbol.size()));
            default -> unsupported(answer, "it is not " + subject());
        };
    }

    /** Returns a measure that only the program has; a debug file has no relocations. */
    private MapValue ofProgram(Symbol symbol, @Nullable ProgramFacts program, ItemAnswer answer) {
        TlsAccess tls = program == null ? null : program.tls();
        if (tls == null) {
            return unsupported(answer, program == null ? "the program cannot be queried here" : program.tlsMissing());
        }
        OptionalLong found = switch (this) {
            case TLS_DESCRIPTOR -> tls.address(TlsRelocation.Kind.DESCRIPTOR, symbol);
            case TLS_MODULE -> tls.moduleAddress();
            default -> tls.threadPointerOffset(symbol);
        };
        return found.isPresent()
                ? new MapValue.Known(found.getAsLong())
                : new MapValue.Missing(
                        answer.item(),
                        ItemStatus.FIELD_NOT_FOUND,
                        this == THREAD_POINTER_OFFSET
                                ? "the dynamic linker decides where the variables of a library are"
                                : "the program has no such relocation");
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    private static MapValue bytes(long size, int unit, ItemAnswer answer) {
        return size == TypeShape.UNKNOWN_SIZE
                ? unsupported(answer, "its size is not known")
                : new MapValue.Known(BigInteger.valueOf(size).multiply(BigInteger.valueOf(unit)));
    }

    private static MapValue of(Enumerator enumerator, TypeShape enumeration, ItemAnswer answer) {
        if (!enumerator.known()) {
            return unsupported(answer, "its value is not known");
        }
        boolean signed = !(enumeration.peeled() instanceof EnumShape shape) || shape.signed();
        long bytes = enumeration.byteSize();
        BigInteger value = BigInteger.valueOf(enumerator.value());
        if (signed || value.signum() >= 0) {
            return new MapValue.Known(value);
        }
        int bits = bytes > 0 && bytes < Long.BYTES ? Math.toIntExact(bytes) * Byte.SIZE : Long.SIZE;
        return new MapValue.Known(value.mod(BigInteger.ONE.shiftLeft(bits)));
    }

    private static MapValue unsupported(ItemAnswer answer, String detail) {
        return new MapValue.Missing(answer.item(), ItemStatus.UNSUPPORTED, detail);
    }
}
