package dev.offsetd.query.overlay;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.overlay.PinTargets.PinTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks whether a value can be pinned to an item. */
public final class PinCheck {

    /** Types whose spelling is a plain name. The group is possessive because any other one recurses. */
    private static final Pattern NAMED_TYPE = Pattern.compile(
            "((struct|union|class|enum|typedef) )?[A-Za-z_][A-Za-z_0-9]*(( |::)[A-Za-z_][A-Za-z_0-9]*)*");

    private final List<String> errors = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private PinCheck() {}

    /** Returns why the value cannot be pinned; empty if it can. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    /** Returns likely mistakes; empty if there are none, or if the value itself has errors. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * Checks a value.
     *
     * @param types the types of the debug information; null if the build has none
     * @param others the other pins of the build
     */
    public static PinCheck check(Item item, PinnedValue value, @Nullable TypeIndex types, PinOverlay others) {
        PinCheck fit = new PinCheck();
        PinPath path;
        try {
            path = PinPath.of(item, value);
        } catch (IllegalArgumentException e) {
            fit.errors.add(String.valueOf(e.getMessage()));
            return fit;
        }
        fit.errors.addAll(ValueLimits.problems(value));
        others.all().stream()
                .filter(other -> other.path().meets(path))
                .findFirst()
                .ifPresent(other -> fit.errors.add("item " + HostileText.quote(item.text()) + " has a pin already: "
                        + HostileText.quote(other.item().text())));
        if (fit.errors.isEmpty()) {
            fit.new ValueCheck(new PinnedItem("", item, value), types, others).run();
        }
        return fit;
    }

    /** Compares one valid value with the types and the other pins. */
    private final class ValueCheck {

        private final PinTarget target;
        private final @Nullable TypeIndex types;

        /** The types with the other pins, and with this one added. */
        private final PinnedTypes before;

        private final PinnedTypes after;

        ValueCheck(PinnedItem pin, @Nullable TypeIndex types, PinOverlay others) {
            List<PinnedItem> pins = new ArrayList<>(others.all());
            pins.add(pin);
            this.types = types;
            this.before = new PinnedTypes(others, types);
            this.after = new PinnedTypes(PinOverlay.of(pins), types);
            this.target = after.targets().getLast();
        }

        void run() {
            ItemOutcome type = typeIn(before);
            switch (target.pin().value()) {
                case PinnedValue.OfMember place -> checkPlace(place, type);
                case PinnedValue.OfType whole -> checkType(whole, type);
            }
            if (types != null) {
                compareWithExtracted(types);
            }
        }

        private ItemOutcome typeIn(TypeIndex index) {
            String name = target.typeName();
            Alternative.TypePath path =
                    new Alternative.TypePath(name, target.kind(), false, true, List.of(name), List.of());
            return ItemResolver.resolve(new Item(name, List.of(path)), index, null)
                    .outcome();
        }

        private void checkPlace(PinnedValue.OfMember place, ItemOutcome type) {
            sizeOf(type).ifPresent(size -> requireInside("it", place, size));
            if (!(type instanceof ItemOutcome.TypeFound found)) {
                return;
            }
            TypeShape shape = found.definition().shape();
            boolean opaque = before.of(found.definition()) != null && !(shape.peeled() instanceof AggregateShape);
            if (opaque || !leads(shape, place)) {
                return;
            }
            if (errors.isEmpty()
                    && typeIn(after) instanceof ItemOutcome.TypeFound pinned
                    && pinned.definition().shape().peeled() instanceof AggregateShape aggregate) {
                warnings.addAll(Overlaps.with(aggregate, target.members(), place));
            }
        }

        /**
         * Returns whether the path leads to a type that can have the last member. Reports an error if a type on the path
         * has no members.
         */
        private boolean leads(TypeShape type, PinnedValue.OfMember place) {
            TypeShape shape = type;
            long start = 0;
            String at = target.typeName();
            for (int i = 0; i < target.members().size(); i++) {
                if (!(shape.peeled() instanceof AggregateShape aggregate)) {
                    if (!(shape.peeled() instanceof IncompleteShape)) {
                        errors.add(HostileText.quote(at) + " is " + described(shape)
                                + " and has no members; expected a struct, union or class");
                    }
                    return false;
                }
                boolean last = i == target.members().size() - 1;
                Member member = before.find(aggregate, target.members().get(i));
                if (last || member == null || !(member.location() instanceof MemberLocation.Fixed(long bits))) {
                    return last;
                }
                start += bits;
                at += "." + member.name();
                shape = member.type();
                if (shape.peeled() instanceof AggregateShape && shape.byteSize() != TypeShape.UNKNOWN_SIZE) {
                    requireWithin(at, place, start / Byte.SIZE, shape.byteSize());
                }
            }
            return true;
        }

        private void requireWithin(String at, PinnedValue.OfMember place, long start, long size) {
            if (place.offset() < start || place.offset() + place.size() > start + size) {
                errors.add("it lies in bytes " + place.offset() + " to " + (place.offset() + place.size() - 1)
                        + "; expected " + start + " to " + (start + size - 1) + ", where " + HostileText.quote(at)
                        + " lies");
            }
        }

        private static String described(TypeShape shape) {
            return switch (shape.peeled()) {
                case PointerShape _ -> "a pointer";
                case ArrayShape _ -> "an array";
                default -> HostileText.quote(shape.spelling());
            };
        }

        private void requireInside(String what, PinnedValue.OfMember place, long size) {
            if (place.offset() + place.size() > size) {
                errors.add(what + " ends at byte " + (place.offset() + place.size()) + "; expected at most " + size
                        + ", the size of " + HostileText.quote(target.typeName()));
            }
        }

        /** Returns the size of a type, the largest of several definitions. */
        private OptionalLong sizeOf(ItemOutcome type) {
            List<Definition> definitions = switch (type) {
                case ItemOutcome.TypeFound found -> List.of(found.definition());
                case ItemOutcome.Ambiguous ambiguous ->
                    ambiguous.variants().stream()
                            .map(ItemOutcome.DifferingAnswer::definition)
                            .toList();
                default -> List.of();
            };
            return definitions.stream()
                            .anyMatch(definition -> definition.shape().byteSize() == TypeShape.UNKNOWN_SIZE)
                    ? OptionalLong.empty()
                    : definitions.stream()
                            .mapToLong(definition -> definition.shape().byteSize())
                            .max();
        }

        private void checkType(PinnedValue.OfType value, ItemOutcome type) {
            if (target.kind() == TypeKind.ENUM && !value.members().isEmpty()) {
                errors.add("an enum has no members");
            }
            value.members()
                    .forEach((name, place) -> requireInside("member " + HostileText.quote(name), place, value.size()));
            if (value.members().isEmpty() && type instanceof ItemOutcome.TypeFound found) {
                ExtractedValues.of(found).ifPresent(known -> {
                    if (known instanceof PinnedValue.OfType whole) {
                        whole.members()
                                .forEach((name, place) ->
                                        requireInside("member " + HostileText.quote(name), place, value.size()));
                    }
                });
            } else {
                for (PinTarget other : after.targets()) {
                    if (other.pin().value() instanceof PinnedValue.OfMember place
                            && other.typeName().equals(target.typeName())) {
                        requireInside(
                                "pin " + HostileText.quote(other.pin().item().text()), place, value.size());
                    }
                }
            }
            boolean union = target.kind() == TypeKind.UNION
                    || (type instanceof ItemOutcome.TypeFound found && found.kind() == TypeKind.UNION);
            if (!union) {
                warnings.addAll(Overlaps.among(value.members()));
            }
        }

        private void compareWithExtracted(TypeIndex index) {
            ItemOutcome outcome =
                    ItemResolver.resolve(target.pin().item(), index, null).outcome();
            if (outcome instanceof ItemOutcome.Missed missed) {
                String detail = missed.detail();
                if (missed.status() == ItemStatus.TYPE_NOT_FOUND) {
                    warnings.add("the debug information has no type " + HostileText.quote(target.typeName()));
                } else if (missed.status() == ItemStatus.FIELD_NOT_FOUND
                        || missed.status() == ItemStatus.DECLARATION_ONLY) {
                    warnings.add("the debug information has no "
                            + HostileText.quote(target.pin().item().text())
                            + (detail == null ? "" : ": " + detail));
                }
            }
            Optional<PinnedValue> extracted = ExtractedValues.of(outcome);
            if (extracted.isPresent() && ExtractedValues.same(target.pin().value(), extracted.get())) {
                warnings.add("the debug information says the same");
            }
            switch (target.pin().value()) {
                case PinnedValue.OfMember place ->
                    compare(
                            "",
                            place,
                            extracted.orElse(null) instanceof PinnedValue.OfMember there ? there : null,
                            index);
                case PinnedValue.OfType type ->
                    compareMembers(
                            type, extracted.orElse(null) instanceof PinnedValue.OfType there ? there : null, index);
            }
        }

        private void compareMembers(PinnedValue.OfType type, PinnedValue.@Nullable OfType extracted, TypeIndex index) {
            String unknown = extracted == null || extracted.members().isEmpty()
                    ? ""
                    : type.members().keySet().stream()
                            .filter(name -> !extracted.members().containsKey(name))
                            .limit(Overlaps.MAX_TOLD)
                            .map(HostileText::quote)
                            .collect(Collectors.joining(", "));
            if (!unknown.isEmpty()) {
                warnings.add("the debug information has no member " + unknown);
            }
            for (Map.Entry<String, PinnedValue.OfMember> member : type.members().entrySet()) {
                compare(
                        "member " + HostileText.quote(member.getKey()) + ": ",
                        member.getValue(),
                        extracted == null ? null : extracted.members().get(member.getKey()),
                        index);
            }
        }

        private void compare(
                String where, PinnedValue.OfMember place, PinnedValue.@Nullable OfMember extracted, TypeIndex index) {
            String type = place.type();
            if (type != null && NAMED_TYPE.matcher(type).matches()) {
                sizeOf(type, index).ifPresent(bytes -> compareSize(where, place, type, bytes));
            } else if (type == null && extracted != null) {
                compareWithDeclared(where, place, extracted);
            }
        }

        private void compareSize(String where, PinnedValue.OfMember place, String type, long bytes) {
            PinnedValue.Bits bits = place.bits();
            if (bits == null && place.size() != bytes) {
                warnings.add(where + "size is " + place.size() + ", but its type " + HostileText.quote(type) + " has "
                        + bytes);
            } else if (bits != null && bits.bitSize() > bytes * Byte.SIZE) {
                warnings.add(where + "bitSize is " + bits.bitSize() + ", but its type " + HostileText.quote(type)
                        + " has " + bytes * Byte.SIZE + " bits");
            }
        }

        private void compareWithDeclared(String where, PinnedValue.OfMember place, PinnedValue.OfMember extracted) {
            PinnedValue.Bits bits = place.bits();
            PinnedValue.Bits known = extracted.bits();
            String type = extracted.type() == null ? "" : " (" + HostileText.quote(extracted.type()) + ")";
            if (bits == null && known == null && place.size() != extracted.size()) {
                warnings.add(where + "size is " + place.size() + ", but the debug information has " + extracted.size()
                        + type);
            } else if ((bits == null) != (known == null)) {
                warnings.add(where + "it is " + (bits == null ? "no" : "a")
                        + " bit-field, but in the debug information it is " + (known == null ? "none" : "one") + type);
            } else if (bits != null && known != null && bits.bitSize() != known.bitSize()) {
                warnings.add(where + "bitSize is " + bits.bitSize() + ", but the debug information has "
                        + known.bitSize() + type);
            }
        }

        private static OptionalLong sizeOf(String type, TypeIndex index) {
            String name = PinTargets.qualifiedName(type);
            ItemOutcome outcome =
                    ItemResolver.resolve(Item.ofType(name), index, null).outcome();
            return outcome instanceof ItemOutcome.TypeFound found
                            && found.definition().shape().byteSize() != TypeShape.UNKNOWN_SIZE
                    ? OptionalLong.of(found.definition().shape().byteSize())
                    : OptionalLong.empty();
        }
    }
}
