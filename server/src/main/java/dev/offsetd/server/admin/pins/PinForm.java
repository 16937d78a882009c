package dev.offsetd.server.admin.pins;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import jakarta.validation.constraints.NotEmpty;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.validation.Errors;

/**
 * The form of a pin, as typed.
 *
 * @param id empty for a new pin
 * @param accepted the warnings that the user has seen, as {@link PinPages} marks them
 * @param what {@value #ONE_MEMBER} or {@value #WHOLE_TYPE}
 * @param members a line for each member: {@code NAME OFFSET SIZE [@BITOFFSET:BITSIZE] [TYPE]}
 * @param expiry {@value #NEVER}, {@value #KEEP}, a number of days, or {@value #DATE}
 * @param until the last day, in UTC
 */
record PinForm(
        String id,
        String revision,
        String accepted,
        String build,

        @NotEmpty(message = "Enter a type or a member such as rb_control_frame_struct.pc.")
        String item,

        String what,
        String offset,
        String size,
        String bitOffset,
        String bitSize,
        String type,
        String members,
        @NotEmpty(message = "Enter a reason.") String reason,
        String expiry,
        String until) {

    /** {@link #what} of a form that pins one member. */
    static final String ONE_MEMBER = "member";

    /** {@link #what} of a form that pins a whole type. */
    static final String WHOLE_TYPE = "type";

    static final String NEVER = "never";
    static final String DATE = "date";
    static final String KEEP = "keep";

    /** Names of the fields, in the order of the form. */
    static final List<String> FIELDS = List.of(
            "build", "item", "offset", "size", "bitOffset", "bitSize", "type", "members", "reason", "expiry", "until");

    /** Labels of the fields with numbers. */
    private static final Map<String, String> LABELS =
            Map.of("offset", "Offset", "size", "Size", "bitOffset", "Bit offset", "bitSize", "Bit size");

    private static final int MAX_DAYS = 365;

    private static final Pattern SPACES = Pattern.compile("\\s+");

    /** At most 2^63-1, in decimal or in hex. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,19}|0[xX][0-9a-fA-F]{1,16}");

    PinForm {
        id = typed(id);
        revision = typed(revision);
        accepted = typed(accepted);
        build = typed(build);
        item = typed(item);
        what = typed(what);
        offset = typed(offset);
        size = typed(size);
        bitOffset = typed(bitOffset);
        bitSize = typed(bitSize);
        type = typed(type);
        members = typed(members);
        reason = typed(reason);
        expiry = typed(expiry);
        until = typed(until);
    }

    /** A parameter that a request lacks is null. */
    private static String typed(@Nullable String text) {
        return Objects.toString(text, "").strip();
    }

    /** Returns the form of a new pin, with the extracted value if there is one. */
    static PinForm ofNew(String build, String item, String what, @Nullable PinnedValue extracted) {
        PinForm form = new PinForm("", "", "", build, item, what, "", "", "", "", "", "", "", NEVER, "");
        return extracted == null ? form : form.with(extracted);
    }

    /** Returns the form that changes a pin. */
    static PinForm ofPin(Pin pin) {
        PinDraft draft = pin.draft();
        return new PinForm(
                        pin.id().toString(),
                        Integer.toString(pin.revision()),
                        "",
                        draft.buildId().toString(),
                        draft.item(),
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        draft.reason(),
                        draft.expiresAt() == null ? NEVER : KEEP,
                        "")
                .with(draft.value());
    }

    private PinForm with(PinnedValue value) {
        PinnedValue.OfMember place = value instanceof PinnedValue.OfMember member ? member : null;
        PinnedValue.Bits bits = place == null ? null : place.bits();
        return new PinForm(
                id,
                revision,
                accepted,
                build,
                item,
                place == null ? WHOLE_TYPE : ONE_MEMBER,
                place == null ? "" : Long.toString(place.offset()),
                Long.toString(value.size()),
                bits == null ? "" : Long.toString(bits.bitOffset()),
                bits == null ? "" : Integer.toString(bits.bitSize()),
                place == null ? "" : Objects.toString(place.type(), ""),
                value instanceof PinnedValue.OfType known ? lines(known.members()) : "",
                reason,
                expiry,
                until);
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

    /** Returns whether it creates a pin. */
    public boolean isUnsaved() {
        return id.isEmpty();
    }

    boolean isType() {
        return what.equals(WHOLE_TYPE);
    }

    /** Returns the field that says where the value is. */
    String place() {
        return isType() ? "members" : bitOffset.isEmpty() ? "offset" : "bitOffset";
    }

    /** Returns the field to type in: the first that has an error, else the first empty one that needs a value, else the reason. */
    String focus(Errors errors) {
        List<String> wrong = FIELDS.stream().filter(errors::hasFieldErrors).toList();
        if (!wrong.isEmpty()) {
            return wrong.getFirst();
        }
        boolean fromBits = !bitOffset.isEmpty() || !bitSize.isEmpty();
        return build.isEmpty()
                ? "build"
                : item.isEmpty()
                        ? "item"
                        : offset.isEmpty() && !isType() && !fromBits
                                ? "offset"
                                : size.isEmpty() && !fromBits ? "size" : "reason";
    }

    /**
     * Parses the fields.
     *
     * @param before the pin that is changed; null for a new one
     * @param errors receives the errors in fields
     * @return null if there are any, except for a missing reason
     */
    @Nullable
    PinDraft draft(@Nullable Pin before, Instant now, Errors errors) {
        BuildId buildId = parsed(
                "build",
                build,
                BuildId::parseKey,
                e -> build.isEmpty()
                        ? "Enter a build-id."
                        : "Build-id is " + HostileText.quote(build) + ": " + e.getMessage() + ".",
                errors);
        PinnedValue value = isType() ? typeValue(errors) : memberValue(errors);
        Instant expiresAt = expiresAt(before, now, errors);
        boolean wrong = errors.getFieldErrors().stream()
                .anyMatch(error -> !error.getField().equals("reason"));
        return wrong || buildId == null || value == null ? null : new PinDraft(buildId, item, value, reason, expiresAt);
    }

    /** Parses a field; null if that fails. */
    private static <T> @Nullable T parsed(
            String field,
            String text,
            Function<String, T> parser,
            Function<RuntimeException, String> message,
            Errors errors) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException | DateTimeParseException e) {
            errors.rejectValue(field, "malformed", message.apply(e));
            return null;
        }
    }

    private PinnedValue.OfMember memberValue(Errors errors) {
        if (bitOffset.isEmpty() && bitSize.isEmpty()) {
            return new PinnedValue.OfMember(
                    number("offset", offset, errors), number("size", size, errors), null, orNull(type));
        }
        long first = number("bitOffset", bitOffset, errors);
        long length = number("bitSize", bitSize, errors);
        if (length > Integer.MAX_VALUE) {
            errors.rejectValue("bitSize", "malformed", LABELS.get("bitSize") + " is " + length + "; expected fewer.");
            length = 0;
        }
        // Offset and size are optional: they follow from the bits.
        return new PinnedValue.OfMember(
                offset.isEmpty() ? first / Byte.SIZE : number("offset", offset, errors),
                size.isEmpty()
                        ? (first % Byte.SIZE + length + Byte.SIZE - 1) / Byte.SIZE
                        : number("size", size, errors),
                new PinnedValue.Bits(first, (int) length),
                orNull(type));
    }

    private PinnedValue.OfType typeValue(Errors errors) {
        Map<String, PinnedValue.OfMember> places = new LinkedHashMap<>();
        for (String line : members.lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList()) {
            Optional<Map.Entry<String, PinnedValue.OfMember>> member = member(line);
            if (member.isEmpty()) {
                errors.rejectValue(
                        "members",
                        "malformed",
                        "\"" + line + "\" is not a member; expected NAME OFFSET SIZE [@BITOFFSET:BITSIZE] [TYPE].");
                break;
            }
            if (places.put(member.get().getKey(), member.get().getValue()) != null) {
                errors.rejectValue("members", "repeated", member.get().getKey() + " is listed twice.");
                break;
            }
        }
        return new PinnedValue.OfType(number("size", size, errors), places);
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
                bits = new PinnedValue.Bits(number(numbers[0]), Math.toIntExact(number(numbers[1])));
                rest = parts.length == 2 ? parts[1] : "";
            }
            return Optional.of(Map.entry(
                    words[0], new PinnedValue.OfMember(number(words[1]), number(words[2]), bits, orNull(rest))));
        } catch (NumberFormatException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private @Nullable Instant expiresAt(@Nullable Pin before, Instant now, Errors errors) {
        return switch (expiry) {
            case KEEP -> before == null ? null : before.draft().expiresAt();
            case NEVER, "" -> {
                if (!until.isEmpty()) {
                    errors.rejectValue(
                            "expiry",
                            "contradiction",
                            "Last day is " + HostileText.quote(until)
                                    + ", but the pin never expires; expected “on a date”, or no last day.");
                }
                yield null;
            }
            case DATE -> {
                LocalDate day =
                        parsed("until", until, LocalDate::parse, e -> "Enter a date such as 2027-01-31.", errors);
                if (day == null) {
                    yield null;
                }
                Instant end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
                if (!end.isAfter(now)) {
                    errors.rejectValue("until", "past", "Last day is " + day + "; expected today or a later day.");
                }
                yield end;
            }
            default -> {
                int days = Format.number(expiry, MAX_DAYS);
                if (days < 1) {
                    errors.rejectValue("expiry", "malformed", "Unknown expiry.");
                    yield null;
                }
                yield now.plus(Duration.ofDays(days));
            }
        };
    }

    /** Parses the number of a field; 0 if that fails. */
    private static long number(String field, String text, Errors errors) {
        Long number = parsed(
                field,
                text,
                PinForm::number,
                e -> LABELS.get(field)
                        + (text.isEmpty() ? " is missing" : " is " + HostileText.quote(text))
                        + "; expected a number such as 48 or 0x30.",
                errors);
        return number == null ? 0 : number;
    }

    /** Parses a number in decimal, or in hex with {@code 0x}. */
    private static long number(String text) {
        if (!NUMBER.matches(text)) {
            throw new NumberFormatException(text);
        }
        return text.startsWith("0x") || text.startsWith("0X")
                ? Long.parseLong(text.substring(2), 16)
                : Long.parseLong(text);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
