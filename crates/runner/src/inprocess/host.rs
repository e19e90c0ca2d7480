//! What a host's state may offer to hooks.

/// The host's state, as far as every host has the same. It is optional: hooks of any `H` get at everything through
/// [`HookContext::host`](super::HookContext::host); with this trait they have short ways to the conversation.
pub trait Host {
    /// A message of the conversation.
    type Message;

    /// The session's identifier, for contexts that the host makes itself ([`HookContext::pre_tool_use`](super::HookContext::pre_tool_use)
    /// and its neighbours): unless the host has one, that of [`HookContext::with_session_id`](super::HookContext::with_session_id). A
    /// [`HookRunner`](super::HookRunner) does not ask for it: the session is that of the event, or the one of its builder.
    fn session_id(&self) -> &str {
        ""
    }

    /// The conversation, oldest first.
    fn messages(&self) -> &[Self::Message];

    /// The conversation, to be changed in place.
    fn messages_mut(&mut self) -> &mut Vec<Self::Message>;
}
