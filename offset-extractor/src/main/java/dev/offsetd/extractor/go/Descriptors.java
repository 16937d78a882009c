package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads type descriptors by address, each once (Go's {@code internal/abi/type.go}; before Go 1.21 {@code
 * runtime/type.go}). Not thread-safe.
 */
final class Descriptors {

    private static final String SECTION = ".typelink";
    private static final int UNCOMMON = 1;
    private static final int EXTRA_STAR = 2;
    private static final int NAMED = 4;
    private static final int KIND_MASK = 0x1f;
    private static final int FIELD_EMBEDDED = 8;
    private static final int VARIADIC = 1 << 15;
    private static final int UNCOMMON_BYTES = 16;

    /** Largest type whose bits can be counted. */
    private static final long MAX_SIZE = Long.MAX_VALUE / Byte.SIZE;

    /** Bytes of a method of a type, and of a method of an interface. */
    private static final int METHOD_BYTES = 16;

    private static final int INTERFACE_METHOD_BYTES = 8;

    /** Estimates of the heap that a descriptor, one of its fields, and a text take. */
    private static final int BYTES_PER_TYPE = 600;

    private static final int BYTES_PER_FIELD = 160;
    private static final int BYTES_PER_TEXT = 64;

    /** How often the bytes of all types may be read as texts. */
    private static final int READINGS_OF_TEXTS = 4;

    private final Memory memory;
    private final ModuleData module;
    private final Limits limits;
    private final int word;
    private final Map<Long, Descriptor> known = new HashMap<>();
    /** Faults of descriptors, which many types may refer to. */
    private final Map<Long, ExtractionException> broken = new HashMap<>();

    private final Map<Long, String> names = new HashMap<>();

    /** Texts by address, or by its complement if they are without their star: many types and fields have one text. */
    private final Map<Long, String> texts = new HashMap<>();

    /** How many unnamed types the name of a type spells, one in the other. */
    private final Map<Long, Integer> heights = new HashMap<>();

    private final HeapBudget heap;
    private long nameChars;
    private long textBytes;

    /** Bytes of fields and parameters that were read; more than there are types means that they overlap. */
    private long partBytes;

    Descriptors(Memory memory, ModuleData module, Limits limits, HeapBudget heap) {
        this.heap = heap;
        this.memory = memory;
        this.module = module;
        this.limits = limits;
        this.word = memory.wordBytes();
    }

    /** Returns the descriptor at an address. */
    Descriptor at(long address) throws ExtractionException {
        Descriptor found = known.get(address);
        if (found == null) {
            ExtractionException fault = broken.get(address);
            if (fault != null) {
                throw fault;
            }
            try {
                found = read(address);
            } catch (ExtractionException e) {
                broken.put(address, e);
                throw e;
            }
            known.put(address, found);
        }
        return found;
    }

    private Descriptor read(long address) throws ExtractionException {
        requireInTypes(address);
        heap.keep(BYTES_PER_TYPE, SECTION, ExtractionException.NO_OFFSET);
        ByteCursor in = memory.at(address, headBytes());
        long size = in.unsigned(word);
        in.skip(word + 4L);
        int flags = in.u8();
        in.skip(2);
        int code = in.u8() & KIND_MASK;
        in.skip(2L * word);
        long text = in.u32();
        requireSize(size, address);
        Descriptor.Kind kind = kind(code, address);
        String shown = shownName(module.types() + text, flags);
        boolean named = (flags & NAMED) != 0;
        long tail = address + headBytes();
        long packagePath = 0;
        long end = tail + tailBytes(kind);
        if ((flags & UNCOMMON) != 0) {
            ByteCursor uncommon = memory.at(end, UNCOMMON_BYTES);
            long path = uncommon.u32();
            packagePath = named ? path : 0;
            end += UNCOMMON_BYTES + (long) METHOD_BYTES * uncommon.u16();
        }
        List<Long> elements = new ArrayList<>();
        List<Descriptor.Field> fields = List.of();
        long length = 0;
        long methods = 0;
        switch (kind) {
            case ARRAY -> {
                elements.add(memory.pointer(tail));
                length = memory.at(tail + 2L * word, word).unsigned(word);
                requireArray(size, length, address);
            }
            case CHANNEL, POINTER, SLICE -> elements.add(memory.pointer(tail));
            case MAP -> {
                elements.add(memory.pointer(tail));
                elements.add(memory.pointer(tail + word));
            }
            case INTERFACE -> {
                methods = memory.at(tail + 2L * word, word).unsigned(word);
                requireMethods(methods, address);
                end += methods * INTERFACE_METHOD_BYTES;
            }
            case STRUCT -> {
                fields = fields(tail, address);
                end += fields.size() * 3L * word;
            }
            case FUNCTION -> {
                long at = tail + tailBytes(kind) + ((flags & UNCOMMON) != 0 ? UNCOMMON_BYTES : 0);
                elements.addAll(parametersAndResults(tail, at, address));
                end += (long) elements.size() * word;
            }
            default -> {}
        }
        String path = packagePath == 0 ? "" : text(module.types() + packagePath);
        return new Descriptor(address, end, kind, size, shown, path, named, elements, length, methods, fields);
    }

    private void requireSize(long size, long address) throws ExtractionException {
        if (size < 0 || size > MAX_SIZE) {
            throw memory.malformed(address, "a type of " + Long.toUnsignedString(size) + " bytes");
        }
    }

    private void requireInTypes(long address) throws ExtractionException {
        if (Long.compareUnsigned(address, module.types()) < 0 || Long.compareUnsigned(address, module.end()) >= 0) {
            throw memory.malformed(
                    module.types(), "type descriptor at 0x" + Long.toHexString(address) + "; expected it in the types");
        }
    }

    private String shownName(long address, int flags) throws ExtractionException {
        String name = text(address);
        if ((flags & EXTRA_STAR) == 0 || !name.startsWith("*")) {
            return name;
        }
        return texts.computeIfAbsent(~address, _ -> name.substring(1));
    }

    private String text(long address) throws ExtractionException {
        String text = texts.get(address);
        if (text == null) {
            text = memory.name(address, limits.maxNameBytes());
            charge(text, address);
            textBytes += text.length();
            if (textBytes / READINGS_OF_TEXTS > module.end() - module.types()) {
                // No fault of this type: what comes next overlaps too.
                throw new LimitExceededException(
                        SECTION,
                        ExtractionException.NO_OFFSET,
                        "maxTextChars",
                        READINGS_OF_TEXTS * (module.end() - module.types()),
                        "texts overlap: those read so far have " + textBytes + " bytes");
            }
            texts.put(address, text);
        }
        return text;
    }

    /** @param at where the addresses of the types are */
    private List<Long> parametersAndResults(long tail, long at, long address) throws ExtractionException {
        ByteCursor counts = memory.at(tail, 4);
        int parameters = counts.u16();
        int results = counts.u16() & ~VARIADIC;
        chargeParts(parameters + results, word, address);
        List<Long> types = new ArrayList<>(parameters + results);
        for (int i = 0; i < parameters + results; i++) {
            types.add(memory.pointer(at + (long) i * word));
        }
        return types;
    }

    private long headBytes() {
        return 4L * word + 16;
    }

    /** Returns the bytes of a descriptor between its head and its {@code uncommontype}. */
    private long tailBytes(Descriptor.Kind kind) {
        return switch (kind) {
            case ARRAY -> 3L * word;
            case CHANNEL -> 2L * word;
            case INTERFACE, STRUCT -> 4L * word;
            case POINTER, SLICE -> word;
            case FUNCTION -> word == 8 ? 8 : 4;
            case MAP -> module.maps().bytes(word);
            default -> 0;
        };
    }

    private void requireMethods(long methods, long address) throws ExtractionException {
        if (methods < 0 || methods > (module.end() - module.types()) / INTERFACE_METHOD_BYTES) {
            throw memory.malformed(address, "an interface of " + Long.toUnsignedString(methods) + " methods");
        }
    }

    private void requireArray(long size, long length, long address) throws ExtractionException {
        if (length < 0 || (size > 0 && length > size)) {
            throw memory.malformed(
                    address, "an array of " + Long.toUnsignedString(length) + " elements in " + size + " bytes");
        }
    }

    private List<Descriptor.Field> fields(long tail, long address) throws ExtractionException {
        long start = memory.pointer(tail + word);
        long count = memory.at(tail + 2L * word, word).unsigned(word);
        if (count < 0 || count > limits.maxMembersPerType()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxMembersPerType",
                    limits.maxMembersPerType(),
                    "a struct of " + Long.toUnsignedString(count) + " fields");
        }
        chargeParts(count, 3L * word, address);
        List<Descriptor.Field> fields = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            long at = start + 3L * word * i;
            long name = memory.pointer(at);
            String text = text(name);
            fields.add(new Descriptor.Field(
                    text,
                    (memory.at(name, 1).u8() & FIELD_EMBEDDED) != 0,
                    memory.pointer(at + word),
                    memory.at(at + 2L * word, word).unsigned(word)));
        }
        return fields;
    }

    private void chargeParts(long count, long bytes, long address) throws ExtractionException {
        partBytes += count * bytes;
        if (partBytes > module.end() - module.types()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxEntries",
                    module.end() - module.types(),
                    "fields and parameters of more bytes than there are types, up to the type at 0x"
                            + Long.toHexString(address));
        }
        heap.keep(count * BYTES_PER_FIELD, SECTION, ExtractionException.NO_OFFSET);
    }

    private void charge(String text, long address) throws ExtractionException {
        nameChars += text.length();
        heap.keep(BYTES_PER_TEXT + text.length(), SECTION, ExtractionException.NO_OFFSET);
        if (nameChars > limits.maxTextChars()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxTextChars",
                    limits.maxTextChars(),
                    "names up to the type at 0x" + Long.toHexString(address));
        }
    }

    private Descriptor.Kind kind(int code, long address) throws ExtractionException {
        return switch (code) {
            case 1 -> Descriptor.Kind.BOOL;
            case 2, 3, 4, 5, 6 -> Descriptor.Kind.SIGNED;
            case 7, 8, 9, 10, 11, 12 -> Descriptor.Kind.UNSIGNED;
            case 13, 14 -> Descriptor.Kind.FLOAT;
            case 15, 16 -> Descriptor.Kind.COMPLEX;
            case 17 -> Descriptor.Kind.ARRAY;
            case 18 -> Descriptor.Kind.CHANNEL;
            case 19 -> Descriptor.Kind.FUNCTION;
            case 20 -> Descriptor.Kind.INTERFACE;
            case 21 -> Descriptor.Kind.MAP;
            case 22 -> Descriptor.Kind.POINTER;
            case 23 -> Descriptor.Kind.SLICE;
            case 24 -> Descriptor.Kind.STRING;
            case 25 -> Descriptor.Kind.STRUCT;
            case 26 -> Descriptor.Kind.UNSAFE_POINTER;
            default -> throw memory.malformed(address, "kind " + code + "; expected 1 to 26");
        };
    }

    /** Returns the name of a type with whole package paths, as DWARF has it. */
    String name(Descriptor type) throws ExtractionException {
        return name(type, 0);
    }

    private String name(Descriptor type, int depth) throws ExtractionException {
        // The limit is on the whole chain: the part that is read first makes no difference.
        if (depth + heights.getOrDefault(type.address(), 0) > limits.maxTypeDepth()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxTypeDepth",
                    limits.maxTypeDepth(),
                    "unnamed types in types");
        }
        String found = names.get(type.address());
        if (found != null) {
            return found;
        }
        String name = spelled(type, depth + 1);
        if (name.length() > limits.maxNameBytes()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxNameBytes",
                    limits.maxNameBytes(),
                    "a name of " + name.length() + " characters");
        }
        charge(name, type.address());
        names.put(type.address(), name);
        return name;
    }

    private String spelled(Descriptor type, int depth) throws ExtractionException {
        if (type.isNamed()) {
            int bracket = type.text().indexOf('[');
            int dot = type.text().lastIndexOf('.', bracket < 0 ? type.text().length() : bracket);
            return type.packagePath().isEmpty()
                    ? type.text()
                    : type.packagePath() + type.text().substring(Math.max(dot, 0));
        }
        return switch (type.kind()) {
            case POINTER -> "*" + element(type, 0, depth);
            case SLICE -> "[]" + element(type, 0, depth);
            case ARRAY -> "[" + type.length() + "]" + element(type, 0, depth);
            case MAP -> "map[" + element(type, 0, depth) + "]" + element(type, 1, depth);
            default -> type.text();
        };
    }

    /**
     * Returns whether the name of a type has no package by its last element only, as that of an unnamed struct, function,
     * interface or channel may have.
     */
    boolean hasWholeName(Descriptor type) throws ExtractionException {
        Descriptor inner = type;
        while (!inner.isNamed()
                && (inner.kind() == Descriptor.Kind.POINTER
                        || inner.kind() == Descriptor.Kind.SLICE
                        || inner.kind() == Descriptor.Kind.ARRAY)) {
            inner = at(inner.elements().getFirst());
        }
        return inner.isNamed();
    }

    private String element(Descriptor type, int index, int depth) throws ExtractionException {
        Descriptor element = at(type.elements().get(index));
        String name = name(element, depth);
        heights.merge(type.address(), heights.getOrDefault(element.address(), 0) + 1, Math::max);
        return name;
    }
}
