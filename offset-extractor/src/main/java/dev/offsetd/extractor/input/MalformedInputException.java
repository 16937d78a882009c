package dev.offsetd.extractor.input;

/** Thrown for a file that breaks the rules of its format: truncated, contradictory, or of another format. */
public final class MalformedInputException extends ExtractionException {

    public MalformedInputException(String section, long offset, String problem) {
        super(section, offset, problem);
    }
}
