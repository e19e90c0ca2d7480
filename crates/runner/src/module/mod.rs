//! Hooks that are Python modules: each stays loaded in a process of its own for a session.

mod process;
mod protocol;
mod requests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookshell_dispatch::Environment;
use hookshell_process::sync::lock;
use serde_json::value::RawValue;

use self::process::{Asked, Process, Start};
use crate::config::ModuleHook;
use crate::decision::Decision;
use crate::envelope::Envelope;
use crate::native_hook::{HostCall, HostDone, NativeHook, on_thread};
use crate::opinion::Opinion;
use crate::outcome::Failure;
use crate::ui::AnyHookUi;
use crate::work::Execute;

/// How often a module is started in a session: once, and once more after a crash.
const STARTS: u32 = 2;

/// What all modules of a runner have in common.
pub(crate) struct Modules {
    services: ModuleServices,
    /// By session and file.
    slots: Mutex<HashMap<(String, PathBuf), Arc<Slot>>>,
}

/// What modules may ask for.
#[derive(Clone)]
pub(crate) struct ModuleServices {
    pub(crate) executor: Arc<dyn Execute>,
    pub(crate) ui: Option<Arc<dyn AnyHookUi>>,
    pub(crate) grace: Duration,
    pub(crate) output_limit: usize,
}

/// One module of one session.
#[derive(Default)]
struct Slot(Mutex<Life>);

#[derive(Default)]
struct Life {
    process: Option<Arc<Process>>,
    starts: u32,
    /// Why it is not started any more.
    last_crash: String,
    /// The session is over.
    is_over: bool,
}

impl Modules {
    pub(crate) fn new(services: ModuleServices) -> Self {
        Self { services, slots: Mutex::default() }
    }

    /// What runs a module; its process gets this environment.
    pub(crate) fn hook(self: &Arc<Self>, hook: &ModuleHook, env: Environment) -> ModuleWork {
        ModuleWork { module: hook.module.clone(), env, modules: Arc::clone(self) }
    }

    /// Ends the modules of a session. Each has a moment to end by itself, on a thread of its own.
    pub(crate) fn end_session(&self, session: &str) {
        let mut ended = Vec::new();
        lock(&self.slots).retain(|(other, _), slot| {
            let is_over = other == session;
            if is_over {
                ended.push(Arc::clone(slot));
            }
            !is_over
        });
        if !ended.is_empty() {
            let end = move || ended.iter().for_each(|slot| slot.end());
            // Where no thread can be had, dropping the closure drops the processes, and that ends them.
            let _ = std::thread::Builder::new().name("hookshell-module-end".to_owned()).spawn(end);
        }
    }

    fn slot(&self, session: &str, file: PathBuf) -> Arc<Slot> {
        Arc::clone(lock(&self.slots).entry((session.to_owned(), file)).or_default())
    }
}

impl Drop for Modules {
    fn drop(&mut self) {
        // A thread that still waits for an event has its slot, too.
        for slot in lock(&self.slots).values() {
            slot.end();
        }
    }
}

impl Slot {
    fn end(&self) {
        let process = {
            let mut life = lock(&self.0);
            life.is_over = true;
            life.process.take()
        };
        if let Some(process) = process {
            process.end();
        }
    }

    /// The process, started where there is none.
    fn process(&self, start: Start<'_>, call: &HostCall) -> Result<Arc<Process>, Failure> {
        let mut life = lock(&self.0);
        if life.is_over {
            return Err(Failure::Cancelled);
        }
        if let Some(process) = &life.process {
            match process.crash() {
                None => return Ok(Arc::clone(process)),
                // It died between two events.
                Some(crash) => {
                    life.last_crash = crash;
                    life.process = None;
                }
            }
        }
        if life.starts >= STARTS {
            return Err(Failure::Module(format!("it is not started a third time; last {}", life.last_crash)));
        }
        // The other events of the module wait for the lock here: each is given up at its own timeout.
        let process = match Process::start(start, call) {
            Ok(process) => Arc::new(process),
            Err(failure) => {
                if let Failure::Module(message) = &failure {
                    life.starts += 1;
                    life.last_crash.clone_from(message);
                }
                return Err(failure);
            }
        };
        life.starts += 1;
        life.process = Some(Arc::clone(&process));
        Ok(process)
    }

    /// Forgets a process that has crashed.
    fn forget(&self, process: &Arc<Process>, crash: &str) {
        let mut life = lock(&self.0);
        if life.process.as_ref().is_some_and(|current| Arc::ptr_eq(current, process)) {
            life.process = None;
            life.last_crash = crash.to_owned();
        }
    }
}

/// Has a module see an event.
pub(crate) struct ModuleWork {
    module: PathBuf,
    env: Environment,
    modules: Arc<Modules>,
}

impl NativeHook for ModuleWork {
    fn start(&self, call: HostCall, done: HostDone) {
        let file = call.event.project_dir().join(&self.module);
        let slot = self.modules.slot(call.event.session_id(), file.clone());
        let (env, services) = (self.env.clone(), self.modules.services.clone());
        let route = format!("module {}", file.display());
        on_thread(call, done, route, move |call| {
            hookshell_process::block_sigpipe_on_this_thread();
            let start = Start { file: &file, env: &env, services: &services };
            let mut process = slot.process(start, call)?;
            let mut asked = process.ask(call);
            if let Asked::Crashed { message, has_begun: false } = &asked {
                // It had not seen the event yet: the one that is started after it does.
                slot.forget(&process, message);
                process = slot.process(start, call)?;
                asked = process.ask(call);
            }
            match asked {
                Asked::Answered(text, each) => strictest(opinion(&text, call), each.as_deref(), call),
                Asked::Failed(message, each) => strictest(Err(Failure::Module(message)), each.as_deref(), call),
                Asked::GivenUp => Err(Failure::TimedOut(call.timeout)),
                Asked::Crashed { message, .. } => {
                    slot.forget(&process, &message);
                    Err(Failure::Module(message))
                }
                Asked::Hung(message) => {
                    slot.forget(&process, &message);
                    Err(Failure::TimedOut(call.timeout))
                }
            }
        });
    }
}

fn opinion(result: &str, call: &HostCall) -> Result<Envelope, Failure> {
    if result == "null" {
        return Ok(Envelope::default());
    }
    Ok(Envelope::parse(result.as_bytes(), call.event.name())?)
}

/// What a module says, and what its handlers have said one by one: a deny, a halt or an ask of one of them is not lost to
/// what the handlers after it gave, or to their failure.
fn strictest(said: Result<Envelope, Failure>, each: Option<&str>, call: &HostCall) -> Result<Envelope, Failure> {
    let event = call.event.name();
    let each: Vec<&RawValue> = each.and_then(|each| serde_json::from_str(each).ok()).unwrap_or_default();
    let each = each.into_iter().filter_map(|given| Envelope::parse(given.get().as_bytes(), event).ok());
    let rank = |said: &Envelope| (said.opinion.halt, said.opinion.decision);
    let Some(strict) = each.filter(|given| rank(given) >= (false, Some(Decision::Ask))).max_by_key(rank) else {
        return said;
    };
    match said {
        Ok(said) if rank(&said) >= rank(&strict) => Ok(said),
        Ok(said) => {
            let warnings = vec!["the handlers do not agree: the strictest of them counts".to_owned()];
            let Opinion { decision, halt, reason, .. } = strict.opinion;
            Ok(Envelope { opinion: Opinion { decision, halt, reason, ..said.opinion }, warnings, ..said })
        }
        Err(failure) => {
            let warnings = vec![format!("a handler decided before another one failed: {failure}")];
            Ok(Envelope { warnings, ..strict.without_updates() })
        }
    }
}
