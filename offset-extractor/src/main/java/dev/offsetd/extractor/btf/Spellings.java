package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Spelling;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How C spells the types of a table. Not thread-safe. */
final class Spellings {

    private static final Spelled VOID = new Spelled(Spelling.of("void"), 0);

    private final TypeTable types;
    private final StringTable strings;
    private final Limits limits;
    private final Map<Long, Spelled> known = new HashMap<>();

    /** Types that are being spelled. */
    private final Set<Long> open = new HashSet<>();

    /** @param height types followed for the spelling */
    private record Spelled(Spelling spelling, int height) {}

    Spellings(TypeTable types, StringTable strings, Limits limits) {
        this.types = types;
        this.strings = strings;
        this.limits = limits;
    }

    /** Returns how C spells the type with this id. */
    Spelling of(long id, TypeRecord referrer) throws ExtractionException {
        return spell(id, referrer, 0).spelling();
    }

    private Spelled spell(long id, TypeRecord referrer, int depth) throws ExtractionException {
        if (id == 0) {
            return VOID;
        }
        TypeRecord type = types.get(id, referrer.offset());
        Spelled found = known.get(id);
        if (found == null) {
            types.requireDepth(type, depth, 0);
            if (!open.add(id)) {
                throw types.malformed(type, "a type refers to itself without a name");
            }
            try {
                found = read(type, depth);
            } finally {
                open.remove(id);
            }
            int length = found.spelling().length();
            if (length > limits.maxNameBytes()) {
                throw types.exceeded(
                        type,
                        "maxNameBytes",
                        limits.maxNameBytes(),
                        "the spelling of a type comes to " + length + " characters");
            }
            strings.count(length, type.offset());
            known.put(id, found);
        }
        types.requireDepth(type, depth, found.height());
        return found;
    }

    private Spelled read(TypeRecord type, int depth) throws ExtractionException {
        return switch (type.kind()) {
            case Btf.BTF_KIND_STRUCT -> tagged("struct", type);
            case Btf.BTF_KIND_UNION -> tagged("union", type);
            case Btf.BTF_KIND_ENUM, Btf.BTF_KIND_ENUM64 -> tagged("enum", type);
            case Btf.BTF_KIND_FWD -> tagged(type.flag() ? "union" : "struct", type);
            case Btf.BTF_KIND_INT, Btf.BTF_KIND_FLOAT, Btf.BTF_KIND_TYPEDEF ->
                new Spelled(Spelling.of(type.isNamed() ? strings.at(type.nameOffset(), type.offset()) : "?"), 0);
            case Btf.BTF_KIND_CONST -> qualified("const", type, depth);
            case Btf.BTF_KIND_VOLATILE -> qualified("volatile", type, depth);
            case Btf.BTF_KIND_RESTRICT -> qualified("restrict", type, depth);
            case Btf.BTF_KIND_TYPE_TAG -> {
                Spelled target = spell(type.sizeOrType(), type, depth + 1);
                yield new Spelled(target.spelling(), target.height() + 1);
            }
            case Btf.BTF_KIND_PTR -> {
                Spelled target = spell(type.sizeOrType(), type, depth + 1);
                yield new Spelled(target.spelling().pointer("*"), target.height() + 1);
            }
            case Btf.BTF_KIND_ARRAY -> {
                Dimensions array = Dimensions.read(type, types);
                StringBuilder dimensions = new StringBuilder();
                for (long count : array.counts()) {
                    dimensions.append('[').append(count).append(']');
                }
                Spelled element = spell(array.element(), type, depth + 1);
                yield new Spelled(element.spelling().array(dimensions.toString()), element.height() + 1);
            }
            case Btf.BTF_KIND_FUNC_PROTO -> function(type, depth);
            default -> throw types.malformed(type, "reference to kind " + type.kind() + "; expected a type");
        };
    }

    private Spelled tagged(String word, TypeRecord type) throws ExtractionException {
        return new Spelled(
                Spelling.of(word + " " + (type.isNamed() ? strings.at(type.nameOffset(), type.offset()) : "{...}")), 0);
    }

    private Spelled qualified(String qualifier, TypeRecord type, int depth) throws ExtractionException {
        Spelled target = spell(type.sizeOrType(), type, depth + 1);
        return new Spelled(target.spelling().qualified(qualifier), target.height() + 1);
    }

    private Spelled function(TypeRecord type, int depth) throws ExtractionException {
        ByteCursor in = types.data(type);
        StringBuilder parameters = new StringBuilder("(");
        int height = 0;
        for (int i = 0; i < type.count() && parameters.length() <= limits.maxNameBytes(); i++) {
            long name = in.u32();
            long parameter = in.u32();
            parameters.append(i == 0 ? "" : ", ");
            if (name == 0 && parameter == 0 && i == type.count() - 1) {
                parameters.append("...");
            } else {
                Spelled spelled = spell(parameter, type, depth + 1);
                parameters.append(spelled.spelling().text());
                height = Math.max(height, spelled.height());
            }
        }
        parameters.append(type.count() == 0 ? "void)" : ")");
        Spelled result = spell(type.sizeOrType(), type, depth + 1);
        return new Spelled(result.spelling().function(parameters.toString()), Math.max(height, result.height()) + 1);
    }
}
