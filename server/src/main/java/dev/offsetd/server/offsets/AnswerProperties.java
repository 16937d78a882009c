package dev.offsetd.server.offsets;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How answers are kept.
 *
 * @param cache memory for answers
 * @param cacheTime longest time that an answer is given again without a look at the database
 */
@ConfigurationProperties("offsetd.answers")
record AnswerProperties(
        @DefaultValue("128MB") DataSize cache,
        @DefaultValue("5m") Duration cacheTime) {}
