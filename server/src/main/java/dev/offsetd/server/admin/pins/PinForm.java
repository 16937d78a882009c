package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The form of a pin, as it was typed.
 *
 * @param id of the pin that it changes; empty for a new one
 * @param revision of that pin that its author has seen; empty for a new one
 * @param what {@value #MEMBER} or {@value #TYPE}
 * @param bitOffset bits from the start of the type; empty unless it is a bit-field
 * @param members a line for each: {@code NAME OFFSET SIZE [@BITOFFSET:BITSIZE] [TYPE]}
 * @param expiry {@value #NEVER}, {@value #KEEP}, a number of days, or {@value #DATE}
 * @param until the date, as {@code 2026-12-31}: the pin ends with that day, in UTC
 */
record PinForm(
        String id,
        String revision,
        String build,
        String item,
        String what,
        String offset,
        String size,
        String bitOffset,
        String bitSize,
        String type,
        String members,
        String reason,
        String expiry,
        String until) {

    static final String MEMBER = "member";
    static final String TYPE = "type";
    static final String NEVER = "never";
    static final String DATE = "date";

    /** That the expiry stays as it is. */
    static final String KEEP = "keep";

    private static final int MAX_DAYS = 365;

    /** What was typed into a form. */
    static PinForm of(HttpServletRequest request) {
        return new PinForm(
                typed(request, "id"),
                typed(request, "revision"),
                typed(request, "build"),
                typed(request, "item"),
                typed(request, "what").equals(TYPE) ? TYPE : MEMBER,
                typed(request, "offset"),
                typed(request, "size"),
                typed(request, "bitOffset"),
                typed(request, "bitSize"),
                typed(request, "type"),
                typed(request, "members"),
                typed(request, "reason"),
                typed(request, "expiry"),
                typed(request, "until"));
    }

    private static String typed(HttpServletRequest request, String name) {
        String text = request.getParameter(name);
        return text == null ? "" : text.strip();
    }

    /** The form of a new pin, with what is known of the item already. */
    static PinForm ofNew(String build, String item, String what, Optional<PinnedValue> extracted) {
        PinForm empty = new PinForm("", "", build, item, what, "", "", "", "", "", "", "", NEVER, "");
        return extracted.map(empty::saying).orElse(empty);
    }

    /** The form to change a pin. */
    static PinForm ofPin(Pin pin) {
        PinDraft draft = pin.draft();
        return new PinForm(
                        pin.id().toString(),
                        Integer.toString(pin.revision()),
                        draft.buildId().toString(),
                        draft.item(),
                        MEMBER,
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        draft.reason(),
                        draft.expiresAt() == null ? NEVER : KEEP,
                        "")
                .saying(draft.value());
    }

    private PinForm saying(PinnedValue value) {
        return switch (value) {
            case PinnedValue.Place place -> {
                PinnedValue.Bits bits = place.bits();
                yield new PinForm(
                        id,
                        revision,
                        build,
                        item,
                        MEMBER,
                        Long.toString(place.offset()),
                        Long.toString(place.size()),
                        bits == null ? "" : Long.toString(bits.bitOffset()),
                        bits == null ? "" : Integer.toString(bits.bitSize()),
                        place.type() == null ? "" : place.type(),
                        members,
                        reason,
                        expiry,
                        until);
            }
            case PinnedValue.Type type ->
                new PinForm(
                        id,
                        revision,
                        build,
                        item,
                        TYPE,
                        "",
                        Long.toString(type.size()),
                        "",
                        "",
                        "",
                        lines(type.members()),
                        reason,
                        expiry,
                        until);
        };
    }

    /** The same form at another revision of its pin. */
    PinForm at(int latest) {
        return new PinForm(
                id,
                Integer.toString(latest),
                build,
                item,
                what,
                offset,
                size,
                bitOffset,
                bitSize,
                type,
                members,
                reason,
                expiry,
                until);
    }

    /** The same form with a reason. */
    PinForm because(String why) {
        return new PinForm(
                id, revision, build, item, what, offset, size, bitOffset, bitSize, type, members, why, expiry, until);
    }

    /** Whether it makes a new pin. */
    public boolean isUnsaved() {
        return id.isEmpty();
    }

    private static String lines(Map<String, PinnedValue.Place> members) {
        StringBuilder lines = new StringBuilder();
        members.forEach((name, place) -> {
            PinnedValue.Bits bits = place.bits();
            lines.append(name).append(' ').append(place.offset()).append(' ').append(place.size());
            if (bits != null) {
                lines.append(" @").append(bits.bitOffset()).append(':').append(bits.bitSize());
            }
            if (place.type() != null) {
                lines.append(' ').append(place.type());
            }
            lines.append('\n');
        });
        return lines.toString();
    }

    /**
     * What a form comes to.
     *
     * @param draft null if a field cannot be read
     * @param errors messages by the names of fields
     */
    record Read(@Nullable PinDraft draft, Map<String, String> errors) {}

    /**
     * Reads the fields.
     *
     * @param before the pin that is changed; null for a new one
     */
    Read read(@Nullable Pin before, Instant now) {
        Map<String, String> errors = new LinkedHashMap<>();
        BuildId buildId = null;
        try {
            buildId = BuildId.parse(build);
        } catch (IllegalArgumentException e) {
            errors.put(
                    "build", build.isEmpty() ? "Which build? Type its build-id." : "Not a build-id: " + e.getMessage());
        }
        if (item.isEmpty()) {
            errors.put("item", "Which type or member? For example rb_control_frame_struct.pc");
        }
        if (reason.isEmpty()) {
            errors.put("reason", "Say why, for whoever looks at this in a year.");
        }
        PinnedValue value = what.equals(TYPE) ? typeValue(errors) : placeValue(errors);
        Instant expiresAt = expiresAt(before, now, errors);
        return errors.isEmpty() && buildId != null && value != null
                ? new Read(new PinDraft(buildId, item, value, reason, expiresAt), errors)
                : new Read(null, errors);
    }

    private PinnedValue.@Nullable Place placeValue(Map<String, String> errors) {
        if (bitOffset.isEmpty() && bitSize.isEmpty()) {
            long offsetBytes = number(offset, "offset", errors);
            long sizeBytes = number(size, "size", errors);
            return errors.isEmpty() ? new PinnedValue.Place(offsetBytes, sizeBytes, null, orNull(type)) : null;
        }
        long first = number(bitOffset, "bitOffset", errors);
        long length = number(bitSize, "bitSize", errors);
        if (length > Integer.MAX_VALUE) {
            errors.put("bitSize", "More bits than any field has.");
        }
        // Both follow from the bits, so they may be left out.
        long offsetBytes = offset.isEmpty() ? first / Byte.SIZE : number(offset, "offset", errors);
        long sizeBytes = size.isEmpty()
                ? (first % Byte.SIZE + length + Byte.SIZE - 1) / Byte.SIZE
                : number(size, "size", errors);
        return errors.isEmpty()
                ? new PinnedValue.Place(offsetBytes, sizeBytes, new PinnedValue.Bits(first, (int) length), orNull(type))
                : null;
    }

    private PinnedValue.@Nullable Type typeValue(Map<String, String> errors) {
        long sizeBytes = number(size, "size", errors);
        Map<String, PinnedValue.Place> places = new LinkedHashMap<>();
        for (String line : members.lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList()) {
            Optional<Map.Entry<String, PinnedValue.Place>> member = member(line);
            if (member.isEmpty()) {
                errors.put(
                        "members",
                        "\"" + line + "\" is no member; expected NAME OFFSET SIZE and, if you like, the type.");
                return null;
            }
            if (places.put(member.get().getKey(), member.get().getValue()) != null) {
                errors.put("members", member.get().getKey() + " is there twice.");
                return null;
            }
        }
        return errors.isEmpty() ? new PinnedValue.Type(sizeBytes, places) : null;
    }

    private static Optional<Map.Entry<String, PinnedValue.Place>> member(String line) {
        String[] words = line.split("\\s+", 4);
        if (words.length < 3) {
            return Optional.empty();
        }
        try {
            String rest = words.length == 4 ? words[3] : "";
            PinnedValue.Bits bits = null;
            if (rest.startsWith("@")) {
                String[] parts = rest.substring(1).split("\\s+", 2);
                String[] numbers = parts[0].split(":", 2);
                if (numbers.length < 2) {
                    return Optional.empty();
                }
                bits = new PinnedValue.Bits(parsed(numbers[0]), Math.toIntExact(parsed(numbers[1])));
                rest = parts.length == 2 ? parts[1] : "";
            }
            return Optional.of(
                    Map.entry(words[0], new PinnedValue.Place(parsed(words[1]), parsed(words[2]), bits, orNull(rest))));
        } catch (NumberFormatException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private @Nullable Instant expiresAt(@Nullable Pin before, Instant now, Map<String, String> errors) {
        switch (expiry) {
            case KEEP -> {
                return before == null ? null : before.draft().expiresAt();
            }
            case DATE -> {
                try {
                    return LocalDate.parse(until)
                            .plusDays(1)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant();
                } catch (DateTimeParseException e) {
                    errors.put("until", "Until when? A date such as 2027-01-31.");
                    return null;
                }
            }
            case NEVER, "" -> {
                return null;
            }
            default -> {
                if (expiry.matches("[0-9]{1,3}")) {
                    int days = Integer.parseInt(expiry);
                    if (days >= 1 && days <= MAX_DAYS) {
                        return now.plus(Duration.ofDays(days));
                    }
                }
                errors.put("expiry", "There is no such choice.");
                return null;
            }
        }
    }

    private static long number(String text, String field, Map<String, String> errors) {
        try {
            return parsed(text);
        } catch (NumberFormatException e) {
            errors.put(field, text.isEmpty() ? "A number is missing." : "Not a number: expected 48 or 0x30.");
            return 0;
        }
    }

    /** A number in decimal, or in hex with {@code 0x}. */
    private static long parsed(String text) {
        long number = text.startsWith("0x") || text.startsWith("0X")
                ? Long.parseLong(text.substring(2), 16)
                : Long.parseLong(text);
        if (number < 0) {
            throw new NumberFormatException("negative");
        }
        return number;
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
