//! `explain`, `check` and `doctor`: what the commands of the same names print with `--json`.

use hookshell_serve::protocol::{CheckParams, DoctorParams, ErrorCode, ExplainParams, ExplainResult, RpcError};
use hookshell_serve::{read_params, to_result};
use serde_json::value::RawValue;

use super::service::{Hooks, error};
use crate::check::{self, CheckArgs};
use crate::explain::Explainer;
use crate::{doctor, sources};

/// Explains a command, or the hooks.
pub(super) fn explain(hooks: &Hooks, params: Option<&RawValue>) -> Result<Box<RawValue>, RpcError> {
    let params: ExplainParams = read_params(params)?;
    let settings = hooks.settings(&params.options)?;
    let explainer = Explainer {
        dispatcher: hooks.dispatcher(&settings)?,
        cwd: hooks.directory(&settings)?,
        env: settings.environment(&hooks.env),
    };
    let internal = |error: serde_json::Error| RpcError::new(ErrorCode::Internal, format!("the result: {error}"));
    let mut result = ExplainResult { explanation: None, hooks: None };
    match &params.command {
        Some(command) => result.explanation = Some(explainer.command_json(command).map_err(internal)?),
        None => {
            let root = settings.project.as_deref().unwrap_or(&explainer.cwd);
            let files = sources::files(&settings.sources, root);
            let (config, broken) = sources::load_what_is_right(&files, settings.sources.dialect, true)
                .map_err(|failure| error(&failure))?;
            if let Some(failure) = broken {
                return Err(error(&failure));
            }
            result.hooks = Some(explainer.hooks_json(&config).map_err(internal)?);
        }
    }
    to_result(&result)
}

/// Checks configs.
pub(super) fn check(hooks: &Hooks, params: Option<&RawValue>) -> Result<Box<RawValue>, RpcError> {
    let params: CheckParams = read_params(params)?;
    let settings = hooks.settings(&params.options)?;
    let args = CheckArgs {
        files: params.files.unwrap_or_else(|| settings.sources.config.clone()),
        config: Vec::new(),
        hook: settings.sources.hook.clone(),
        no_hooks: settings.sources.no_hooks,
        json: true,
        format: check::Format::Json,
        fail_on: check::FailOn::Warning,
        ignore: Vec::new(),
        target: None,
        dialect: settings.sources.dialect,
        portable: params.portable,
        cwd: None,
        dispatch: hooks.dispatch_args(&settings)?,
    };
    let cwd = hooks.directory(&settings)?;
    let targets = check::targets(&args, &cwd).map_err(|failure| error(&failure))?;
    let report = check::check(&args, &targets, cwd, settings.environment(&hooks.env).into(), |_| ());
    to_result(&report)
}

/// Looks at the machine.
pub(super) fn doctor(hooks: &Hooks, params: Option<&RawValue>) -> Result<Box<RawValue>, RpcError> {
    let params: DoctorParams = read_params(params)?;
    let settings = hooks.settings(&params.options)?;
    to_result(&doctor::examine(&settings.environment(&hooks.env), &hooks.directory(&settings)?))
}
