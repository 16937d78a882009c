package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.OptionalLong;

/**
 * Function descriptors of PowerPC 64, ELFv1 (64-bit PowerPC ELF ABI 1.9, §3.2.5): the symbol of a function is that of a
 * descriptor in {@code .opd}, whose first doubleword is the address of the code. ELFv2 has no such section, and a
 * relocatable file no addresses.
 */
final class FunctionDescriptors {

    private static final String PPC64 = "ppc64";
    private static final String NAME = ".opd";

    private final long start;
    private final long size;
    private final Section contents;

    private FunctionDescriptors(long start, long size, Section contents) {
        this.start = start;
        this.size = size;
        this.contents = contents;
    }

    /** Returns the descriptors of a file; without contents if it has none, as a debug file. */
    static FunctionDescriptors of(ElfFile elf) throws ExtractionException {
        if (elf.architecture().machine().equals(PPC64) && !elf.isRelocatable()) {
            for (SectionHeader header : elf.sections()) {
                if (header.name().equals(NAME) && header.isLoaded()) {
                    return new FunctionDescriptors(header.address(), header.size(), elf.contents(header));
                }
            }
        }
        return new FunctionDescriptors(0, 0, Section.absent(NAME, elf.byteOrder()));
    }

    /** Returns whether there is a descriptor at an address, and the file does not have it: a debug file, whose program does. */
    boolean areElsewhere(long descriptor) {
        return contents.isEmpty() && Long.compareUnsigned(descriptor - start, size) < 0;
    }

    /** Returns the address of the function's code, or empty if the value of its symbol does not lead to a descriptor. */
    OptionalLong code(long descriptor) throws ExtractionException {
        long at = descriptor - start;
        return at < 0 || at > contents.size() - Long.BYTES
                ? OptionalLong.empty()
                : OptionalLong.of(contents.cursor(at, Long.BYTES).u64());
    }
}
