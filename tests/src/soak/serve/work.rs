//! Random requests, and what their answers must be.

use std::sync::atomic::Ordering;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::Counts;
use super::client::{Client, Sent};
use super::place::Place;

/// The code of a request that was cancelled.
const CANCELLED: i64 = -32800;

/// Sends one request, or something that is none, and judges the answer. `is_killing`: children are killed, so that only an answer
/// is asked for.
pub(super) fn one(
    client: &Client,
    place: &Place,
    counts: &Counts,
    random: &mut Rng,
    is_killing: bool,
) -> Result<(), String> {
    counts.requests.fetch_add(1, Ordering::Relaxed);
    let judged = match random.u8(..100) {
        0..40 => event(client, place, counts, random),
        40..60 => command(client, counts, random),
        60..70 => much_output(client, counts, random),
        70..85 => cancelled(client, place, counts, random),
        85..90 => timeout(client, counts),
        90..95 => other_method(client, place, counts, random),
        _ => return wrong_message(client, counts, random),
    };
    match judged {
        Err(Wrong::Answer(why)) if !is_killing => Err(why),
        Err(Wrong::NoAnswer(why)) => Err(why),
        _ => Ok(()),
    }
}

/// What is wrong with a request.
enum Wrong {
    /// It was not answered.
    NoAnswer(String),
    /// It was answered otherwise than it must be.
    Answer(String),
}

/// Sends what continues until it is ended.
pub(super) fn ask_something_long(client: &Client, place: &Place, random: &mut Rng) {
    let params = match random.u8(..4) {
        0 => json!({"command": "sleep 1000 & sleep 1000 & wait"}),
        1 => json!({"command": "while :; do echo 0123456789; done", "window": 100_000}),
        2 => json!({"command": "/bin/sh -c 'trap : TERM; while :; do sleep 0.1; done'", "grace": 0.3}),
        _ => json!({"command": "cat /dev/zero | head -c 100000000 | wc -c; sleep 1000"}),
    };
    let _ = client.send("shell/exec", &params);
    let mut params = call("ls");
    params["options"] = place.project(random).options(random);
    let _ = client.send("hooks/run", &params);
}

fn call(command: &str) -> Value {
    json!({"event": "PreToolUse", "tool": "bash", "input": {"command": command}})
}

/// The answer of a request, and what it has written to standard output.
fn answer(client: &Client, sent: &Sent) -> Result<(Value, Vec<Value>, usize), Wrong> {
    let (mut output, mut bytes) = (Vec::new(), 0);
    loop {
        let message = sent.next().map_err(Wrong::NoAnswer)?;
        match message["method"].as_str() {
            None => return Ok((message, output, bytes)),
            Some("$/output") => {
                let text = &message["params"]["text"];
                let count = text.as_str().map_or_else(|| decoded(&message["params"]["base64"]), str::len);
                bytes += count;
                client.notify("shell/ack", &json!({"id": sent.id, "bytes": count}));
                if bytes < 1000 {
                    output.push(message);
                }
            }
            Some(_) => output.push(message),
        }
    }
}

/// How many bytes a base64 text stands for.
fn decoded(text: &Value) -> usize {
    let text = text.as_str().unwrap_or_default();
    text.len() / 4 * 3 - text.bytes().rev().take_while(|byte| *byte == b'=').count()
}

fn expect(what: bool, answer: &Value, why: &str) -> Result<(), Wrong> {
    if what { Ok(()) } else { Err(Wrong::Answer(format!("{why}: {answer}"))) }
}

fn event(client: &Client, place: &Place, counts: &Counts, random: &mut Rng) -> Result<(), Wrong> {
    counts.events.fetch_add(1, Ordering::Relaxed);
    let project = place.project(random);
    let is_denied = random.bool();
    let mut params = call(if is_denied { "rm x" } else { "ls" });
    params["options"] = project.options(random);
    params["progress"] = json!(random.bool());
    let before = counts.session_ends.before(&params["options"]["session"]);
    let (answer, told, _) = answer(client, &client.send("hooks/run", &params))?;
    if answer["error"]["code"] == CANCELLED {
        return expect(counts.session_ends.may_have_met(&before), &answer, "nobody has cancelled it");
    }
    let verdict = &answer["result"]["verdict"];
    match is_denied {
        true => expect(verdict["reason"] == *project.reason && verdict["decision"] == "deny", &answer, "no deny")?,
        false => {
            expect(answer["result"]["exit_code"] == 0 && verdict["decision"].is_null(), &answer, "not let through")?
        }
    }
    if params["progress"] == true {
        let states = |state: &str| told.iter().filter(|message| message["params"]["state"] == *state).count();
        expect(states("started") >= 2 && states("started") == states("ended"), &answer, "the hooks told of differ")?;
    }
    Ok(())
}

fn command(client: &Client, counts: &Counts, random: &mut Rng) -> Result<(), Wrong> {
    counts.commands.fetch_add(1, Ordering::Relaxed);
    let number = random.u16(..);
    let (params, expected, code) = match random.u8(..5) {
        0 => (json!({"command": format!("echo {number}; exit 3")}), format!("{number}\n"), 3),
        1 => (json!({"command": "jq -r .a", "stdin": format!("{{\"a\":\"é{number}\"}}")}), format!("é{number}\n"), 0),
        2 => (json!({"command": "/bin/cat; /bin/echo end", "stdin": format!("{number}")}), format!("{number}end\n"), 0),
        3 => (
            json!({"command": "seq 1 $N | tail -n 1 | sed 's/^/=/'", "options": {"env": {"N": format!("{}", number / 100)}}}),
            if number < 100 { String::new() } else { format!("={}\n", number / 100) },
            0,
        ),
        _ => (json!({"command": format!("echo {number} >&2"), "merge_stderr": true}), format!("{number}\n"), 0),
    };
    let (answer, output, bytes) = answer(client, &client.send("shell/exec", &params))?;
    let text: String = output.iter().filter_map(|message| message["params"]["text"].as_str()).collect();
    let is_right =
        answer["result"]["exit_code"] == code && text == expected && answer["result"]["stdout_bytes"] == bytes;
    expect(is_right, &answer, &format!("{params}: {text:?}"))
}

fn much_output(client: &Client, counts: &Counts, random: &mut Rng) -> Result<(), Wrong> {
    counts.commands.fetch_add(1, Ordering::Relaxed);
    let size = random.usize(..1_000_000);
    let source = if random.bool() { "/dev/zero" } else { "/dev/urandom" };
    let mut params = json!({"command": format!("head -c {size} {source}")});
    if random.bool() {
        params["window"] = json!(random.u32(1..200_000));
    }
    let (answer, _, bytes) = answer(client, &client.send("shell/exec", &params))?;
    let is_right = bytes == size && answer["result"]["stdout_bytes"] == size;
    expect(is_right, &answer, &format!("{bytes} of {size} bytes"))
}

fn cancelled(client: &Client, place: &Place, counts: &Counts, random: &mut Rng) -> Result<(), Wrong> {
    counts.cancelled.fetch_add(1, Ordering::Relaxed);
    // What a killed shell leaves behind lives on by itself, and holds its pipes: not longer than a rest may take.
    let sent = match random.u8(..4) {
        0 => {
            let mut params = call("ls");
            params["options"] = place.project(random).options(random);
            client.send("hooks/run", &params)
        }
        1 => client.send("shell/exec", &json!({"command": "sleep 3 & sleep 3; wait"})),
        2 => client.send("shell/exec", &json!({"command": "/bin/sh -c 'sleep 3 & wait'"})),
        _ => client.send("shell/exec", &json!({"command": "yes", "window": 5000})),
    };
    std::thread::sleep(Duration::from_millis(random.u64(..20)));
    for _ in 0..random.u8(1..4) {
        client.notify("$/cancel", &json!({"id": sent.id}));
    }
    let (answer, ..) = answer(client, &sent)?;
    let is_cancelled = answer["error"]["code"] == CANCELLED;
    expect(is_cancelled || answer["result"]["exit_code"].is_number(), &answer, "neither cancelled nor done")
}

fn timeout(client: &Client, counts: &Counts) -> Result<(), Wrong> {
    counts.commands.fetch_add(1, Ordering::Relaxed);
    let params = json!({"command": "sleep 3 & /bin/sleep 3", "timeout": 0.05, "grace": 0.2});
    let (answer, ..) = answer(client, &client.send("shell/exec", &params))?;
    expect(answer["result"]["end"] == "timed_out", &answer, "not timed out")
}

fn other_method(client: &Client, place: &Place, counts: &Counts, random: &mut Rng) -> Result<(), Wrong> {
    let options = place.project(random).options(random);
    let (method, params) = match random.u8(..4) {
        0 => ("explain", json!({"command": "jq . <a | sort", "options": options})),
        1 => ("check", json!({"options": options})),
        2 => ("explain", json!({"options": options})),
        _ => ("session/end", json!({"session": options["session"]})),
    };
    let ends = (method == "session/end").then(|| counts.session_ends.ask(&options["session"]));
    let (answer, ..) = answer(client, &client.send(method, &params))?;
    drop(ends);
    expect(answer.get("result").is_some(), &answer, method)
}

/// What is no request, or a wrong one: an error to it.
fn wrong_message(client: &Client, counts: &Counts, random: &mut Rng) -> Result<(), String> {
    counts.wrong_messages.fetch_add(1, Ordering::Relaxed);
    let before = client.unnamed();
    let long = "x".repeat(random.usize(..100_000));
    match random.u8(..5) {
        0 => client.line(format!("{{\"broken\":\"{long}\"").as_bytes()),
        1 => client.line(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"doctor\"}"),
        2 => client.line(&[0xff, b'{', 0, 0x80]),
        3 => client.line("[".repeat(10_000).as_bytes()),
        _ => {
            let sent = client.send("no/such", &json!([long]));
            return match sent.next()?["error"]["code"].as_i64() {
                Some(-32601) => Ok(()),
                code => Err(format!("an unknown method: {code:?}")),
            };
        }
    }
    // A request after it is answered after it.
    client.request("shell/exec", &json!({"command": "exit"})).map(drop).or_else(|why| {
        // Its child may have been killed.
        if why.contains("no answer") { Err(why) } else { Ok(()) }
    })?;
    if client.unnamed() > before { Ok(()) } else { Err("a wrong message was not answered".to_owned()) }
}
