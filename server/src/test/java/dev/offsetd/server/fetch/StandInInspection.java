package dev.offsetd.server.fetch;

import dev.offsetd.extractor.extract.ElfFacts;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

final class StandInInspection {
    private StandInInspection() {}

    static ElfFacts inspect(Path file) throws IOException, MalformedInputException {
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < 64 || b.getInt(0) != 0x464c457f) {
            throw new MalformedInputException("elf header", 0, "no ELF magic");
        }
        long end = b.getLong(40) + (long) b.getShort(58) * b.getShort(60);
        if (end > bytes.length) {
            throw new MalformedInputException("elf header", 40, "section header table ends outside the file");
        }
        int table = (int) b.getLong(40);
        Optional<BuildId> id = Optional.empty();
        for (int i = 0; i < b.getShort(60); i++) {
            if (b.getInt(table + i * 64 + 4) == 7) {
                int at = (int) b.getLong(table + i * 64 + 24);
                byte[] d = new byte[b.getInt(at + 4)];
                b.get(at + 16, d);
                id = Optional.of(BuildId.of(d));
            }
        }
        return new ElfFacts(id, new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN), 3, false, bytes.length);
    }
}
