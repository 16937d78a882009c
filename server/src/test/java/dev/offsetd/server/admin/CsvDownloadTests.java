package dev.offsetd.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class CsvDownloadTests {

    @Test
    void readingEndsWhenTheClientHasGone() throws IOException {
        PrintWriter gone = new PrintWriter(Writer.nullWriter()) {
            @Override
            public boolean checkError() {
                return true;
            }
        };
        MockHttpServletResponse response = new MockHttpServletResponse() {
            @Override
            public PrintWriter getWriter() {
                return gone;
            }
        };
        AtomicInteger batches = new AtomicInteger();

        CsvDownload.<String>write(
                response,
                "list.csv",
                List.of("name"),
                _ -> batches.incrementAndGet() > 3 ? List.of() : Collections.nCopies(CsvDownload.BATCH, "row"),
                List::of);

        assertThat(batches).hasValue(1);
    }
}
