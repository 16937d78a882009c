package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.symbol.SymbolTable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StoredSymbolsTests {

    private static byte[] encoded(ProgramHeader... headers) {
        return SymbolsWriter.encode(SymbolTable.of(List.of(), ValueRule.ADDRESS, null, List.of(headers)));
    }

    @Test
    void programHeadersAreStoredToo() {
        ProgramHeader loaded = new ProgramHeader(
                1, 5, 0xffffffff81000000L, 0x2000, 0x1000, OptionalLong.of(0x1000), OptionalLong.of(0x1800));
        ProgramHeader ofDebugFile =
                new ProgramHeader(1, 6, 0x4000, 0x100, 0x1000, OptionalLong.empty(), OptionalLong.empty());

        assertThat(StoredSymbols.of(encoded(loaded, ofDebugFile)).programHeaders())
                .containsExactly(loaded, ofDebugFile);
    }

    @Test
    void symbolsOfAnEarlierVersionHaveNoProgramHeaders() {
        byte[] blob = encoded();
        ByteBuffer header = ByteBuffer.wrap(blob, Long.BYTES, 2 * Long.BYTES);
        int offset = (int) header.getLong();
        byte[] directory = Zstd.decompress(Arrays.copyOfRange(blob, offset, offset + header.getInt()), header.getInt());
        // Their number ends the directory, and earlier versions end before it.
        BlobOutput earlier = new BlobOutput().bytes(Arrays.copyOf(directory, directory.length - 1));

        assertThat(StoredSymbols.of(StoredBlob.finish(
                                StoredBlob.begin(), SymbolsFormat.MAGIC, SymbolsFormat.FORMAT, earlier))
                        .programHeaders())
                .isEmpty();
    }
}
