package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.Arrays;
import java.util.List;

/**
 * Finds types by id (btf.rst §2.2): the first has 1, and 0 is void. The ids of split BTF count on from its base's.
 * Immutable.
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
    private final int firstOfLast;
    private final long[] offsets;
    private final Limits limits;

    private TypeTable(Section base, Section last, int firstOfLast, long[] offsets, Limits limits) {
        this.base = base;
        this.last = last;
        this.firstOfLast = firstOfLast;
        this.offsets = offsets;
        this.limits = limits;
    }

    /**
     * Notes where each type is.
     *
     * @param parts one section, or the base of split BTF and the rest
     * @throws MalformedInputException if a type does not end inside the part for types
     * @throws UnsupportedInputException if a kind is not known: then its size is not either
     */
    static TypeTable read(List<BtfPart> parts, Limits limits, HeapBudget heap) throws ExtractionException {
        long[] offsets = {0};
        int firstOfLast = 1;
        for (BtfPart part : parts) {
            firstOfLast = offsets.length;
            offsets = append(part, offsets, limits, heap);
        }
        return new TypeTable(parts.getFirst().section(), parts.getLast().section(), firstOfLast, offsets, limits);
    }

    private static long[] append(BtfPart part, long[] before, Limits limits, HeapBudget heap)
            throws ExtractionException {
        Section btf = part.section();
        BtfHeader header = part.header();
        ByteCursor in = btf.cursor(header.typesStart(), header.typesEnd() - header.typesStart());
        long[] offsets = before;
        int count = offsets.length;
        long entries = 0;
        long unreported = 0;
        while (in.hasRemaining()) {
            if (count > MAX_TYPES) {
                throw in.malformed(in.offset(), "more than " + MAX_TYPES + " types");
            }
            if (count == offsets.length) {
                offsets = Arrays.copyOf(offsets, Math.max(count * 2, 64));
            }
            offsets[count++] = in.offset();
            TypeRecord type = read(btf, in);
            long data = type.dataBytes();
            if (data < 0) {
                throw new UnsupportedInputException(
                        btf.name(), type.offset(), "type " + (count - 1) + " is of unknown kind " + type.kind());
            }
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
            in.skip(data);
        }
        return Arrays.copyOf(offsets, count);
    }

    /** Returns the number of types; also the highest id. */
    int size() {
        return offsets.length - 1;
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
