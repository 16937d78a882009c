package dev.offsetd.cli.answer;

import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.frames.Frame;
import java.io.IOException;
import java.util.List;

/** Functions and lines as text: a line for each frame, the innermost first. */
public final class FrameText {

    private FrameText() {}

    /** Prints an address with its frames; nothing if it has none. */
    public static void print(Console console, String address, List<Frame> frames) throws IOException {
        if (!frames.isEmpty()) {
            console.println(address);
        }
        for (String line : lines(frames)) {
            console.println(line);
        }
    }

    public static List<String> lines(List<Frame> frames) {
        return frames.stream().map(FrameText::line).toList();
    }

    private static String line(Frame frame) {
        String function = frame.function() == null ? "?" : Printable.of(frame.function());
        String place = frame.file() == null
                ? ""
                : " at " + Printable.of(frame.file()) + ":" + frame.line()
                        + (frame.column() == 0 ? "" : ":" + frame.column());
        return "  " + function + place + (frame.inlined() ? " (inlined)" : "");
    }
}
