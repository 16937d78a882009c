package dev.offsetd.extractor.testkit;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All type DIEs of a file as another tool prints them, and the layouts that DWARF 5 §5 derives from them. This is a
 * deliberately simple, independent implementation of the rules, which shares no code with the reader under test.
 * References to other units and to the supplementary file are resolved after all DIEs have been read.
 */
public final class RawDwarf {

    private static final String DEBUG_TYPES = ".debug_types";
    private static final long OPEN = -1;
    private static final int MAX_CHAIN = 1000;

    /** Bits of a key that identify the section or file beside the DIE's offset. */
    private static final long TYPES = 1L << 60;

    private static final long SUPPLEMENTARY = 1L << 61;
    private static final long BY_SIGNATURE = 1L << 62;

    private final ByteOrder order;
    private final RawDies dies = new RawDies();
    private final List<RawUnit> units = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> nameIndexes = new HashMap<>();
    private final List<Long> signatures = new ArrayList<>();
    private final Map<Long, Integer> signatureIndexes = new HashMap<>();
    private final Map<Integer, Integer> dieOfSignature = new HashMap<>();

    /** Rows of the ancestors of the last DIE, outermost first; {@link RawDies#NONE} for those that are not recorded. */
    private int[] path = new int[64];

    private boolean readsSupplementaryFile;
    private long[] sortedKeys = {};
    private int[] rowsByKey = {};

    RawDwarf(ByteOrder order) {
        this.order = order;
    }

    /**
     * Marks the start of the supplementary file. Its DIEs are targets of references but not definitions of the file.
     */
    void beginSupplementaryFile() {
        readsSupplementaryFile = true;
    }

    /** Starts a unit. */
    RawUnit unit(String section, long offset) {
        RawUnit unit = new RawUnit(section, offset);
        units.add(unit);
        return unit;
    }

    /** Adds the next DIE of the current unit, or returns false if its tag does not affect layouts. */
    boolean die(long offset, String tagName, int depth) {
        if (depth == path.length) {
            path = Arrays.copyOf(path, 2 * depth);
        }
        path[depth] = RawDies.NONE;
        RawTag tag = RawTag.of(tagName);
        if (tag == null) {
            return false;
        }
        int parent = depth == 0 ? RawDies.NONE : path[depth - 1];
        path[depth] = dies.add(key(units.getLast().section, offset), tag, parent, depth, units.size() - 1);
        return true;
    }

    /** Sets the name of the last DIE. */
    void name(String name) {
        dies.put(RawAttribute.NAME, nameIndexes.computeIfAbsent(name, added -> {
            names.add(added);
            return names.size() - 1;
        }));
        if (dies.tag(dies.count() - 1) == RawTag.UNIT) {
            units.getLast().name = name;
        }
    }

    /** Sets a number of the last DIE, {@link RawDies#NOT_A_NUMBER} included. */
    void number(RawAttribute attribute, long value) {
        if (attribute == RawAttribute.LANGUAGE && dies.tag(dies.count() - 1) == RawTag.UNIT) {
            units.getLast().language = value;
        }
        dies.put(attribute, value);
    }

    /** Sets a reference of the last DIE to another DIE of its section. */
    void reference(RawAttribute attribute, long offset) {
        dies.put(attribute, key(units.getLast().section, offset));
    }

    /** Sets a reference of the last DIE to a DIE of the supplementary file. */
    void supplementaryReference(RawAttribute attribute, long offset) {
        dies.put(attribute, offset | SUPPLEMENTARY);
    }

    /** Sets a reference of the last DIE to the type with the given signature. */
    void signature(RawAttribute attribute, long signature) {
        dies.put(attribute, signatureIndex(signature) | BY_SIGNATURE);
    }

    private int signatureIndex(long signature) {
        return signatureIndexes.computeIfAbsent(signature, added -> {
            signatures.add(added);
            return signatures.size() - 1;
        });
    }

    private long key(String section, long offset) {
        return offset | (section.startsWith(DEBUG_TYPES) ? TYPES : 0) | (readsSupplementaryFile ? SUPPLEMENTARY : 0);
    }

    /** Completes the input. Definitions are available afterwards. */
    RawDwarf finish() {
        // Sections are printed in the order of their headers, with supplementary files at the end.
        boolean sorted = IntStream.range(1, dies.count()).allMatch(i -> dies.key(i - 1) < dies.key(i));
        IntStream rows = IntStream.range(0, dies.count());
        rowsByKey = sorted
                ? rows.toArray()
                : rows.boxed()
                        .sorted(Comparator.comparingLong(dies::key))
                        .mapToInt(Integer::intValue)
                        .toArray();
        sortedKeys = Arrays.stream(rowsByKey).mapToLong(dies::key).toArray();
        for (RawUnit unit : units) {
            if (unit.signature != RawDies.ABSENT) {
                int die = row(key(unit.section, unit.offset + unit.typeOffset) & ~SUPPLEMENTARY);
                if (die != RawDies.NONE) {
                    dieOfSignature.putIfAbsent(signatureIndex(unit.signature), die);
                }
            }
        }
        return this;
    }

    /** Returns every complete named struct, union, class and enumeration of the file itself, in DIE order. */
    public List<ExpectedDefinition> definitions() {
        List<ExpectedDefinition> definitions = new ArrayList<>();
        iterator().forEachRemaining(definitions::add);
        return definitions;
    }

    /** Returns the same definitions, created on demand. */
    public Iterator<ExpectedDefinition> iterator() {
        return IntStream.of(rowsByKey)
                .filter(this::isDefinition)
                .mapToObj(this::definition)
                .iterator();
    }

    private boolean isDefinition(int die) {
        return kind(die) != null
                && (dies.key(die) & SUPPLEMENTARY) == 0
                && !dies.isSet(die, RawAttribute.DECLARATION)
                && name(die) != null;
    }

    private @Nullable String kind(int die) {
        return switch (dies.tag(die)) {
            case STRUCT -> "struct";
            case UNION -> "union";
            case CLASS -> "class";
            case ENUM -> "enum";
            default -> null;
        };
    }

    private @Nullable String name(int die) {
        int named = die;
        for (int i = 0; named != RawDies.NONE && !dies.has(named, RawAttribute.NAME); i++) {
            checkChain(i, die);
            named = target(named, RawAttribute.SPECIFICATION);
        }
        return named == RawDies.NONE ? null : names.get((int) dies.get(named, RawAttribute.NAME));
    }

    private ExpectedDefinition definition(int die) {
        List<ExpectedDefinition.ExpectedMember> members = new ArrayList<>();
        List<ExpectedDefinition.ExpectedEnumerator> enumerators = new ArrayList<>();
        for (int child = dies.firstChild(die); child != RawDies.NONE; child = dies.nextChild(die, child)) {
            switch (dies.tag(child)) {
                // A member that is only declared is static and takes no space (DWARF 4 §5.5.6).
                case MEMBER, INHERITANCE -> {
                    if (!dies.isSet(child, RawAttribute.DECLARATION) && !dies.isSet(child, RawAttribute.EXTERNAL)) {
                        members.add(member(child));
                    }
                }
                case VARIANT_PART -> addVariants(child, members);
                case ENUMERATOR ->
                    enumerators.add(
                            new ExpectedDefinition.ExpectedEnumerator(String.valueOf(name(child)), value(child, die)));
                default -> {}
            }
        }
        if (dies.has(die, RawAttribute.RUNTIME_CLASS)) {
            leavePlacesToTheRuntime(members);
        }
        RawUnit unit = units.get(dies.unit(die));
        return new ExpectedDefinition(
                unit.section,
                dies.key(die) & ~TYPES,
                unit.name == null ? "" : unit.name,
                String.valueOf(kind(die)),
                String.valueOf(name(die)),
                byteSize(die),
                members,
                enumerators);
    }

    /**
     * Takes the places from the variables of an Objective-C class if several are in its first byte, where clang puts all that
     * the runtime places.
     */
    private static void leavePlacesToTheRuntime(List<ExpectedDefinition.ExpectedMember> members) {
        if (members.stream().filter(RawDwarf::isAtStart).count() > 1) {
            members.replaceAll(member -> isAtStart(member) && !member.base()
                    ? new ExpectedDefinition.ExpectedMember(
                            member.name(), false, null, member.bitSize(), member.size(), member.counts())
                    : member);
        }
    }

    private static boolean isAtStart(ExpectedDefinition.ExpectedMember member) {
        return member.bitOffset() != null && member.bitOffset() < Byte.SIZE;
    }

    /**
     * Returns an enumerator's value. Some producers write a negative value as unsigned and leave the sign to the type.
     */
    private long value(int enumerator, int enumeration) {
        long value = dies.get(enumerator, RawAttribute.CONST_VALUE);
        int type = peeled(target(enumeration, RawAttribute.TYPE));
        long size = byteSize(enumeration);
        if (type == RawDies.NONE || size < 1 || size > 7) {
            return value;
        }
        long encoding = dies.get(type, RawAttribute.ENCODING);
        boolean signed = encoding == RawDies.SIGNED || encoding == RawDies.SIGNED_CHAR;
        return signed && value >>> (8 * size - 1) == 1 ? value - (1L << (8 * size)) : value;
    }

    /** Adds the discriminant and the members of all variants (DWARF 5 §5.7.10), each with the value that selects it. */
    private void addVariants(int part, List<ExpectedDefinition.ExpectedMember> members) {
        long mask = -1;
        for (int child = dies.firstChild(part); child != RawDies.NONE; child = dies.nextChild(part, child)) {
            if (dies.tag(child) == RawTag.MEMBER) {
                ExpectedDefinition.ExpectedMember discriminant = member(child);
                members.add(discriminant.named(ExpectedDefinition.ExpectedMember.DISCRIMINANT));
                mask = discriminant.size() == 8 ? -1 : (1L << (8 * discriminant.size())) - 1;
                continue;
            }
            long value = dies.get(child, RawAttribute.DISCR_VALUE);
            for (int inner = dies.firstChild(child); inner != RawDies.NONE; inner = dies.nextChild(child, inner)) {
                if (dies.tag(inner) == RawTag.MEMBER) {
                    ExpectedDefinition.ExpectedMember member = member(inner);
                    String when = dies.has(child, RawAttribute.DISCR_VALUE)
                            ? "when " + Long.toHexString(value & mask)
                            : "otherwise";
                    members.add(member.named(member.name() + " " + when));
                }
            }
        }
    }

    private ExpectedDefinition.ExpectedMember member(int die) {
        int type = target(die, RawAttribute.TYPE);
        long size = type == RawDies.NONE ? OPEN : byteSize(type);
        long bitSize = dies.get(die, RawAttribute.BIT_SIZE);
        Long place = bitOffset(die, size);
        boolean bitField = bitSize != RawDies.ABSENT;
        if (bitField && place != null && isWiderThanItsStorage(die, peeled(type), bitSize)) {
            boolean placed = place >= 0 && place % 8 == 0 && place + bitSize <= 8 * byteSize(dies.parent(die));
            bitField = !placed || bitSize != 8 * size;
            place = placed ? place : null;
        }
        return new ExpectedDefinition.ExpectedMember(
                name(die),
                dies.tag(die) == RawTag.INHERITANCE,
                place,
                bitField ? (int) bitSize : null,
                size,
                counts(type));
    }

    /**
     * Returns whether a member is a "bit-field" that LLVM made of an array or struct whose size the compiler stated too small.
     * The member is whole where it can be, and has no place otherwise.
     */
    private boolean isWiderThanItsStorage(int member, int type, long bitSize) {
        return type != RawDies.NONE
                && (dies.tag(type) == RawTag.ARRAY || (kind(type) != null && dies.tag(type) != RawTag.ENUM))
                && dies.has(member, RawAttribute.BYTE_SIZE)
                && bitSize > 8 * dies.get(member, RawAttribute.BYTE_SIZE);
    }

    private @Nullable Long bitOffset(int die, long typeSize) {
        long location = dies.get(die, RawAttribute.MEMBER_LOCATION);
        if (location == RawDies.NOT_A_NUMBER) {
            return null;
        }
        long start = location == RawDies.ABSENT ? 0 : 8 * location;
        long dataBitOffset = dies.get(die, RawAttribute.DATA_BIT_OFFSET);
        if (dataBitOffset != RawDies.ABSENT) {
            return start + dataBitOffset;
        }
        long bitSize = dies.get(die, RawAttribute.BIT_SIZE);
        long bitOffset = dies.get(die, RawAttribute.BIT_OFFSET);
        if (bitSize == RawDies.ABSENT || bitOffset == RawDies.ABSENT) {
            return start;
        }
        // DWARF 3 §5.6.6: the offset counts from the most significant bit of the storage unit, which comes first in
        // memory only in big-endian storage.
        long byteSize = dies.get(die, RawAttribute.BYTE_SIZE);
        long storageBits = 8 * (byteSize == RawDies.ABSENT ? typeSize : byteSize);
        return start + (order == ByteOrder.BIG_ENDIAN ? bitOffset : storageBits - bitOffset - bitSize);
    }

    /**
     * Returns the target of a reference, or its definition if the target is a stub; {@link RawDies#NONE} if there is
     * none.
     */
    private int target(int die, RawAttribute reference) {
        long key = dies.get(die, reference);
        if (key == RawDies.ABSENT || key == RawDies.NOT_A_NUMBER) {
            return RawDies.NONE;
        }
        int target = row(key);
        return target != RawDies.NONE && dies.has(target, RawAttribute.SIGNATURE)
                ? row(dies.get(target, RawAttribute.SIGNATURE))
                : target;
    }

    private int row(long key) {
        if ((key & BY_SIGNATURE) != 0) {
            return dieOfSignature.getOrDefault((int) (key & ~BY_SIGNATURE), RawDies.NONE);
        }
        int at = Arrays.binarySearch(sortedKeys, key);
        return at < 0 ? RawDies.NONE : rowsByKey[at];
    }

    private int peeled(int type) {
        int peeled = type;
        for (int i = 0; peeled != RawDies.NONE && isAlias(dies.tag(peeled)); i++) {
            checkChain(i, type);
            peeled = target(peeled, RawAttribute.TYPE);
        }
        return peeled;
    }

    private static boolean isAlias(RawTag tag) {
        return tag == RawTag.TYPEDEF || tag == RawTag.QUALIFIER;
    }

    private void checkChain(int length, int die) {
        if (length == MAX_CHAIN) {
            throw new IllegalStateException(
                    "DIEs refer to one another without an end from 0x" + Long.toHexString(dies.key(die)));
        }
    }

    private @Nullable List<@Nullable Long> counts(int type) {
        int array = peeled(type);
        if (array == RawDies.NONE || dies.tag(array) != RawTag.ARRAY) {
            return null;
        }
        List<@Nullable Long> counts = new ArrayList<>();
        for (int child = dies.firstChild(array); child != RawDies.NONE; child = dies.nextChild(array, child)) {
            if (dies.tag(child) == RawTag.SUBRANGE) {
                long count = count(child);
                counts.add(count == OPEN ? null : count);
            }
        }
        return counts;
    }

    private long count(int subrange) {
        long count = dies.get(subrange, RawAttribute.COUNT);
        if (count != RawDies.ABSENT) {
            return count == RawDies.NOT_A_NUMBER ? OPEN : count;
        }
        long upper = dies.get(subrange, RawAttribute.UPPER_BOUND);
        long lower = dies.get(subrange, RawAttribute.LOWER_BOUND);
        if (upper == RawDies.ABSENT || upper == RawDies.NOT_A_NUMBER || lower == RawDies.NOT_A_NUMBER) {
            return OPEN;
        }
        long fromOne = units.get(dies.unit(subrange)).isFortranOrAda() ? 1 : 0;
        return upper + 1 - (lower == RawDies.ABSENT ? fromOne : lower);
    }

    /**
     * Returns whether a dimension without a count is a flexible array, which adds nothing to the size of its holder.
     */
    private boolean isFlexible(int subrange) {
        return !units.get(dies.unit(subrange)).isFortranOrAda()
                && !dies.has(subrange, RawAttribute.COUNT)
                && !dies.has(subrange, RawAttribute.UPPER_BOUND);
    }

    private long arraySize(int array) {
        if (dies.has(array, RawAttribute.DESCRIPTOR)) {
            return OPEN;
        }
        long stride = dies.get(array, RawAttribute.BIT_STRIDE);
        long element = byteSize(target(array, RawAttribute.TYPE));
        long bits = stride == RawDies.ABSENT ? 8 * element : stride;
        if (stride == RawDies.ABSENT && element == OPEN) {
            return OPEN;
        }
        boolean unknown = false;
        for (int child = dies.firstChild(array); child != RawDies.NONE; child = dies.nextChild(array, child)) {
            if (dies.tag(child) == RawTag.SUBRANGE) {
                long count = count(child);
                unknown |= count == OPEN && !isFlexible(child);
                bits *= Math.max(0, count);
            }
        }
        return unknown ? OPEN : (bits + 7) / 8;
    }

    /** Returns the size in bytes, or -1 if DWARF does not specify it. */
    private long byteSize(int type) {
        int die = peeled(type);
        if (die == RawDies.NONE) {
            return OPEN;
        }
        if (dies.has(die, RawAttribute.BYTE_SIZE)) {
            long size = dies.get(die, RawAttribute.BYTE_SIZE);
            return size == RawDies.NOT_A_NUMBER ? OPEN : size;
        }
        return switch (dies.tag(die)) {
            case POINTER -> units.get(dies.unit(die)).addressSize;
            // Itanium C++ ABI §2.3: a pointer to data is an offset, a pointer to a function two words.
            case MEMBER_POINTER -> {
                int pointee = peeled(target(die, RawAttribute.TYPE));
                boolean function = pointee != RawDies.NONE && dies.tag(pointee) == RawTag.FUNCTION;
                yield units.get(dies.unit(die)).addressSize * (function ? 2L : 1L);
            }
            case ENUM -> byteSize(target(die, RawAttribute.TYPE));
            case ARRAY -> arraySize(die);
            case SUBRANGE -> byteSize(target(die, RawAttribute.TYPE));
            default -> OPEN;
        };
    }
}
