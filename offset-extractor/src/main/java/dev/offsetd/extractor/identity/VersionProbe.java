package dev.offsetd.extractor.identity;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a program states its version: a string in one of its sections. The text is compared from the start of each
 * null-terminated string. In it, {@code {version}} stands for the version, which begins with a digit, and {@code {any}}
 * for anything up to the first occurrence of the text that follows. A string may continue after the text, unless that ends
 * with {@code {version}}. Searching takes time proportional to the section, whatever the text is.
 *
 * @param set name of the type set that declares it, for {@link IdentityField#source}
 * @param project what the version is of
 * @param requires start of another string that the section must have, or empty; {@code {major}} and {@code {minor}} stand
 *     for the first two numbers of the version
 */
public record VersionProbe(String set, String project, String section, String text, String requires) {

    /** The section of most strings. */
    public static final String RODATA = ".rodata";

    /** Longest text, in characters. */
    public static final int MAX_CHARS = 200;

    /** Stands for the version in {@code text}. */
    public static final String VERSION = "{version}";

    /** Stands for anything in {@code text}. */
    public static final String ANY = "{any}";

    private static final Pattern PARTS = Pattern.compile("\\{version}|\\{any}");

    /** @throws IllegalArgumentException if the text is not such a text; the message says what is expected */
    public VersionProbe {
        List<String> parts = parts(text);
        if (text.length() > MAX_CHARS || requires.length() > MAX_CHARS) {
            throw new IllegalArgumentException("up to " + MAX_CHARS + " characters");
        }
        if (parts.stream().filter(VERSION::equals).count() != 1) {
            throw new IllegalArgumentException("{version} once");
        }
        if (parts.getFirst().equals(ANY) || parts.getLast().equals(ANY) || text.contains("}{")) {
            throw new IllegalArgumentException("text between, before and after {version} and {any}");
        }
        if (text.equals(VERSION) && requires.isEmpty()) {
            throw new IllegalArgumentException("more than {version}, or \"requires\"");
        }
    }

    /** Returns the {@link IdentityField#source} of what it finds. */
    public String source() {
        return section + " (@" + set + " probe)";
    }

    /** Returns the text as literals, {@link #VERSION} and {@link #ANY}, in their order. */
    public List<String> parts() {
        return parts(text);
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        Matcher placeholder = PARTS.matcher(text);
        int end = 0;
        while (placeholder.find()) {
            if (placeholder.start() > end) {
                parts.add(text.substring(end, placeholder.start()));
            }
            parts.add(placeholder.group());
            end = placeholder.end();
        }
        if (end < text.length() || parts.isEmpty()) {
            parts.add(text.substring(end));
        }
        return List.copyOf(parts);
    }
}
