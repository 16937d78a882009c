package dev.offsetd.extractor.layout;

/** A function type, as a pointer's target or a typedef has it (DWARF 5 §5.10). It has no size. */
public record FunctionShape(Spelling declarator) implements TypeShape {

    @Override
    public long byteSize() {
        return UNKNOWN_SIZE;
    }
}
