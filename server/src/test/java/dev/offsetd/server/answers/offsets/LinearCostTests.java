package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** The cost of parsing a request is proportional to its length, measured by the memory that the parser allocates. */
@ChecklistRow(39)
class LinearCostTests {

    /** Maximum size of a request line with its headers. */
    private static final int HEADERS = 32 * 1024;

    /** Maximum size of the body of a query. */
    private static final int BODY = 256 * 1024;

    /** Allowance for costs that do not depend on the length. */
    private static final long SLACK = 128 * 1024;

    /** Allowance per byte sent. A JSON tree takes about 100. */
    private static final int PER_BYTE = 400;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static long allocated(Runnable work) {
        work.run();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static void assertLinear(int most, IntFunction<Runnable> work) {
        long half = allocated(work.apply(most / 2));
        long whole = allocated(work.apply(most));
        assertThat(whole).isLessThanOrEqualTo(2 * half + SLACK).isLessThanOrEqualTo((long) PER_BYTE * most + SLACK);
    }

    private static String filled(String piece, int length) {
        return piece.repeat(length / piece.length());
    }

    /** Runs a parser, which may reject the input. */
    private static void read(Runnable reading) {
        try {
            reading.run();
        } catch (ProblemException e) {
            assertThat(e.problem().status().is4xxClientError()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a,",
                "a.",
                "a|",
                "<",
                "%3C",
                "a%20",
                "+",
                "%22",
                "[0]",
                "std::vector<std::pair<a, b>>::c.d[7].e,",
                "symbol%20%2A,",
                "&types=a",
                "&",
                "%00"
            })
    void typesOfAQuery(String piece) {
        assertLinear(
                HEADERS,
                length -> () -> read(() -> parse(OffsetsQuery.of("types=" + filled(piece, length), List.of()))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "[\"a\",", "\"", "{\"a\":", "1", "[1,", "\\", "[\"<<<<<<<<<<<<<<<<\",", "\"\\u0041"})
    void typesOfABody(String piece) {
        assertLinear(BODY, length -> () -> read(() -> post(filled(piece, length))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\"a\",", "<", "symbol *", "a.b|"})
    void itemsOfABody(String piece) {
        assertLinear(
                BODY,
                length -> () -> read(() -> {
                    StringBuilder body = new StringBuilder("[");
                    for (int item = 0; item < 500; item++) {
                        body.append(item == 0 ? "\"" : ",\"")
                                .append(filled(piece, length / 500).replace("\"", "\\\""))
                                .append(item)
                                .append('"');
                    }
                    post(body.append(']').toString());
                }));
    }

    private static void parse(OffsetsQuery query) {
        var _ = QueryParameters.parse(query.items());
    }

    private static void post(String body) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/");
        request.setContent(body.getBytes(StandardCharsets.UTF_8));
        try {
            parse(OffsetsController.query(request));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"", "\"a\",", "W/\"a\", ", " ", "*", "*, ", ","})
    void tagsThatACallerHas(String piece) {
        Answer answer = new Answer(Representation.JSON, SpooledBody.of(out -> out.write(1)), true);
        assertLinear(HEADERS, length -> {
            MockHttpServletRequest one = new MockHttpServletRequest("GET", "/");
            one.addHeader("If-None-Match", filled(piece, length));
            return () -> answer.response(one);
        });
        assertLinear(HEADERS, length -> {
            MockHttpServletRequest many = new MockHttpServletRequest("GET", "/");
            for (int i = 0; i < length / 400; i++) {
                many.addHeader("If-None-Match", filled(piece, 400));
            }
            return () -> answer.response(many);
        });
    }
}
