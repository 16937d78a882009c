package dev.offsetd.server.answers.offsets;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the answer cache.
 *
 * @param cache memory for answers, at most an eighth of the heap
 */
@ConfigurationProperties("offsetd.answers")
record AnswerProperties(@DefaultValue("128MB") DataSize cache) {

    AnswerProperties {
        cache = DataSize.ofBytes(Math.min(cache.toBytes(), Runtime.getRuntime().maxMemory() / 8));
    }
}
