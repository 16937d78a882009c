package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A compiled debug file of {@code src/test/resources/fixtures}, with what other tools say about it. */
public record Fixture(Path folder) {

    /** All fixtures, in the order of their names. */
    public static Stream<Fixture> all() {
        URL source = Fixture.class.getResource("/fixtures/layout.c");
        if (source == null) {
            throw new IllegalStateException("the fixtures are not on the class path");
        }
        try (Stream<Path> folders = Files.list(Path.of(source.toURI()).resolveSibling("."))) {
            return folders
                    .filter(folder -> Files.exists(folder.resolve("expected.json")))
                    .sorted()
                    .map(Fixture::new)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The fixture of this name. */
    public static Fixture named(String name) {
        return all().filter(fixture -> fixture.toString().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no fixture is named " + name));
    }

    public Path debugFile() {
        return folder.resolve("layout.debug");
    }

    /** Every complete named struct, union and enumeration in it, in the order of the DIEs. */
    public List<ExpectedDefinition> expected() {
        return ExpectedDefinitions.read(folder.resolve("expected.json"));
    }

    public ByteOrder order() {
        return toString().endsWith("-eb") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    /** The machine as {@code uname -m} names it, but {@code i386} for all of its kind. */
    public String machine() {
        return toString().contains("-s390x-") ? "s390x" : toString().contains("-i386-") ? "i386" : "x86_64";
    }

    public int bits() {
        return machine().equals("i386") ? 32 : 64;
    }

    @Override
    public String toString() {
        return folder.getFileName().toString();
    }
}
