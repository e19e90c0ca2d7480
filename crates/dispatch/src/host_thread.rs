//! A command that its host runs on its own thread.

use std::sync::{Arc, Mutex};

use hookshell_process::Lookout;
use hookshell_process::sync::lock;
use hookshell_shell::{Pool, ShellStack};

type Job = Box<dyn FnOnce() + Send>;

/// What the host's thread is to run, when it comes to it.
#[derive(Default)]
pub(crate) struct HostThread {
    offer: Mutex<Offer>,
}

#[derive(Default)]
enum Offer {
    #[default]
    None,
    /// It runs the next command that is started.
    Free(Arc<Lookout>),
    /// A command is being made ready for it.
    Taken(Arc<Lookout>),
    Job(Job, Arc<Lookout>),
}

impl HostThread {
    /// The host's thread runs the next command, over which the lookout begins to watch where that is needed.
    pub(crate) fn offer(&self, lookout: Arc<Lookout>) {
        *lock(&self.offer) = Offer::Free(lookout);
    }

    /// Takes the offer up for a command, which is then [kept](Self::keep).
    pub(crate) fn take_up(&self) -> Option<Arc<Lookout>> {
        let mut offer = lock(&self.offer);
        match &*offer {
            Offer::Free(lookout) => {
                let lookout = lookout.clone();
                *offer = Offer::Taken(lookout.clone());
                Some(lookout)
            }
            _ => None,
        }
    }

    /// Keeps the command for the host's thread; gives it back where that is not to come any more.
    pub(crate) fn keep<J: FnOnce() + Send + 'static>(&self, job: J) -> Result<(), J> {
        let mut offer = lock(&self.offer);
        let Offer::Taken(lookout) = &*offer else { return Err(job) };
        *offer = Offer::Job(Box::new(job), lookout.clone());
        Ok(())
    }

    /// Runs on this thread what was kept; where there is no stack for it here, on one of the pool. The offer is over then.
    pub(crate) fn run(&self, pool: &Pool) {
        let offer = std::mem::take(&mut *lock(&self.offer));
        let Offer::Job(job, lookout) = offer else { return };
        match ShellStack::new() {
            Some(stack) => {
                stack.run(job);
                lookout.close();
            }
            None => {
                // Who waits for it then watches, too.
                lookout.close();
                // Dropped where there is no thread, it tells that it has died.
                let _ = pool.run_when_free(job);
            }
        }
    }
}
