package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeKind;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** CO-RE relocations of a BPF program, in its {@code .BTF.ext} (Linux, {@code struct btf_ext_header} and bpf_core_relo). */
public final class CoreRelocations {

    private static final int MAGIC = 0xeb9f;

    /** Bytes of the header up to the fields for CO-RE relocations, and with them. */
    private static final int HEADER_BYTES = 24;

    private static final int HEADER_WITH_RELOCATIONS_BYTES = 32;
    private static final int RECORD_BYTES = 16;
    private static final int BPF_CORE_TYPE_ID_LOCAL = 6;

    /** Types with different suffixes are variants of one: CO-RE compares the part before it. */
    private static final String FLAVOUR = "___";

    private final Section ext;
    private final TypeTable types;
    private final StringTable strings;

    /** Ids of the types of earlier relocations. */
    private final Set<Long> seen = new HashSet<>();

    /** Kinds and names of these types: many types may share one long name. */
    private final Set<Named> seenNames = new HashSet<>();

    private record Named(TypeKind kind, long nameOffset) implements Comparable<Named> {

        @Override
        public int compareTo(Named other) {
            int order = kind.compareTo(other.kind);
            return order != 0 ? order : Long.compare(nameOffset, other.nameOffset);
        }
    }

    private CoreRelocations(Section ext, TypeTable types, StringTable strings) {
        this.ext = ext;
        this.types = types;
        this.strings = strings;
    }

    /**
     * Returns the types whose layouts the relocations ask for, each once and without its flavour, in the order of the
     * relocations. Empty if the program has no relocations.
     *
     * @throws ExtractionException if a section is malformed, not supported, or over a limit
     */
    public static Set<NamedShape> types(Section btf, Section ext, Limits limits, HeapBudget heap)
            throws ExtractionException {
        List<BtfPart> parts = List.of(BtfPart.read(btf));
        CoreRelocations relocations =
                new CoreRelocations(ext, TypeTable.read(parts, limits, heap), new StringTable(parts, limits, heap));
        return relocations.read();
    }

    private Set<NamedShape> read() throws ExtractionException {
        ByteCursor header = ext.cursor();
        int magic = header.u16();
        if (magic != MAGIC) {
            throw header.malformed(
                    0, "magic is 0x" + Integer.toHexString(magic) + "; expected 0xeb9f in the file's order");
        }
        int version = header.u8();
        header.skip(1);
        if (version != 1) {
            throw new UnsupportedInputException(ext.name(), 2, "version " + version + "; expected version 1");
        }
        long headerBytes = header.u32();
        if (headerBytes < HEADER_BYTES || headerBytes > ext.size()) {
            throw header.malformed(4, "hdr_len is " + headerBytes + "; expected " + HEADER_BYTES + " to " + ext.size());
        }
        Set<NamedShape> found = new LinkedHashSet<>();
        if (headerBytes >= HEADER_WITH_RELOCATIONS_BYTES) {
            header.skip(HEADER_BYTES - 8);
            long start = headerBytes + header.u32();
            long length = header.u32();
            if (length > 0) {
                read(ext.cursor(start, length), found);
            }
        }
        return found;
    }

    private void read(ByteCursor in, Set<NamedShape> found) throws ExtractionException {
        long recordBytes = in.u32();
        if (recordBytes < RECORD_BYTES || recordBytes > ext.size()) {
            throw in.malformed(
                    in.offset() - 4, "size of a relocation is " + recordBytes + "; expected at least " + RECORD_BYTES);
        }
        while (in.hasRemaining()) {
            in.skip(4);
            long count = in.u32();
            for (long i = 0; i < count; i++) {
                long at = in.offset();
                in.skip(4);
                long id = in.u32();
                in.skip(4);
                long kind = in.u32();
                in.skip(recordBytes - RECORD_BYTES);
                if (kind != BPF_CORE_TYPE_ID_LOCAL && seen.add(id)) {
                    named(id, at).ifPresent(found::add);
                }
            }
        }
    }

    private Optional<NamedShape> named(long id, long relocationOffset) throws ExtractionException {
        long next = id;
        for (int hops = 0; ; hops++) {
            if (next < 1 || next > types.size()) {
                throw new MalformedInputException(
                        ext.name(), relocationOffset, "type id " + next + "; expected 1 to " + types.size());
            }
            TypeRecord type = types.get(next, 0);
            types.requireDepth(type, hops, 0);
            TypeKind kind = type.typeKind();
            if (kind != null && kind != TypeKind.BASE && type.isNamed()) {
                if (!seenNames.add(new Named(kind, type.nameOffset()))) {
                    return Optional.empty();
                }
                String name = strings.at(type.nameOffset(), type.offset());
                int end = name.indexOf(FLAVOUR);
                String essential = end > 0 ? name.substring(0, end) : name;
                return Optional.of(new NamedShape(kind, kind.isTag() ? kind.word() + " " + essential : essential));
            }
            if (type.kind() == Btf.BTF_KIND_ARRAY) {
                next = Dimensions.read(type, types).element();
            } else if (type.isQualifier() || type.kind() == Btf.BTF_KIND_TYPE_TAG) {
                next = type.sizeOrType();
            } else {
                return Optional.empty();
            }
            if (next == 0) {
                return Optional.empty();
            }
        }
    }
}
