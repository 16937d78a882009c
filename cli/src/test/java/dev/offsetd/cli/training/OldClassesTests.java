package dev.offsetd.cli.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** On the library that needs it. */
class OldClassesTests {

    @TempDir
    Path folder;

    private Path jar;
    private Map<String, byte[]> before;

    @BeforeEach
    void copyOfTheLibrary() throws Exception {
        Path library = Path.of(CommandLine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        jar = Files.copy(library, folder.resolve("library.jar"), StandardCopyOption.REPLACE_EXISTING);
        before = entries();
    }

    @Test
    void classesGetTheVersionAndTablesThatCachesWant() throws Exception {
        assertThat(before.entrySet())
                .as("what makes this necessary; without any it can go")
                .anyMatch(entry ->
                        entry.getKey().endsWith(".class") && version(entry.getValue()) < ClassFile.JAVA_6_VERSION);

        OldClasses.renew(jar);

        Map<String, byte[]> after = entries();
        assertThat(after).containsOnlyKeys(before.keySet());
        after.forEach((name, content) -> {
            if (name.endsWith(".class")) {
                assertThat(version(content)).as(name).isGreaterThanOrEqualTo(ClassFile.JAVA_6_VERSION);
                assertThat(ClassFile.of().verify(content)).as(name).isEmpty();
            } else {
                assertThat(content).as(name).isEqualTo(before.get(name));
            }
        });
    }

    @Test
    void classesThatAreNewEnoughStayAsTheyAre() throws Exception {
        OldClasses.renew(jar);
        Map<String, byte[]> once = entries();

        OldClasses.renew(jar);

        entries().forEach((name, content) -> assertThat(content).as(name).isEqualTo(once.get(name)));
    }

    @Test
    void renewedLibraryWorks() throws Exception {
        OldClasses.renew(jar);

        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            Class<?> spec = loader.loadClass("picocli.CommandLine$Model$CommandSpec");
            Callable<Integer> command = () -> 7;
            Object made = spec.getMethod("wrapWithoutInspection", Object.class).invoke(null, command);
            Class<?> commandLine = loader.loadClass("picocli.CommandLine");
            Object parser = commandLine.getConstructor(Object.class).newInstance(made);

            assertThat(commandLine.getMethod("execute", String[].class).invoke(parser, (Object) new String[0]))
                    .isEqualTo(7);
            assertThat(commandLine.getMethod("getUsageMessage").invoke(parser))
                    .asString()
                    .startsWith("Usage: ");
        }
    }

    private static int version(byte[] classFile) {
        ClassModel model = ClassFile.of().parse(classFile);
        return model.majorVersion();
    }

    private Map<String, byte[]> entries() throws IOException {
        Map<String, byte[]> entries = new HashMap<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), in.readAllBytes());
            }
        }
        return entries;
    }
}
