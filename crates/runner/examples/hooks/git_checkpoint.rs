//! Keeps the project's files as they are before each turn, and offers them again when the session goes back to a turn.
//!
//! A checkpoint is a commit that `git stash create` makes of the tracked files, kept under
//! `refs/hookshell/SESSION/turn-N`: neither the branch nor the files are touched. Files that git does not track are not
//! in it. As a shell hook: `examples/lifecycle/hooks/git-checkpoint.sh`.

use std::time::Duration;

use hookshell_runner::Failure;
use hookshell_runner::inprocess::{EventKind, HookContext, HookRegistry, NotifyLevel, Response};

/// Adds the hooks.
pub(crate) fn register<H: Send + 'static>(hooks: &mut HookRegistry<H>) {
    hooks.on_turn_start(async |ctx| {
        let turn = ctx.turn_index().unwrap_or_default();
        save(ctx, &format!("turn-{turn}")).await;
        Response::none()
    });
    hooks.add(EventKind::SessionBranch, async |ctx| {
        let Some(turn) = ctx.target_turn_index() else { return Response::none() };
        let checkpoint = name(ctx, &format!("turn-{turn}"));
        if git(ctx, &["rev-parse", "--verify", "--quiet", &checkpoint]).await.is_err() {
            return Response::none();
        }
        // Where there is nobody the files stay as they are.
        if !ctx.confirm("Restore the files?", &format!("Put the files back to what they were before turn {turn}")).await
        {
            return Response::none();
        }
        save(ctx, "before-restore").await;
        match git(ctx, &["checkout", "--quiet", &checkpoint, "--", "."]).await {
            Ok(_) => Response::none().with_context(format!("The files are as they were before turn {turn}.")),
            Err(why) => {
                ctx.notify(&format!("the files were not restored: {why}"), NotifyLevel::Error);
                Response::none()
            }
        }
    });
}

async fn save<H: Send>(ctx: &mut HookContext<'_, H>, checkpoint: &str) {
    if git(ctx, &["rev-parse", "--git-dir"]).await.is_err() {
        return;
    }
    // Else a file that was only touched has `git stash create` fail. It says by its own exit code that files differ.
    let _differ = git(ctx, &["update-index", "-q", "--refresh"]).await;
    let commit = match git(ctx, &["stash", "create", "checkpoint of an agent's turn"]).await {
        // Nothing differs from the last commit.
        Ok(commit) if commit.is_empty() => git(ctx, &["rev-parse", "HEAD"]).await,
        other => other,
    };
    let saved = match commit {
        Ok(commit) => git(ctx, &["update-ref", &name(ctx, checkpoint), &commit]).await,
        Err(why) => Err(why),
    };
    if let Err(why) = saved {
        ctx.notify(&format!("no checkpoint was made: {why}"), NotifyLevel::Warning);
    }
}

/// The name that a checkpoint is kept under; what a name of git cannot hold is `_`.
fn name<H>(ctx: &HookContext<'_, H>, checkpoint: &str) -> String {
    let session: String =
        ctx.session_id().chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    format!("refs/hookshell/{}/{checkpoint}", if session.is_empty() { "none" } else { &session })
}

/// What git prints, or why it failed.
fn git<H>(
    ctx: &HookContext<'_, H>,
    args: &[&str],
) -> impl Future<Output = Result<String, String>> + Send + 'static + use<H> {
    let run = ctx.exec("git", args, Some(Duration::from_secs(20)));
    async move {
        let result = run.await.map_err(|failure: Failure| failure.to_string())?;
        match result.success() {
            true => Ok(result.stdout.trim().to_owned()),
            false => Err(result.stderr.trim().to_owned()),
        }
    }
}
