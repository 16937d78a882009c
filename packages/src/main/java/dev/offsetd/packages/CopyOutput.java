package dev.offsetd.packages;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file to which a download or a part of an archive is copied. Its failures are {@linkplain PackageUnpacker#isOfTheDisk of the disk}. */
public final class CopyOutput extends FilterOutputStream {

    public CopyOutput(Path file) throws IOException {
        super(Files.newOutputStream(file));
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value});
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            throw new CopyFailedException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            throw new CopyFailedException(e);
        }
    }
}
