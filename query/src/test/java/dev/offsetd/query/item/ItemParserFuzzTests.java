package dev.offsetd.query.item;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Items as they are sent. An odd first byte of the input says that the rest is UTF-8, an even one that it is UTF-16,
 * which can hold halves of characters.
 */
@ChecklistRow(1)
class ItemParserFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        String text = new String(
                Arrays.copyOfRange(data, 1, data.length),
                (data[0] & 1) != 0 ? StandardCharsets.UTF_8 : StandardCharsets.UTF_16BE);
        HostileRun.answer("list", HostileRun.allocationBound(data.length), () -> {
            try {
                for (Item item : ItemParser.parseList(List.of(text))) {
                    if (!text.contains(item.text()) || item.text().isBlank()) {
                        throw new AssertionError("item " + item);
                    }
                }
            } catch (ItemSyntaxException e) {
                String message = e.getMessage();
                if (message == null || message.chars().anyMatch(Character::isISOControl)) {
                    throw new AssertionError("message " + message, e);
                }
            }
            return text.length();
        });
    }
}
