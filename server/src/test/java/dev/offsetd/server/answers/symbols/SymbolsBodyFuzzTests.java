package dev.offsetd.server.answers.symbols;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.stream.Stream;

/** Bodies that ask for symbols. */
class SymbolsBodyFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> {
            SymbolQuery query = SymbolQuery.ofBody(request);
            return Stream.concat(query.names().keySet().stream(), query.addresses().readable().keySet().stream())
                    .toList();
        });
        HostileBody.read(data, request -> {
            SymbolBatch batch = SymbolBatch.of(request);
            return batch.addresses().keySet().stream()
                    .map(key -> batch.query(key).addresses())
                    .flatMap(asked -> Stream.concat(asked.readable().keySet().stream(), asked.malformed().stream()))
                    .toList();
        });
    }
}
