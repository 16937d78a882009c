package dev.offsetd.server.startup;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.Resource;

/** Text for the place where a setting is set: a file with its line, the environment, or the command line. */
final class Places {

    private Places() {}

    /** Returns the place of a setting in parentheses, after a space; empty if it is unknown. */
    static String of(@Nullable ConfigurationProperty property) {
        String place = property == null ? "" : name(property.getOrigin());
        return place.isEmpty() ? "" : " (" + place + ")";
    }

    private static String name(@Nullable Origin origin) {
        if (origin instanceof TextResourceOrigin text) {
            Resource resource = text.getResource();
            TextResourceOrigin.Location location = text.getLocation();
            return resource == null || location == null
                    ? ""
                    : resource.getFilename() + ", line " + (location.getLine() + 1);
        }
        if (origin instanceof SystemEnvironmentOrigin variable) {
            return "environment variable " + variable.getProperty();
        }
        if (origin instanceof PropertySourceOrigin source) {
            Origin own = source.getOrigin();
            return own == null || own.equals(source)
                    ? nameOfSource(source.getPropertySource().getName())
                    : name(own);
        }
        return "";
    }

    private static String nameOfSource(String source) {
        return switch (source) {
            case CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME -> "command line";
            case StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME -> "option -D of the JVM";
            default -> source;
        };
    }
}
