package dev.offsetd.extractor.checklist;

import java.util.List;

/** The reliability checklist: what goes wrong with servers of this kind, and what this one promises instead. */
final class Risks {

    static final List<Risk> ALL = List.of(
            new Risk(
                    1,
                    "Hostile ELF and DWARF",
                    "A file that is broken on purpose or by accident crashes the reader, sends it into a loop, or takes"
                            + " its memory.",
                    "Every fixture cut at each 64th byte and changed at random, more than 10,000 files: an answer or one"
                            + " of three typed refusals, within 2 s of processor time and a bound on memory each. No"
                            + " file can make the server answer 500."),
            new Risk(
                    2,
                    "Cyclic and deep DWARF",
                    "Types that contain themselves, chains of thousands, counts of 2^63 and tables that overlap turn"
                            + " a small file into endless work.",
                    "Each is an answer or a typed refusal within 2 s of processor time; types are followed 256 deep"
                            + " and DIEs 1,024 deep by default."),
            new Risk(
                    3,
                    "Decompression bombs",
                    "A few kilobytes of HTTP body or of a compressed section become gigabytes on disk or in memory.",
                    "Sections and bodies stop at their limit, whatever size was announced: of a body of 64 MiB in"
                            + " 64 KiB under a cap of 1 MB, not more than the cap and one buffer is written. Of what is no body (headers, chunk sizes,"
                            + " trailers, a gzip header) 24 KiB are read in one piece, or 64 KiB of TLS records."),
            new Risk(
                    4,
                    "Requests to inner addresses",
                    "An upstream redirects to the metadata service of a cloud or to a neighbour behind the firewall,"
                            + " and the server fetches from there.",
                    "All of 20 forbidden addresses are refused, direct and by redirect, checked on the address that is"
                            + " connected; what the operator configured, exactly, is let through."),
            new Risk(
                    5,
                    "Paths out of build-ids",
                    "A build-id with dots and slashes in it names a file that it should not.",
                    "Build-ids are parsed to 8 to 64 bytes at the edge and only their own hex is used after that:"
                            + " 30 hostile ones are answered 400, and no file appears outside of the data folder."),
            new Risk(
                    6,
                    "Failures remembered as misses",
                    "An upstream that is overloaded for a second makes a build \"not found\" for minutes.",
                    "No negative row after 429, any 5xx, a timeout, a reset, a cut body or a wrong file; the answer is"
                            + " 502, 503 or 504 and never 404."),
            new Risk(
                    7,
                    "Truncated bodies",
                    "Half a file is taken for the whole one, and half of its types are missing.",
                    "Refused every time: short of Content-Length, short of the announced size, cut within a chunk or a"
                            + " gzip stream, and an ELF file whose tables lie behind its end."),
            new Risk(
                    8,
                    "Wrong files with status 200",
                    "A login page, an empty body or the debug file of another build is kept as if it were the one"
                            + " that was asked for.",
                    "Refused every time by the file's own build-id, counted for the upstream, the next upstream is"
                            + " asked, and nothing negative is kept."),
            new Risk(
                    9,
                    "Slow and silent upstreams",
                    "An upstream that accepts and says nothing holds every question up for minutes.",
                    "5 s until the headers are there, 30 s without a byte, 10 min in all, each configurable; a silent"
                            + " upstream costs a question that another can answer no more than the first of these."),
            new Risk(
                    10,
                    "Redirect loops",
                    "Two lines of a wrong configuration become thousands of requests.",
                    "3 redirects at most, so a loop costs 4 requests, and then the upstream counts as broken."),
            new Risk(
                    11,
                    "Herds on one server",
                    "A hundred hosts that start at once fetch the same file a hundred times, or wait for a failure one"
                            + " after the other.",
                    "100 callers at once: 1 request upstream; if it fails, all hear of it together, within 1 s."),
            new Risk(
                    12,
                    "Herds on several servers",
                    "Servers that do not know of each other do everything as often as there are servers.",
                    "3 servers on one database with 100 callers each: 1 request upstream."),
            new Risk(
                    13,
                    "Callers that give up",
                    "A caller that hangs up takes the work down for all others who wait for it.",
                    "99 of 100 callers go away: the fetch goes on and its result is stored."),
            new Risk(
                    14,
                    "Servers that die at work",
                    "A server that is killed leaves half-written rows, stray files, or a build that nobody works on.",
                    "After kill -9, or frozen, another server takes over within 20 s (lease 15 s, heartbeat each 4 s); no row is"
                            + " half-written; stray files go at the next start. Of a batch of 100 builds on two servers, one of which"
                            + " is killed after 20: all 100 are stored, none twice; the 4 that it had in hand are begun again."),
            new Risk(
                    15,
                    "Workers that wake up late",
                    "A server that was stopped for minutes writes its old result over the new one.",
                    "A write with an old fencing number changes 0 rows."),
            new Risk(
                    16,
                    "Full disks",
                    "With no space left the server fails as a whole, or serves what it could write of a file.",
                    "Known answers stay 200; new work is 503 with Retry-After, and so is every write where the database's"
                            + " disk is full, which /readyz calls degraded; all is well again without a restart once"
                            + " there is space; no partial file is used."),
            new Risk(
                    17,
                    "Database down",
                    "The database restarts, and every server is down with it, or restarts in a loop.",
                    "Answers in memory still go out; everything else is 503 with Retry-After within 2 s; live and ready"
                            + " (degraded); recovered 10 s after the database, without a restart."),
            new Risk(
                    18,
                    "Connections held by long work",
                    "Downloads that sit on database connections leave none for questions of a millisecond.",
                    "No connection is held while fetching or reading; with 8 extractions under way and a pool of 10,"
                            + " known answers go on as before."),
            new Risk(
                    19,
                    "Misses kept too long",
                    "A build that was uploaded or published after it was asked for stays \"not found\".",
                    "A miss is kept 10 min, 30 min, 1 h, then 24 h, by source and cause, 2 min at first where it may"
                            + " be made on demand; an upload, a retry or a prewarm forgets it on every server within"
                            + " 1 s."),
            new Risk(
                    20,
                    "One dead upstream",
                    "Every question waits for the same upstream that has been down for hours.",
                    "After 5 failures in a row an upstream is left alone for 60 s and then tried with one request; a"
                            + " 404 is no failure; others are asked, and a miss without it counts as incomplete and is"
                            + " kept for a short time."),
            new Risk(
                    21,
                    "Poisoned uploads",
                    "Whoever may upload replaces the answers of a build by wrong ones.",
                    "The file's own build-id must be the one in the path and its hash the one announced, else 422;"
                            + " an upload never replaces a verified file of an upstream, and what disagrees is shown as"
                            + " a conflict."),
            new Risk(
                    22,
                    "Missing access checks",
                    "A new route, or an old one in another spelling, is open to everybody.",
                    "Denied unless allowed; every route with every role, cold and cached, and with tricks in the path,"
                            + " against a table; each change leaves a row in the audit."),
            new Risk(
                    23,
                    "Floods",
                    "One caller's loop takes the server from everyone else.",
                    "429 with Retry-After by token and address; a flood of unknown builds ends in 503 when the queue"
                            + " is full, and known answers still go out."),
            new Risk(
                    24,
                    "Tables filled by callers",
                    "A million random build-ids are a million rows.",
                    "1,000,000 random build-ids keep every table under its cap."),
            new Risk(
                    25,
                    "Metrics filled by callers",
                    "Each path or name that a caller makes up becomes a time series, until the monitoring falls over.",
                    "No label holds a build-id, a path, or any text of a caller or an upstream: 10,000 hostile requests"
                            + " leave the number of series as it was."),
            new Risk(
                    26,
                    "Forged log lines and leaked paths",
                    "Line ends and control bytes of a caller or an upstream write their own log lines or headers;"
                            + " error bodies show paths of the server's disk.",
                    "None of those bytes reaches a log line or a header; headers of an upstream are cut off at 16 KiB;"
                            + " no answer holds a path of the disk, but for the folders that are configured as sources."),
            new Risk(
                    27,
                    "Federation loops",
                    "Two servers that ask each other for a file ask for ever.",
                    "A loop ends after 8 hops.",
                    "This server fetches debug files and hands none on: it has no /buildid route, so it cannot be"
                            + " anybody's upstream."),
            new Risk(
                    28,
                    "Answers for another machine",
                    "Offsets of one architecture are used on another.",
                    "A build has one architecture, read from its file, and every answer says it; a file for the same"
                            + " build-id that says otherwise is recorded as a conflict and never mixed in."),
            new Risk(
                    29,
                    "Incomplete layouts that look complete",
                    "A member that was not found is a 0, and a profiler reads at offset 0.",
                    "Whichever single DIE of a file is taken away or renamed: no answer is \"complete\" without every"
                            + " member that was asked for, and no offset is other than it was."),
            new Risk(
                    30,
                    "Supplementary files",
                    "A debug file whose types were moved by dwz to a second file is read without it.",
                    "The second file is fetched and verified like the first, or the build is refused and the file that"
                            + " it needs is named."),
            new Risk(
                    31,
                    "Upgrades of the extractor",
                    "A new version of the reader makes every known build unknown at once.",
                    "Every old answer still goes out, marked stale, and is renewed in the background, two at a time."),
            new Risk(
                    32,
                    "Memory",
                    "A debug file of a gigabyte takes a gigabyte of heap.",
                    "A file of 1 GB is fetched and read with -Xmx512m: written to disk as it comes, and mapped."),
            new Risk(
                    33,
                    "Whole files where parts would do",
                    "Gigabytes are fetched for a few tables.",
                    "The bytes that were fetched are recorded for each build and counted for each upstream. Fetching"
                            + " single sections is not built, so nothing of this row's rules for that is tested: a"
                            + " section alone cannot prove its build-id."),
            new Risk(
                    34,
                    "Shutdown",
                    "A server that is told to stop drops its callers and leaves its work locked.",
                    "After SIGTERM no new lease is taken, those who wait hear so, leases are given back, and the"
                            + " process ends with code 0 within 20 s."),
            new Risk(
                    35,
                    "Processes that live on broken",
                    "An OutOfMemoryError ends a thread that everything depends on, and the port stays open.",
                    "The process ends with exit code 3 and a log line when the heap, direct memory or threads run out, and"
                            + " when the thread that accepts or polls connections is dead. Its leases run out. A"
                            + " stack overflow ends one request."),
            new Risk(
                    36,
                    "Health checks that starve",
                    "Load delays the health check, and the supervisor kills a server that works.",
                    "With every virtual thread's carrier spinning and every pooled connection taken, /livez and /readyz"
                            + " answer and leases are renewed. With 8 MiB of the heap left they answer within 3 s."),
            new Risk(
                    37,
                    "Data folders that others can write to",
                    "Another account replaces a program in the data folder, and the server runs it.",
                    "The data folder is closed to other accounts at each start, or the start is refused with the command"
                            + " that helps; programs are compared with the archive before they run."),
            new Risk(
                    38,
                    "Embedded database that ends",
                    "PostgreSQL is killed, and the server stays without it until somebody restarts it.",
                    "PostgreSQL is restarted on its port within seconds; after five restarts in ten minutes the process ends with"
                            + " exit code 3. A request that loses its connection is 503."),
            new Risk(
                    39,
                    "Requests that cost more than they send",
                    "A few kilobytes of Accept header or of symbol patterns take seconds of processor time each.",
                    "Headers and parameters are read in linear time. An Accept header of more than 1 KiB or 32 entries is"
                            + " ignored, and a search pays for each character that it compares."),
            new Risk(
                    40,
                    "Requests that break the server",
                    "A control character, a number of a thousand digits or deep nesting ends in a 500 with a stack trace.",
                    "Control characters and invalid UTF-8 are refused with 400 in one place, before anything reads them."
                            + " 3,000 fuzzed requests over every operation of the contract and every page end without"
                            + " a 5xx that the contract does not have."));

    private Risks() {}
}
