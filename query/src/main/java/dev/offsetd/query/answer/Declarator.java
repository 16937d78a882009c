package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeShape;

/**
 * The parts of a declaration: {@code void}, {@code (*} and {@code )(int)}.
 *
 * @param before the leading type, escaped and without a trailing space; a comment if definitions differ in it
 * @param prefix the text right before the name: parentheses, {@code *} and qualifiers, or nothing
 * @param behind the text after the name: empty, or starts with a bracket or parenthesis
 */
record Declarator(String before, String prefix, String behind) {

    static Declarator of(TypeShape type) {
        // Pins have types as their authors wrote them.
        Spelling spelling = type instanceof BaseShape base && base.encoding() == BaseShape.Encoding.OTHER
                ? Spelling.parse(base.spelling())
                : type.declarator();
        int start = spelling.after().isEmpty() ? spelling.before().length() : outermostOpen(spelling.before());
        String prefix = spelling.before().substring(start);
        boolean word = !prefix.isEmpty() && Character.isLetter(prefix.charAt(prefix.length() - 1));
        String before = spelling.before().substring(0, start).stripTrailing();
        return new Declarator(
                isDiffering(type) ? Comments.comment(before) : Comments.safe(before),
                word ? prefix + " " : prefix,
                spelling.after());
    }

    /** Returns whether definitions differ in the type; a typedef counts as one type. */
    private static boolean isDiffering(TypeShape type) {
        return type instanceof DifferingShape || (type instanceof ArrayShape array && isDiffering(array.element()));
    }

    /** Returns the index of the first parenthesis that the text leaves open, or its length. */
    private static int outermostOpen(String text) {
        int first = text.length();
        int closed = 0;
        for (int i = text.length() - 1; i >= 0; i--) {
            switch (text.charAt(i)) {
                case ')' -> closed++;
                case '(' -> {
                    if (closed == 0) {
                        first = i;
                    } else {
                        closed--;
                    }
                }
                default -> {}
            }
        }
        return first;
    }
}
