package dev.offsetd.query.answer;

import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.symbols.TlsRelocation;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.SymbolAt;
import java.math.BigInteger;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes symbols as JSON objects, or any other representation of the generator. Values and addresses are hex strings in the
 * space of {@code st_value} (gABI, Symbol Table), sizes are bytes.
 */
public final class SymbolWriter {

    /** Most relocations that are listed of a variable. A file has one for each way that its code finds the variable. */
    private static final int MAX_RELOCATIONS = 32;

    private SymbolWriter() {}

    /** Writes the thread-local storage segment. */
    public static void write(JsonGenerator json, TlsSegment tls) {
        json.writeStartObject();
        writeHex(json, "address", tls.address());
        if (tls.fileSize() == null) {
            json.writeNullProperty("fileSize");
        } else {
            writeUnsigned(json, "fileSize", tls.fileSize());
        }
        writeUnsigned(json, "memorySize", tls.memorySize());
        writeUnsigned(json, "alignment", tls.alignment());
        json.writeEndObject();
    }

    /** Writes a symbol that contains an address; {@code offset} is the bytes from the symbol's value to the address. */
    public static void write(JsonGenerator json, SymbolAt at, ProgramFacts program) {
        json.writeStartObject();
        writeUnsigned(json, "offset", at.offset());
        writeProperties(json, at.symbol(), program);
        json.writeEndObject();
    }

    /**
     * Writes a symbol.
     *
     * @param program null to leave out what its file states
     */
    public static void write(JsonGenerator json, Symbol symbol, @Nullable ProgramFacts program) {
        json.writeStartObject();
        writeProperties(json, symbol, program);
        json.writeEndObject();
    }

    /** Writes that the file may have other symbols, because symbols or a symbol table were left out, if that is so. */
    public static void writeIncomplete(JsonGenerator json, boolean incomplete) {
        if (incomplete) {
            json.writeBooleanProperty("incomplete", true);
        }
    }

    /** Writes why no symbol has an offset in the file, if that is so. */
    public static void writeMissing(JsonGenerator json, FileOffsets fileOffsets) {
        if (fileOffsets.missing() != null) {
            json.writeStringProperty("noFileOffsets", fileOffsets.missing());
        }
    }

    /**
     * Writes whether an address has symbols, and where it is: its virtual address and its offset in the file, as far as they are
     * known.
     *
     * @param asked in the form of the client
     * @param values meaning of the values of the file's symbols
     */
    public static void writeLookup(
            JsonGenerator json, CodeAddress asked, boolean found, FileOffsets offsets, ValueRule values) {
        OptionalLong place = asked.in(offsets);
        if (place.isEmpty()) {
            json.writeStringProperty("status", offsets.missing() == null ? "outside_segments" : "no_segments");
            json.writeStringProperty("detail", asked.missing(offsets));
            return;
        }
        json.writeStringProperty("status", found ? "found" : "not_found");
        if (!found && values == ValueRule.SECTION_OFFSET) {
            json.writeStringProperty(
                    "detail", "a relocatable file has no addresses: values count from the starts of its sections");
        }
        writeHex(json, "address", place.getAsLong());
        OptionalLong offset = asked.inFile() ? OptionalLong.of(asked.value()) : offsets.ofAddress(asked.value());
        offset.ifPresent(known -> writeHex(json, "fileOffset", known));
    }

    /** Writes an unsigned number in hex. */
    static void writeHex(JsonGenerator json, String name, long value) {
        json.writeStringProperty(name, "0x" + Long.toHexString(value));
    }

    private static void writeProperties(JsonGenerator json, Symbol symbol, @Nullable ProgramFacts program) {
        json.writeStringProperty("name", symbol.name());
        if (symbol.version() == null) {
            json.writeNullProperty("version");
        } else {
            json.writeStringProperty("version", symbol.version().name());
            json.writeBooleanProperty("defaultVersion", symbol.version().isDefault());
        }
        writeHex(json, "value", symbol.value());
        if (symbol.descriptor() != null) {
            writeHex(json, "descriptor", symbol.descriptor());
        }
        OptionalLong fileOffset =
                program == null ? OptionalLong.empty() : program.offsets().of(symbol);
        if (fileOffset.isPresent()) {
            writeHex(json, "fileOffset", fileOffset.getAsLong());
        }
        writeUnsigned(json, "size", symbol.size());
        json.writeStringProperty("type", symbol.type().word());
        json.writeStringProperty("binding", symbol.binding().name());
        json.writeStringProperty("visibility", symbol.visibility().name());
        json.writeStringProperty("section", symbol.section().name());
        json.writeBooleanProperty("imported", symbol.isImported());
        if (program != null && program.tls() != null && symbol.type() == SymbolType.TLS) {
            writeTls(json, symbol, program.tls());
        }
        GoFunction go = symbol.go();
        if (go != null && go.sourceFile() != null) {
            json.writeStringProperty("sourceFile", go.sourceFile());
        }
        if (go != null && go.abi() != null) {
            json.writeStringProperty("abi", go.abi().word());
        }
        json.writeArrayPropertyStart("sources");
        for (SymbolSource source : symbol.sources()) {
            json.writeStartObject();
            json.writeStringProperty("file", source.inDebugFile() ? "debugFile" : "file");
            json.writeStringProperty("table", source.table().sectionName());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeTls(JsonGenerator json, Symbol symbol, TlsAccess tls) {
        OptionalLong distance = tls.threadPointerOffset(symbol);
        if (distance.isPresent()) {
            json.writeNumberProperty("threadPointerOffset", distance.getAsLong());
        }
        json.writeArrayPropertyStart("tlsRelocations");
        List<TlsRelocation> relocations = tls.of(symbol);
        for (TlsRelocation relocation : relocations.subList(0, Math.min(MAX_RELOCATIONS, relocations.size()))) {
            json.writeStartObject();
            json.writeStringProperty("type", relocation.kind().word());
            writeHex(json, "address", relocation.address());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes an unsigned size. */
    static void writeUnsigned(JsonGenerator json, String name, long value) {
        if (value >= 0) {
            json.writeNumberProperty(name, value);
        } else {
            json.writeNumberProperty(name, new BigInteger(Long.toUnsignedString(value)));
        }
    }
}
