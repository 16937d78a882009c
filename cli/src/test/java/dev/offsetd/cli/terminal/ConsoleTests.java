package dev.offsetd.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ConsoleTests {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void progressIsForTerminalsOnly() {
        Console console = new Console(out, new PrintWriter(err), false);

        console.progress("run 1 of 10");
        console.clearProgress();

        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void messageTakesThePlaceOfProgress() {
        Console console = new Console(out, new PrintWriter(err), true);

        console.progress("run 1 of 10");
        console.say("no DWARF");

        assertThat(err.toString()).isEqualTo("\r\033[Krun 1 of 10\r\033[Koffsetd: no DWARF" + System.lineSeparator());
    }

    @Test
    void messagesStayOnOneLine() {
        new Console(out, new PrintWriter(err), false).say("a\nb");

        assertThat(err.toString()).isEqualTo("offsetd: a\\u000ab" + System.lineSeparator());
    }
}
