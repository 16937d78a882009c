package dev.offsetd.server.admin.shell;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.support.RequestContextUtils;

/** What is different for requests that a page's script sends: they want a part of a page. */
public final class Htmx {

    /** Name of the attribute that the frame of a page shows as a notice. */
    private static final String NOTICE = "notice";

    private Htmx() {}

    /** Whether the script asks, and for a part: not for a whole page out of the browser's history. */
    public static boolean asked(HttpServletRequest request) {
        return request.getHeader("HX-Request") != null && request.getHeader("HX-History-Restore-Request") == null;
    }

    /** Ends a form that was taken: the browser goes to this path, which shows the notice. */
    public static ModelAndView done(
            HttpServletRequest request, HttpServletResponse response, String path, String notice) {
        RequestContextUtils.getOutputFlashMap(request).put(NOTICE, notice);
        if (!asked(request)) {
            return new ModelAndView(SeeOther.to(request, path));
        }
        // The script would follow a redirect by itself, and put a page into the middle of another.
        RequestContextUtils.saveOutputFlashMap(path, request, response);
        View goThere = (model, sameRequest, answer) -> {
            answer.setStatus(HttpStatus.NO_CONTENT.value());
            answer.setHeader("HX-Redirect", path);
        };
        return new ModelAndView(goThere);
    }
}
