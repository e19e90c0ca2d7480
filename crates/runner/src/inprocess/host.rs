//! What a host's state may offer to hooks.

/// The host's state, as far as every host has the same. It is optional: hooks of any `H` get at everything through
/// [`HookContext::host`](super::HookContext::host); with this trait they have short ways to the conversation.
pub trait HostState {
    /// A message of the conversation.
    type Message;

    /// The session's identifier.
    fn session_id(&self) -> &str;

    /// The conversation, oldest first.
    fn messages(&self) -> &[Self::Message];

    /// The conversation, to be changed in place.
    fn messages_mut(&mut self) -> &mut Vec<Self::Message>;
}
