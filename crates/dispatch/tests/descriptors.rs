//! What commands read and write becomes descriptors only where a program is started.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test so")]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookshell_dispatch::{Dispatcher, Input, ShellScripts};
use hookshell_shell::{ChildDescriptors, ExecError, ExecRequest, Executor, Started};
use support::{Directory, out};

/// Counts how often descriptors are made.
struct Counting {
    inner: Arc<dyn Executor>,
    made: Arc<AtomicUsize>,
}

impl Executor for Counting {
    fn start(&self, request: &ExecRequest<'_>) -> Result<Started, ExecError> {
        let make = || {
            self.made.fetch_add(1, Ordering::SeqCst);
            request.descriptors.make()
        };
        self.inner.start(&ExecRequest { descriptors: ChildDescriptors::new(&make), ..*request })
    }

    fn find(&self, name: &[u8], path: &[u8], cwd: &Path) -> Option<PathBuf> {
        self.inner.find(name, path, cwd)
    }
}

#[test]
fn only_a_program_has_descriptors_made_for_it() {
    let directory = Directory::new();
    directory.script("guard.sh", "#!/bin/bash\nread -r line; echo \"<$line>\"; cat; echo done\n");
    // The second script reads what the first has left.
    directory.script("two.sh", "#!/bin/sh\n./first.sh\n./first.sh\ngrep -c .\n");
    directory.script("first.sh", "#!/bin/sh\nhead -n 1 | tr a-z A-Z\n");
    directory.script("bare", "read -r line; echo \"$line\"\n");
    for (command, expected, made) in [
        ("./guard.sh", "<one>\ntwo\nthree\ndone\n", 0),
        ("bash guard.sh; echo $?", "<one>\ntwo\nthree\ndone\n0\n", 0),
        ("./two.sh", "ONE\nTWO\n1\n", 0),
        ("./bare; cat", "one\ntwo\nthree\n", 0),
        ("read -r line; x=$(./first.sh); echo \"$line $x\"", "one TWO\n", 0),
        ("./guard.sh | tail -n 1; nosuchcommand || echo $?", "done\n127\n", 0),
        ("HELPER='var X' X=hi tool", "hi", 1),
        ("read -r line; HELPER=cat tool", "two\nthree\n", 1),
    ] {
        let made_now = Arc::new(AtomicUsize::new(0));
        let counted = made_now.clone();
        let dispatcher = Dispatcher::builder()
            .shell_scripts(ShellScripts::InProcess)
            .layer(move |inner| Arc::new(Counting { inner, made: counted.clone() }))
            .build();
        let mut invocation = directory.isolated(command);
        invocation.stdin = Input::Bytes(b"one\ntwo\nthree\n".to_vec().into());
        let outcome = dispatcher.run(invocation);
        assert_eq!(out(&outcome), expected, "{command}: {outcome:?}");
        assert_eq!(made_now.load(Ordering::SeqCst), made, "{command}");
    }
}
