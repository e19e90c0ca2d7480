//! Redirections to `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT`, with servers in this process.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, UdpSocket};

use support::{Output, hookshell};

/// The port of a server that answers each line of one connection with `you said LINE`, and closes at `quit`.
fn echo_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        for line in lines.take_while(|line| line != "quit") {
            writeln!(stream, "you said {line}").unwrap();
        }
    });
    port
}

#[test]
fn a_script_talks_to_a_server() {
    let scripts = [
        "exec 3<>/dev/tcp/127.0.0.1/$1; echo one >&3; read -r x <&3; echo \"<$x>\"; printf 'two\\nquit\\n' >&3; cat <&3",
        "exec {fd}<>/dev/tcp/127.0.0.1/$1; echo one >&$fd; read -ru $fd x; echo \"<$x>\"
         /bin/echo two >&$fd; echo quit >&$fd; /bin/cat <&$fd; exec {fd}>&-",
    ];
    for script in scripts {
        let output = hookshell(["sh", "-c", script, "sh", &echo_server().to_string()]).output();
        let expected = "<you said one>\nyou said two\n".to_owned();
        assert_eq!(output, Output { code: Some(0), stdout: expected, stderr: String::new() }, "{script}");
    }
}

#[test]
fn a_datagram_is_what_one_command_writes() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port().to_string();
    let script = "echo first > /dev/udp/127.0.0.1/$1; printf 'a\\nb' > /dev/udp/127.0.0.1/$1";
    assert_eq!(hookshell(["sh", "-c", script, "sh", &port]).output().code, Some(0));
    let mut datagram = [0; 64];
    for expected in ["first\n", "a\nb"] {
        let length = socket.recv(&mut datagram).unwrap();
        assert_eq!(std::str::from_utf8(&datagram[..length]).unwrap(), expected);
    }
}

#[test]
fn a_server_that_is_not_there_refuses() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let script = "(echo > /dev/tcp/127.0.0.1/$1) 2>/dev/null || echo closed; : < /dev/tcp/127.0.0.1/$1; echo $?";
    let output = hookshell(["sh", "-c", script, "me", &gone.to_string()]).output();
    let refused = "Connection refused";
    let messages = format!("me: connect: {refused}\nme: line 1: /dev/tcp/127.0.0.1/{gone}: {refused}\n");
    assert_eq!(output, Output { code: Some(0), stdout: "closed\n1\n".into(), stderr: messages });
}
