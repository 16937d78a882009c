package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.access.ApiAuthenticator;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

@Configuration(proxyBeanMethods = false)
class OffsetsConfiguration {

    @Bean
    FilterRegistrationBean<AnswerCacheFilter> knownAnswers(AnswerCache answers, ApiAuthenticator access) {
        FilterRegistrationBean<AnswerCacheFilter> registration =
                new FilterRegistrationBean<>(new AnswerCacheFilter(answers, access));
        registration.addUrlPatterns(AnswerCacheFilter.PATTERN);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
        return registration;
    }
}
