package dev.offsetd.query.typeset;

/** Thrown for text that is not a type set. The message has the location, the value and what was expected. */
public final class TypeSetSyntaxException extends RuntimeException {

    /** No line or column: the error is about the whole text. */
    static final int NOWHERE = 0;

    private final String place;
    private final int line;
    private final int column;

    TypeSetSyntaxException(String place, String problem, String expected) {
        super(place + ": " + problem + "; expected " + expected);
        this.place = place;
        this.line = NOWHERE;
        this.column = NOWHERE;
    }

    private TypeSetSyntaxException(TypeSetSyntaxException known, int line, int column) {
        super(known.getMessage(), known);
        this.place = known.place;
        this.line = line;
        this.column = column;
    }

    /** Returns this exception with a line and column, unless it has them. */
    TypeSetSyntaxException at(int ofLine, int ofColumn) {
        return line == NOWHERE ? new TypeSetSyntaxException(this, ofLine, ofColumn) : this;
    }

    /** Returns the location in the text: {@code items[3].oneOf[0][1]}, counted from 0, or a line and column. */
    public String place() {
        return place;
    }

    /** Returns the line, from 1; 0 if there is none. */
    public int line() {
        return line;
    }

    /** Returns the column in bytes of UTF-8, from 1; 0 if there is none. */
    public int column() {
        return column;
    }
}
