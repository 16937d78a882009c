package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.CostGrowth;
import dev.offsetd.server.testkit.BodyCost;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

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
                request -> SymbolicationRequest.of(SymbolicationRequest.body(request)).modules().stream()
                        .map(SymbolicationRequest.Module::key)
                        .toList());
    }

    @Test
    void costOfStacksGrowsWithTheTextOfTheirModules() throws IOException {
        CostGrowth.requireLinear("debug ids that differ in their last character", 100_000, size -> {
            String id = "[\"a\",\"" + "0".repeat(size / 2);
            byte[] body = ("{\"memoryMap\":[" + id + "0\"]," + id + "1\"]],\"stacks\":[[" + "[1,0],".repeat(size / 100)
                            + "[0,0]]]}")
                    .getBytes(StandardCharsets.UTF_8);
            return new CostGrowth.Input(
                    body.length,
                    stages -> stages.measure("offsets", () -> {
                        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/symbolicate/v5");
                        request.setContent(body);
                        return SymbolicationRequest.of(SymbolicationRequest.body(request))
                                .offsets();
                    }));
        });
    }
}
