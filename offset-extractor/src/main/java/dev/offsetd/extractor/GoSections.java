package dev.offsetd.extractor;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.go.GoProgram;
import dev.offsetd.extractor.go.LineTable;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.identity.scan.SectionIdentity;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The sections of a Go program that lead to its type descriptors. */
final class GoSections implements GoProgram {

    /** Programs that can be loaded anywhere have the table in a section of relocated data. */
    private static final List<String> LINE_TABLES = List.of(".gopclntab", ".data.rel.ro.gopclntab");

    private static final List<String> DATA = List.of(".go.module", ".noptrdata", ".data");
    private static final String LINKS = ".typelink";
    private static final String BUILD_INFO = ".go.buildinfo";
    private static final String RELOCATED = ".data.rel.ro";

    /** Types of the relocations that add the load address, where they have addends (psABI of each machine). */
    private static final Map<String, Integer> RELATIVE =
            Map.of("x86_64", 8, "aarch64", 1027, "s390x", 12, "ppc64le", 22, "riscv64", 3, "loongarch64", 3);

    private static final int UNKNOWN = -1;

    private final ElfFile elf;

    GoSections(ElfFile elf) {
        this.elf = elf;
    }

    /** Returns whether the file is a Go program with its contents, unlike a separate debug file. */
    boolean isGo() {
        return LINE_TABLES.stream().anyMatch(elf::hasContents)
                || (elf.hasContents(BUILD_INFO) && elf.hasContents(RELOCATED))
                || (elf.sections().isEmpty() && !version().isEmpty());
    }

    /** Returns the size of the list of types. */
    long typeBytes() throws ExtractionException {
        return elf.section(LINKS).size() + elf.section(".data.rel.ro" + LINKS).size();
    }

    @Override
    public String version() {
        return SectionIdentity.read(new IdentitySections(elf), Probes.NONE)
                .first(IdentityField.Kind.GO_VERSION)
                .orElse("");
    }

    @Override
    public int addressBytes() {
        return elf.architecture().addressBytes();
    }

    @Override
    public long lineTable() throws ExtractionException {
        for (String name : LINE_TABLES) {
            if (elf.hasContents(name)) {
                return elf.address(name).orElse(0);
            }
        }
        if (elf.sections().isEmpty()) {
            return lineTableIn(elf.loadedSegments());
        }
        // A linker of C merges the section of a shared library into this one.
        return elf.hasContents(RELOCATED)
                ? lineTableIn(
                        List.of(new ElfFile.LoadedBytes(elf.address(RELOCATED).orElse(0), elf.section(RELOCATED))))
                : 0;
    }

    /** Returns the address of the first header of a line table, or 0. */
    private long lineTableIn(List<ElfFile.LoadedBytes> places) throws ExtractionException {
        for (ElfFile.LoadedBytes place : places) {
            long last = place.bytes().size() - LineTable.START_BYTES;
            for (long at = 0; at <= last; at += addressBytes()) {
                Deadline.checkCurrent(at);
                if (LineTable.startsAt(place.bytes().cursor(at, LineTable.START_BYTES), addressBytes())) {
                    return place.address() + at;
                }
            }
        }
        return 0;
    }

    @Override
    public List<Data> data() throws ExtractionException {
        List<Data> data = new ArrayList<>();
        for (String name : DATA) {
            if (elf.hasContents(name) && elf.address(name).isPresent()) {
                data.add(new Data(elf.address(name).getAsLong(), elf.section(name)));
            }
        }
        if (elf.sections().isEmpty()) {
            elf.dataSegments().forEach(segment -> data.add(new Data(segment.address(), segment.bytes())));
        }
        return data;
    }

    @Override
    public Section loadedAt(long address) throws ExtractionException {
        return elf.loadedAt(address);
    }

    @Override
    public Section relocations() throws ExtractionException {
        Section found = elf.section(".rela.dyn");
        return found.isEmpty() ? elf.section(".rela") : found;
    }

    @Override
    public int relativeRelocation() {
        return RELATIVE.getOrDefault(elf.architecture().machine(), UNKNOWN);
    }
}
