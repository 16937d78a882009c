package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.ExpectedDefinition;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A way in which another tool is known to see a definition otherwise, and not to be right. */
public enum Explanation {
    ;

    private final String text;

    Explanation(String text) {
        this.text = text;
    }

    /** Why they differ, in a sentence. */
    String text() {
        return text;
    }

    /** Whether this is why the two differ. */
    boolean explains(@Nullable ExpectedDefinition ours, @Nullable ExpectedDefinition theirs) {
        return false;
    }

    /** The first explanation of a difference. */
    static Optional<Explanation> of(@Nullable ExpectedDefinition ours, @Nullable ExpectedDefinition theirs) {
        return Arrays.stream(values())
                .filter(explanation -> explanation.explains(ours, theirs))
                .findFirst();
    }
}
