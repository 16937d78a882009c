package dev.offsetd.extractor.input;

/** The file is sound as far as was seen, but uses something that this extractor does not read. */
public final class UnsupportedInputException extends ExtractionException {

    public UnsupportedInputException(String section, long offset, String problem) {
        super(section, offset, problem);
    }
}
