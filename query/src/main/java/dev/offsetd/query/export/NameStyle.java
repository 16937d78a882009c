package dev.offsetd.query.export;

/** How names of types and members are written in an export. */
public enum NameStyle {
    /** The spelling of answers: {@code std::pair<int, long>}. */
    SPELLED {
        @Override
        String of(String name) {
            return name;
        }
    },
    /**
     * Identifiers of C: {@code std__pair_int_long_}. Never has three underscores in a row, because CO-RE ignores what
     * follows them.
     */
    C {
        @Override
        String of(String name) {
            StringBuilder identifier = new StringBuilder(name.length());
            for (int i = 0; i < name.length(); i++) {
                char character = name.charAt(i);
                boolean letter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
                boolean digit = character >= '0' && character <= '9';
                if (digit && identifier.isEmpty()) {
                    identifier.append('_');
                }
                char next = letter || digit ? character : '_';
                int end = identifier.length();
                boolean third = next == '_'
                        && end >= 2
                        && identifier.charAt(end - 1) == '_'
                        && identifier.charAt(end - 2) == '_';
                // A space behind a comma would only lengthen the name.
                if (!third && (character != ' ' || end == 0 || identifier.charAt(end - 1) != '_')) {
                    identifier.append(next);
                }
            }
            return identifier.toString();
        }
    };

    abstract String of(String name);
}
