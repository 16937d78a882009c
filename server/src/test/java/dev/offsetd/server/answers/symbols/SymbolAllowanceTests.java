package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.query.symbol.Matches;
import dev.offsetd.server.answers.symbols.SymbolAnswers.SymbolAllowance;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SymbolAllowanceTests {

    private static Symbol symbol(int nameCharacters, int versionCharacters) {
        return new Symbol(
                "n".repeat(nameCharacters),
                new SymbolVersion("v".repeat(versionCharacters), true),
                0,
                0,
                SymbolType.FUNC,
                SymbolBinding.GLOBAL,
                SymbolVisibility.DEFAULT,
                SymbolSection.ABSOLUTE,
                List.of());
    }

    private static Matches<Symbol> take(SymbolAllowance allowance, int count, Symbol symbol) {
        return allowance.take(new Matches<>(Collections.nCopies(count, symbol), count), found -> found);
    }

    @Test
    void everyRemainingNameKeepsAPlace() {
        SymbolAllowance allowance = new SymbolAllowance();
        assertThat(allowance.left(0)).isEqualTo(SymbolAllowance.MAX_SYMBOLS);
        take(allowance, SymbolAllowance.MAX_SYMBOLS - 10, symbol(1, 0));
        assertThat(allowance.left(3)).isEqualTo(7);
        assertThat(allowance.left(11)).isZero();
    }

    @Test
    void longNamesAndVersionsFillAnAnswerToo() {
        SymbolAllowance allowance = new SymbolAllowance();
        Matches<Symbol> taken = take(allowance, 10, symbol(512 << 10, 512 << 10));
        assertThat(taken.first()).hasSize(4);
        assertThat(taken.total()).isEqualTo(10);
        assertThat(take(allowance, 1, symbol(1, 0)).first()).isEmpty();
    }
}
