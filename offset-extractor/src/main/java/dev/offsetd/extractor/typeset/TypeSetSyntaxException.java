package dev.offsetd.extractor.typeset;

/** Text that is no type set. The message names the place, the value and what was expected. */
public final class TypeSetSyntaxException extends RuntimeException {

    private final String place;

    TypeSetSyntaxException(String place, String problem, String expected) {
        super(place + ": " + problem + "; expected " + expected);
        this.place = place;
    }

    /** Where in the text: {@code items[3].oneOf[0][1]}, counted from 0; or a line and column. */
    public String place() {
        return place;
    }
}
