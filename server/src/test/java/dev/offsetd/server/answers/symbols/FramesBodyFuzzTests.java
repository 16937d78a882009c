package dev.offsetd.server.answers.symbols;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Bodies that ask for functions and lines of many builds: those of the contract, and those of Mozilla's symbolication API. */
class FramesBodyFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(
                data,
                request -> BatchReplies.queries(request, SymbolizeController.MAX_QUERIES).stream()
                        .map(query -> FrameQuery.Entry.of(query).query().addresses())
                        .flatMap(asked -> Stream.concat(asked.readable().keySet().stream(), asked.malformed().stream()))
                        .toList());
        HostileBody.read(data, request -> {
            List<String> names = new ArrayList<>();
            SymbolicationRequest.of(SymbolicationRequest.body(request))
                    .modules()
                    .forEach(module -> names.add(module.key()));
            return names;
        });
    }
}
