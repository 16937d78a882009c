package dev.offsetd.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
    void bytesAndTextKeepTheirOrder() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Console console = new Console(bytes, new PrintWriter(err), null, Console.Output.FILE);

        console.println("one");
        console.print(new byte[] {(byte) 0xff, '\n'});
        console.print("two");
        console.flush();

        assertThat(bytes.toByteArray()).isEqualTo("one\n\u00ff\ntwo".getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void messageTakesThePlaceOfProgress() {
        Console console = new Console(out, new PrintWriter(err), true);

        console.progress("run 1 of 10");
        console.say("no DWARF");

        assertThat(err.toString()).isEqualTo("\r\033[Krun 1 of 10\r\033[Koffsetd: no DWARF" + System.lineSeparator());
    }

    @Test
    void linesOfProgressAreDrawnOverThoseBefore() {
        Console console = new Console(out, new PrintWriter(err), true);

        console.progress(List.of("one", "two", "three"));
        console.progress(List.of("four"));

        assertThat(err.toString()).isEqualTo("\r\033[K\033[?7lone\ntwo\nthree\033[?7h\r\033[2A\033[Jfour");
    }

    @Test
    void nothingIsShownAfterTheLastMessage() {
        Console console = new Console(out, new PrintWriter(err), true);

        console.sayLast("goodbye");
        console.progress("still here");

        assertThat(err.toString()).isEqualTo("offsetd: goodbye" + System.lineSeparator());
    }

    @Test
    void messagesStayOnOneLine() {
        new Console(out, new PrintWriter(err), false).say("a\nb");

        assertThat(err.toString()).isEqualTo("offsetd: a\\u000ab" + System.lineSeparator());
    }
}
