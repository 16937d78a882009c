package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.server.web.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class SymbolicationRequestTests {

    private static SymbolicationRequest request(String call) {
        return SymbolicationRequest.of(
                JsonMapper.shared().readTree("{\"memoryMap\": [[\"library\", \"0\"]], \"stacks\": [[" + call + "]]}"));
    }

    @Test
    void callHasAModuleAndAnOffset() {
        assertThat(request("[0, 4096]").jobs().getFirst().stacks().getFirst())
                .containsExactly(new SymbolicationRequest.Call(0, 4096));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[0.0, 4096]", "[0, 4096.0]", "[0, 4e3]", "[\"0\", 4096]", "[0, 18446744073709551616]"})
    void numberThatIsNotWrittenAsAnIntegerIsRefused(String call) {
        assertThatThrownBy(() -> request(call))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().detail()).contains("stacks[0][0]"));
    }
}
