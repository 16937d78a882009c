package dev.offsetd.query.symbol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.GoFunction.Abi;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.store.BlobOutput;
import dev.offsetd.query.store.BlobParts;
import dev.offsetd.query.store.StoredBlob;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoredSymbolsTests {

    private static byte[] encoded(ProgramHeader... headers) {
        return SymbolsWriter.encode(SymbolTable.of(List.of(), ValueRule.ADDRESS, null, List.of(headers)));
    }

    @Test
    void programHeadersAreStoredToo() {
        ProgramHeader loaded = new ProgramHeader(1, 5, 0xffffffff81000000L, 0x2000, 0x1000, 0x1000L, 0x1800L);
        ProgramHeader ofDebugFile = new ProgramHeader(1, 6, 0x4000, 0x100, 0x1000, null, null);

        assertThat(StoredSymbols.of(encoded(loaded, ofDebugFile)).programHeaders())
                .containsExactly(loaded, ofDebugFile);
    }

    @Test
    void goFunctionsKeepTheirFileAndCallingConvention() {
        List<Symbol> functions = new ArrayList<>();
        for (Abi abi : List.of(Abi.ABI0, Abi.INTERNAL)) {
            functions.add(function("main.f" + abi, new GoFunction("/src/main.go", abi)));
        }
        functions.add(function("main.placed", new GoFunction("/src/main.go", null)));
        functions.add(function("main.unplaced", new GoFunction(null, null)));
        functions.add(function("plain", null));
        StoredSymbols stored = StoredSymbols.of(
                SymbolsWriter.encode(SymbolTable.of(List.of(functions), ValueRule.ADDRESS, null, List.of())));

        for (Symbol function : functions) {
            assertThat(stored.find(SymbolPattern.of(function.name()))).containsExactly(function);
        }
    }

    private static Symbol function(String name, @Nullable GoFunction go) {
        return new Symbol(
                name,
                null,
                0x1000,
                16,
                SymbolType.FUNC,
                SymbolBinding.LOCAL,
                SymbolVisibility.DEFAULT,
                new SymbolSection(SymbolSection.Kind.IN_SECTION, 1, ".text", 0x2000),
                List.of(new SymbolSource(SymbolSource.Table.GOPCLNTAB, false)),
                null,
                go);
    }

    @Test
    void symbolsOfAnEarlierVersionHaveNoProgramHeaders() {
        byte[] blob = encoded();
        ByteBuffer header = ByteBuffer.wrap(blob, Long.BYTES, 2 * Long.BYTES);
        int offset = (int) header.getLong();
        byte[] directory = BlobParts.raw(Arrays.copyOfRange(blob, offset, offset + header.getInt()), header.getInt());
        // Their number and that of source files end the directory, and earlier versions end before one or both.
        for (int missing : List.of(1, 2)) {
            BlobOutput earlier = new BlobOutput().bytes(Arrays.copyOf(directory, directory.length - missing));

            assertThat(StoredSymbols.of(StoredBlob.finish(
                                    StoredBlob.begin(), SymbolsFormat.MAGIC, SymbolsFormat.FORMAT, earlier))
                            .programHeaders())
                    .isEmpty();
        }
    }
}
