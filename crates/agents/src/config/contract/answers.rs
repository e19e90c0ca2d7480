//! What an agent makes of how its hooks end and of what they print.

use crate::agent::Agent;
use crate::config::exit::{Exit, ExitMeaning, SyntaxErrorMeaning};
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::verdict::HookReport;

/// What an agent makes of how its hooks end and of what they print. `dialect_event_name` is always the event's name in the agent's dialect.
pub trait AnswerRules: Agent {
    /// Is there something that a block by one of the agent's hooks stops?
    fn can_block(&self, event: EventKind) -> bool {
        event.can_block()
    }

    /// Is what the event is about blocked where a hook does not answer in time, whatever its config says of failures?
    fn denies_on_timeout(&self, _event: EventKind) -> bool {
        false
    }

    /// What an exit code means. `said`: is there anything on standard error?
    fn exit_meaning(&self, event: EventKind, status: u8, said: bool) -> ExitMeaning;

    /// Does the agent deny a call where a program that it runs as its hook exits with a code that it does not know?
    fn denies_unknown_codes(&self) -> bool {
        false
    }

    /// What a command means that is no valid shell code.
    fn syntax_error(&self, event: EventKind) -> SyntaxErrorMeaning {
        if self.can_block(event) { SyntaxErrorMeaning::Block } else { SyntaxErrorMeaning::Failure }
    }

    /// What a hook said that ended by itself, where the agent reads its exit code and both of its outputs together; in it
    /// `None` if nothing of that counts. Without a value [`AnswerRules::exit_meaning`] and [`AnswerRules::envelope`] say it.
    fn read_exit(&self, _exit: &Exit<'_>) -> Option<Result<Option<Envelope>, BadEnvelope>> {
        None
    }

    /// Reads what a hook printed, where its exit code says that it counts.
    fn envelope(&self, stdout: &[u8], event: EventKind, dialect_event_name: &str) -> Result<Envelope, BadEnvelope>;

    /// Takes out of an envelope what does not count on the event.
    fn keep_what_counts(&self, envelope: &mut Envelope, event: EventKind) {
        envelope.keep_what_is_of(event);
        if !self.can_block(event) {
            envelope.drop_decision();
        }
    }

    /// Is standard output read where the exit code is 0 and at no other, and that without a word?
    fn reads_at_zero_only(&self) -> bool {
        false
    }

    /// Is UTF-16 on standard output read as the text that it is?
    fn reads_utf16(&self) -> bool {
        true
    }

    /// Does the beginning of an answer that is too long deny, where a denial stands in it?
    fn reads_cut_answer(&self, _event: EventKind) -> bool {
        false
    }

    /// May a command say by its first line of output that it continues in the background?
    fn may_say_async(&self) -> bool {
        false
    }

    /// Does what a hook printed say that it continues in the background, and counts for nothing from there on?
    fn says_async(&self, _stdout: &[u8]) -> bool {
        false
    }

    /// What else of a hook's answer, which denies nothing and holds no denial, the agent ignores, and why.
    fn ignored(&self, _exit: &Exit<'_>, _report: &HookReport) -> Option<String> {
        None
    }

    /// Why an exit code that may be meant to block does not. `said`: is there anything on standard error?
    fn ignored_exit(&self, _event: EventKind, _status: u8, _said: bool) -> Option<&'static str> {
        None
    }

    /// Does reading an envelope tell of all in it that does not count?
    fn tells_what_is_lost(&self) -> bool {
        false
    }

    /// Is a stop after a tool told the model in the place of the tool's result?
    fn tells_stop_as_result(&self) -> bool {
        false
    }

    /// What is said of an answer that denies or halts and does not count. `said`: what it has of that; `why`: what is wrong with it, with
    /// a blank before it, or nothing. `is_exit`: the hook ended by itself.
    fn lost_answer(&self, _exit: &Exit<'_>, _is_exit: bool, said: &str, why: &str) -> String {
        format!("{} ignores this answer: {said}{why}", self.name())
    }

    /// Does this warning of a hook's say nothing more, where one says that the whole of its answer is lost?
    fn is_said_by_lost(&self, _warning: &str) -> bool {
        false
    }

    /// Of hooks that run one after the other: are those after this one not run any more?
    fn stops(&self, _event: EventKind, _result: &HookReport) -> bool {
        false
    }

    /// Settles what the results of this agent's hooks say together otherwise than one by one; they are in the order of the config.
    fn settle(&self, _event: &Event, _results: &mut [&mut HookReport]) {}

    /// Has its output a field whose text the user sees?
    fn tells_user(&self) -> bool {
        true
    }
}
