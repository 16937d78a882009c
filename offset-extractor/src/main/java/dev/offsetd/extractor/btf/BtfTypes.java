package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.omission.OmissionLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reader of the types in a {@code .BTF} section: the same records as from DWARF, as far as BTF says it. */
public final class BtfTypes {

    /** How compilers spell it. */
    private static final Set<String> LONG_NAMES = Set.of("long", "long int", "unsigned long", "long unsigned int");

    private BtfTypes() {}

    /**
     * Reads every named type of the section, and the unnamed enumerations, in their order; a declaration only if
     * nothing of its name is defined. All are of language {@code C} and of a unit without a name, and {@link
     * Definition#dieOffset()} is where their {@code struct btf_type} is, in bytes from the start of the section.
     * Producers have merged equal types already.
     *
     * <p>A module's BTF is split: it only adds to its kernel's, so the types of both are the module's.
     *
     * <p>A fault leaves out the member or type that it is in. Behind a type whose end cannot be told, none has an id: the types
     * before it are answered, and what follows is left out as a unit. Split BTF with a fault is refused: its base may be of
     * another kernel.
     *
     * @param pointerBytes size of a pointer on the file's machine, which BTF does not say
     * @param heap counts what is kept of it
     * @throws ExtractionException if nothing of the section can be read, if it is not supported (split BTF without its base),
     *     or over a limit
     */
    public static TypeCatalogue catalogue(BtfSections sections, int pointerBytes, Limits limits, HeapBudget heap)
            throws ExtractionException {
        OmissionLog log = new OmissionLog(heap);
        BtfShapes.Reading reading = new BtfShapes.Reading(limits, heap, log);
        List<BtfPart> objects = BtfPart.all(sections.own(), log);
        List<Definition> definitions = new ArrayList<>();
        if (objects.size() == 1 && objects.getFirst().isSplit()) {
            List<BtfPart> module = module(objects.getFirst(), sections, limits, heap);
            definitions.addAll(new BtfShapes(module, 0, pointerBytes, reading).definitions());
        } else {
            for (int number = 0; number < objects.size(); number++) {
                try {
                    List<BtfPart> object = List.of(requireAlone(objects, number));
                    definitions.addAll(new BtfShapes(object, number, pointerBytes, reading).definitions());
                } catch (ExtractionException e) {
                    log.omit(Part.UNIT, BtfPart.address(number, 0), e);
                }
            }
        }
        log.requireAnyUnit();
        return new TypeCatalogue(definitions, List.of(), Set.of(), log.omissions());
    }

    private static BtfPart requireAlone(List<BtfPart> objects, int number) throws ExtractionException {
        BtfPart object = objects.get(number);
        if (object.isSplit()) {
            throw new UnsupportedInputException(
                    object.section().name(),
                    object.header().stringsStart(),
                    "split BTF, as kernel modules have it, among the BTF of " + objects.size()
                            + " objects; expected it alone");
        }
        return object;
    }

    /** Returns the BTF of the kernel and that of a module, which continues it. */
    private static List<BtfPart> module(BtfPart own, BtfSections sections, Limits limits, HeapBudget heap)
            throws ExtractionException {
        BtfPart kernel = kernel(own, sections);
        if (sections.distilled().isEmpty()) {
            return List.of(kernel, own);
        }
        BtfPart distilled = BtfPart.read(sections.distilled());
        return List.of(kernel, DistilledBase.relocate(own, distilled, kernel, limits, heap));
    }

    private static BtfPart kernel(BtfPart own, BtfSections sections) throws ExtractionException {
        if (sections.kernel().isEmpty()) {
            throw new UnsupportedInputException(
                    own.section().name(),
                    own.header().stringsStart(),
                    "split BTF, as kernel modules have it: the string table does not start with the empty string; needs"
                            + " the kernel's own .BTF (--btf-base on the command line)");
        }
        BtfPart kernel = BtfPart.read(sections.kernel());
        if (kernel.isSplit()) {
            throw new UnsupportedInputException(
                    own.section().name(),
                    ExtractionException.NO_OFFSET,
                    "the BTF that was given as its base is split itself; expected the kernel's own .BTF");
        }
        return kernel;
    }

    /**
     * Returns the size of an address by that of C's {@code long}, for BTF that comes without its file: they are equal on all
     * processors of Linux. 8 if the section does not tell.
     */
    public static int addressBytes(Section btf, Limits limits) {
        try {
            BtfPart part = BtfPart.read(btf);
            HeapBudget heap = new HeapBudget(limits.maxKeptBytes());
            TypeTable types = TypeTable.readable(List.of(part), limits, heap);
            StringTable strings = new StringTable(List.of(part), limits, heap);
            for (long id = 1; id <= types.size(); id++) {
                TypeRecord type = types.get(id, 0);
                if (type.kind() == Btf.BTF_KIND_INT
                        && LONG_NAMES.contains(strings.at(type.nameOffset(), type.offset()))
                        && (type.sizeOrType() == Integer.BYTES || type.sizeOrType() == Long.BYTES)) {
                    return (int) type.sizeOrType();
                }
            }
        } catch (ExtractionException unreadable) {
            // A reading of the types reports it.
        }
        return Long.BYTES;
    }
}
