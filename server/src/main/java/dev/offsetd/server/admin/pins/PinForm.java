package dev.offsetd.server.admin.pins;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.admin.shell.FormFields;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The form of a pin, as typed. An empty {@value #ID} stands for a new pin.
 *
 * <p>{@value #MEMBERS} has a line for each member: {@code NAME OFFSET SIZE [@BITOFFSET:BITSIZE] [TYPE]}. {@value #EXPIRY} is
 * {@value #NEVER}, {@value #KEEP}, a number of days, or {@value #DATE} with the last day, in UTC, in {@value #UNTIL}.
 *
 * @param fields by the names of this class
 */
record PinForm(FormFields fields) {

    static final String ID = "id";
    static final String REVISION = "revision";
    static final String BUILD = "build";
    static final String ITEM = "item";
    static final String KIND = "what";
    static final String OFFSET = "offset";
    static final String SIZE = "size";
    static final String BIT_OFFSET = "bitOffset";
    static final String BIT_SIZE = "bitSize";
    static final String TYPE = "type";
    static final String MEMBERS = "members";
    static final String REASON = "reason";
    static final String EXPIRY = "expiry";
    static final String UNTIL = "until";

    /** {@value #KIND} of a form that pins one member. */
    static final String ONE_MEMBER = "member";

    /** {@value #KIND} of a form that pins a whole type. */
    static final String WHOLE_TYPE = "type";

    static final String NEVER = "never";
    static final String DATE = "date";
    static final String KEEP = "keep";

    private static final int MAX_DAYS = 365;

    private static final Pattern SPACES = Pattern.compile("\\s+");

    static PinForm of(HttpServletRequest request) {
        return new PinForm(FormFields.of(
                request,
                List.of(
                        ID,
                        REVISION,
                        BUILD,
                        ITEM,
                        KIND,
                        OFFSET,
                        SIZE,
                        BIT_OFFSET,
                        BIT_SIZE,
                        TYPE,
                        MEMBERS,
                        REASON,
                        EXPIRY,
                        UNTIL)));
    }

    /** Returns the form of a new pin, with the extracted value if there is one. */
    static PinForm ofNew(String build, String item, String kind, Optional<PinnedValue> extracted) {
        PinForm form = new PinForm(FormFields.of(Map.of(BUILD, build, ITEM, item, KIND, kind, EXPIRY, NEVER)));
        return extracted.map(value -> form.with(fieldsOf(value))).orElse(form);
    }

    /** Returns the form that changes a pin. */
    static PinForm ofPin(Pin pin) {
        PinDraft draft = pin.draft();
        Map<String, String> values = fieldsOf(draft.value());
        values.put(ID, pin.id().toString());
        values.put(REVISION, Integer.toString(pin.revision()));
        values.put(BUILD, draft.buildId().toString());
        values.put(ITEM, draft.item());
        values.put(REASON, draft.reason());
        values.put(EXPIRY, draft.expiresAt() == null ? NEVER : KEEP);
        return new PinForm(FormFields.of(values));
    }

    private static Map<String, String> fieldsOf(PinnedValue value) {
        Map<String, String> values = new HashMap<>();
        switch (value) {
            case PinnedValue.OfMember place -> {
                values.put(KIND, ONE_MEMBER);
                values.put(OFFSET, Long.toString(place.offset()));
                values.put(SIZE, Long.toString(place.size()));
                PinnedValue.Bits bits = place.bits();
                if (bits != null) {
                    values.put(BIT_OFFSET, Long.toString(bits.bitOffset()));
                    values.put(BIT_SIZE, Integer.toString(bits.bitSize()));
                }
                values.put(TYPE, place.type() == null ? "" : place.type());
            }
            case PinnedValue.OfType type -> {
                values.put(KIND, WHOLE_TYPE);
                values.put(SIZE, Long.toString(type.size()));
                values.put(MEMBERS, lines(type.members()));
            }
        }
        return values;
    }

    /** Returns the form with other values of some fields. */
    PinForm with(Map<String, String> values) {
        return new PinForm(fields.with(values));
    }

    /** Returns the form with these messages. */
    PinForm refused(Map<String, String> errors) {
        return new PinForm(fields.refused(errors));
    }

    String value(String name) {
        return fields.value(name);
    }

    /** Returns whether it creates a pin. */
    public boolean isUnsaved() {
        return value(ID).isEmpty();
    }

    private static String lines(Map<String, PinnedValue.OfMember> members) {
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
     * The parsed form.
     *
     * @param draft null if a field has an error
     * @param errors messages by field
     */
    record Parsed(@Nullable PinDraft draft, Map<String, String> errors) {}

    /**
     * Parses the fields.
     *
     * @param before the pin that is changed; null for a new one
     */
    Parsed parse(@Nullable Pin before, Instant now) {
        Map<String, String> errors = new LinkedHashMap<>();
        BuildId buildId = null;
        try {
            buildId = BuildId.parseKey(value(BUILD));
        } catch (IllegalArgumentException e) {
            errors.put(BUILD, value(BUILD).isEmpty() ? "Enter a build-id." : "Not a build-id: " + e.getMessage());
        }
        if (value(ITEM).isEmpty()) {
            errors.put(ITEM, "Enter a type or a member such as rb_control_frame_struct.pc.");
        }
        if (value(REASON).isEmpty()) {
            errors.put(REASON, "Enter a reason.");
        }
        PinnedValue value = value(KIND).equals(WHOLE_TYPE) ? typeValue(errors) : memberValue(errors);
        Instant expiresAt = expiresAt(before, now, errors);
        return errors.isEmpty() && buildId != null && value != null
                ? new Parsed(new PinDraft(buildId, value(ITEM), value, value(REASON), expiresAt), errors)
                : new Parsed(null, errors);
    }

    private PinnedValue.@Nullable OfMember memberValue(Map<String, String> errors) {
        String type = orNull(value(TYPE));
        if (value(BIT_OFFSET).isEmpty() && value(BIT_SIZE).isEmpty()) {
            long offset = number(OFFSET, errors);
            long size = number(SIZE, errors);
            return errors.isEmpty() ? new PinnedValue.OfMember(offset, size, null, type) : null;
        }
        long first = number(BIT_OFFSET, errors);
        long length = number(BIT_SIZE, errors);
        if (length > Integer.MAX_VALUE) {
            errors.put(BIT_SIZE, "Too many bits for a bit-field.");
        }
        // Offset and size are optional: they follow from the bits.
        long offset = value(OFFSET).isEmpty() ? first / Byte.SIZE : number(OFFSET, errors);
        long size =
                value(SIZE).isEmpty() ? (first % Byte.SIZE + length + Byte.SIZE - 1) / Byte.SIZE : number(SIZE, errors);
        return errors.isEmpty()
                ? new PinnedValue.OfMember(offset, size, new PinnedValue.Bits(first, (int) length), type)
                : null;
    }

    private PinnedValue.@Nullable OfType typeValue(Map<String, String> errors) {
        long size = number(SIZE, errors);
        Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
        for (String line : value(MEMBERS)
                .lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList()) {
            Optional<Map.Entry<String, PinnedValue.OfMember>> member = member(line);
            if (member.isEmpty()) {
                errors.put(
                        MEMBERS,
                        "\"" + line + "\" is not a member; expected NAME OFFSET SIZE [@BITOFFSET:BITSIZE] [TYPE].");
                return null;
            }
            if (members.put(member.get().getKey(), member.get().getValue()) != null) {
                errors.put(MEMBERS, member.get().getKey() + " is listed twice.");
                return null;
            }
        }
        return errors.isEmpty() ? new PinnedValue.OfType(size, members) : null;
    }

    private static Optional<Map.Entry<String, PinnedValue.OfMember>> member(String line) {
        String[] words = SPACES.split(line, 4);
        if (words.length < 3) {
            return Optional.empty();
        }
        try {
            String rest = words.length == 4 ? words[3] : "";
            PinnedValue.Bits bits = null;
            if (rest.startsWith("@")) {
                String[] parts = SPACES.split(rest.substring(1), 2);
                String[] numbers = parts[0].split(":", 2);
                if (numbers.length < 2) {
                    return Optional.empty();
                }
                bits = new PinnedValue.Bits(parsed(numbers[0]), Math.toIntExact(parsed(numbers[1])));
                rest = parts.length == 2 ? parts[1] : "";
            }
            return Optional.of(Map.entry(
                    words[0], new PinnedValue.OfMember(parsed(words[1]), parsed(words[2]), bits, orNull(rest))));
        } catch (NumberFormatException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private @Nullable Instant expiresAt(@Nullable Pin before, Instant now, Map<String, String> errors) {
        switch (value(EXPIRY)) {
            case KEEP -> {
                return before == null ? null : before.draft().expiresAt();
            }
            case DATE -> {
                try {
                    return LocalDate.parse(value(UNTIL))
                            .plusDays(1)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant();
                } catch (DateTimeParseException e) {
                    errors.put(UNTIL, "Enter a date such as 2027-01-31.");
                    return null;
                }
            }
            case NEVER, "" -> {
                return null;
            }
            default -> {
                if (Pattern.matches("[0-9]{1,3}", value(EXPIRY))) {
                    int days = Integer.parseInt(value(EXPIRY));
                    if (days >= 1 && days <= MAX_DAYS) {
                        return now.plus(Duration.ofDays(days));
                    }
                }
                errors.put(EXPIRY, "Unknown expiry.");
                return null;
            }
        }
    }

    private long number(String field, Map<String, String> errors) {
        try {
            return parsed(value(field));
        } catch (NumberFormatException e) {
            errors.put(field, value(field).isEmpty() ? "Enter a number." : "Not a number: expected 48 or 0x30.");
            return 0;
        }
    }

    /** Parses a number in decimal, or in hex with {@code 0x}. */
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
