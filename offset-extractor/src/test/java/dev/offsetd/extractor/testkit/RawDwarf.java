package dev.offsetd.extractor.testkit;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All of a file's type DIEs as another tool prints them, and the layouts that follow from them by the rules of DWARF 5
 * §5. The rules are applied here once more, in the plainest way, and by nothing that the reader under test uses.
 */
public final class RawDwarf {

    private static final String DEBUG_TYPES = ".debug_types";
    private static final long OPEN = -1;

    private final ByteOrder order;
    private final List<RawDie> dies = new ArrayList<>();
    private final Map<Long, RawDie> byOffset = new HashMap<>();
    private final Map<Long, RawDie> bySignature = new HashMap<>();
    private final List<RawDie> path = new ArrayList<>();
    private final List<RawUnit> units = new ArrayList<>();

    RawDwarf(ByteOrder order) {
        this.order = order;
    }

    /** Starts a unit, when the tool prints its header. */
    RawUnit unit(String section, long offset) {
        RawUnit unit = new RawUnit(section, offset);
        units.add(unit);
        path.clear();
        return unit;
    }

    /** Adds the next DIE, which is {@code depth} deep in its unit; null if its tag is of no matter. */
    @Nullable
    RawDie die(RawUnit unit, long offset, String tag, int depth) {
        while (path.size() > depth) {
            path.removeLast();
        }
        RawDie die = new RawDie(unit, offset, tag);
        RawDie parent = path.isEmpty() ? null : path.getLast();
        // A DIE that is not kept still has its place in the path, so that depths stay right.
        path.add(die);
        if (!RawDie.keepsTag(tag)) {
            return null;
        }
        if (parent != null && RawDie.keepsTag(parent.tag)) {
            parent.children.add(die);
        }
        dies.add(die);
        byOffset.put(key(unit.section, offset), die);
        return die;
    }

    /** Every complete named struct, union, class and enumeration, in the order of the DIEs. */
    public List<ExpectedDefinition> definitions() {
        for (RawUnit unit : units) {
            if (unit.signature != RawDie.ABSENT) {
                RawDie type = byOffset.get(key(unit.section, unit.offset + unit.typeOffset));
                if (type != null) {
                    bySignature.put(unit.signature, type);
                }
            }
        }
        List<ExpectedDefinition> definitions = new ArrayList<>();
        for (RawDie die : dies) {
            String kind = kind(die);
            String name = name(die);
            if (kind != null && name != null && !die.declaration) {
                definitions.add(definition(die, kind, name));
            }
        }
        return definitions;
    }

    private static @Nullable String kind(RawDie die) {
        return switch (die.tag) {
            case "DW_TAG_structure_type" -> "struct";
            case "DW_TAG_union_type" -> "union";
            case "DW_TAG_class_type" -> "class";
            case "DW_TAG_enumeration_type" -> "enum";
            default -> null;
        };
    }

    private @Nullable String name(RawDie die) {
        if (die.name != null || die.specification == RawDie.ABSENT) {
            return die.name;
        }
        RawDie declaration = byOffset.get(key(die.unit.section, die.specification));
        return declaration == null ? null : declaration.name;
    }

    private ExpectedDefinition definition(RawDie die, String kind, String name) {
        List<ExpectedDefinition.ExpectedMember> members = new ArrayList<>();
        List<ExpectedDefinition.ExpectedEnumerator> enumerators = new ArrayList<>();
        for (RawDie child : die.children) {
            switch (child.tag) {
                // A member that is only declared is a static one and takes no room (DWARF 4 §5.5.6).
                case "DW_TAG_member", "DW_TAG_inheritance" -> {
                    if (!child.declaration) {
                        members.add(member(child));
                    }
                }
                case "DW_TAG_enumerator" ->
                    enumerators.add(
                            new ExpectedDefinition.ExpectedEnumerator(String.valueOf(child.name), child.constValue));
                default -> {}
            }
        }
        String unit = die.unit.name == null ? "" : die.unit.name;
        return new ExpectedDefinition(
                die.unit.section, die.offset, unit, kind, name, byteSize(die), members, enumerators);
    }

    private ExpectedDefinition.ExpectedMember member(RawDie die) {
        RawDie type = target(die);
        long size = type == null ? OPEN : byteSize(type);
        return new ExpectedDefinition.ExpectedMember(
                die.name,
                die.tag.equals("DW_TAG_inheritance"),
                bitOffset(die, size),
                die.bitSize == RawDie.ABSENT ? null : (int) die.bitSize,
                size,
                counts(type));
    }

    private @Nullable Long bitOffset(RawDie die, long typeSize) {
        if (die.memberLocation == RawDie.NOT_A_NUMBER) {
            return null;
        }
        long start = die.memberLocation == RawDie.ABSENT ? 0 : 8 * die.memberLocation;
        if (die.dataBitOffset != RawDie.ABSENT) {
            return start + die.dataBitOffset;
        }
        if (die.bitSize == RawDie.ABSENT || die.bitOffset == RawDie.ABSENT) {
            return start;
        }
        // DWARF 3 §5.6.6: counted from the most significant bit of the storage unit, which is the first in memory
        // order only in big-endian storage.
        long storageBits = 8 * (die.byteSize == RawDie.ABSENT ? typeSize : die.byteSize);
        return start + (order == ByteOrder.BIG_ENDIAN ? die.bitOffset : storageBits - die.bitOffset - die.bitSize);
    }

    private @Nullable RawDie target(RawDie die) {
        if (die.type == RawDie.ABSENT) {
            return null;
        }
        RawDie target = die.typeIsSignature ? bySignature.get(die.type) : byOffset.get(key(die.unit.section, die.type));
        return target != null && target.signature != RawDie.ABSENT ? bySignature.get(target.signature) : target;
    }

    private @Nullable RawDie peeled(@Nullable RawDie type) {
        RawDie peeled = type;
        while (peeled != null && isAlias(peeled)) {
            peeled = target(peeled);
        }
        return peeled;
    }

    private static boolean isAlias(RawDie die) {
        return switch (die.tag) {
            case "DW_TAG_typedef",
                    "DW_TAG_const_type",
                    "DW_TAG_volatile_type",
                    "DW_TAG_restrict_type",
                    "DW_TAG_atomic_type" -> true;
            default -> false;
        };
    }

    private @Nullable List<@Nullable Long> counts(@Nullable RawDie type) {
        RawDie array = peeled(type);
        if (array == null || !array.tag.equals("DW_TAG_array_type")) {
            return null;
        }
        List<@Nullable Long> counts = new ArrayList<>();
        for (RawDie subrange : array.children) {
            if (subrange.tag.equals("DW_TAG_subrange_type")) {
                long count = count(subrange);
                counts.add(count == OPEN ? null : count);
            }
        }
        return counts;
    }

    private static long count(RawDie subrange) {
        if (subrange.count != RawDie.ABSENT) {
            return subrange.count == RawDie.NOT_A_NUMBER ? OPEN : subrange.count;
        }
        boolean open = subrange.upperBound == RawDie.ABSENT || subrange.upperBound == RawDie.NOT_A_NUMBER;
        return open ? OPEN : subrange.upperBound + 1;
    }

    /** Size in bytes, or -1 where DWARF does not say it. */
    private long byteSize(RawDie type) {
        RawDie die = peeled(type);
        if (die == null) {
            return OPEN;
        }
        if (die.byteSize != RawDie.ABSENT) {
            return die.byteSize;
        }
        return switch (die.tag) {
            case "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type" -> die.unit.addressSize;
            case "DW_TAG_enumeration_type" -> {
                RawDie underlying = target(die);
                yield underlying == null ? OPEN : byteSize(underlying);
            }
            case "DW_TAG_array_type" -> {
                RawDie element = target(die);
                long size = element == null ? OPEN : byteSize(element);
                if (size != OPEN) {
                    for (RawDie subrange : die.children) {
                        if (subrange.tag.equals("DW_TAG_subrange_type")) {
                            size *= Math.max(0, count(subrange));
                        }
                    }
                }
                yield size;
            }
            default -> OPEN;
        };
    }

    private static long key(String section, long offset) {
        return section.equals(DEBUG_TYPES) ? offset | 1L << 62 : offset;
    }
}
