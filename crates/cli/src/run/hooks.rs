//! What `hookshell run` runs hooks with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use hookshell_dispatch::Dispatcher;
use hookshell_process::sync::lock;
use hookshell_runner::{BackgroundHooks, Config, HookLog, HookReport, Runner, state_dir};

use crate::failure::{Failure, Sysexit};
use crate::otlp::Exporter;
use crate::sources;

/// What hooks of the background have told the model.
pub(super) type Woken = Arc<Mutex<Vec<String>>>;

/// The exit code with which they do.
const WAKES: u8 = 2;

/// What a hook of the background that has ended tells the model.
pub(crate) fn waking(hook: &HookReport) -> Option<String> {
    let is_waking = hook.wakes && hook.exit_code == Some(WAKES);
    let said = || hook.opinion.reason.iter().chain(&hook.opinion.context).next().cloned();
    is_waking.then(|| said().unwrap_or_else(|| hook.stderr.clone()))
}

/// What hooks are run with.
#[derive(Clone)]
pub(super) struct Setting {
    pub(super) root: PathBuf,
    pub(super) trust_project: bool,
    pub(super) log: Option<HookLog>,
    pub(super) exporter: Option<Exporter>,
    pub(super) dispatcher: Dispatcher,
    pub(super) woken: Woken,
    pub(super) background: BackgroundHooks,
    pub(super) env: Vec<(OsString, OsString)>,
}

/// A runner of these hooks, as the command line says.
pub(super) fn runner(config: Config, setting: Setting) -> Result<Runner, Failure> {
    let Setting { root, trust_project, log, exporter, dispatcher, woken, background, env } = setting;
    let builder = sources::runner(config, &root, trust_project).background(background).env(env);
    // The verdict says that hooks of the background were started, and that others continue there as they have said: how they came
    // out is logged when they have ended.
    let mut builder = builder.on_background(move |event, hook| {
        if let Some(log) = &log {
            drop(log.append_result(event, hook));
        }
        if let Some(exporter) = &exporter {
            exporter.export(event, std::slice::from_ref(hook), SystemTime::now() - hook.elapsed);
        }
        if let Some(said) = waking(hook) {
            lock(&woken).push(said);
        }
    });
    if let Some(state) = state_dir(|name| std::env::var_os(name)) {
        builder = builder.remember_sessions(state);
    }
    builder.dispatcher(dispatcher).build().map_err(|error| Failure::new(Sysexit::Software, "run", error))
}
