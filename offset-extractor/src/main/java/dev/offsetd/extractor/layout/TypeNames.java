package dev.offsetd.extractor.layout;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** How type names are compared and taken apart. */
public final class TypeNames {

    private TypeNames() {}

    /**
     * The name without the spaces that stand beside punctuation, as names are compared: {@code map<int, int *>} becomes
     * {@code map<int,int*>}, {@code unsigned  int} becomes {@code unsigned int}. What Go escapes in the last element of a
     * package path is as its user writes it: {@code gopkg.in/yaml%2ev3.Node} becomes {@code gopkg.in/yaml.v3.Node}.
     */
    public static String normalize(String name) {
        return withoutSpaces(name.indexOf('%') < 0 ? name : unescaped(name));
    }

    private static String unescaped(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(name.length());
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%' && i + 2 < bytes.length && isHex(bytes[i + 1]) && isHex(bytes[i + 2])) {
                out.write(HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2]));
                i += 2;
            } else {
                out.write(bytes[i]);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static boolean isHex(byte b) {
        return b >= 0 && HexFormat.isHexDigit(b);
    }

    private static String withoutSpaces(String name) {
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
