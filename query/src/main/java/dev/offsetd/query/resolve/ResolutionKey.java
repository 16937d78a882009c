package dev.offsetd.query.resolve;

import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import java.nio.charset.StandardCharsets;

/** Hash of the locations that a resolution leads to: a name can stand for very many variables, each with a long chain. */
final class ResolutionKey {

    private ResolutionKey() {}

    /**
     * Returns a text that two resolutions have in common if their chains agree below the root; names of types do not count. The
     * size of the root counts only if the byte is past its end.
     */
    static String of(Resolved resolved) {
        StringBuilder text = new StringBuilder(resolved.status().word()).append(' ');
        ResolutionStep root = resolved.root();
        if (root.isLeaf()) {
            text.append(root.size());
        }
        root.contents().forEach(step -> add(step, text));
        return Sha256.hex(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void add(ResolutionStep step, StringBuilder text) {
        text.append('(')
                .append(step.kind().word())
                .append(' ')
                .append(step.path().length());
        text.append(':').append(step.path());
        for (long number : new long[] {step.bitOffset(), step.size(), step.bitSize()}) {
            text.append(' ').append(number);
        }
        text.append(step.pastEnd() ? " past" : "");
        step.contents().forEach(inner -> add(inner, text));
        text.append(')');
    }
}
