package dev.offsetd.cli.training;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Renews the classes of a jar that were compiled for Java 5 or before. They come without the tables by which a JVM checks a
 * class at a glance (JVMS 4.7.4), so it checks them at length in each process, and keeps them and what mentions them out of
 * its cache. Renewed they have those tables, and the version from which a JVM looks for them; nothing else changes.
 */
public final class OldClasses {

    /** The oldest with those tables. If one should not fit, a JVM still checks a class of this version at length. */
    private static final int VERSION = ClassFile.JAVA_6_VERSION;

    private OldClasses() {}

    /** Renews these jars in their places; all classes that they mention have to be on the class path. */
    public static void main(String[] jars) throws IOException {
        for (String jar : jars) {
            renew(Path.of(jar));
        }
    }

    static void renew(Path jar) throws IOException {
        Path renewed = jar.resolveSibling(jar.getFileName() + ".new");
        try (ZipFile from = new ZipFile(jar.toFile());
                OutputStream file = Files.newOutputStream(renewed);
                ZipOutputStream to = new ZipOutputStream(file)) {
            for (Enumeration<? extends ZipEntry> entries = from.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                byte[] content;
                try (InputStream in = from.getInputStream(entry)) {
                    content = in.readAllBytes();
                }
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTime(entry.getTime());
                to.putNextEntry(copy);
                to.write(entry.getName().endsWith(".class") ? renewed(content) : content);
                to.closeEntry();
            }
        }
        Files.move(renewed, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The same class in the newer version; one that is not old stays as it is. */
    static byte[] renewed(byte[] classFile) {
        ClassFile context = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS);
        ClassModel model = context.parse(classFile);
        if (model.majorVersion() >= VERSION) {
            return classFile;
        }
        // Code that is handed on as a whole would be copied without a table.
        ClassTransform tables = ClassTransform.transformingMethodBodies((code, element) -> code.with(element));
        return context.transformClass(
                model,
                tables.andThen((type, element) ->
                        type.with(element instanceof ClassFileVersion ? ClassFileVersion.of(VERSION, 0) : element)));
    }
}
