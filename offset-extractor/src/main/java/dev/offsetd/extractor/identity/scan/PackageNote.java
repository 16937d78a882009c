package dev.offsetd.extractor.identity.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.Distribution;
import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The note that a distribution's linker adds ("Package Metadata for Executable Files", systemd): a JSON object with
 * string members, such as
 * {@code {"type":"rpm","name":"bash","version":"5.2-1.fc40","osCpe":"cpe:/o:fedoraproject:fedora:40"}}.
 */
final class PackageNote {

    static final String OWNER = "FDO";
    static final int TYPE = 0xcafe1a7e;

    private static final String SOURCE = ".note.package";

    /** The format has a dozen members of a few words. */
    private static final int MAX_BYTES = 1 << 14;

    /** Common Platform Enumeration of an operating system: {@code cpe:/o:vendor:product:version}, or 2.3's with colons. */
    private static final Pattern CPE = Pattern.compile("cpe:(?:/|2\\.3:)o:[^:]*:([^:]+)(?::([^:*]*))?.*");

    /** A member whose value is a string. Quotes inside strings are escaped, and a string before a colon is a name. */
    private static final Pattern MEMBER = Pattern.compile("\"([A-Za-z]{1,32})\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    /** Longest value that counts. */
    private static final int MAX_CHARS = 1_000;

    private PackageNote() {}

    /** @param note the contents of the note; empty if there is none */
    static List<IdentityField> read(Section note) {
        byte[] bytes = note.bytes().asSlice(0, Math.min(note.size(), MAX_BYTES)).toArray(ValueLayout.JAVA_BYTE);
        Map<String, String> members = new HashMap<>();
        Matcher member = MEMBER.matcher(new String(bytes, StandardCharsets.UTF_8));
        while (member.find()) {
            if (member.group(2).length() <= MAX_CHARS) {
                members.putIfAbsent(
                        member.group(1), ESCAPED.matcher(member.group(2)).replaceAll("$1"));
            }
        }
        List<IdentityField> fields = new ArrayList<>();
        if (members.containsKey("name")) {
            fields.add(new IdentityField(Kind.PACKAGE, members.get("name"), SOURCE, false));
        }
        String os = distribution(members);
        if (!os.isEmpty()) {
            fields.add(new IdentityField(Kind.DISTRIBUTION, os, SOURCE, false));
        }
        if (members.containsKey("version")) {
            fields.addAll(FileNames.versionFields(members.get("version"), SOURCE));
        }
        return fields;
    }

    private static String distribution(Map<String, String> members) {
        Matcher cpe = CPE.matcher(members.getOrDefault("osCpe", ""));
        return cpe.matches()
                ? Distribution.named(cpe.group(1), cpe.group(2) == null ? "" : cpe.group(2))
                : Distribution.named(members.getOrDefault("os", ""), members.getOrDefault("osVersion", ""));
    }
}
