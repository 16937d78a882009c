package dev.offsetd.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.ItemParser;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OffsetsRequestTests {

    private static final String ID = "00112233445566778899aabbccddeeff00112233";

    @Test
    void itemsAreEncodedEachAndJoinedByCommas() {
        HttpRequest request = offsets("http://localhost:8080", null, "map<int, int>,enumerator A|\"x+y\"")
                .toHttp(10);

        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.uri())
                .isEqualTo(URI.create("http://localhost:8080/v1/offsets/" + ID
                        + "?types=map%3Cint%2C+int%3E,enumerator+A%7C%22x%2By%22"));
        assertThat(request.headers().firstValue("Prefer")).hasValue("wait=10");
    }

    @Test
    void pathOfTheServersUrlIsKept() {
        assertThat(offsets("https://host/offsets/", "flat", "a").toHttp(0).uri())
                .isEqualTo(URI.create("https://host/offsets/v1/offsets/" + ID + "?types=a&view=flat"));
    }

    @Test
    void listTooLongForAUrlIsPosted() {
        String items = String.join(",", Collections.nCopies(300, "some_rather_long_type_name_" + "x".repeat(20)))
                .replace("x,some", "y,some");
        HttpRequest request =
                offsets("http://localhost:8080", "members", distinct(items)).toHttp(0);

        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.uri()).isEqualTo(URI.create("http://localhost:8080/v1/offsets/" + ID + "?view=members"));
        assertThat(request.headers().firstValue("Content-Type")).hasValue("application/json");
    }

    private static String distinct(String items) {
        StringBuilder out = new StringBuilder();
        int number = 0;
        for (String item : items.split(",", -1)) {
            out.append(number == 0 ? "" : ",").append(item).append(number++);
        }
        return out.toString();
    }

    private static OffsetsRequest offsets(String server, @Nullable String view, String items) {
        return new OffsetsRequest(
                URI.create(server),
                BuildId.parse(ID),
                ItemParser.parseList(List.of(items)),
                view,
                null,
                null,
                null,
                "application/json");
    }
}
