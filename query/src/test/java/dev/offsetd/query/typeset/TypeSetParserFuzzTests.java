package dev.offsetd.query.typeset;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.query.item.ItemParser;
import java.io.IOException;
import java.util.function.Supplier;

/** Type sets as clients upload them. */
@ChecklistRow(1)
class TypeSetParserFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileRun.answer("set", HostileRun.allocationBound(data.length), () -> {
            requireSound(() -> TypeSetParser.parse(data));
            requireSound(() -> TypeSetParser.parseNew("mine", data));
            return data.length;
        });
    }

    private static void requireSound(Supplier<TypeSet> parse) {
        try {
            TypeSet set = parse.get();
            int items = set.items().size();
            if (items < 1
                    || items > ItemParser.MAX_ITEMS
                    || set.version() < 1
                    || set.title().isBlank()) {
                throw new AssertionError("set " + set);
            }
        } catch (TypeSetSyntaxException e) {
            String message = e.getMessage();
            if (message == null || message.chars().anyMatch(Character::isISOControl)) {
                throw new AssertionError("message " + message, e);
            }
        }
    }
}
