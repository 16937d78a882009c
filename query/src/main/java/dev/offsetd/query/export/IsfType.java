package dev.offsetd.query.export;

import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Type descriptor of ISF: what a field or a symbol is. Typedefs and qualifiers are resolved. */
sealed interface IsfType {

    IsfType VOID = new NamedType("base", "void");
    IsfType FUNCTION = new FunctionType();

    /** Writes the descriptor. */
    void writeTo(JsonGenerator out);

    /**
     * A type that another part of the file defines.
     *
     * @param kind {@code base}, {@code struct}, {@code union}, {@code class} or {@code enum}
     */
    record NamedType(String kind, String name) implements IsfType {

        @Override
        public void writeTo(JsonGenerator out) {
            begin(out, kind);
            out.writeStringProperty("name", name);
            out.writeEndObject();
        }
    }

    record PointerType(IsfType target) implements IsfType {

        @Override
        public void writeTo(JsonGenerator out) {
            begin(out, "pointer");
            out.writeName("subtype");
            target.writeTo(out);
            out.writeEndObject();
        }
    }

    /**
     * An array.
     *
     * @param count 0 if the array has no bound
     */
    record ArrayType(long count, IsfType element) implements IsfType {

        @Override
        public void writeTo(JsonGenerator out) {
            begin(out, "array");
            out.writeNumberProperty("count", count);
            out.writeName("subtype");
            element.writeTo(out);
            out.writeEndObject();
        }
    }

    /**
     * A bit-field in the bytes from its field's offset on.
     *
     * @param position of its first bit in the first byte
     */
    record BitFieldType(int position, int length, IsfType type) implements IsfType {

        @Override
        public void writeTo(JsonGenerator out) {
            begin(out, "bitfield");
            out.writeNumberProperty("bit_position", position);
            out.writeNumberProperty("bit_length", length);
            out.writeName("type");
            type.writeTo(out);
            out.writeEndObject();
        }
    }

    record FunctionType() implements IsfType {

        @Override
        public void writeTo(JsonGenerator out) {
            begin(out, "function");
            out.writeEndObject();
        }
    }

    private static void begin(JsonGenerator out, String kind) {
        out.writeStartObject();
        out.writeStringProperty("kind", kind);
    }

    /**
     * A field of a struct, union or class.
     *
     * @param offset in bytes; of a bit-field, of the byte that has its first bit
     * @param anonymous whether the name is made up
     */
    record IsfField(String name, long offset, boolean anonymous, IsfType type) {}

    /** The definition of a struct, union or class. */
    record IsfAggregate(String kind, long size, List<IsfField> fields) {

        public IsfAggregate {
            fields = List.copyOf(fields);
        }

        void writeTo(JsonGenerator out) {
            out.writeStartObject();
            out.writeStringProperty("kind", kind);
            out.writeNumberProperty("size", size);
            out.writeObjectPropertyStart("fields");
            for (IsfField field : fields) {
                out.writeObjectPropertyStart(field.name);
                out.writeName("type");
                field.type.writeTo(out);
                out.writeNumberProperty("offset", field.offset);
                if (field.anonymous) {
                    out.writeBooleanProperty("anonymous", true);
                }
                out.writeEndObject();
            }
            out.writeEndObject();
            out.writeEndObject();
        }
    }
}
