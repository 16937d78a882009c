package dev.offsetd.server.admin;

import java.time.Duration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.ResourceUrlEncodingFilter;
import org.springframework.web.servlet.resource.VersionResourceResolver;
import org.webjars.WebJarVersionLocator;

/**
 * Style sheets, scripts and images of the pages. Their paths contain a hash of the content, so browsers may cache them forever.
 */
@Configuration(proxyBeanMethods = false)
class AssetsConfiguration implements WebMvcConfigurer {

    private static final Duration MAX_AGE = Duration.ofDays(365);

    /** Before the controllers, one of which answers every other path below /admin. */
    private static final int BEFORE_CONTROLLERS = -1;

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.setOrder(BEFORE_CONTROLLERS);
        registry.addResourceHandler("/admin/assets/**")
                .addResourceLocations("classpath:/static/admin/", htmx())
                .setCacheControl(CacheControl.maxAge(MAX_AGE).cachePublic().immutable())
                .resourceChain(true)
                .addResolver(new VersionResourceResolver().addContentVersionStrategy("/**"));
    }

    /** Returns the folder of htmx in its jar, whose name contains the version. */
    private static String htmx() {
        String script = new WebJarVersionLocator().fullPath("htmx.org", "dist/htmx.min.js");
        if (script == null) {
            throw new IllegalStateException("htmx is not on the class path");
        }
        return "classpath:/" + script.substring(0, script.lastIndexOf('/') + 1);
    }

    /** Rewrites the paths in templates to those with a hash. */
    @Bean
    FilterRegistrationBean<ResourceUrlEncodingFilter> assetPaths() {
        FilterRegistrationBean<ResourceUrlEncodingFilter> filter =
                new FilterRegistrationBean<>(new ResourceUrlEncodingFilter());
        filter.addUrlPatterns("/admin", "/admin/*");
        return filter;
    }
}
