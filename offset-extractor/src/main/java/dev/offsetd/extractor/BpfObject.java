package dev.offsetd.extractor;

import dev.offsetd.extractor.bpf.BpfProgram;
import dev.offsetd.extractor.btf.CoreRelocations;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.SectionHeader;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.NamedShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A compiled BPF program: an ELF file with {@code .BTF} and {@code .BTF.ext}. */
public final class BpfObject {

    /** Largest object that is read. */
    public static final int MAX_BYTES = 4 << 20;

    private static final String BTF_EXT = ".BTF.ext";

    /** A server reads objects of strangers. Compilers do not compress sections of objects; names of the largest take 1 MiB. */
    private static final Limits LIMITS =
            Limits.DEFAULT.withMaxDecompressedBytes(2 * MAX_BYTES).withMaxKeptBytes(64 << 20);

    private BpfObject() {}

    /**
     * Returns the types whose layouts the CO-RE relocations of a program ask for, each once and without the part of its name
     * from {@code ___} on.
     *
     * @throws ExtractionException if the object has no BTF or no {@code .BTF.ext}, is malformed, or exceeds a limit
     */
    public static Set<NamedShape> relocatedTypes(byte[] object) throws ExtractionException {
        try (Arena arena = Arena.ofConfined()) {
            return relocations(open(object, arena)).types();
        }
    }

    /**
     * Returns the CO-RE relocations of a program, each once and in their order, with the functions that have them.
     *
     * @throws ExtractionException as {@link #relocatedTypes}
     */
    public static BpfProgram program(byte[] object) throws ExtractionException {
        try (Arena arena = Arena.ofConfined()) {
            ElfFile elf = open(object, arena);
            Map<String, Section> code = new TreeMap<>();
            for (SectionHeader section : elf.sections()) {
                if (section.isCode() && !section.isCompressed()) {
                    code.putIfAbsent(section.name(), elf.rawContents(section));
                }
            }
            return relocations(elf).program(code);
        }
    }

    private static CoreRelocations relocations(ElfFile elf) throws ExtractionException {
        return CoreRelocations.read(
                elf.section(DebugSections.BTF), elf.section(BTF_EXT), LIMITS, new HeapBudget(LIMITS.maxKeptBytes()));
    }

    private static ElfFile open(byte[] object, Arena arena) throws ExtractionException {
        if (object.length > MAX_BYTES) {
            throw new LimitExceededException(
                    "BPF object",
                    ExtractionException.NO_OFFSET,
                    "maxObjectBytes",
                    MAX_BYTES,
                    "it has " + object.length + " bytes");
        }
        ElfFile elf = ElfFile.read(MemorySegment.ofArray(object), arena, LIMITS);
        for (String section : List.of(DebugSections.BTF, BTF_EXT)) {
            if (!elf.hasContents(section)) {
                throw new UnsupportedInputException(
                        section,
                        ExtractionException.NO_OFFSET,
                        "the object has no such section; expected a BPF program compiled by clang -g -target bpf");
            }
        }
        return elf;
    }
}
