//! What a line says.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::protocol::{ErrorCode, RequestId, RpcError};

/// A message of the client's.
#[derive(Debug)]
pub(crate) enum Message {
    /// To be answered.
    Request {
        /// By which it is answered.
        id: RequestId,
        /// What is asked.
        method: String,
        /// With what.
        params: Option<Box<RawValue>>,
    },
    /// Not to be answered.
    Notification {
        /// What it says.
        method: String,
        /// With what.
        params: Option<Box<RawValue>>,
    },
    /// The answer to a question of ours.
    Response {
        /// The question.
        id: RequestId,
        /// The result, or why there is none.
        answer: Result<Box<RawValue>, String>,
    },
    /// What is no message: the errors that it is answered with, each with the `id` where it can be read.
    Wrong(Vec<(Option<RequestId>, RpcError)>),
}

/// The most bytes that an `id` may have.
const MAX_ID: usize = 256;

/// How many requests of a batch are answered one by one.
const MAX_BATCH: usize = 1000;

#[derive(Deserialize)]
#[serde(expecting = "a JSON object")]
struct Envelope<'l> {
    jsonrpc: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'l RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'l RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'l RawValue>,
    #[serde(borrow)]
    error: Option<&'l RawValue>,
}

/// A member that is there, be it `null`.
fn present<'l, D: Deserializer<'l>>(deserializer: D) -> Result<Option<&'l RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads a line. `None`: it is blank.
pub(crate) fn parse(line: &[u8]) -> Option<Message> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    if line.first() == Some(&b'[') {
        return Some(batch(line));
    }
    Some(match serde_json::from_slice::<Envelope<'_>>(line) {
        Ok(envelope) => read(&envelope),
        Err(error) => {
            let is_json = serde_json::from_slice::<&RawValue>(line).is_ok() && std::str::from_utf8(line).is_ok();
            let code = if is_json { ErrorCode::InvalidRequest } else { ErrorCode::Parse };
            Message::Wrong(vec![(id_in(line), RpcError::new(code, format!("the message cannot be read: {error}")))])
        }
    })
}

fn read(envelope: &Envelope<'_>) -> Message {
    let id = envelope.id.map(|raw| read_id(raw.get()));
    let known = id.clone().and_then(Result::ok);
    let wrong = |why: String| Message::Wrong(vec![(known.clone(), RpcError::new(ErrorCode::InvalidRequest, why))]);
    if envelope.jsonrpc.as_deref() != Some("2.0") {
        return wrong("`jsonrpc` must be \"2.0\"".to_owned());
    }
    let params = envelope.params.map(ToOwned::to_owned);
    match (&envelope.method, id) {
        (_, Some(Err(why))) => wrong(why),
        (Some(method), Some(Ok(id))) => Message::Request { id, method: method.clone(), params },
        (Some(method), None) => Message::Notification { method: method.clone(), params },
        (None, Some(Ok(id))) => match (envelope.result, envelope.error) {
            (Some(result), None) => Message::Response { id, answer: Ok(result.to_owned()) },
            (None, Some(error)) => Message::Response { id, answer: Err(message_of(error)) },
            (None, None) => wrong("there is no `method`".to_owned()),
            (Some(_), Some(_)) => Message::Response { id, answer: Err("both a result and an error".to_owned()) },
        },
        (None, None) => wrong("there is no `method`".to_owned()),
    }
}

/// The message of an error that the client has answered with.
fn message_of(error: &RawValue) -> String {
    #[derive(Deserialize)]
    struct WithMessage {
        message: String,
    }
    serde_json::from_str(error.get()).map_or_else(|_| "an error".to_owned(), |error: WithMessage| error.message)
}

fn read_id(text: &str) -> Result<RequestId, String> {
    match serde_json::from_str(text) {
        Ok(RequestId::Text(id)) if id.len() > MAX_ID => Err(format!("the `id` is longer than {MAX_ID} bytes")),
        Ok(id) => Ok(id),
        Err(_) => Err("the `id` must be a whole number or a string".to_owned()),
    }
}

/// A batch: none of it is done.
fn batch(line: &[u8]) -> Message {
    const WHY: &str = "batches are not taken: send one message a line";
    let Ok(messages) = serde_json::from_slice::<Vec<&RawValue>>(line) else {
        return Message::Wrong(vec![(None, RpcError::new(ErrorCode::Parse, "the line is not JSON"))]);
    };
    let ids = messages.iter().filter_map(|message| id_in(message.get().as_bytes())).take(MAX_BATCH);
    let mut wrong: Vec<_> = ids.map(|id| (Some(id), RpcError::new(ErrorCode::InvalidRequest, WHY))).collect();
    if wrong.is_empty() {
        wrong.push((None, RpcError::new(ErrorCode::InvalidRequest, WHY)));
    }
    Message::Wrong(wrong)
}

/// The `id` of what may be broken or cut off: the first member of that name of the outermost object.
pub(crate) fn id_in(line: &[u8]) -> Option<RequestId> {
    let mut depth = 0_usize;
    let mut at = 0;
    let mut is_key = false;
    let mut found = false;
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => {
                let end = string_end(line, at)?;
                let text = line.get(at..end)?;
                if found {
                    return serde_json::from_slice(text).ok().and_then(|id: RequestId| valid(id));
                }
                if depth == 1 && is_key && text == b"\"id\"" {
                    found = true;
                }
                at = end;
                continue;
            }
            b'{' | b'[' => {
                if found || depth == 0 && *byte == b'[' {
                    return None;
                }
                depth += 1;
                is_key = depth == 1;
            }
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 1 => {
                if found {
                    return None;
                }
                is_key = true;
            }
            b':' if depth == 1 => is_key = false,
            b'-' | b'0'..=b'9' if found => {
                let digits = line.get(at..)?;
                let end =
                    digits.iter().position(|byte| !matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))?;
                return serde_json::from_slice(digits.get(..end)?).ok();
            }
            b't' | b'f' | b'n' if found => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

fn valid(id: RequestId) -> Option<RequestId> {
    match &id {
        RequestId::Text(text) if text.len() > MAX_ID => None,
        _ => Some(id),
    }
}

/// Where the string that begins at `start` ends, its quotes included.
fn string_end(line: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match line.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &[u8]) -> String {
        match parse(line) {
            None => "blank".to_owned(),
            Some(Message::Request { id, method, params }) => {
                format!("{id:?} {method} {:?}", params.map(|raw| raw.to_string()))
            }
            Some(Message::Notification { method, .. }) => format!("notification {method}"),
            Some(Message::Response { id, answer }) => format!("{id:?} = {:?}", answer.map(|raw| raw.to_string())),
            Some(Message::Wrong(wrong)) => {
                let wrong: Vec<_> = wrong.into_iter().map(|(id, error)| format!("{id:?} {}", error.code)).collect();
                wrong.join(", ")
            }
        }
    }

    #[test]
    fn a_line_is_a_message_or_is_answered_with_an_error() {
        let cases: [(&[u8], &str); 23] = [
            (b"", "blank"),
            (b" \r", "blank"),
            (br#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "Number(1) a None"),
            (
                br#"{"jsonrpc":"2.0","id":"x","method":"a","params":{"b":[1]},"more":0}"#,
                r#"Text("x") a Some("{\"b\":[1]}")"#,
            ),
            (br#"{"jsonrpc":"2.0","method":"a"}"#, "notification a"),
            (br#"{"jsonrpc":"2.0","id":"s1","result":null}"#, r#"Text("s1") = Ok("null")"#),
            (br#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "None -32600"),
            (br#"{"jsonrpc":"2.0","id":"s1","result":{}}"#, r#"Text("s1") = Ok("{}")"#),
            (br#"{"jsonrpc":"2.0","id":"s1","error":{"code":1,"message":"no"}}"#, r#"Text("s1") = Err("no")"#),
            (br#"{"id":1,"method":"a"}"#, "Some(Number(1)) -32600"),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, "None -32600"),
            (br#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, "None -32600"),
            (br#"{"jsonrpc":"2.0","id":1}"#, "Some(Number(1)) -32600"),
            (br#"{"jsonrpc":"2.0","id":1,"method":7}"#, "Some(Number(1)) -32600"),
            (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, "Some(Number(1)) -32600"),
            (br#"{"jsonrpc":"2.0","id":"q","method":"a""#, "Some(Text(\"q\")) -32700"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\xff\"}", "Some(Number(5)) -32700"),
            (b"nonsense", "None -32700"),
            (b"7", "None -32600"),
            (
                br#"[{"id":1,"method":"a"},{"id":"b"},{"method":"c"}]"#,
                "Some(Number(1)) -32600, Some(Text(\"b\")) -32600",
            ),
            (b"[]", "None -32600"),
            (b"[", "None -32700"),
            (br#"{"params":{"id":3},"x":"id","id":4,"#, "Some(Number(4)) -32700"),
        ];
        for (line, expected) in cases {
            assert_eq!(show(line), expected, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn an_id_is_found_in_what_is_cut_off() {
        assert_eq!(
            id_in(br#"{"jsonrpc":"2.0","id":12,"method":"hooks/run","params":{"prompt":"aaa"#),
            Some(RequestId::Number(12))
        );
        assert_eq!(id_in(br#"{"jsonrpc":"2.0","id":12"#), None);
        assert_eq!(id_in(br#"{"a":"\"id\":1","id":"x"}"#), Some(RequestId::Text("x".to_owned())));
        assert_eq!(id_in(br#"{"id":null,"id":2}"#), None);
    }
}
