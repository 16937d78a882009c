package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds types by id (btf.rst §2.2): the first has 1, and 0 is void. The ids of split BTF count on from its base's.
 * Immutable once it is read.
 */
final class TypeTable {

    /** Hint for an offset or id past the end. */
    static final String BROKEN_OR_SPLIT =
            "; either the section is broken, or it is split BTF and needs the kernel's own .BTF";

    /** {@code BTF_MAX_TYPE} of the kernel's btf.h. */
    private static final int MAX_TYPES = 0xfffff;

    /** Heap of a type with its definition, its spelling and its entries in the catalogue. */
    private static final int TYPE_BYTES = 650;

    /** Heap of an enumerator, which takes more than a member. */
    private static final int PART_BYTES = 330;

    /** Heap that is counted at once. */
    private static final int BATCH_BYTES = 1 << 16;

    private final Section base;
    private final Section last;
    private final Limits limits;
    private int firstOfLast = 1;

    /** By id; the first is not used. */
    private long[] offsets = {0};

    private int count = 1;
    private @Nullable ExtractionException fault;

    /**
     * Notes where each type is.
     *
     * @param parts one section, or the base of split BTF and the rest
     * @throws MalformedInputException if a type does not end inside the part for types
     * @throws UnsupportedInputException if a kind is not known: then its size is not either
     */
    static TypeTable read(List<BtfPart> parts, Limits limits, HeapBudget heap) throws ExtractionException {
        TypeTable table = readable(parts, limits, heap);
        if (table.fault != null) {
            throw table.fault;
        }
        return table;
    }

    /**
     * Notes where each type of the last section is, up to the first whose end cannot be told: the types behind it have no id.
     *
     * @param parts one section, or the base of split BTF and the rest
     * @throws ExtractionException if the base has such a type, so that the ids of the rest would be wrong
     */
    static TypeTable readable(List<BtfPart> parts, Limits limits, HeapBudget heap) throws ExtractionException {
        TypeTable table = new TypeTable(parts, limits);
        for (BtfPart part : parts) {
            if (table.fault != null) {
                throw table.fault;
            }
            table.firstOfLast = table.count;
            table.append(part, heap);
        }
        return table;
    }

    private TypeTable(List<BtfPart> parts, Limits limits) {
        this.base = parts.getFirst().section();
        this.last = parts.getLast().section();
        this.limits = limits;
    }

    private void append(BtfPart part, HeapBudget heap) throws ExtractionException {
        Section btf = part.section();
        BtfHeader header = part.header();
        ByteCursor in = btf.cursor(header.typesStart(), header.typesEnd() - header.typesStart());
        long entries = 0;
        long unreported = 0;
        while (in.hasRemaining()) {
            Deadline.checkCurrent(count);
            long start = in.offset();
            TypeRecord type;
            try {
                if (count > MAX_TYPES) {
                    throw in.malformed(start, "more than " + MAX_TYPES + " types");
                }
                type = read(btf, in);
                requireKind(type);
                in.skip(type.dataBytes());
            } catch (MalformedInputException | UnsupportedInputException e) {
                fault = e;
                return;
            }
            if (count == offsets.length) {
                offsets = Arrays.copyOf(offsets, Math.max(count * 2, 64));
            }
            offsets[count++] = start;
            if (type.count() > limits.maxMembersPerType()) {
                throw new LimitExceededException(
                        btf.name(),
                        type.offset(),
                        "maxMembersPerType",
                        limits.maxMembersPerType(),
                        "a type has " + type.count());
            }
            entries += 1L + type.count();
            if (entries > limits.maxEntries()) {
                throw new LimitExceededException(
                        btf.name(),
                        type.offset(),
                        "maxEntries",
                        limits.maxEntries(),
                        entries + " types and members up to here");
            }
            unreported += TYPE_BYTES + (long) type.count() * PART_BYTES;
            if (unreported >= BATCH_BYTES) {
                heap.keep(unreported, btf.name(), type.offset());
                unreported = 0;
            }
        }
    }

    private void requireKind(TypeRecord type) throws UnsupportedInputException {
        if (type.dataBytes() < 0) {
            throw new UnsupportedInputException(
                    type.section().name(), type.offset(), "type " + count + " is of unknown kind " + type.kind());
        }
    }

    /** Returns why the types behind the last one were not read, or null. */
    @Nullable
    ExtractionException fault() {
        return fault;
    }

    /** Returns the number of types; also the highest id. */
    int size() {
        return count - 1;
    }

    /**
     * Returns the type with this id, which is not 0.
     *
     * @throws MalformedInputException if there is none
     */
    TypeRecord get(long id, long referrerOffset) throws MalformedInputException {
        if (id < 1 || id > size()) {
            throw new MalformedInputException(
                    last.name(), referrerOffset, "type id " + id + ", the section has " + size() + BROKEN_OR_SPLIT);
        }
        Section section = id < firstOfLast ? base : last;
        return read(section, section.cursor(offsets[(int) id], TypeRecord.BYTES));
    }

    /** Returns a cursor over the data that the type's kind adds. */
    ByteCursor data(TypeRecord type) throws MalformedInputException {
        return type.section().cursor(type.dataOffset(), type.dataBytes());
    }

    /** Returns a fault of the input at a type. */
    MalformedInputException malformed(TypeRecord type, String problem) {
        return new MalformedInputException(type.section().name(), type.offset(), problem);
    }

    /** Returns a limit that a type exceeds, see {@link LimitExceededException}. */
    LimitExceededException exceeded(TypeRecord type, String limit, long allowed, String observed) {
        return new LimitExceededException(type.section().name(), type.offset(), limit, allowed, observed);
    }

    /**
     * Checks how many types are followed from one to the next.
     *
     * @param depth types followed to get to this one
     * @param height types followed from this one on
     */
    void requireDepth(TypeRecord type, int depth, int height) throws LimitExceededException {
        if (depth + height > limits.maxTypeDepth()) {
            throw exceeded(
                    type, "maxTypeDepth", limits.maxTypeDepth(), "a chain of " + (depth + height) + " type references");
        }
    }

    private static TypeRecord read(Section section, ByteCursor in) throws MalformedInputException {
        long offset = in.offset();
        long name = in.u32();
        long info = in.u32();
        return new TypeRecord(
                section, offset, name, (int) (info >> 24 & 0x7f), info >> 31 != 0, (int) (info & 0xffffff), in.u32());
    }
}
