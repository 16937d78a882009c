package dev.offsetd.extractor.python;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the sizes and offsets that CPython 3.13 and later state about themselves for debuggers ({@code _Py_DebugOffsets}, at
 * the start of {@code _PyRuntime}). The structs have only the members in the table. Not thread-safe.
 */
public final class DebugOffsets {

    /** Section of {@code _PyRuntime}. */
    public static final String SECTION = ".PyRuntime";

    private static final byte[] COOKIE = "xdebugpy".getBytes(StandardCharsets.US_ASCII);
    private static final Language C = new Language("C", Language.Family.C);

    /** Cookie, version, and whether the build is free-threaded. */
    private static final int HEAD_BYTES = 3 * Long.BYTES;

    /** More than any struct of CPython: the state of the runtime has 363 kB in a debug build of 3.15. */
    private static final long MAX_STRUCT_BYTES = 1 << 24;

    /** Release level of {@code PY_VERSION_HEX} that is not a pre-release, and the levels before it. */
    private static final int FINAL = 0xf;

    private static final Map<Integer, String> LEVELS = Map.of(0xa, "a", 0xb, "b", 0xc, "rc");

    private final Section section;
    private final Map<String, Long> numbers = new LinkedHashMap<>();
    private final Map<OffsetTable.CType, Struct> structs = new LinkedHashMap<>();
    private final Map<OffsetTable.CType, AggregateShape> shapes = new HashMap<>();

    private DebugOffsets(Section section) {
        this.section = section;
    }

    /** A struct, with the sizes and offsets that the table has of it. */
    private static final class Struct {
        long size = TypeShape.UNKNOWN_SIZE;
        long place;
        final Map<String, Place> members = new LinkedHashMap<>();
    }

    private record Place(long offset, OffsetTable.@Nullable CType value) {}

    /** Returns whether the section begins with a table of debug offsets, of any version. */
    public static boolean isIn(Section section) {
        return section.size() >= COOKIE.length
                && section.bytes().asSlice(0, COOKIE.length).mismatch(MemorySegment.ofArray(COOKIE)) == -1;
    }

    /**
     * Returns the structs that the table describes, as tags and typedefs. A struct has an unnamed member of unknown place
     * that stands for the members that are not in the table. {@link Definition#dieOffset()} is the place of the first number
     * about the struct.
     *
     * @param section contents of {@link #SECTION}
     * @throws ExtractionException if the table is of a version that is not supported, or malformed
     */
    public static List<Definition> definitions(Section section) throws ExtractionException {
        DebugOffsets offsets = new DebugOffsets(section);
        offsets.read();
        return offsets.definitions();
    }

    private void read() throws ExtractionException {
        if (!isIn(section)) {
            throw new UnsupportedInputException(
                    section.name(), 0, "no table of debug offsets; CPython 3.13 and later have one");
        }
        ByteCursor in = section.cursor(COOKIE.length, HEAD_BYTES - COOKIE.length);
        List<OffsetTable.Entry> table = OffsetTable.of(minor(in.u64()));
        long freeThreaded = in.u64();
        if (freeThreaded != 0 && freeThreaded != 1) {
            throw malformed(
                    2 * Long.BYTES, "free_threaded is " + Long.toUnsignedString(freeThreaded) + "; expected 0 or 1");
        }
        in = section.cursor(HEAD_BYTES, (long) table.size() * Long.BYTES);
        long at = HEAD_BYTES;
        for (OffsetTable.Entry entry : table) {
            long number = in.u64();
            if (number < 0 || number > MAX_STRUCT_BYTES) {
                throw malformed(
                        at,
                        entry.name() + " is " + Long.toUnsignedString(number) + "; expected at most "
                                + MAX_STRUCT_BYTES);
            }
            numbers.put(entry.name(), number);
            if (!entry.freeThreaded() || freeThreaded == 1) {
                for (OffsetTable.Meaning meaning : entry.meanings()) {
                    add(meaning, number, entry.name(), at);
                }
            }
            at += Long.BYTES;
        }
        requireInside();
    }

    private int minor(long version) throws UnsupportedInputException {
        long minor = version >>> 16 & 0xff;
        if (version >>> 24 != 3
                || (version >> 4 & 0xf) != FINAL
                || minor < OffsetTable.FIRST_MINOR
                || minor > OffsetTable.LAST_MINOR) {
            throw new UnsupportedInputException(
                    section.name(),
                    COOKIE.length,
                    "debug offsets of CPython " + name(version) + " are not supported; expected a final release of 3."
                            + OffsetTable.FIRST_MINOR + " to 3." + OffsetTable.LAST_MINOR);
        }
        return (int) minor;
    }

    /** Returns the version that a number says, such as {@code 3.15.0b3}. */
    private static String name(long version) {
        String level = LEVELS.getOrDefault((int) (version >> 4 & 0xf), "");
        return version >>> 32 != 0
                ? "0x" + Long.toHexString(version)
                : (version >>> 24) + "." + (version >>> 16 & 0xff) + "." + (version >>> 8 & 0xff)
                        + (level.isEmpty() ? "" : level + (version & 0xf));
    }

    private void add(OffsetTable.Meaning meaning, long number, String name, long at) throws MalformedInputException {
        Struct struct = structs.computeIfAbsent(meaning.type(), type -> {
            Struct created = new Struct();
            created.place = at;
            return created;
        });
        switch (meaning) {
            case OffsetTable.Meaning.Size _ -> {
                if (number == 0) {
                    throw malformed(at, name + " is 0");
                }
                struct.size = number;
            }
            case OffsetTable.Meaning.Offset(var _, String path, String from, var value) -> {
                long offset = from.isEmpty() ? number : number - Objects.requireNonNull(numbers.get(from));
                Place known = struct.members.putIfAbsent(path, new Place(offset, value));
                if (offset < 0 || (known != null && known.offset() != offset)) {
                    throw malformed(at, name + " is " + number + "; other numbers of the table contradict it");
                }
            }
        }
    }

    private void requireInside() throws MalformedInputException {
        for (Struct struct : structs.values()) {
            for (Map.Entry<String, Place> member : struct.members.entrySet()) {
                OffsetTable.CType value = member.getValue().value();
                Struct inner = value == null ? null : structs.get(value);
                long size = inner == null ? 0 : Math.max(inner.size, 0);
                long end = member.getValue().offset() + size;
                if (struct.size != TypeShape.UNKNOWN_SIZE && end > struct.size) {
                    throw malformed(
                            struct.place,
                            member.getKey() + " ends at " + end + " of a struct of " + struct.size + " bytes");
                }
            }
        }
    }

    private List<Definition> definitions() {
        List<Definition> definitions = new ArrayList<>();
        structs.forEach((type, struct) -> {
            AggregateShape shape = shape(type, struct);
            if (type.tag() != null) {
                definitions.add(definition(TypeKind.STRUCT, type.tag(), struct, shape));
            }
            if (type.typedef() != null) {
                definitions.add(
                        definition(TypeKind.TYPEDEF, type.typedef(), struct, new AliasShape(type.typedef(), shape)));
            }
        });
        return definitions;
    }

    private static Definition definition(TypeKind kind, String name, Struct struct, TypeShape shape) {
        return new Definition(kind, name, name, null, "", C, SECTION, struct.place, shape);
    }

    private AggregateShape shape(OffsetTable.CType type, Struct struct) {
        AggregateShape known = shapes.get(type);
        if (known != null) {
            return known;
        }
        List<Member> members = new ArrayList<>();
        struct.members.forEach((path, place) ->
                members.add(member(path, new MemberLocation.Fixed(place.offset() * Byte.SIZE), value(place.value()))));
        members.sort(Comparator.comparingLong(Member::byteOffset));
        members.add(member(
                null,
                new MemberLocation.Computed(IncompleteShape.Reason.NOT_IN_BINARY.text()),
                new IncompleteShape("other", IncompleteShape.Reason.NOT_IN_BINARY)));
        AggregateShape shape = new AggregateShape(
                TypeKind.STRUCT,
                type.tag(),
                type.tag() == null ? "struct {...}" : "struct " + type.tag(),
                struct.size,
                0,
                members);
        shapes.put(type, shape);
        return shape;
    }

    /** Returns the type of a member: a struct that the table describes, or one that is not known. */
    private TypeShape value(OffsetTable.@Nullable CType type) {
        Struct struct = type == null ? null : structs.get(type);
        if (type == null || struct == null) {
            return new IncompleteShape("unknown", IncompleteShape.Reason.NOT_IN_BINARY);
        }
        AggregateShape shape = shape(type, struct);
        return type.tag() == null && type.typedef() != null ? new AliasShape(type.typedef(), shape) : shape;
    }

    private static Member member(@Nullable String name, MemberLocation location, TypeShape type) {
        return new Member(Member.Role.FIELD, name, location, Member.NOT_A_BIT_FIELD, 0, type);
    }

    private MalformedInputException malformed(long at, String problem) {
        return new MalformedInputException(section.name(), at, problem);
    }
}
