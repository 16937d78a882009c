package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Relocation of a kernel module's BTF from its distilled base to the BTF of a kernel. The base has the named types that the
 * module needs, without their members; a type of the kernel is the same if name and kind are, and by libbpf's rules the size
 * where it matters: of integers, floating-point numbers and enumerations, of structs and unions that the module holds by
 * value, and of those whose name the kernel has several times.
 */
final class DistilledBase {

    private static final int NOT_MAPPED = 0;

    /** Most distilled types of one name. There is one for each kind and size. */
    private static final int MAX_NAMESAKES = 16;

    private final BtfPart module;
    private final BtfPart distilled;
    private final BtfPart kernel;
    private final TypeTable both;
    private final TypeTable distilledTypes;
    private final TypeTable kernelTypes;
    private final StringTable distilledNames;
    private final StringTable kernelNames;

    /** Ids and offsets of names in the kernel's BTF, by those in the distilled base. */
    private final int[] ids;

    private final Map<Long, Long> names = new HashMap<>();

    /** Which distilled structs and unions the module holds by value. */
    private final boolean[] embedded;

    private DistilledBase(BtfPart module, BtfPart distilled, BtfPart kernel, Limits limits, HeapBudget heap)
            throws ExtractionException {
        this.module = module;
        this.distilled = distilled;
        this.kernel = kernel;
        this.both = TypeTable.read(List.of(distilled, module), limits, heap);
        this.distilledTypes = TypeTable.read(List.of(distilled), limits, heap);
        this.kernelTypes = TypeTable.read(List.of(kernel), limits, heap);
        this.distilledNames = new StringTable(List.of(distilled), limits, heap);
        this.kernelNames = new StringTable(List.of(kernel), limits, heap);
        this.ids = new int[distilledTypes.size() + 1];
        this.embedded = new boolean[distilledTypes.size() + 1];
    }

    /**
     * Returns the module's section with the ids and names of the kernel's.
     *
     * @throws UnsupportedInputException if the kernel has no such type, or several: it is not one that the module fits
     */
    static BtfPart relocate(BtfPart module, BtfPart distilled, BtfPart kernel, Limits limits, HeapBudget heap)
            throws ExtractionException {
        DistilledBase base = new DistilledBase(module, distilled, kernel, limits, heap);
        base.markEmbedded();
        base.map();
        heap.keep(module.section().size(), module.section().name(), 0);
        return base.rewritten();
    }

    private void markEmbedded() throws ExtractionException {
        for (int id = distilledTypes.size() + 1; id <= both.size(); id++) {
            Deadline.checkCurrent(id);
            TypeRecord type = both.get(id, 0);
            if (!type.isAggregate()) {
                continue;
            }
            ByteCursor members = both.data(type);
            for (int i = 0; i < type.count(); i++) {
                Deadline.checkCurrent(i);
                members.skip(4);
                long held = heldByValue(members.u32(), type);
                members.skip(4);
                if (held > 0 && held <= distilledTypes.size()) {
                    embedded[(int) held] = true;
                }
            }
        }
    }

    /** Returns the type behind arrays, typedefs and qualifiers; no further than there are types. */
    private long heldByValue(long id, TypeRecord referrer) throws ExtractionException {
        long at = id;
        for (int steps = 0; at != 0 && steps <= both.size(); steps++) {
            both.requireDepth(referrer, steps, 0);
            TypeRecord type = both.get(at, referrer.offset());
            if (type.kind() == Btf.BTF_KIND_ARRAY) {
                at = both.data(type).u32();
            } else if (type.isQualifier()
                    || type.kind() == Btf.BTF_KIND_TYPEDEF
                    || type.kind() == Btf.BTF_KIND_TYPE_TAG) {
                at = type.sizeOrType();
            } else {
                return at;
            }
        }
        return 0;
    }

    private void map() throws ExtractionException {
        Map<String, List<Integer>> distilledByName = new HashMap<>();
        for (int id = 1; id < ids.length; id++) {
            Deadline.checkCurrent(id);
            TypeRecord type = distilledTypes.get(id, 0);
            List<Integer> namesakes =
                    distilledByName.computeIfAbsent(name(distilledNames, type), _ -> new ArrayList<>());
            namesakes.add(id);
            if (namesakes.size() > MAX_NAMESAKES) {
                throw misfit(type, "has more than " + MAX_NAMESAKES + " namesakes in the module");
            }
        }
        Map<String, Integer> aggregates = new HashMap<>();
        for (int id = 1; id <= kernelTypes.size(); id++) {
            Deadline.checkCurrent(id);
            TypeRecord type = kernelTypes.get(id, 0);
            String name = wantedName(type, distilledByName);
            if (type.isAggregate() && !name.isEmpty()) {
                aggregates.merge(name, 1, Integer::sum);
            }
        }
        for (int id = 1; id <= kernelTypes.size(); id++) {
            Deadline.checkCurrent(id);
            TypeRecord type = kernelTypes.get(id, 0);
            String name = wantedName(type, distilledByName);
            if (!name.isEmpty()) {
                boolean sized = isScalar(type) || aggregates.getOrDefault(name, 0) > 1;
                for (int candidate : distilledByName.getOrDefault(name, List.of())) {
                    map(candidate, id, sized);
                }
            }
        }
        for (int id = 1; id < ids.length; id++) {
            Deadline.checkCurrent(id);
            if (ids[id] == NOT_MAPPED) {
                throw misfit(distilledTypes.get(id, 0), "is not in it with this kind and size");
            }
        }
    }

    /** Returns the name of a kernel's type, or nothing if no distilled type has it. */
    private String wantedName(TypeRecord type, Map<String, List<Integer>> distilledByName) throws ExtractionException {
        if (!type.isNamed() || !(isScalar(type) || type.isAggregate() || type.kind() == Btf.BTF_KIND_FWD)) {
            return "";
        }
        String name = name(kernelNames, type);
        return distilledByName.containsKey(name) ? name : "";
    }

    private static String name(StringTable strings, TypeRecord type) throws ExtractionException {
        return strings.at(type.nameOffset(), type.offset());
    }

    private static boolean isScalar(TypeRecord type) {
        return type.kind() == Btf.BTF_KIND_INT || type.kind() == Btf.BTF_KIND_FLOAT || type.isEnumeration();
    }

    /** @param sized whether the sizes have to be equal for types of this kind and name */
    private void map(int distilledId, int kernelId, boolean sized) throws ExtractionException {
        TypeRecord wanted = distilledTypes.get(distilledId, 0);
        TypeRecord found = kernelTypes.get(kernelId, 0);
        boolean sameSize = sizeOf(wanted) == sizeOf(found);
        if ((sized && !sameSize) || !isOfKind(wanted, found) || (embedded[distilledId] && !sameSize)) {
            return;
        }
        if (ids[distilledId] != NOT_MAPPED) {
            throw misfit(wanted, "is in it as types " + ids[distilledId] + " and " + kernelId + ", of one size");
        }
        ids[distilledId] = kernelId;
        names.put(wanted.nameOffset(), found.nameOffset());
    }

    /** Declarations have no size; the field is 0. */
    private static long sizeOf(TypeRecord type) {
        return type.kind() == Btf.BTF_KIND_FWD ? 0 : type.sizeOrType();
    }

    private boolean isOfKind(TypeRecord wanted, TypeRecord found) throws ExtractionException {
        return switch (wanted.kind()) {
            case Btf.BTF_KIND_FWD ->
                switch (found.kind()) {
                    case Btf.BTF_KIND_FWD -> wanted.flag() == found.flag();
                    case Btf.BTF_KIND_STRUCT -> !wanted.flag();
                    case Btf.BTF_KIND_UNION -> wanted.flag();
                    default -> false;
                };
            case Btf.BTF_KIND_INT ->
                found.kind() == wanted.kind()
                        && distilledTypes.data(wanted).u32()
                                == kernelTypes.data(found).u32();
            // Distilled enumerations of either width are BTF_KIND_ENUM with their size.
            case Btf.BTF_KIND_ENUM -> found.isEnumeration();
            default -> found.kind() == wanted.kind();
        };
    }

    private UnsupportedInputException misfit(TypeRecord wanted, String problem) throws ExtractionException {
        return new UnsupportedInputException(
                distilled.section().name(),
                wanted.offset(),
                "the BTF that was given as the base does not fit the module: "
                        + HostileText.quote(name(distilledNames, wanted)) + " of " + sizeOf(wanted) + " bytes "
                        + problem
                        + "; expected that of the kernel that the module runs in");
    }

    private BtfPart rewritten() throws ExtractionException {
        Section source = module.section();
        MemorySegment copy = MemorySegment.ofArray(source.bytes().toArray(ValueLayout.JAVA_BYTE));
        Section target = new Section(source.name(), copy, source.byteOrder());
        for (int id = distilledTypes.size() + 1; id <= both.size(); id++) {
            Deadline.checkCurrent(id);
            TypeRecord type = both.get(id, 0);
            rename(target, type.offset(), type);
            switch (type.kind()) {
                case Btf.BTF_KIND_PTR,
                        Btf.BTF_KIND_TYPEDEF,
                        Btf.BTF_KIND_VOLATILE,
                        Btf.BTF_KIND_CONST,
                        Btf.BTF_KIND_RESTRICT,
                        Btf.BTF_KIND_FUNC,
                        Btf.BTF_KIND_VAR,
                        Btf.BTF_KIND_DECL_TAG,
                        Btf.BTF_KIND_TYPE_TAG -> refer(target, type.offset() + 8, type);
                case Btf.BTF_KIND_ARRAY -> {
                    refer(target, type.dataOffset(), type);
                    refer(target, type.dataOffset() + 4, type);
                }
                case Btf.BTF_KIND_STRUCT, Btf.BTF_KIND_UNION -> rewriteParts(target, type, 12, true);
                case Btf.BTF_KIND_FUNC_PROTO -> {
                    refer(target, type.offset() + 8, type);
                    rewriteParts(target, type, 8, true);
                }
                case Btf.BTF_KIND_ENUM -> rewriteParts(target, type, 8, false);
                case Btf.BTF_KIND_ENUM64 -> rewriteParts(target, type, 12, false);
                case Btf.BTF_KIND_DATASEC -> {
                    for (int i = 0; i < type.count(); i++) {
                        Deadline.checkCurrent(i);
                        refer(target, type.dataOffset() + 12L * i, type);
                    }
                }
                default -> {
                    // INT, FLOAT and FWD refer to nothing.
                }
            }
        }
        return new BtfPart(target, module.header());
    }

    /** @param typed whether a type follows the name of a part */
    private void rewriteParts(Section target, TypeRecord type, int bytes, boolean typed) throws ExtractionException {
        for (int i = 0; i < type.count(); i++) {
            Deadline.checkCurrent(i);
            long at = type.dataOffset() + (long) bytes * i;
            rename(target, at, type);
            if (typed) {
                refer(target, at + 4, type);
            }
        }
    }

    private void refer(Section target, long at, TypeRecord type) throws ExtractionException {
        long id = module.section().cursor(at, 4).u32();
        if (id > both.size()) {
            throw both.malformed(type, "type id " + id + ", the section and its base have " + both.size());
        }
        long moved = id < ids.length ? ids[(int) id] : id - distilledTypes.size() + kernelTypes.size();
        write(target, at, moved);
    }

    private void rename(Section target, long at, TypeRecord type) throws ExtractionException {
        long offset = module.section().cursor(at, 4).u32();
        if (offset >= distilled.stringBytes()) {
            write(target, at, offset - distilled.stringBytes() + kernel.stringBytes());
        } else if (offset != 0) {
            Long moved = names.get(offset);
            if (moved == null) {
                throw both.malformed(type, "string offset " + offset + " does not name a type of .BTF.base");
            }
            write(target, at, moved);
        }
    }

    private static void write(Section target, long at, long value) {
        target.bytes().set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(target.byteOrder()), at, (int) value);
    }
}
