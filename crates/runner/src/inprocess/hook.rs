//! What a hook is.

use std::future::Future;

use super::{BoxFuture, HookContext, Response};

/// A hook of a host whose state is `H`. Async closures and functions are hooks by [`hook_fn`]; a type of its own is one
/// where it keeps state:
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use hookshell_runner::inprocess::{BoxFuture, Hook, HookContext, EventKind, HookMatcher, HookRegistry, Response};
///
/// /// Allows a number of calls in a session.
/// struct Budget(AtomicU32);
///
/// impl<H: ?Sized + Send> Hook<H> for Budget {
///     fn call<'a>(&'a self, _ctx: &'a mut HookContext<'_, H>) -> BoxFuture<'a, Response> {
///         Box::pin(async move {
///             match self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
///                 Ok(_) => Response::none(),
///                 Err(_) => Response::deny("No more calls in this session"),
///             }
///         })
///     }
/// }
///
/// let mut hooks = HookRegistry::<()>::new();
/// hooks.add_matcher(EventKind::PreToolUse, HookMatcher::new(Budget(AtomicU32::new(20))).named("budget"));
/// ```
pub trait Hook<H: ?Sized>: Send + Sync {
    /// Looks at an event. What it changes in the context is changed; a panic and a timeout are the hook's failure.
    fn call<'a>(&'a self, ctx: &'a mut HookContext<'_, H>) -> BoxFuture<'a, Response>;
}

/// A hook as a boxed function: for functions that are chosen at run time.
pub type HookFn<H> = Box<dyn for<'a, 'h> Fn(&'a mut HookContext<'h, H>) -> BoxFuture<'a, Response> + Send + Sync>;

impl<H: ?Sized> Hook<H> for HookFn<H> {
    fn call<'a>(&'a self, ctx: &'a mut HookContext<'_, H>) -> BoxFuture<'a, Response> {
        self(ctx)
    }
}

/// An async closure or function whose future is `Send`. It is implemented for all of them, and only names what
/// [`hook_fn`] needs: today's Rust cannot say it of `AsyncFnOnce` itself.
pub trait AsyncHookFn<Context>: FnOnce(Context) -> <Self as AsyncHookFn<Context>>::Future {
    /// What it gives.
    type Future: Future<Output = Response> + Send;
}

impl<Context, F, Fut> AsyncHookFn<Context> for F
where
    F: FnOnce(Context) -> Fut,
    Fut: Future<Output = Response> + Send,
{
    type Future = Fut;
}

/// A hook from an async closure or function. Each call is made on a clone of it, so that it may keep what it captured for
/// as long as its future runs.
///
/// It is written `async |ctx| …`. Rust cannot say what `|ctx| async move { … }` borrows, nor guess what `ctx` is where the closure
/// is not async ("type annotations needed", E0282): for those there are [`boxed_hook`] and [`sync_hook`].
///
/// ```
/// use std::sync::Arc;
///
/// use hookshell_runner::inprocess::{HookContext, HookMatcher, Response, hook_fn};
///
/// async fn announce(ctx: &mut HookContext<'_, Vec<String>>) -> Response {
///     ctx.host.push(format!("{} happens", ctx.event));
///     Response::none()
/// }
/// let words = Arc::new(vec!["prod".to_owned()]);
/// let guard = HookMatcher::with_pattern(
///     "^deploy$",
///     hook_fn(async move |ctx: &mut HookContext<'_, Vec<String>>| {
///         let input = ctx.tool_input.as_ref().map(ToString::to_string).unwrap_or_default();
///         if words.iter().any(|word| input.contains(word)) { Response::ask() } else { Response::none() }
///     }),
/// )?;
/// let log = HookMatcher::new(hook_fn(announce));
/// # Ok::<(), hookshell_runner::inprocess::BadPattern>(())
/// ```
pub fn hook_fn<H, F>(function: F) -> impl Hook<H> + 'static
where
    H: ?Sized + Send + 'static,
    F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
    F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
{
    Function(function)
}

/// A hook from a closure or function that waits for nothing.
///
/// ```
/// use hookshell_runner::inprocess::{EventKind, HookMatcher, HookRegistry, Response, sync_hook};
///
/// let mut hooks = HookRegistry::<Vec<String>>::new();
/// hooks.add_sync(EventKind::PreToolUse, |ctx| {
///     ctx.host.push(format!("{} happens", ctx.event));
///     Response::none()
/// });
/// let guard = HookMatcher::with_pattern("^deploy$", sync_hook(|_| Response::ask()))?;
/// hooks.add_matcher(EventKind::PreToolUse, guard);
/// # Ok::<(), hookshell_runner::inprocess::BadPattern>(())
/// ```
pub fn sync_hook<H, F>(function: F) -> impl Hook<H> + 'static
where
    H: ?Sized + Send + 'static,
    F: for<'a, 'h> Fn(&'a mut HookContext<'h, H>) -> Response + Send + Sync + 'static,
{
    Synchronous(function)
}

struct Synchronous<F>(F);

impl<H, F> Hook<H> for Synchronous<F>
where
    H: ?Sized + Send + 'static,
    F: for<'a, 'h> Fn(&'a mut HookContext<'h, H>) -> Response + Send + Sync,
{
    fn call<'a>(&'a self, ctx: &'a mut HookContext<'_, H>) -> BoxFuture<'a, Response> {
        // Not before it is polled: a panic and a timeout are found there.
        Box::pin(async move { (self.0)(ctx) })
    }
}

/// A hook from a closure that gives a boxed future.
///
/// ```
/// use hookshell_runner::inprocess::{EventKind, HookMatcher, HookRegistry, Response, boxed_hook};
///
/// let gate = boxed_hook(|ctx| {
///     Box::pin(async move {
///         if ctx.confirm("Deploy?", "today").await { Response::allow() } else { Response::deny("not today") }
///     })
/// });
/// let mut hooks = HookRegistry::<()>::new();
/// hooks.add_matcher(EventKind::PreToolUse, HookMatcher::new(gate));
/// ```
pub fn boxed_hook<H, F>(function: F) -> impl Hook<H> + 'static
where
    H: ?Sized + Send + 'static,
    F: for<'a, 'h> Fn(&'a mut HookContext<'h, H>) -> BoxFuture<'a, Response> + Send + Sync + 'static,
{
    Boxed(function)
}

struct Boxed<F>(F);

impl<H, F> Hook<H> for Boxed<F>
where
    H: ?Sized + Send + 'static,
    F: for<'a, 'h> Fn(&'a mut HookContext<'h, H>) -> BoxFuture<'a, Response> + Send + Sync,
{
    fn call<'a>(&'a self, ctx: &'a mut HookContext<'_, H>) -> BoxFuture<'a, Response> {
        (self.0)(ctx)
    }
}

struct Function<F>(F);

impl<H, F> Hook<H> for Function<F>
where
    H: ?Sized + Send + 'static,
    F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>> + Clone + Send + Sync,
{
    fn call<'a>(&'a self, ctx: &'a mut HookContext<'_, H>) -> BoxFuture<'a, Response> {
        Box::pin(self.0.clone()(ctx))
    }
}
