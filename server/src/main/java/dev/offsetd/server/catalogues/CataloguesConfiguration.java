package dev.offsetd.server.catalogues;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(CatalogueProperties.class)
class CataloguesConfiguration {}
