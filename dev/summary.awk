# Lists the skipped and failed tests of Surefire's and Failsafe's XML reports, then counts all. Fails if a test failed, or
# if none ran.

function attribute(text, name,    start, value) {
    if (!match(text, "[ \t]" name "=\"[^\"]*\"")) return ""
    start = RSTART + length(name) + 3
    value = substr(text, start, RSTART + RLENGTH - 1 - start)
    gsub(/&#1[03];/, " ", value)
    gsub(/&lt;/, "<", value); gsub(/&gt;/, ">", value)
    gsub(/&quot;/, "\"", value); gsub(/&apos;/, "\047", value)
    gsub(/&amp;/, "\\&", value)
    return substr(value, 1, 300)
}

# The message of a skip, or else the first line of the exception that caused it.
function reason(text,    value, start) {
    value = attribute(text, "message")
    if (value == "" && (start = index(text, "<![CDATA["))) {
        value = substr(text, start + 9)
        sub(/]]>.*/, "", value)
        sub(/^[A-Za-z0-9_.$]*(Exception|Error): /, "", value)
    }
    return value == "" ? "no reason given" : value
}

FNR == 1 { cdata = 0; counted = 0 }
# The first line of a failure's stack that is in the test.
cdata && failed_in != "" && match($0, failed_in "\\.java:[0-9]+") {
    fails = fails " (" substr($0, RSTART, RLENGTH) ")"
    failed_in = ""
}
# Output of a test is not markup.
cdata { if (index($0, "]]>")) cdata = 0; next }
!counted && /<testsuite / { suite = 1 }
# The tag may span lines.
suite {
    head = head " " $0
    if (index($0, ">")) {
        failed += attribute(head, "failures") + attribute(head, "errors")
        skipped += attribute(head, "skipped")
        tests += attribute(head, "tests")
        suite = 0; counted = 1; head = ""
    }
    next
}
/^ *<testcase / { test = attribute($0, "classname") "." attribute($0, "name") }
/^ *<skipped/ { skips = skips "  skipped: " test ": " reason($0) "\n" }
/^ *<(failure|error)/ {
    fails = fails "\n  FAILED: " test ": " attribute($0, "message")
    failed_in = test
    sub(/\(.*/, "", failed_in); sub(/\.[^.]*$/, "", failed_in); sub(/.*\./, "", failed_in); sub(/\$.*/, "", failed_in)
}
{
    rest = $0
    while ((start = index(rest, "<![CDATA["))) {
        rest = substr(rest, start + 9)
        if (!(start = index(rest, "]]>"))) { cdata = 1; break }
        rest = substr(rest, start + 3)
    }
}
END {
    printf "%s%s", skips, fails == "" ? "" : substr(fails, 2) "\n"
    printf "%d passed, %d failed, %d skipped\n", tests - failed - skipped, failed, skipped
    exit (failed > 0 || tests == 0)
}
