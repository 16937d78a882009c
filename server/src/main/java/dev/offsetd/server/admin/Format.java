package dev.offsetd.server.admin;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.answer.ByteCount;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.prewarms.PrewarmItem;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.web.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Text for numbers, times and other values without markup. */
public final class Format {

    private static final DateTimeFormatter MINUTES =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    Format() {}

    /** Returns the number with commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Parses a number of a form in decimal digits; -1 if it is none from 0 to the maximum. */
    public static int number(String text, int max) {
        if (!Pattern.matches("[0-9]{1,9}", text)) {
            return -1;
        }
        int number = Integer.parseInt(text);
        return number > max ? -1 : number;
    }

    /** Returns {@code 1 build} or {@code 2,000 builds}. */
    public static String count(long number, String noun) {
        return count(number, noun, noun + "s");
    }

    public static String count(long number, String one, String many) {
        return count(number) + " " + (number == 1 ? one : many);
    }

    /** Returns the number of bytes of a type, or {@code unknown}. */
    public static String size(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "unknown" : count(bytes);
    }

    /** Returns {@code 8 bytes} or {@code size unknown}. */
    public static String sizeInWords(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "size unknown" : count(bytes, "byte");
    }

    /** Returns a number of bytes in the largest unit that it fills. */
    public static String bytes(long bytes) {
        return ByteCount.text(bytes);
    }

    /** Returns a duration in its one or two largest units: {@code 120 ms}, {@code 4.2 s}, {@code 3 min 5 s}. */
    public static String duration(Duration time) {
        long seconds = time.toSeconds();
        if (time.toMillis() < 1000) {
            return time.toMillis() + " ms";
        }
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
        }
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return twoUnits(time.toMinutes(), "min", seconds % 60, "s");
        }
        if (seconds < 86_400) {
            return twoUnits(time.toHours(), "h", time.toMinutes() % 60, "min");
        }
        return twoUnits(time.toDays(), "d", time.toHours() % 24, "h");
    }

    private static String twoUnits(long large, String largeUnit, long small, String smallUnit) {
        return large + " " + largeUnit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }

    /** Returns {@code in 5 min} for the time until an event, rounded up to seconds; empty if it is due. */
    public static String in(Duration time) {
        long seconds = Problem.wholeSeconds(time);
        return seconds <= 0 ? "" : "in " + (seconds < 60 ? seconds + " s" : duration(Duration.ofSeconds(seconds)));
    }

    /** Returns the time in UTC, to the minute. */
    public static String utc(Instant time) {
        return MINUTES.format(time);
    }

    /** Returns the time in ISO 8601, to the second. */
    public static String iso(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Returns {@code 0x1f8}. */
    public static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }

    /** Returns {@code +0x4f2a}; empty for null. */
    public static String offset(@Nullable Long offset) {
        return offset == null ? "" : "+" + hex(offset);
    }

    /** Digits of a build-id beside the name of its build. */
    private static final int SHORT_ID = 12;

    /** Returns the first digits of a build-id, or the start of an alias key. */
    public static String shortId(Object buildId) {
        String text = buildId.toString();
        int prefix = text.indexOf(':') + 1;
        return text.substring(0, Math.min(prefix + SHORT_ID, text.length()));
    }

    /** Returns the kind of a field in prose: {@code compilerVersion} becomes {@code compiler version}. */
    public static String words(IdentityField.Kind kind) {
        return words(kind.name().toLowerCase(Locale.ROOT));
    }

    /** Returns the word of an API in prose: {@code not_found} becomes {@code not found}. */
    public static String words(String word) {
        return word.replace('_', ' ');
    }

    /** Returns {@code read, publish}. */
    public static String scopes(Set<Scope> scopes) {
        return scopes.stream().sorted().map(Scope::word).collect(Collectors.joining(", "));
    }

    /** Returns {@code x86_64, 64-bit, little-endian}. */
    public static String architecture(Architecture architecture) {
        return architecture.machine() + ", " + architecture.bits() + "-bit, " + architecture.byteOrderName()
                + "-endian";
    }

    /** Returns {@code 3 done, 1 failed}. */
    public static String progress(PrewarmSummary.Counts counts) {
        Map<String, Integer> states = new LinkedHashMap<>();
        states.put("done", counts.done());
        states.put("failed", counts.failed());
        states.put("extracting", counts.extracting());
        states.put("fetching", counts.fetching());
        states.put("waiting", counts.waiting());
        states.put("cancelled", counts.cancelled());
        return states.entrySet().stream()
                .filter(state -> state.getValue() > 0)
                .map(state -> count(state.getValue()) + " " + state.getKey())
                .collect(Collectors.joining(", "));
    }

    /** Returns {@code @ruby 10 of 10 required, 2 of 3 optional}; empty for null. */
    public static String coverage(PrewarmItem.@Nullable Result result) {
        return result == null
                ? ""
                : result.coverage().entrySet().stream()
                        .map(set -> set.getKey() + " " + share(set.getValue().required()) + " required, "
                                + share(set.getValue().optional()) + " optional")
                        .collect(Collectors.joining("; "));
    }

    /** Returns {@code 1 of 2}. */
    public static String share(Coverage.Share share) {
        return count(share.found()) + " of " + count(share.of());
    }

    /** Returns {@code 3.0 MiB of 7.1 MiB}; empty if nothing is known of the transfer. */
    public static String transfer(@Nullable Long bytes, @Nullable Long total) {
        return bytes == null ? "" : bytes(bytes) + (total == null ? "" : " of " + bytes(total));
    }

    /** Returns {@code offset 48, size 8} or {@code size 56, 7 members}; empty for null. */
    public static String pin(@Nullable PinnedValue value) {
        return switch (value) {
            case null -> "";
            case PinnedValue.OfMember place -> {
                PinnedValue.Bits bits = place.bits();
                yield "offset " + count(place.offset()) + ", size " + count(place.size())
                        + (bits == null
                                ? ""
                                : ", bit " + count(bits.bitOffset()) + ", " + count(bits.bitSize(), "bit"));
            }
            case PinnedValue.OfType type ->
                "size " + count(type.size())
                        + (type.members().isEmpty()
                                ? ""
                                : ", " + count(type.members().size(), "member"));
        };
    }
}
