package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.BodyCost;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of bodies that ask for symbols grows with their length. */
@ChecklistRow(39)
class CostFuzzTests {

    private static final HostileBody.Reader READER =
            request -> List.copyOf(SymbolQuery.ofBody(request).names().keySet());

    private static final HostileBody.Reader BATCH =
            request -> List.copyOf(SymbolBatch.of(request).addresses().keySet());

    @Test
    void costOfAStackGrowsWithTheTextOfItsBuilds() throws IOException {
        BodyCost.requireLinear("{\"queries\":[{\"address\":\"0x1\",\"buildId\":\"", "\"}]}", BATCH);
    }

    @Test
    void costOfNamesGrowsWithTheirText() throws IOException {
        BodyCost.requireLinear("{\"names\":[\"", "\"]}", READER);
    }

    @Test
    void costOfAddressesGrowsWithTheirText() throws IOException {
        BodyCost.requireLinear("{\"addresses\":[\"0x1\",\"", "\"]}", READER);
    }

    @Test
    void costOfNamesGrowsWithTheirNumber() throws IOException {
        BodyCost.requireLinear("{\"names\":[\"a\"" + ",\"symbol*[a-z]?\"".repeat(900) + ",\"", "\"]}", READER);
    }

    @Test
    void costOfStacksGrowsWithTheirNumber() throws IOException {
        BodyCost.requireLinear(
                "{\"memoryMap\":[[\"a\",\"0\"]],\"stacks\":[[" + "[0,1],".repeat(900) + "[0,1]]],\"x\":\"",
                "\"}",
                request -> SymbolicationRequest.jobs(request).stream()
                        .flatMap(job -> job.modules().stream())
                        .map(SymbolicationRequest.Module::key)
                        .toList());
    }
}
