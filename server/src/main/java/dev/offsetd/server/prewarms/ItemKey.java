package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import java.util.UUID;

/** Key of an item: one build of one batch. Its text is the id of the scheduled task. */
record ItemKey(UUID prewarm, BuildId build) {

    static ItemKey parse(String text) {
        int slash = text.indexOf('/');
        return new ItemKey(UUID.fromString(text.substring(0, slash)), BuildId.parseKey(text.substring(slash + 1)));
    }

    @Override
    public String toString() {
        return prewarm + "/" + build;
    }
}
