package dev.offsetd.server.startup;

import dev.offsetd.extractor.input.HostileText;

/** Process id and command line, for messages. */
record ProcessDescription(long pid, String command) {

    @Override
    public String toString() {
        return "process " + pid + " " + HostileText.quote(command);
    }
}
