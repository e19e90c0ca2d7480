//! What this process has.

use std::fs;
use std::time::{Duration, Instant};

use crate::contract::ProcessState;

/// Longer than idle threads stay, and than a program that a hook has left behind lives.
const MAX_WAIT: Duration = Duration::from_secs(40);

/// How often it looks.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Resident memory in bytes, without what the C library keeps back of what was freed.
pub(super) fn resident() -> u64 {
    give_back();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(target_env = "gnu")]
#[allow(unsafe_code, reason = "the standard library has no call for it, and a host's process is what is measured")]
fn give_back() {
    // SAFETY: it takes no pointer, and other threads may allocate meanwhile.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(target_env = "gnu"))]
fn give_back() {}

/// Waits until there is nothing more than at the start, and says what is more after all.
pub(super) fn settle(start: &ProcessState) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let more = more_than(start);
        if more.is_empty() || begun.elapsed() > MAX_WAIT {
            return more;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn more_than(start: &ProcessState) -> Vec<String> {
    let now = ProcessState::now();
    let mut more = Vec::new();
    if now.threads > start.threads {
        more.push(format!("{} threads instead of {}: {}", now.threads, start.threads, threads().join(", ")));
    }
    let mut descriptors = now.descriptors.clone();
    descriptors.retain(|one| !start.descriptors.contains(one));
    more.extend(descriptors.iter().map(|descriptor| format!("descriptor {descriptor}")));
    for child in now.children.iter().filter(|child| !start.children.contains(child)) {
        more.push(format!("child {}", describe(child)));
    }
    more
}

/// The threads of this process in words: each one's name, state, and what it waits for in the kernel.
fn threads() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_task = |task: fs::DirEntry| {
        let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let status = read("status");
        let state = status.lines().find_map(|line| line.strip_prefix("State:")).unwrap_or("gone");
        // The number of the call and its arguments, or `running`.
        format!("{} ({}) {} {}", read("comm").trim(), state.trim(), read("wchan").trim(), read("syscall").trim())
    };
    tasks.map(of_task).collect()
}

/// A process in words: its number, its state and its command line.
pub(super) fn describe(id: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:")).unwrap_or("gone").trim();
    let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let cwd = fs::read_link(format!("/proc/{id}/cwd")).unwrap_or_default();
    format!("{id} ({state}) `{}` in {}", line.trim(), cwd.display())
}

/// Is memory flat? `samples` are taken at rest; the first third is the warm-up. Gives the change from the middle third
/// to the last, as a part of one.
pub(super) fn growth(samples: &[u64]) -> Option<f64> {
    let third = samples.len() / 3;
    if third < 2 {
        return None;
    }
    let (middle, last) = samples.get(third..)?.split_at_checked(third.max((samples.len() - third) / 2))?;
    Some(median(last)? / median(middle)? - 1.0)
}

fn median(samples: &[u64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).map(|&bytes| bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn growth_leaves_the_warm_up_out() {
        assert_eq!(growth(&[1, 2, 3, 4, 5]), None);
        assert_eq!(growth(&[10, 50, 100, 100, 100, 100, 105, 105, 105]).map(|g| (g * 100.0).round()), Some(5.0));
        assert_eq!(growth(&[500, 400, 100, 100, 50, 50]).map(|g| (g * 100.0).round()), Some(-50.0));
    }
}
