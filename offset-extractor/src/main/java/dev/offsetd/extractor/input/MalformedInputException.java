package dev.offsetd.extractor.input;

/** The file breaks its format's rules: cut off, contradictory, or not what it says it is. */
public final class MalformedInputException extends ExtractionException {

    public MalformedInputException(String section, long offset, String problem) {
        super(section, offset, problem);
    }
}
