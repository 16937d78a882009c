package dev.offsetd.server.pins;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.web.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rules for drafts that hold for every build. */
final class DraftRules {

    /** Most characters of a reason. */
    static final int MAX_REASON = 2_000;

    /** Most members of a type. */
    static final int MAX_MEMBERS = 2_000;

    /** Longest duration of a pin; a later date is a mistake, and may exceed the range of the database. */
    private static final Duration MAX_TIME = Duration.ofDays(365 * 100);

    private final List<DraftCheck.Diagnostic> diagnostics = new ArrayList<>();

    private DraftRules() {}

    /** Returns the errors in a draft; empty if it can be checked against its build. */
    static List<DraftCheck.Diagnostic> broken(PinDraft draft, Instant now) {
        DraftRules rules = new DraftRules();
        rules.item(draft.item(), draft.value());
        rules.text("reason", draft.reason(), MAX_REASON);
        rules.expiry(draft.expiresAt(), now);
        return rules.diagnostics;
    }

    /** Returns what is wrong with the reason of an acknowledgement. */
    static Optional<DraftCheck.Diagnostic> wrongReason(String reason) {
        DraftRules rules = new DraftRules();
        rules.text("reason", reason, MAX_REASON);
        return rules.diagnostics.stream().findFirst();
    }

    private void item(String text, PinnedValue value) {
        if (!isPrinting(text)) {
            add("item", HostileText.quote(text), "printing characters");
            return;
        }
        PinItem item;
        try {
            item = PinItem.of(text);
        } catch (IllegalArgumentException e) {
            diagnostics.add(
                    new DraftCheck.Diagnostic("item", "item " + HostileText.quote(text) + ": " + e.getMessage()));
            return;
        }
        switch (value) {
            case PinnedValue.OfMember place -> {
                if (!item.isPath()) {
                    add(
                            "value.offset",
                            Long.toString(place.offset()),
                            "none, because " + HostileText.quote(text) + " is a type");
                }
                place("value", place);
            }
            case PinnedValue.OfType type -> {
                if (item.isPath()) {
                    add(
                            "value.offset",
                            "missing",
                            "bytes from the start of the type, because " + HostileText.quote(text)
                                    + " is a member path (a type with dots in its name is written in quotes)");
                }
                type(type);
            }
        }
    }

    private void type(PinnedValue.OfType type) {
        bytes("value.size", type.size());
        if (type.members().size() > MAX_MEMBERS) {
            add("value.members", Integer.toString(type.members().size()), "at most " + MAX_MEMBERS);
            return;
        }
        for (Map.Entry<String, PinnedValue.OfMember> member : type.members().entrySet()) {
            String name = member.getKey();
            if (name.isBlank() || name.length() > PinnedValue.MAX_TYPE_CHARS || !isPrinting(name)) {
                add("value.members", HostileText.quote(name), "the name of a member");
            } else {
                place(JsonObject.within("value.members", name), member.getValue());
            }
        }
    }

    private void place(String at, PinnedValue.OfMember place) {
        bytes(at + ".offset", place.offset());
        bytes(at + ".size", place.size());
        PinnedValue.Bits bits = place.bits();
        if (bits != null) {
            bits(at, place, bits);
        }
        String type = place.type();
        if (type != null) {
            text(at + ".type", type, PinnedValue.MAX_TYPE_CHARS);
        }
    }

    private void bits(String at, PinnedValue.OfMember place, PinnedValue.Bits bits) {
        if (bits.bitSize() < 1) {
            add(at + ".bitSize", Integer.toString(bits.bitSize()), "1 or more");
        } else if (bits.bitOffset() < 0 || bits.bitOffset() / Byte.SIZE != place.offset()) {
            add(
                    at + ".bitOffset",
                    Long.toString(bits.bitOffset()),
                    "a bit of byte " + place.offset() + ", counted from the start of the type");
        } else {
            long touched = (bits.bitOffset() % Byte.SIZE + bits.bitSize() + Byte.SIZE - 1) / Byte.SIZE;
            if (place.size() != touched) {
                add(at + ".size", Long.toString(place.size()), touched + ", the bytes that its bits touch");
            }
        }
    }

    private void bytes(String at, long bytes) {
        if (bytes < 0 || bytes > PinnedValue.MAX_BYTES) {
            add(at, Long.toString(bytes), "bytes, 0 to " + PinnedValue.MAX_BYTES);
        }
    }

    private void text(String at, String text, int max) {
        if (text.isBlank() || text.length() > max || !isPrinting(text)) {
            add(at, HostileText.quote(text), "1 to " + max + " printing characters");
        }
    }

    private void expiry(@Nullable Instant expiresAt, Instant now) {
        if (expiresAt != null && (!expiresAt.isAfter(now) || expiresAt.isAfter(now.plus(MAX_TIME)))) {
            add("expiresAt", expiresAt.toString(), "a time in the future, within " + MAX_TIME.toDays() + " days");
        }
    }

    private void add(String place, String value, String expected) {
        diagnostics.add(new DraftCheck.Diagnostic(place, place + " is " + value + "; expected " + expected));
    }

    /** Returns whether every character of a text is printable, and PostgreSQL can store it. */
    private static boolean isPrinting(String text) {
        return text.codePoints().allMatch(HostileText::isPrintable);
    }
}
