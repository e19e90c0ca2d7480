//! What does the requests.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::by_name::object_from_str;
use crate::call::Call;
use crate::place;
use crate::protocol::{ErrorCode, InitializeParams, InitializeResult, RpcError};
use crate::questions::Questions;
use crate::responder::Responder;

/// What does the requests.
pub trait Service: Send + Sync + 'static {
    /// Takes the client's defaults. It is called once, before all others.
    ///
    /// # Errors
    /// The parameters make no sense.
    fn initialize(&self, params: InitializeParams, client: Questions) -> Result<InitializeResult, RpcError>;

    /// Does a request, on a thread of its own, and answers it, then or later. It watches [`Responder::call`] for its cancel, and answers when all
    /// is gone that it has started.
    fn call(&self, method: &str, params: Option<&RawValue>, responder: Responder);

    /// The answer of a request is on its way: whatever is sent from now on comes after it.
    fn answered(&self, call: &Call) {
        let _ = call;
    }

    /// Ends every session. It is called once, when no request is done any more.
    fn end(&self);
}

/// Parameters of this type; none are as `{}`.
///
/// # Errors
/// They are of another one.
pub fn read_params<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, RpcError> {
    // What is absent is the same as `null`.
    let text = params.map_or("{}", RawValue::get);
    object_from_str(text).map_err(|error| RpcError::new(ErrorCode::InvalidParams, place::describe(text, &error)))
}

/// A result as JSON.
///
/// # Errors
/// It cannot be written: a bug.
pub fn to_result(result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(result).map_err(|error| RpcError::new(ErrorCode::Internal, format!("the result: {error}")))
}
