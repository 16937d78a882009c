package dev.offsetd.cli.prewarm;

/** Priority of a batch on the server. */
enum Priority {
    LOW,
    NORMAL,
    HIGH
}
