package dev.offsetd.extractor.checklist;

import java.util.List;

/** The reliability checklist: failures of servers of this kind, and what this server guarantees. */
final class Risks {

    static final List<Risk> ALL = List.of(
            new Risk(
                    1,
                    "Hostile ELF and DWARF",
                    "A broken or malicious file crashes the reader, loops, or exhausts memory.",
                    "Every fixture, cut at each 64th byte and randomly changed (more than 10,000 files), yields "
                            + "an answer or one of three typed exceptions within 2 s of processor time and bounded "
                            + "memory. No file causes a 500."),
            new Risk(
                    2,
                    "Cyclic and deep DWARF",
                    "Types that contain themselves, long chains, counts of 2^63 and overlapping tables cause "
                            + "endless work.",
                    "Each yields an answer or a typed exception within 2 s of processor time. By default types "
                            + "are followed 256 deep and DIEs 1,024 deep. Exports and comparisons visit a type once, "
                            + "however often others hold it; answers list at most 100,000 members of one."),
            new Risk(
                    3,
                    "Decompression bombs",
                    "Kilobytes of an HTTP body or a section expand to gigabytes.",
                    "Sections and bodies stop at their limit, whatever size is announced: a body of 64 MiB in "
                            + "64 KiB under a cap of 1 MB writes at most the cap and one buffer. Framing (headers, chunk "
                            + "sizes, trailers, a gzip header) is limited to 24 KiB, or 64 KiB of TLS records."),
            new Risk(
                    4,
                    "Requests to internal addresses",
                    "An upstream redirects to a cloud metadata service or an internal host.",
                    "20 forbidden addresses are refused, direct and by redirect, checked on the connected "
                            + "address. Only exactly configured upstreams are exempt."),
            new Risk(
                    5,
                    "Paths in build-ids",
                    "A build-id with dots and slashes names a file.",
                    "Build-ids are parsed to 8 to 64 bytes and used as hex only: 30 hostile ones are answered "
                            + "400, and no file appears outside the data folder."),
            new Risk(
                    6,
                    "Failures stored as misses",
                    "An overloaded upstream makes a build \"not found\" for minutes.",
                    "429, any 5xx, a timeout, a reset, a cut body or a wrong file never creates a negative row. "
                            + "The answer is 502, 503 or 504, never 404."),
            new Risk(
                    7,
                    "Truncated bodies",
                    "Half a file passes for the whole one, and half of its types are missing.",
                    "Bodies short of Content-Length or of the announced size, bodies cut within a chunk or a "
                            + "gzip stream, and ELF files with tables beyond their end are refused."),
            new Risk(
                    8,
                    "Wrong files with status 200",
                    "A login page, an empty body or another build's file is kept.",
                    "They are refused by the build-id in the file and counted for the upstream. The next "
                            + "upstream is queried, and nothing negative is kept."),
            new Risk(
                    9,
                    "Slow and silent upstreams",
                    "An upstream that accepts and stays silent delays every request.",
                    "5 s until the headers, 30 s without a byte, 10 min in all, each configurable. A silent "
                            + "upstream delays a request that another can answer by at most the first."),
            new Risk(
                    10,
                    "Redirect loops",
                    "A configuration error becomes thousands of requests.",
                    "At most 3 redirects: a loop costs 4 requests and counts as a failure of the upstream."),
            new Risk(
                    11,
                    "Stampedes on one server",
                    "A hundred hosts that start together fetch a file a hundred times, or wait for a failure in "
                            + "turn.",
                    "100 concurrent callers cause 1 upstream request. If it fails, all get the failure within 1 "
                            + "s."),
            new Risk(
                    12,
                    "Stampedes on several servers",
                    "Uncoordinated servers repeat the work.",
                    "3 servers on one database with 100 callers each cause 1 upstream request."),
            new Risk(
                    13,
                    "Disconnecting clients",
                    "A client that disconnects cancels the work for all others.",
                    "When 99 of 100 clients disconnect, the fetch continues and its result is stored."),
            new Risk(
                    14,
                    "Dying servers",
                    "A killed server leaves half-written rows, stray files, or a build without a worker.",
                    "After kill -9 or a freeze another server takes over within 20 s (lease 15 s, heartbeat "
                            + "every 4 s). No row is half-written, and stray files are removed at the next start. In a "
                            + "batch of 100 builds on two servers, one of which is killed after 20, all 100 are stored, "
                            + "none twice; the 4 in progress are repeated."),
            new Risk(
                    15,
                    "Late workers",
                    "A paused server writes its old result over a newer one.",
                    "A write with an old fencing number changes 0 rows."),
            new Risk(
                    16,
                    "Full disks",
                    "Without space the server fails as a whole, or serves a partial file.",
                    "Cached answers stay 200. New work is 503 with Retry-After, and so is every write when the "
                            + "disk of the database is full, which /readyz reports as degraded. The server recovers "
                            + "without a restart and never uses a partial file."),
            new Risk(
                    17,
                    "Database outage",
                    "The database restarts and takes every server down.",
                    "Cached answers continue; everything else is 503 with Retry-After within 2 s. The server "
                            + "stays live and ready (degraded) and recovers within 10 s of the database, without a "
                            + "restart."),
            new Risk(
                    18,
                    "Connections held by long work",
                    "Downloads occupy all database connections.",
                    "No connection is held while fetching or reading: with 8 extractions in progress and a pool "
                            + "of 10, cached answers are not affected."),
            new Risk(
                    19,
                    "Misses kept too long",
                    "A build that was uploaded or published later stays \"not found\".",
                    "A miss is kept 10 min, 30 min, 1 h, then 24 h, depending on source and cause; 2 min at "
                            + "first where an upstream works on demand. An upload, retry or prewarm drops it on every "
                            + "server within 1 s."),
            new Risk(
                    20,
                    "Dead upstreams",
                    "Every request waits for an upstream that has been down for hours.",
                    "After 5 consecutive failures an upstream is skipped for 60 s and then tested with one "
                            + "request. A 404 is not a failure. Other upstreams are queried, and the miss counts as "
                            + "incomplete and expires soon."),
            new Risk(
                    21,
                    "Poisoned uploads",
                    "A publisher replaces the answers of a build by wrong ones.",
                    "The build-id and hash of the file must match the request, else 422. An upload never "
                            + "replaces a verified upstream file, and differences are reported as conflicts."),
            new Risk(
                    22,
                    "Missing access checks",
                    "A new route, or another spelling of one, is open to everyone.",
                    "Routes are denied unless listed. Every route is tested with every role, cold and cached, "
                            + "with path tricks. Each change leaves an audit row."),
            new Risk(
                    23,
                    "Floods",
                    "One client's loop starves all others.",
                    "429 with Retry-After per token and address. A flood of unknown builds ends in 503 when the "
                            + "queue is full, and cached answers continue."),
            new Risk(
                    24,
                    "Tables filled by clients",
                    "A million random build-ids become a million rows.",
                    "1,000,000 random build-ids keep every table under its limit."),
            new Risk(
                    25,
                    "Metrics filled by clients",
                    "Each invented path or name becomes a time series.",
                    "No label holds a build-id, a path, or text of a client or upstream: 10,000 hostile "
                            + "requests leave the number of series unchanged."),
            new Risk(
                    26,
                    "Forged log lines and leaked paths",
                    "Control bytes of a client or upstream write log lines or headers; error bodies show paths.",
                    "No such byte reaches a log line or a header. Upstream headers are limited to 16 KiB. No "
                            + "answer contains a path except the configured source folders."),
            new Risk(
                    27,
                    "Federation loops",
                    "Two servers query each other endlessly.",
                    "A server recognizes its own identifier in X-Forwarded-For and asks no upstream again: two "
                            + "servers that query each other ask once each. Loops of other servers end after 8 "
                            + "entries."),
            new Risk(
                    28,
                    "Answers for another machine",
                    "Offsets of one architecture are used on another.",
                    "A build has one architecture, read from its file and stated in every answer. A file of "
                            + "another architecture for the same build-id is a conflict and never mixed in."),
            new Risk(
                    29,
                    "Incomplete layouts that look complete",
                    "A missing member is answered as 0, and a profiler reads at offset 0.",
                    "Whichever single DIE is removed or renamed: an answer is complete only with every "
                            + "requested member, and no offset changes."),
            new Risk(
                    30,
                    "Supplementary files",
                    "A debug file is read without the file that dwz moved its types to.",
                    "The second file is fetched and verified like the first, or the build is refused and the "
                            + "missing file named."),
            new Risk(
                    31,
                    "Extractor upgrades",
                    "A new reader version makes every known build unknown.",
                    "Old answers continue, marked stale, and are renewed in the background, two at a time."),
            new Risk(
                    32,
                    "Memory",
                    "A debug file of a gigabyte takes a gigabyte of heap.",
                    "A file of 1 GB is fetched and read with -Xmx512m: streamed to disk and mapped."),
            new Risk(
                    33,
                    "Whole files where sections would do",
                    "Gigabytes are fetched for a few tables.",
                    "Fetched bytes are recorded per build and upstream. The server fetches only the needed "
                            + "sections of a large file where the upstream delivers ranges, verified by the "
                            + "build-id, and never served as the debug file."),
            new Risk(
                    34,
                    "Shutdown",
                    "A stopping server drops its clients and keeps its leases.",
                    "After SIGTERM the server takes no new lease, answers waiting clients, returns its leases, "
                            + "and exits with 0 within 20 s."),
            new Risk(
                    35,
                    "Broken processes that stay up",
                    "An OutOfMemoryError ends a vital thread while the port stays open.",
                    "The process exits with 3 and a log line when heap, direct memory or threads are exhausted, "
                            + "or an acceptor or poller thread is dead. Its leases expire. A stack overflow ends one "
                            + "request."),
            new Risk(
                    36,
                    "Starved health checks",
                    "Load delays the health check, and the supervisor kills a working server.",
                    "With every carrier thread and pooled connection busy, /livez and /readyz answer and leases "
                            + "are renewed; with 8 MiB of heap left, within 3 s. Work that computes has its own "
                            + "threads, so that stored builds answer meanwhile. Without a carrier for 10 s, /readyz "
                            + "is 503, and after a minute the process ends; a build that causes that repeatedly is "
                            + "unusable."),
            new Risk(
                    37,
                    "Writable data folders",
                    "Another account replaces a program in the data folder.",
                    "The folder is closed to other accounts at each start, or the start is refused with the "
                            + "remedy. Programs are compared with the archive before they run."),
            new Risk(
                    38,
                    "Death of the embedded database",
                    "PostgreSQL is killed, and the server stays without it.",
                    "PostgreSQL is restarted on its port within seconds. After five restarts in ten minutes the "
                            + "process exits with 3. A request that loses its connection is 503."),
            new Risk(
                    39,
                    "Requests with superlinear cost",
                    "Kilobytes of an Accept header or of symbol patterns take seconds.",
                    "Headers, parameters and items are parsed in linear time. An Accept header over 1 KiB or 32 "
                            + "entries is ignored, and a search pays per compared character. Each structure of "
                            + "files and requests is doubled three times: cost grows by at most 2.5 per doubling. "
                            + "The rate limit counts items and characters."),
            new Risk(
                    40,
                    "Requests that break the server",
                    "A control character, a huge number or deep nesting ends in a 500.",
                    "Control characters and invalid UTF-8 are 400, in one place, before anything reads them. "
                            + "3,000 fuzzed requests over the contract and all pages cause no 5xx outside the contract."),
            new Risk(
                    41,
                    "Object store faults",
                    "The store is down or slow, loses or changes an object, or a server dies while it writes one.",
                    "Cached answers continue; everything else is 503 with Retry-After, after at most 15 s, and only for "
                            + "what needs the store. Every object is verified, and a missing or damaged object is made "
                            + "again. A server that is killed between object and row loses no acknowledged write and "
                            + "leaves an unused object, which is deleted later."),
            new Risk(
                    42,
                    "Slow senders",
                    "A few connections that send a byte now and then hold all places for uploads, and a slow upstream "
                            + "those for downloads.",
                    "Each token and address has a share of the places for bodies, imports and exports. A sender that "
                            + "falls below 1 kB/s after 5 s is answered 408, and a slow download is a failure of its "
                            + "upstream."),
            new Risk(
                    43,
                    "Uploads that outvote sources",
                    "One upload makes the agreement of upstream builds ambiguous, or three of one token look like "
                            + "three witnesses.",
                    "A consensus rests on builds of one origin, the most trusted one that suffices, and uploads of one "
                            + "token count as one build. Answers state origins and tokens."),
            new Risk(
                    44,
                    "Tokens in logs",
                    "A token in an unusual place of a URL is written to the access log, a problem or a trace.",
                    "Text of a token's shape, in any escaping, is replaced in every log line, problem, span and metric "
                            + "label, whatever contains it."));

    private Risks() {}
}
