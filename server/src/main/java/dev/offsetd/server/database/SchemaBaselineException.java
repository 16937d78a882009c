package dev.offsetd.server.database;

/** Thrown when the database was set up before the {@linkplain SchemaBaseline baseline}. */
public final class SchemaBaselineException extends RuntimeException {

    SchemaBaselineException() {
        super(SchemaBaseline.REFUSAL);
    }
}
