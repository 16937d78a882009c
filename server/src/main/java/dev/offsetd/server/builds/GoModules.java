package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.GoModule;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.IdentityField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Store of the modules that Go programs are built from. */
@Component
public class GoModules {

    /** Path of the standard library, whose version is that of Go. */
    public static final String STANDARD_LIBRARY = "std";

    private final JdbcClient jdbc;

    GoModules(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores the modules of an identity, unless it states none. Part of the caller's transaction. */
    void store(BuildId id, Identity identity) {
        Map<String, GoModule> modules = new LinkedHashMap<>();
        identity.first(IdentityField.Kind.GO_VERSION)
                .filter(version -> version.matches("[0-9]+[.][0-9]+([.][0-9]+)?"))
                .ifPresent(version -> modules.put(STANDARD_LIBRARY, new GoModule(STANDARD_LIBRARY, version, null)));
        identity.goModules().stream()
                .filter(module -> !module.path().equals(STANDARD_LIBRARY))
                .forEach(module -> modules.putIfAbsent(module.path(), module));
        if (modules.isEmpty()) {
            return;
        }
        jdbc.sql("delete from go_modules where build_id = :id")
                .param("id", id.toBytes())
                .update();
        List<GoModule> rows = List.copyOf(modules.values());
        jdbc.sql("""
                        insert into go_modules (build_id, path, version, replacement, replacement_version)
                        select :id, * from unnest(:paths::text[], :versions::text[], :replacements::text[],
                            :replacementVersions::text[])
                        """)
                .param("id", id.toBytes())
                .param("paths", rows.stream().map(GoModule::path).toArray(String[]::new))
                .param("versions", rows.stream().map(GoModule::version).toArray(String[]::new))
                .param(
                        "replacements",
                        rows.stream()
                                .map(GoModule::replacement)
                                .map(other -> other == null ? null : other.path())
                                .toArray(String[]::new))
                .param(
                        "replacementVersions",
                        rows.stream()
                                .map(GoModule::replacement)
                                .map(other -> other == null ? null : other.version())
                                .toArray(String[]::new))
                .update();
    }
}
