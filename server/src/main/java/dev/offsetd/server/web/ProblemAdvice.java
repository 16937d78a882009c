package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.NoHandlerFoundException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import org.springframework.web.util.DisconnectedClientHelper;

/** Renders exceptions that reach Spring as problems. */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

    private final ExceptionProblems problems;

    ProblemAdvice(ExceptionProblems problems) {
        this.problems = problems;
    }

    @ExceptionHandler(Exception.class)
    @Nullable
    ResponseEntity<Object> fault(Exception e, HttpServletRequest request) {
        if (DisconnectedClientHelper.isClientDisconnectedException(e)) {
            log.debug("client of {} disconnected", HostileText.quote(request.getRequestURI()), e);
            return null;
        }
        return ProblemBody.answer(
                problems.of(e, request.getMethod(), request.getRequestURI()), request.getRequestURI(), request);
    }

    /** Handles exceptions of Spring itself. */
    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception e, @Nullable Object body, HttpHeaders headers, HttpStatusCode code, WebRequest web) {
        HttpServletRequest request = ((ServletWebRequest) web).getRequest();
        HttpStatus status = HttpStatus.resolve(code.value());
        if (status == null || status.is5xxServerError()) {
            return fault(e, request);
        }
        Problem problem = e instanceof HttpMediaTypeNotAcceptableException accept
                ? notAcceptable(accept, request)
                : StatusProblems.of(status, detail(e, request));
        for (String name : headers.headerNames()) {
            problem = problem.withHeader(name, String.join(", ", headers.getOrEmpty(name)));
        }
        return ProblemBody.answer(problem, request.getRequestURI(), request);
    }

    private static Problem notAcceptable(HttpMediaTypeNotAcceptableException e, HttpServletRequest request) {
        List<String> available = e.getSupportedMediaTypes().isEmpty()
                ? List.of(MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE)
                : e.getSupportedMediaTypes().stream()
                        .map(type -> type.getType() + '/' + type.getSubtype())
                        .filter(type -> !type.equals(Problem.MEDIA_TYPE))
                        .distinct()
                        .toList();
        return StatusProblems.notAcceptable(
                String.join(", ", Collections.list(request.getHeaders(HttpHeaders.ACCEPT))), available);
    }

    private static @Nullable String detail(Exception e, HttpServletRequest request) {
        return switch (e) {
            case NoHandlerFoundException _, NoResourceFoundException _ ->
                "nothing is served at " + HostileText.quote(request.getRequestURI());
            case HttpRequestMethodNotSupportedException method ->
                "method " + HostileText.quote(method.getMethod()) + "; expected "
                        + (method.getSupportedHttpMethods() == null
                                ? "another"
                                : method.getSupportedHttpMethods().stream()
                                        .map(Object::toString)
                                        .sorted()
                                        .collect(Collectors.joining(", ")));
            case HttpMediaTypeNotSupportedException _ ->
                (request.getContentType() == null
                                ? "the body has no Content-Type"
                                : "Content-Type " + HostileText.quote(request.getContentType()))
                        + "; expected " + MediaType.APPLICATION_JSON_VALUE;
            case ErrorResponse response -> response.getBody().getDetail();
            default -> null;
        };
    }
}
