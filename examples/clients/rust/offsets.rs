// SPDX-License-Identifier: Apache-2.0
//! offsets URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]: prints the source of the values, then each value.
//!
//! Uses the standard library only, which has neither TLS nor gzip: connect to a server on this host, or to a proxy on it
//! that adds TLS. With crates, `ureq` and `serde_json` replace `exchange` and `value`.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};
use std::{env, fs, path::Path, process};

/// One value that the eBPF program needs.
struct Field {
    name: &'static str,
    item: &'static str,
    which: usize, // 0: offset, 1: size
    most: u64,    // maximum of the field in the eBPF program
}

const fn field(name: &'static str, item: &'static str, which: usize, most: u64) -> Field {
    Field { name, item, which, most }
}

const FIELDS: [Field; 5] = [
    field("ec_vm_stack", "rb_execution_context_struct.vm_stack", 0, u8::MAX as u64),
    field("ec_cfp", "rb_execution_context_struct.cfp", 0, u8::MAX as u64),
    field("cfp_size", "rb_control_frame_struct", 1, u8::MAX as u64),
    field("iseq_body", "rb_iseq_struct.body", 0, u8::MAX as u64),
    field("vm_objspace", "rb_vm_struct.gc.objspace|rb_vm_struct.objspace", 0, u16::MAX as u64),
];

/// Values of real builds in the order of the fields, for programs that the server does not answer for.
const TABLE: [(&str, [u64; 5]); 2] =
    [("ruby 3.4.5 x86_64", [0, 16, 56, 16, 1296]), ("ruby 3.1.2 x86_64", [0, 16, 64, 16, 1104])];

const MOST_BYTES: usize = 1 << 20;

/// The answer's value of a field, if it fits. A miss is an object, never a number; tuples of bit-fields have four numbers, and
/// this client needs whole bytes. The server writes JSON without spaces and escapes quotes in strings, so this text occurs as the
/// key only. In another notation nothing matches, and there is no value.
fn value(answer: &str, field: &Field) -> Option<u64> {
    let key = format!("\"{}\":[", field.item);
    let start = answer.find(&key)? + key.len();
    let place = &answer[start..start + answer[start..].find(']')?];
    let numbers: Vec<&str> = place.split(',').collect();
    if numbers.len() != 2 {
        return None;
    }
    numbers[field.which].parse().ok().filter(|&number| number <= field.most)
}

/// All values from one place, or none: from the answer, or without one from the table.
fn values(answer: &str, program: &str) -> Result<Vec<u64>, String> {
    if answer.is_empty() {
        let entry = TABLE.iter().find(|(name, _)| *name == program);
        return entry.map(|(_, numbers)| numbers.to_vec()).ok_or(format!("no answer, and no values of {program:?} in the table"));
    }
    let found = |field: &Field| value(answer, field).ok_or(format!("missing or unfit: {} ({})", field.name, field.item));
    FIELDS.iter().map(found).collect()
}

/// True if this is a complete answer for this build.
fn is_answer(body: &str, build_id: &str) -> bool {
    body.contains("\"schemaVersion\":1,") && body.contains(&format!("\"buildId\":\"{build_id}\"")) && body.ends_with('}')
}

/// Sends a request and reads the response: status, header fields, body. HTTP/1.0 has no chunked bodies.
fn exchange(host: &str, request: &str) -> io::Result<(u16, String, String)> {
    let end = Instant::now() + Duration::from_secs(3);
    let address = host.to_socket_addrs()?.next().ok_or(io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.write_all(request.as_bytes())?;
    let (mut received, mut part) = (Vec::new(), [0; 8192]);
    loop {
        let left = end.checked_duration_since(Instant::now()).ok_or(io::ErrorKind::TimedOut)?;
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let count = stream.read(&mut part)?;
        received.extend_from_slice(&part[..count]);
        if let Some(answer) = whole(&String::from_utf8_lossy(&received), count == 0) {
            return Ok(answer);
        }
        if count == 0 || received.len() > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// The parts of a response, or nothing if it is incomplete.
fn whole(received: &str, ended: bool) -> Option<(u16, String, String)> {
    let (head, body) = received.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let complete = match header(head, "Content-Length").parse::<usize>() {
        Ok(length) => body.len() == length,
        Err(_) => ended,
    };
    (status == 304 || complete).then(|| (status, head.to_string(), body.to_string()))
}

/// The value of a header field.
fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next().unwrap_or("")
}

/// Percent-encodes text for a query.
fn escape(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-,".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let (host, build_id, folder, program) = match arguments.as_slice() {
        [_, url, build_id, folder, program @ ..] if url.starts_with("http://") && [0, 3].contains(&program.len()) => {
            (&url["http://".len()..], build_id, folder, program.join(" "))
        }
        _ => {
            eprintln!("usage: offsets http://HOST:PORT BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]");
            process::exit(2);
        }
    };
    // One file holds the ETag (first line) and the answer, so they always match.
    let cache = Path::new(folder).join(build_id);
    let kept = fs::read_to_string(&cache).unwrap_or_default();
    let kept = kept.split_once('\n').filter(|(_, body)| is_answer(body, build_id));

    let items: Vec<&str> = FIELDS.iter().map(|field| field.item).collect();
    // &fallback=consensus accepts the values of similar builds, too: the answer then has "consensus", which says so.
    let mut request = format!(
        "GET /v1/offsets/{build_id}?view=flat&types={} HTTP/1.0\r\nHost: {host}\r\nPrefer: wait=1\r\nAccept-Encoding: identity\r\nConnection: close\r\n",
        escape(&items.join(","))
    );
    if let Some((etag, _)) = kept {
        request += &format!("If-None-Match: {etag}\r\n");
    }
    if let Ok(token) = env::var("OFFSETD_TOKEN") {
        request += &format!("Authorization: Bearer {token}\r\n");
    }
    let old = kept.map_or(("fallback", String::new()), |(_, body)| ("cache", body.to_string()));
    let (used, answer) = match exchange(host, &(request + "\r\n")) {
        Ok((200, head, body)) if is_answer(&body, build_id) => {
            let unfinished = format!("{}.{}", cache.display(), process::id());
            let written = fs::create_dir_all(folder)
                .and_then(|()| fs::write(&unfinished, format!("{}\n{body}", header(&head, "ETag"))))
                .and_then(|()| fs::rename(&unfinished, &cache));
            if let Err(error) = written {
                eprintln!("{}: {error}", cache.display());
            }
            ("server", body)
        }
        Ok((304, _, _)) => ("revalidated", old.1),
        Ok((status, head, _)) => {
            // 202: the build is being fetched; 404: no source has it. Use the cache, and try again later.
            eprintln!("status {status}, try again after seconds: {}", header(&head, "Retry-After"));
            old
        }
        Err(error) => {
            eprintln!("{host}: {error}");
            old
        }
    };

    match values(&answer, &program) {
        Ok(numbers) => {
            println!("{used}");
            for (field, number) in FIELDS.iter().zip(numbers) {
                println!("{} {number}", field.name);
            }
        }
        Err(message) => {
            eprintln!("{message}");
            process::exit(1);
        }
    }
}
