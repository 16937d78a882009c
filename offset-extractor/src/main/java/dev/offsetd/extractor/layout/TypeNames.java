package dev.offsetd.extractor.layout;

/** How type names are compared and taken apart. */
public final class TypeNames {

    private TypeNames() {}

    /**
     * The name without the spaces that stand beside punctuation, as names are compared: {@code map<int, int *>} becomes
     * {@code map<int,int*>}, {@code unsigned  int} becomes {@code unsigned int}.
     */
    public static String normalize(String name) {
        int space = name.indexOf(' ');
        if (space < 0) {
            return name;
        }
        StringBuilder out = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != ' ') {
                out.append(c);
            } else if (!out.isEmpty() && isWord(out.charAt(out.length() - 1))) {
                int next = i + 1;
                while (next < name.length() && name.charAt(next) == ' ') {
                    next++;
                }
                if (next < name.length() && isWord(name.charAt(next))) {
                    out.append(' ');
                }
                i = next - 1;
            }
        }
        return out.toString();
    }

    /** The last component of a qualified name: {@code Isolate} of {@code v8::internal::Isolate}; template arguments stay whole. */
    public static String unqualified(String qualifiedName) {
        int depth = 0;
        int start = 0;
        for (int i = 0; i + 1 < qualifiedName.length(); i++) {
            switch (qualifiedName.charAt(i)) {
                case '<', '(', '[', '{' -> depth++;
                case '>', ')', ']', '}' -> depth--;
                case ':' -> {
                    if (depth == 0 && qualifiedName.charAt(i + 1) == ':') {
                        start = i + 2;
                        i++;
                    }
                }
                default -> {}
            }
        }
        return qualifiedName.substring(start);
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c > 127;
    }
}
