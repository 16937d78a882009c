package dev.offsetd.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTests {

    @Test
    void namesOfAnyScriptStayAsTheyAre() {
        assertThat(Printable.of("std::map<int, Größe>::値 😀")).isEqualTo("std::map<int, Größe>::値 😀");
    }

    @Test
    void linesKeepTheirTabs() {
        assertThat(Printable.withTabs("\ta\t\tb\033\t")).isEqualTo("\ta\t\tb\\u001b\t");
        assertThat(Printable.withTabs("")).isEmpty();
    }

    @Test
    void controlSequencesLoseTheirPower() {
        assertThat(Printable.of("a\033[2J\nb\u202ec\u2028")).isEqualTo("a\\u001b[2J\\u000ab\\u202ec\\u2028");
    }
}
