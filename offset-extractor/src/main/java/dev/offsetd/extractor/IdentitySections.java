package dev.offsetd.extractor;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.identity.scan.SectionSource;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Architecture;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** The sections that an identity is read from: those of a file, or some that a caller has. */
sealed interface IdentitySections extends SectionSource {

    /** The sections of a file. */
    record OfFile(ElfFile elf) implements IdentitySections {

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
            return elf.architecture().bits() / 8;
        }
    }

    /** Sections without their file; they have no addresses. */
    record Given(Architecture architecture, Map<String, byte[]> contents) implements IdentitySections {

        @Override
        public Section section(String name) {
            byte[] bytes = contents.get(name);
            return bytes == null ? absent() : new Section(name, MemorySegment.ofArray(bytes), architecture.byteOrder());
        }

        private Section absent() {
            return Section.absent("section", architecture.byteOrder());
        }

        @Override
        public boolean has(String name) {
            return contents.containsKey(name);
        }

        /** Separate debug files have the notes of their program, so no caller needs those of a section. */
        @Override
        public Section note(String owner, int type) {
            return absent();
        }

        @Override
        public Section loadedAt(long address) {
            return absent();
        }

        @Override
        public List<Section> data() {
            return List.of();
        }

        @Override
        public int addressBytes() {
            return architecture.bits() / 8;
        }
    }
}
