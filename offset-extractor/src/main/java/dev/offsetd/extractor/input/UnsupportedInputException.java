package dev.offsetd.extractor.input;

/** Thrown for a file that is well-formed as far as it was read, but uses a feature that is not supported. */
public final class UnsupportedInputException extends ExtractionException {

    public UnsupportedInputException(String section, long offset, String problem) {
        super(section, offset, problem);
    }
}
