package dev.offsetd.server.admin.typesets;

import com.google.re2j.Pattern;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSyntaxException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import tools.jackson.databind.json.JsonMapper;

/** Creates and edits type sets. */
@Controller
class TypeSetFormController {

    private static final String PAGE = "admin/type-sets/form";

    /** A hyphen is not a valid name of a set, so these paths are free. */
    private static final String DRAFT = "/admin/type-sets/-";

    /** The limit of the API. */
    private static final int MAX_BYTES = 256 * 1024;

    private static final Pattern NAME = Pattern.compile(TypeSetParser.NAME);

    private static final String EXAMPLE = """
            {
              "title": "Purpose of the set",
              "items": [
                {"item": "task_struct.pid"},
                {"item": "task_struct.tgid", "need": "optional"},
                {"group": "state", "oneOf": [["task_struct.__state"], ["task_struct.state"]]}
              ]
            }
            """;

    private final TypeSets sets;
    private final JsonMapper json;

    TypeSetFormController(TypeSets sets, JsonMapper json) {
        this.sets = sets;
        this.json = json;
    }

    @GetMapping(DRAFT + "/new")
    String begin(Model model) {
        model.addAttribute("form", new TypeSetForm(true, "", "", EXAMPLE, null, null, false));
        return PAGE;
    }

    @GetMapping("/admin/type-sets/{name}/edit")
    String edit(@PathVariable String name, Model model) {
        TypeSets.CurrentSet known = TypeSetsPageController.require(sets, name);
        requireOwn(name);
        model.addAttribute(
                "form",
                new TypeSetForm(
                        false,
                        name,
                        known.document().etag(Representation.JSON),
                        TypeSetsPageController.indented(json, draft(known)),
                        null,
                        null,
                        false));
        return PAGE;
    }

    /** Returns the document without the members that the server sets. */
    private String draft(TypeSets.CurrentSet known) {
        return json.writeValueAsString(json.readTree(known.document().text())
                .asObject()
                .without("version")
                .without("name"));
    }

    private void requireOwn(String name) {
        if (sets.isBuiltIn(name)) {
            throw new ProblemException(Problem.of(
                    HttpStatus.CONFLICT,
                    "built_in_type_set",
                    "A built-in type set cannot be changed",
                    "@" + name + " is built in; expected another name"));
        }
    }

    /** Checks the document while the user types. */
    @PostMapping(DRAFT + "/check")
    String check(
            @RequestParam(name = "name", defaultValue = "") String name,
            @RequestParam(name = "document", defaultValue = "") String text,
            Model model) {
        String known = NAME.matcher(name).matches() ? name : "a";
        model.addAttribute("checked", problemOf(known, text));
        return "admin/type-sets/form :: checked";
    }

    @PostMapping(DRAFT + "/new")
    ModelAndView create(
            @RequestParam(name = "name", defaultValue = "") String name,
            @RequestParam(name = "document", defaultValue = "") String text,
            HttpServletRequest request,
            Model model,
            RedirectAttributes next) {
        String stripped = name.strip();
        String nameError = !NAME.matcher(stripped).matches()
                ? "expected a lower-case letter, then up to 63 lower-case letters, digits, hyphens and underscores"
                : sets.find(stripped).isPresent() ? "a set of this name exists" : null;
        TypeSetForm form = new TypeSetForm(true, stripped, "", text, null, null, false)
                .refused(nameError, problemOf(nameError == null ? stripped : "a", text));
        return put(form, Precondition.isNew(), request, model, next);
    }

    @PostMapping("/admin/type-sets/{name}/edit")
    ModelAndView change(
            @PathVariable String name,
            @RequestParam(name = "etag", defaultValue = "") String etag,
            @RequestParam(name = "document", defaultValue = "") String text,
            HttpServletRequest request,
            Model model,
            RedirectAttributes next) {
        TypeSetsPageController.require(sets, name);
        requireOwn(name);
        TypeSetForm form =
                new TypeSetForm(false, name, etag, text, null, null, false).refused(null, problemOf(name, text));
        return put(form, Precondition.unchangedSince(etag), request, model, next);
    }

    private ModelAndView put(
            TypeSetForm form,
            Precondition precondition,
            HttpServletRequest request,
            Model model,
            RedirectAttributes next) {
        if (form.wrong()) {
            model.addAttribute("form", form);
            return new ModelAndView(PAGE, HttpStatus.UNPROCESSABLE_CONTENT);
        }
        TypeSet set = TypeSetParser.parseNew(form.name(), bytes(form.text()));
        TypeSets.StoredSet stored;
        try {
            stored = sets.put(set, precondition, Caller.of(request), RequestIds.of(request));
        } catch (ProblemException e) {
            if (e.problem().status() != HttpStatus.PRECONDITION_FAILED) {
                throw e;
            }
            model.addAttribute("form", form.outdated());
            return new ModelAndView(PAGE, HttpStatus.PRECONDITION_FAILED);
        }
        next.addFlashAttribute(
                "notice",
                "Saved @" + form.name() + " as version "
                        + stored.document().set().version() + ". All servers use it within a second.");
        return new ModelAndView(SeeOther.to(request, "/admin/type-sets/" + form.name()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the error in a document with its line and column; null if it is valid. */
    private static @Nullable String problemOf(String name, String text) {
        byte[] bytes = bytes(text);
        if (bytes.length > MAX_BYTES) {
            return "the text has " + bytes.length + " bytes; expected at most " + MAX_BYTES;
        }
        try {
            TypeSetParser.parseNew(name, bytes);
            return null;
        } catch (TypeSetSyntaxException e) {
            String at = "line " + e.line() + ", column " + e.column();
            String message = String.valueOf(e.getMessage());
            return e.line() == 0 || message.startsWith(at) ? message : at + ": " + message;
        }
    }
}
