package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.ProgramHeader;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.SymbolSection;
import dev.offsetd.extractor.layout.SymbolSource;
import dev.offsetd.extractor.layout.SymbolVersion;
import dev.offsetd.extractor.layout.TlsSegment;
import dev.offsetd.query.symbol.AddressLookup;
import dev.offsetd.query.symbol.NameLookup;
import dev.offsetd.query.symbol.SymbolTable;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes symbols as the blob that {@link StoredSymbols} reads; see {@link SymbolsFormat}. */
public final class SymbolsWriter {

    private final BlobOutput blob = StoredBlob.begin();
    private final Numbering<SymbolVersion> versions = new Numbering<>();
    private final Numbering<SymbolSection> sections = new Numbering<>();
    private final Numbering<List<SymbolSource>> sources = new Numbering<>();

    private SymbolsWriter() {}

    /** Encodes the symbols and program headers of a file; equal ones give equal bytes. */
    public static byte[] encode(SymbolTable symbols, Optional<TlsSegment> tls, List<ProgramHeader> programHeaders) {
        return new SymbolsWriter().write(symbols, tls, programHeaders);
    }

    private byte[] write(SymbolTable table, Optional<TlsSegment> tls, List<ProgramHeader> programHeaders) {
        IdentityHashMap<Symbol, Integer> inTable = new IdentityHashMap<>();
        for (int i = 0; i < table.symbols().size(); i++) {
            inTable.put(table.symbols().get(i), i);
        }
        IdentityHashMap<Symbol, Integer> numbers = new IdentityHashMap<>();
        NameLookup names = table.names();
        BlockTable.Writer nameTable = new BlockTable.Writer();
        BlockTable.Writer symbolTable = new BlockTable.Writer();
        for (int place = 0; place < names.count(); place++) {
            List<Symbol> named = names.symbols(place);
            nameTable.add(
                    names.name(place),
                    new BlobOutput()
                            .string(names.name(place))
                            .unsigned(symbolTable.size())
                            .unsigned(named.size())
                            .toBytes());
            for (Symbol symbol : named) {
                numbers.put(symbol, symbolTable.size());
                symbolTable.add("", encode(symbol, place, inTable.getOrDefault(symbol, 0)));
            }
        }
        BlobOutput names0 = new BlobOutput();
        nameTable.finish(blob, names0);
        BlobOutput symbols0 = new BlobOutput();
        symbolTable.finish(blob, symbols0);
        BlobOutput places0 = writePlaces(table.places(), numbers);

        BlobOutput directory = new BlobOutput().unsigned(indexOf(SymbolsFormat.VALUE_RULES, table.values()));
        writeTls(tls, directory);
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
        writeProgramHeaders(programHeaders, directory);
        return StoredBlob.finish(blob, SymbolsFormat.MAGIC, SymbolsFormat.FORMAT, directory);
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
        if (symbol.descriptor() != null) {
            // Earlier readers stop before it.
            out.unsigned(symbol.descriptor());
        }
        return out.toBytes();
    }

    /** Writes the table of addresses, followed by the greatest end in each of its blocks. */
    private BlobOutput writePlaces(AddressLookup places, Map<Symbol, Integer> numbers) {
        BlockTable.Writer table = new BlockTable.Writer();
        for (int i = 0; i < places.count(); i++) {
            table.add(
                    SymbolsFormat.key(places.start(i)),
                    new BlobOutput()
                            .unsigned(places.start(i))
                            .unsigned(places.end(i))
                            .unsigned(numbers.getOrDefault(places.symbol(i), 0))
                            .toBytes());
        }
        BlobOutput directory = new BlobOutput();
        List<BlockTable.Block> blocks = table.finish(blob, directory);
        for (int b = 0; b < blocks.size(); b++) {
            int end = b + 1 < blocks.size() ? blocks.get(b + 1).firstEntry() : places.count();
            long reach = 0;
            for (int i = blocks.get(b).firstEntry(); i < end; i++) {
                reach = Long.compareUnsigned(places.end(i), reach) > 0 ? places.end(i) : reach;
            }
            directory.unsigned(reach);
        }
        return directory;
    }

    private static void writeTls(Optional<TlsSegment> tls, BlobOutput directory) {
        directory.unsigned(tls.isPresent() ? 1 : 0);
        tls.ifPresent(segment -> {
            OptionalLong fileSize = segment.fileSize();
            directory
                    .unsigned(segment.address())
                    .unsigned(fileSize.isPresent() ? 1 : 0)
                    .unsigned(fileSize.orElse(0))
                    .unsigned(segment.memorySize())
                    .unsigned(segment.alignment());
        });
    }

    /** Writes the last part of the directory: earlier readers stop before it. */
    private static void writeProgramHeaders(List<ProgramHeader> programHeaders, BlobOutput directory) {
        directory.unsigned(programHeaders.size());
        for (ProgramHeader header : programHeaders) {
            directory
                    .unsigned(header.type())
                    .unsigned(header.flags())
                    .unsigned(header.address())
                    .unsigned(header.memorySize())
                    .unsigned(header.alignment())
                    .unsigned(header.offset().isPresent() ? 1 : 0);
            if (header.offset().isPresent()) {
                directory
                        .unsigned(header.offset().getAsLong())
                        .unsigned(header.fileSize().orElse(0));
            }
        }
    }

    private static <T> int indexOf(T[] values, T value) {
        return Arrays.asList(values).indexOf(value);
    }
}
