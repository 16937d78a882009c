package dev.offsetd.server.offsets;

import dev.offsetd.server.access.ReadingGate;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(AnswerProperties.class)
class OffsetsConfiguration {

    @Bean
    FilterRegistrationBean<KnownAnswersFilter> knownAnswers(Answers answers, ReadingGate gate) {
        FilterRegistrationBean<KnownAnswersFilter> registration =
                new FilterRegistrationBean<>(new KnownAnswersFilter(answers, gate));
        registration.addUrlPatterns(KnownAnswersFilter.PATTERN);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }
}
