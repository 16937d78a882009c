package dev.offsetd.server.admin;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.thymeleaf.context.IExpressionContext;
import org.thymeleaf.dialect.AbstractDialect;
import org.thymeleaf.dialect.IExpressionObjectDialect;
import org.thymeleaf.expression.IExpressionObjectFactory;

/** Makes {@code #format} and {@code #badge} available to templates. */
@Component
class FormatDialect extends AbstractDialect implements IExpressionObjectDialect {

    private static final Map<String, Object> OBJECTS =
            Map.of("format", new Format(), "badge", new Badge(Badge.Tone.QUIET, ""));

    FormatDialect() {
        super("offsetd");
    }

    @Override
    public IExpressionObjectFactory getExpressionObjectFactory() {
        return new IExpressionObjectFactory() {
            @Override
            public Set<String> getAllExpressionObjectNames() {
                return OBJECTS.keySet();
            }

            @Override
            public @Nullable Object buildObject(IExpressionContext context, String name) {
                return OBJECTS.get(name);
            }

            @Override
            public boolean isCacheable(String name) {
                return true;
            }
        };
    }
}
