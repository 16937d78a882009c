package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the sections of a file, by name: decompressed, and in a relocatable file relocated. Each is read when it is
 * first needed, and kept. Not thread-safe.
 */
final class SectionContents {

    /** Alignment of the code of a relocatable file, whose sections have no addresses yet. */
    private static final long CODE_ALIGNMENT = 16;

    /** Linux has no paths of more than 4,096 bytes. */
    private static final long MAX_LINK_BYTES = 8 << 10;

    private final ElfHeader header;
    private final Section file;
    private final List<SectionHeader> sections;
    private final Decompressor decompressor;
    private final Map<String, Section> contents = new HashMap<>();

    /** Index of the first section of each {@linkplain SectionHeader#plainName() name}. */
    private @Nullable Map<String, Integer> indexes;

    private long @Nullable [] startsOfPieces;
    private @Nullable Map<Long, List<SectionHeader>> relocationTables;

    /** {@code SHT_SYMTAB_SHNDX} by the index of their symbol table. */
    private @Nullable Map<Long, SectionHeader> extendedIndexes;

    SectionContents(ElfHeader header, Section file, List<SectionHeader> sections, Decompressor decompressor) {
        this.header = header;
        this.file = file;
        this.sections = sections;
        this.decompressor = decompressor;
    }

    /** Returns the header of the first section of this name, or of its {@code .zdebug_*} twin. */
    Optional<SectionHeader> header(String name) {
        return find(name).map(sections::get);
    }

    private Optional<Integer> find(String name) {
        if (indexes == null) {
            Map<String, Integer> first = new HashMap<>();
            for (int i = 0; i < sections.size(); i++) {
                first.putIfAbsent(sections.get(i).plainName(), i);
            }
            indexes = first;
        }
        return Optional.ofNullable(indexes.get(name));
    }

    /**
     * Returns the contents of a section, see {@link ElfFile#section}.
     *
     * @param whole whether to wait until it is decompressed
     */
    Section section(String name, boolean whole) throws ExtractionException {
        Section known = contents.get(name);
        if (known == null) {
            known = readSection(name, whole);
            contents.put(name, known);
        } else if (whole) {
            known.awaitEnd();
        }
        return known;
    }

    private Section readSection(String name, boolean whole) throws ExtractionException {
        Optional<Integer> index = find(name);
        if (index.isEmpty() || sections.get(index.get()).isNoBits()) {
            return Section.absent(name, file.byteOrder());
        }
        List<Integer> pieces = pieces(name);
        if (pieces.size() <= 1) {
            return contents(index.get(), name, whole);
        }
        List<Section> found = new ArrayList<>();
        for (int piece : pieces) {
            found.add(contents(piece, name, true));
        }
        return decompressor.concatenate(name, found);
    }

    /**
     * Returns the sections that a linker would concatenate: with COMDAT groups, a relocatable file has several of a
     * name.
     */
    private List<Integer> pieces(String name) {
        if (!header.isRelocatable()) {
            return List.of();
        }
        return IntStream.range(0, sections.size())
                .filter(index -> sections.get(index).plainName().equals(name)
                        && !sections.get(index).isNoBits())
                .boxed()
                .toList();
    }

    private Section contents(int index, String name, boolean whole) throws ExtractionException {
        SectionHeader section = sections.get(index);
        Section raw = section.bytesIn(file, name);
        if (section.isCompressed()) {
            return relocated(index, decompressor.decompress(raw, header.bits(), whole), true);
        }
        if (section.isGnuCompressed()) {
            return relocated(index, decompressor.decompressGnu(raw, whole), true);
        }
        return relocated(index, raw, false);
    }

    /**
     * Returns whether relocations in a section of this name can change an answer. In BTF they are for variables, functions and
     * instructions.
     */
    private static boolean isRelocated(String section) {
        return section.startsWith(".debug_");
    }

    /** @param writable whether the contents are a copy already, not mapped from the file */
    private Section relocated(int index, Section contents, boolean writable) throws ExtractionException {
        List<SectionHeader> tables = header.isRelocatable() && isRelocated(contents.name())
                ? relocationTables().getOrDefault((long) index, List.of())
                : List.of();
        if (tables.isEmpty()) {
            return contents;
        }
        if (tables.size() > 1) {
            throw new UnsupportedInputException(
                    tables.get(1).name(),
                    ExtractionException.NO_OFFSET,
                    "a second relocation table for " + contents.name() + "; expected one");
        }
        SectionHeader table = tables.getFirst();
        if (table.link() >= sections.size()) {
            throw new MalformedInputException(
                    table.name(),
                    ExtractionException.NO_OFFSET,
                    "sh_link is " + table.link() + ", the file has " + sections.size() + " sections");
        }
        Section result = writable ? contents : decompressor.copy(contents);
        Section symbols = sections.get((int) table.link()).bytesIn(file);
        new Relocations(header.machine(), header.bits(), symbols, extendedIndexes(table.link()), startsOfPieces())
                .apply(table.bytesIn(file), table.type() == SectionHeader.SHT_RELA, result);
        return result;
    }

    /** Returns the table of section indexes for the symbol table with this index; an absent one if there is none. */
    private Section extendedIndexes(long symbolTable) throws ExtractionException {
        if (extendedIndexes == null) {
            Map<Long, SectionHeader> tables = new HashMap<>();
            for (SectionHeader section : sections) {
                if (section.type() == SectionHeader.SHT_SYMTAB_SHNDX) {
                    tables.put(section.link(), section);
                }
            }
            extendedIndexes = tables;
        }
        SectionHeader table = extendedIndexes.get(symbolTable);
        return table == null ? Section.absent(".symtab_shndx", file.byteOrder()) : table.bytesIn(file);
    }

    /** Returns the relocation tables by the index of the section that they apply to. */
    private Map<Long, List<SectionHeader>> relocationTables() {
        if (relocationTables == null) {
            Map<Long, List<SectionHeader>> tables = new HashMap<>();
            for (SectionHeader section : sections) {
                if (section.isRelocationTable() && !section.isNoBits()) {
                    tables.computeIfAbsent(section.info(), _ -> new ArrayList<>())
                            .add(section);
                }
            }
            relocationTables = tables;
        }
        return relocationTables;
    }

    /**
     * Returns by section index where each section of a relocatable file starts: of debug information in the concatenation of
     * all sections of its name, of code behind the code before it, as a linker would place it. Others start at 0.
     */
    long[] startsOfPieces() {
        if (startsOfPieces == null) {
            long[] starts = new long[sections.size()];
            Map<String, Long> ends = new HashMap<>();
            long codeEnd = 0;
            for (int i = 0; i < starts.length; i++) {
                SectionHeader section = sections.get(i);
                String name = section.plainName();
                if (name.startsWith(".debug_")) {
                    starts[i] = ends.getOrDefault(name, 0L);
                    ends.put(name, starts[i] + bytesOfContents(section));
                } else if (section.isCode()) {
                    starts[i] = codeEnd;
                    codeEnd = (codeEnd + section.size() + CODE_ALIGNMENT - 1) / CODE_ALIGNMENT * CODE_ALIGNMENT;
                }
            }
            startsOfPieces = starts;
        }
        return startsOfPieces;
    }

    /**
     * Returns the contents of a section that names another file.
     *
     * @throws MalformedInputException before anything is decompressed, if they are larger than a path and a checksum can be
     */
    Section link(String name) throws ExtractionException {
        long bytes = sections.stream()
                .filter(section -> section.plainName().equals(name))
                .mapToLong(this::bytesOfContents)
                // Sizes are unsigned, and a sum could overflow.
                .map(each -> each < 0 || each > MAX_LINK_BYTES ? MAX_LINK_BYTES + 1 : each)
                .sum();
        if (bytes > MAX_LINK_BYTES) {
            throw new MalformedInputException(
                    name,
                    ExtractionException.NO_OFFSET,
                    "more than " + MAX_LINK_BYTES + " bytes; expected a path and a checksum");
        }
        return section(name, true);
    }

    /** Returns how many bytes a section has without its compression. */
    private long bytesOfContents(SectionHeader section) {
        if (section.isNoBits() || !(section.isGnuCompressed() || section.isCompressed())) {
            return section.size();
        }
        try {
            Section raw = section.bytesIn(file);
            return section.isGnuCompressed() ? Decompressor.gnuSize(raw) : Decompressor.size(raw, header.bits());
        } catch (MalformedInputException e) {
            // The fault is reported when the section is read.
            return section.size();
        }
    }
}
