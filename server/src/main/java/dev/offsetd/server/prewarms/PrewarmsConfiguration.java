package dev.offsetd.server.prewarms;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(PrewarmProperties.class)
class PrewarmsConfiguration {}
