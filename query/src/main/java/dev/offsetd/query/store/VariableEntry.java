package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.Variable;
import org.jspecify.annotations.Nullable;

/**
 * Stored form of a variable, with numbers for its unit, language and shape. Only this record knows the order of the fields.
 */
record VariableEntry(
        String name,
        String qualifiedName,
        @Nullable String linkageName,
        @Nullable String function,
        int unit,
        int language,
        boolean declaration,
        @Nullable Long address,
        int shape,
        @Nullable Long blockOffset) {

    private static final int DECLARATION = 1;
    private static final int HAS_ADDRESS = 2;

    static VariableEntry of(Variable variable, int unit, int language, int shape) {
        return new VariableEntry(
                variable.name(),
                variable.qualifiedName(),
                variable.linkageName(),
                variable.function(),
                unit,
                language,
                variable.declaration(),
                variable.address(),
                shape,
                variable.blockOffset());
    }

    byte[] toBytes() {
        BlobOutput out = new BlobOutput()
                .unsigned((declaration ? DECLARATION : 0) | (address != null ? HAS_ADDRESS : 0))
                .string(name)
                // Most variables are at file scope, where both names are equal.
                .string(qualifiedName.equals(name) ? "" : qualifiedName)
                .optional(linkageName)
                .optional(function)
                .unsigned(unit)
                .unsigned(language);
        if (address != null) {
            out.unsigned(address);
        }
        out.unsigned(shape);
        // At the end, where readers of earlier versions do not look.
        if (blockOffset != null) {
            out.unsigned(blockOffset);
        }
        return out.toBytes();
    }

    static VariableEntry read(BlobInput in) {
        int flags = in.count();
        String name = in.string();
        String qualifiedName = in.string();
        return new VariableEntry(
                name,
                qualifiedName.isEmpty() ? name : qualifiedName,
                in.optional(),
                in.optional(),
                in.count(),
                in.count(),
                (flags & DECLARATION) != 0,
                (flags & HAS_ADDRESS) != 0 ? in.unsigned() : null,
                in.count(),
                in.remaining() > 0 ? in.unsigned() : null);
    }
}
