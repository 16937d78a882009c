package dev.offsetd.extractor;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.identity.scan.SectionSource;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.List;

/** The sections that the identity of a file is read from. */
record IdentitySections(ElfFile elf) implements SectionSource {

    @Override
    public Section section(String name) throws ExtractionException {
        return elf.section(name);
    }

    @Override
    public boolean has(String name) {
        return elf.hasSection(name);
    }

    @Override
    public Section note(String owner, int type) throws ExtractionException {
        return elf.note(owner, type);
    }

    @Override
    public Section loadedAt(long address) throws ExtractionException {
        return elf.loadedAt(address);
    }

    @Override
    public List<Section> data() throws ExtractionException {
        return elf.dataSegments().stream().map(ElfFile.LoadedBytes::bytes).toList();
    }

    @Override
    public int addressBytes() {
        return elf.architecture().addressBytes();
    }
}
