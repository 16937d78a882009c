package dev.offsetd.extractor.training;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A shared library of 18 kB with DWARF of every shape that types have in C. {@code shapes.c} has its source. */
public enum TrainingFile {
    PLAIN("shapes.so"),
    /** The same with compressed sections. */
    COMPRESSED("shapes-zlib.so");

    /** GNU build-id of both, in hex. */
    public static final String BUILD_ID = "1bfe00bfe2dfdffcfbb048de6101a6104682a0b2";

    private final String fileName;

    TrainingFile(String fileName) {
        this.fileName = fileName;
    }

    public String fileName() {
        return fileName;
    }

    /** Returns the contents of the file. */
    public byte[] bytes() {
        try (InputStream in = TrainingFile.class.getResourceAsStream(fileName)) {
            if (in == null) {
                throw new IllegalStateException("missing resource: " + fileName);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
