package dev.offsetd.extractor.text;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a declaration of a name has around the name: {@code void}, {@code (*} and {@code )(int)}.
 *
 * @param before the type that it begins with, without a space at its end
 * @param prefix what stands right before the name: an open parenthesis and signs, or nothing
 * @param behind begins with a bracket or parenthesis, or is empty
 */
record Declarator(String before, String prefix, String behind) {

    private static final Pattern POINTER_IN_PARENTHESES = Pattern.compile("\\((?:\\*|&|[A-Za-z_0-9:]*::\\*)[*&]*");

    static Declarator of(TypeShape type) {
        String spelling = type.spelling();
        TypeShape peeled = type.peeled();
        if (isDerived(peeled)) {
            Matcher pointer = POINTER_IN_PARENTHESES.matcher(spelling);
            // Template arguments come before the parentheses that matter.
            if (pointer.find(Math.max(spelling.lastIndexOf('>'), 0))) {
                return new Declarator(
                        spelling.substring(0, pointer.start()).stripTrailing(),
                        pointer.group(),
                        spelling.substring(pointer.end()));
            }
        }
        if (isDerived(peeled) && !(peeled instanceof PointerShape) && spelling.endsWith("]")) {
            int bracket = spelling.length();
            while (bracket > 0 && "[]0123456789".indexOf(spelling.charAt(bracket - 1)) >= 0) {
                bracket--;
            }
            return new Declarator(spelling.substring(0, bracket).stripTrailing(), "", spelling.substring(bracket));
        }
        return new Declarator(spelling, "", "");
    }

    /** Whether the spelling may stand around the name; what a pin calls a type is taken to be anything. */
    private static boolean isDerived(TypeShape type) {
        return type instanceof PointerShape
                || type instanceof ArrayShape
                || (type instanceof BaseShape base && base.encoding() == BaseShape.Encoding.OTHER);
    }
}
