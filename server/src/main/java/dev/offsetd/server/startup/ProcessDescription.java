package dev.offsetd.server.startup;

import dev.offsetd.extractor.input.HostileText;

/** A process, told to a person: its id and the command that started it. */
record ProcessDescription(long pid, String command) {

    @Override
    public String toString() {
        return "process " + pid + " " + HostileText.quote(command);
    }
}
