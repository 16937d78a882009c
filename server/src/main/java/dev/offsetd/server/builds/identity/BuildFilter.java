package dev.offsetd.server.builds.identity;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.sources.outcome.Origin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Filter of a list of builds.
 *
 * @param state as answers spell it, {@value #RUNNING} included; null for any
 * @param origin null for any
 * @param first lowest build-id, as bytes
 * @param end a bound above the highest build-id; null if there is none
 */
// Used for one query: never compared, and the arrays are never changed.
@SuppressWarnings("ArrayRecordComponent")
public record BuildFilter(
        @Nullable String state,
        @Nullable Origin origin,
        @Nullable String machine,
        List<SearchWord> words,
        byte[] first,
        byte @Nullable [] end) {

    /** Not a stored state: a server works on the build right now. */
    public static final String RUNNING = "running";

    /** Parameters whose words are searched in identities. */
    public static final List<String> IDENTITY_PARAMETERS = List.of("name", "version", "distribution", "set");

    /** Longest text of a search, in characters. */
    public static final int MAX_TEXT = 200;

    /** Most words of a search. */
    public static final int MAX_WORDS = 12;

    private static final int MAX_PREFIX = 128;

    /** Path of a build below a {@code .build-id} folder, or of a debuginfod. */
    private static final Pattern BUILD_ID_PATH = Pattern.compile(
            "(?:.*/)?(?:\\.build-id/([0-9a-f]{2})/([0-9a-f]+)(?:\\.debug)?|buildid/([0-9a-f]+)(?:/.*)?)");

    /**
     * Returns the filter for a search text and the words of identity parameters. A search text of a single word of hex digits, or
     * the path of a build-id, selects the build-ids that start with these digits, an even or odd number of them. An alias key
     * selects the build that is stored under it. All other words are looked up in the identities.
     *
     * @param parameter returns the value of one of {@link #IDENTITY_PARAMETERS}
     * @return empty if the text has no word, too many words, or is too long
     */
    public static Optional<BuildFilter> of(
            @Nullable String state,
            @Nullable Origin origin,
            @Nullable String machine,
            String text,
            Function<String, Optional<String>> parameter) {
        if (text.length() > MAX_TEXT) {
            return Optional.empty();
        }
        Optional<BuildId> alias = wholeBuildId(text).filter(key -> !key.isGnu());
        String prefix = prefix(text.strip().toLowerCase(Locale.ROOT));
        List<SearchWord> words = new ArrayList<>();
        if (prefix.isEmpty() && alias.isEmpty() && !text.isBlank()) {
            List<String> typed = SearchWord.words(text);
            if (typed.isEmpty()) {
                return Optional.empty();
            }
            typed.forEach(word -> words.add(new SearchWord(word, SearchWord.In.ANY, false)));
        }
        for (String name : IDENTITY_PARAMETERS) {
            parameter.apply(name).map(value -> words(name, value)).ifPresent(words::addAll);
        }
        boolean odd = prefix.length() % 2 != 0;
        byte[] first =
                alias.map(BuildId::toBytes).orElseGet(() -> HexFormat.of().parseHex(odd ? prefix + "0" : prefix));
        return words.size() > MAX_WORDS
                ? Optional.empty()
                : Optional.of(new BuildFilter(
                        state,
                        origin,
                        machine == null ? null : IdentityWords.machine(machine),
                        List.copyOf(words),
                        first,
                        above(first, odd ? 0x10 : 1)));
    }

    /** Returns the hex digits that a build-id must start with; empty for any. */
    private static String prefix(String text) {
        if (text.length() <= MAX_PREFIX && text.chars().allMatch(HexFormat::isHexDigit)) {
            return text;
        }
        Matcher path = BUILD_ID_PATH.matcher(text);
        if (!path.matches()) {
            return "";
        }
        String digits = path.group(1) == null ? path.group(3) : path.group(1) + path.group(2);
        return digits.length() <= MAX_PREFIX ? digits : "";
    }

    /** Returns the build-id or alias key that this text is, or the build-id whose path it is. */
    public static Optional<BuildId> wholeBuildId(String text) {
        try {
            if (text.indexOf(':') > 0) {
                return Optional.of(BuildId.parseKey(text.strip()));
            }
            return Optional.of(BuildId.parse(prefix(text.strip().toLowerCase(Locale.ROOT))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<SearchWord> words(String parameter, String value) {
        if (parameter.equals("set")) {
            String name = value.toLowerCase(Locale.ROOT);
            return List.of(new SearchWord(name.startsWith("@") ? name : "@" + name, SearchWord.In.ANY, true));
        }
        SearchWord.In in = SearchWord.In.valueOf(parameter.toUpperCase(Locale.ROOT));
        List<SearchWord> words = new ArrayList<>();
        SearchWord.words(value).forEach(word -> words.add(new SearchWord(word, in, false)));
        return words;
    }

    /** Returns the lowest bytes above all that start with these; null if there are none. */
    private static byte @Nullable [] above(byte[] first, int step) {
        byte[] end = first.clone();
        int carry = step;
        for (int i = end.length - 1; i >= 0; i--) {
            int sum = (end[i] & 0xff) + carry;
            end[i] = (byte) sum;
            if (sum <= 0xff) {
                return Arrays.copyOf(end, i + 1);
            }
            carry = 1;
        }
        return null;
    }
}
