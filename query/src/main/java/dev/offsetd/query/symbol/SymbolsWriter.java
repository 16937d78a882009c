package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.store.BlobOutput;
import dev.offsetd.query.store.BlockTable;
import dev.offsetd.query.store.Numbering;
import dev.offsetd.query.store.StoredBlob;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Writes symbols as the blob that {@link StoredSymbols} reads; see {@link SymbolsFormat}. */
public final class SymbolsWriter {

    private final BlobOutput blob = StoredBlob.begin();
    private final Numbering<SymbolVersion> versions = new Numbering<>();
    private final Numbering<SymbolSection> sections = new Numbering<>();
    private final Numbering<List<SymbolSource>> sources = new Numbering<>();
    private final Numbering<String> sourceFiles = new Numbering<>();

    /** Whether blocks are compressed. */
    private final boolean packed;

    private SymbolsWriter(boolean packed) {
        this.packed = packed;
    }

    /** Encodes the symbols and program headers of a file; equal ones give equal bytes. */
    public static byte[] encode(SymbolTable symbols) {
        return new SymbolsWriter(true).write(symbols);
    }

    /** Encodes symbols for look-ups in memory: compressing them takes longer than most of these. */
    static byte[] encodeUnpacked(SymbolTable symbols) {
        return new SymbolsWriter(false).write(symbols);
    }

    private byte[] write(SymbolTable table) {
        List<Symbol> symbols = table.symbols();
        int[] byName = table.byName();
        int[] numbers = new int[byName.length];
        BlockTable.Writer nameTable = new BlockTable.Writer(packed);
        BlockTable.Writer symbolTable = new BlockTable.Writer(packed);
        int end;
        for (int first = 0; first < byName.length; first = end) {
            String name = symbols.get(byName[first]).name();
            end = first + 1;
            while (end < byName.length && table.haveOneName(byName[first], byName[end])) {
                end++;
            }
            int place = nameTable.size();
            nameTable.add(
                    name,
                    new BlobOutput()
                            .string(name)
                            .unsigned(first)
                            .unsigned(end - first)
                            .toBytes());
            for (int number = first; number < end; number++) {
                numbers[byName[number]] = number;
                symbolTable.add("", encode(symbols.get(byName[number]), place, byName[number]));
            }
        }
        BlobOutput names0 = new BlobOutput();
        nameTable.finish(blob, names0);
        BlobOutput symbols0 = new BlobOutput();
        symbolTable.finish(blob, symbols0);
        BlobOutput places0 = writePlaces(table, numbers);

        BlobOutput directory = new BlobOutput().unsigned(indexOf(SymbolsFormat.VALUE_RULES, table.values()));
        writeTls(table, directory);
        directory.unsigned(versions.values().size());
        for (SymbolVersion version : versions.values()) {
            directory.string(version.name()).unsigned(version.isDefault() ? 1 : 0);
        }
        directory.unsigned(sections.values().size());
        for (SymbolSection section : sections.values()) {
            directory
                    .unsigned(indexOf(SymbolsFormat.SECTION_KINDS, section.kind()))
                    .unsigned(section.index())
                    .string(section.name())
                    .unsigned(section.endAddress());
        }
        directory.unsigned(sources.values().size());
        for (List<SymbolSource> found : sources.values()) {
            directory.unsigned(found.size());
            for (SymbolSource source : found) {
                directory
                        .unsigned(indexOf(SymbolsFormat.TABLES, source.table()))
                        .unsigned(source.inDebugFile() ? 1 : 0);
            }
        }
        directory.bytes(names0.toBytes()).bytes(symbols0.toBytes()).bytes(places0.toBytes());
        writeProgramHeaders(table.programHeaders(), directory);
        directory.unsigned(sourceFiles.values().size());
        sourceFiles.values().forEach(directory::string);
        return StoredBlob.finish(blob, SymbolsFormat.MAGIC, SymbolsFormat.FORMAT, directory, packed);
    }

    private byte[] encode(Symbol symbol, int name, int inTable) {
        BlobOutput out = new BlobOutput()
                .unsigned(name)
                .unsigned(symbol.version() == null ? 0 : 1 + versions.number(symbol.version()))
                .unsigned(symbol.value())
                .unsigned(symbol.size())
                .unsigned(indexOf(SymbolsFormat.TYPES, symbol.type()))
                .unsigned(indexOf(SymbolsFormat.BINDINGS, symbol.binding()))
                .unsigned(indexOf(SymbolsFormat.VISIBILITIES, symbol.visibility()))
                .unsigned(sections.number(symbol.section()))
                .unsigned(sources.number(symbol.sources()))
                .unsigned(inTable);
        GoFunction go = symbol.go();
        if (symbol.descriptor() != null || go != null) {
            // Earlier readers stop before it. A Go function has 0 instead.
            out.unsigned(symbol.descriptor() == null ? 0 : symbol.descriptor());
        }
        if (go != null) {
            out.unsigned(go.sourceFile() == null ? 0 : 1 + sourceFiles.number(go.sourceFile()))
                    .unsigned(go.abi() == null ? 0 : 1 + indexOf(SymbolsFormat.ABIS, go.abi()));
        }
        return out.toBytes();
    }

    /**
     * Writes the table of addresses, followed by the greatest end in each of its blocks.
     *
     * @param numbers numbers of the stored symbols by their indexes in the table
     */
    private BlobOutput writePlaces(SymbolTable symbols, int[] numbers) {
        int[] places = symbols.byAddress();
        long[] ends = new long[places.length];
        BlockTable.Writer table = new BlockTable.Writer(packed);
        for (int i = 0; i < places.length; i++) {
            Symbol symbol = symbols.symbols().get(places[i]);
            long start = symbols.values().addressOf(symbol);
            ends[i] = endOf(start, symbol.size());
            table.add(
                    SymbolsFormat.key(start),
                    new BlobOutput()
                            .unsigned(start)
                            .unsigned(ends[i])
                            .unsigned(numbers[places[i]])
                            .toBytes());
        }
        BlobOutput directory = new BlobOutput();
        List<BlockTable.Block> blocks = table.finish(blob, directory);
        for (int b = 0; b < blocks.size(); b++) {
            int end = b + 1 < blocks.size() ? blocks.get(b + 1).firstEntry() : places.length;
            long reach = 0;
            for (int i = blocks.get(b).firstEntry(); i < end; i++) {
                reach = Long.compareUnsigned(ends[i], reach) > 0 ? ends[i] : reach;
            }
            directory.unsigned(reach);
        }
        return directory;
    }

    /** Returns the end of a symbol, cut at the end of the address space; 0 if it has no size. */
    private static long endOf(long start, long size) {
        if (size == 0) {
            return 0;
        }
        long end = start + size;
        return Long.compareUnsigned(end, start) < 0 ? -1 : end;
    }

    private static void writeTls(SymbolTable symbols, BlobOutput directory) {
        TlsSegment tls = symbols.tls().orElse(null);
        directory.unsigned(tls == null ? 0 : 1);
        if (tls != null) {
            Long fileSize = tls.fileSize();
            directory
                    .unsigned(tls.address())
                    .unsigned(fileSize == null ? 0 : 1)
                    .unsigned(fileSize == null ? 0 : fileSize)
                    .unsigned(tls.memorySize())
                    .unsigned(tls.alignment());
        }
    }

    /** Writes the program headers, before which earlier readers stop. */
    private static void writeProgramHeaders(List<ProgramHeader> programHeaders, BlobOutput directory) {
        directory.unsigned(programHeaders.size());
        for (ProgramHeader header : programHeaders) {
            directory
                    .unsigned(header.type())
                    .unsigned(header.flags())
                    .unsigned(header.address())
                    .unsigned(header.memorySize())
                    .unsigned(header.alignment())
                    .unsigned(header.offset() == null ? 0 : 1);
            if (header.offset() != null) {
                directory.unsigned(header.offset()).unsigned(Objects.requireNonNull(header.fileSize()));
            }
        }
    }

    private static <T> int indexOf(T[] values, T value) {
        return Arrays.asList(values).indexOf(value);
    }
}
