package dev.offsetd.query.typeset;

/** Text that is no type set. The message names the place, the value and what was expected. */
public final class TypeSetSyntaxException extends RuntimeException {

    /** No line or column: it is the whole text that lacks something. */
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

    /** The same, at this line and column of the text, unless it has some already. */
    TypeSetSyntaxException at(int ofLine, int ofColumn) {
        return line == NOWHERE ? new TypeSetSyntaxException(this, ofLine, ofColumn) : this;
    }

    /** Where in the text: {@code items[3].oneOf[0][1]}, counted from 0; or a line and column. */
    public String place() {
        return place;
    }

    /** The line that it is about, counted from 1; 0 if it is none. */
    public int line() {
        return line;
    }

    /** The column in that line, counted from 1 in bytes of UTF-8; 0 if it is none. */
    public int column() {
        return column;
    }
}
