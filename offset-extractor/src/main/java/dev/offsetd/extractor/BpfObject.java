package dev.offsetd.extractor;

import dev.offsetd.extractor.btf.CoreRelocations;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.CoreRelocation;
import dev.offsetd.extractor.layout.NamedShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

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
            return open(object, arena).types();
        }
    }

    /**
     * Returns what the CO-RE relocations of a program ask for, each once, in their order.
     *
     * @throws ExtractionException as {@link #relocatedTypes}
     */
    public static List<CoreRelocation> relocations(byte[] object) throws ExtractionException {
        try (Arena arena = Arena.ofConfined()) {
            return open(object, arena).all();
        }
    }

    private static CoreRelocations open(byte[] object, Arena arena) throws ExtractionException {
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
        return CoreRelocations.read(
                elf.section(DebugSections.BTF), elf.section(BTF_EXT), LIMITS, new HeapBudget(LIMITS.maxKeptBytes()));
    }
}
