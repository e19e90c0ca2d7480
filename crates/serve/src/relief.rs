//! Who reads on where the thread that reads is held up by a request.
//!
//! Who has read a request does it, and reads on after it: to wake another thread that reads meanwhile takes longer than a short hook. A thread that is woken by a
//! timer looks from time to time, as long as there are requests, whether one takes longer. Only Linux has a timer that a thread can wait for (timerfd);
//! elsewhere another thread reads on at once.

#[cfg(target_os = "linux")]
pub(crate) use self::timer::Relief;

/// Elsewhere there is none.
#[cfg(not(target_os = "linux"))]
pub(crate) struct Relief<T>(std::convert::Infallible, std::marker::PhantomData<fn(T) -> T>);

#[cfg(not(target_os = "linux"))]
impl<T: Send + 'static> Relief<T> {
    pub(crate) fn start(_: impl Fn(T) -> Option<T> + Send + 'static) -> Option<std::sync::Arc<Self>> {
        None
    }

    pub(crate) fn leave(&self, _: T) -> Option<T> {
        match self.0 {}
    }

    pub(crate) fn take_back(&self) -> Option<T> {
        match self.0 {}
    }

    pub(crate) fn close(&self) {
        match self.0 {}
    }
}

#[cfg(target_os = "linux")]
mod timer {
    use std::os::fd::OwnedFd;
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::Duration;

    use hookshell_process::sync::lock;
    use rustix::io::Errno;
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };

    /// How often the thread looks: what is still left at the second look is taken over. Longer than a short hook takes, and so short that no client notices.
    const LOOK: Duration = Duration::from_micros(500);

    /// What a thread leaves while it does something else, and a thread that takes it over where that takes long.
    pub(crate) struct Relief<T> {
        left: Mutex<Left<T>>,
        timer: OwnedFd,
    }

    struct Left<T> {
        what: Option<T>,
        /// How often something was left.
        count: u64,
        /// The thread will look.
        is_watched: bool,
        is_closed: bool,
    }

    impl<T: Send + 'static> Relief<T> {
        /// `take_over` gets what was left too long, and must not wait; what it gives back it gets again. `None`: the system gives no timer or no
        /// thread.
        pub(crate) fn start(take_over: impl Fn(T) -> Option<T> + Send + 'static) -> Option<Arc<Self>> {
            let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).ok()?;
            let left = Left { what: None, count: 0, is_watched: false, is_closed: false };
            let relief = Arc::new(Self { left: Mutex::new(left), timer });
            let waiting = Arc::clone(&relief);
            let builder = thread::Builder::new().name("hookshell-relief".to_owned()).stack_size(128 * 1024);
            builder.spawn(move || waiting.watch(take_over)).ok()?;
            Some(relief)
        }

        /// Leaves it. It comes back where nobody would look for it.
        pub(crate) fn leave(&self, what: T) -> Option<T> {
            let mut left = lock(&self.left);
            // To set the timer is an exit to the host of a virtual machine: only the first one does it, and then the thread itself.
            if left.is_closed || !left.is_watched && !self.look_after(LOOK) {
                return Some(what);
            }
            left.is_watched = true;
            left.count += 1;
            left.what = Some(what);
            None
        }

        /// Takes it back; `None`: it was taken over.
        pub(crate) fn take_back(&self) -> Option<T> {
            lock(&self.left).what.take()
        }

        /// Ends the thread.
        pub(crate) fn close(&self) {
            lock(&self.left).is_closed = true;
            self.look_after(Duration::from_nanos(1));
        }

        fn look_after(&self, after: Duration) -> bool {
            let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
            let Ok(after) = Timespec::try_from(after) else { return false };
            let once = Itimerspec { it_interval: zero, it_value: after };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once).is_ok()
        }

        fn watch(&self, take_over: impl Fn(T) -> Option<T>) {
            let mut seen = 0;
            loop {
                let mut ticks = [0; 8];
                let is_broken = !matches!(rustix::io::read(&self.timer, &mut ticks), Ok(_) | Err(Errno::INTR));
                let mut left = lock(&self.left);
                // Nothing is left any more where nobody would look.
                left.is_closed |= is_broken;
                let is_idle = left.count == seen;
                seen = left.count;
                let is_closed = left.is_closed;
                left.is_watched = !is_closed && !is_idle && self.look_after(LOOK);
                let what = if left.is_watched { None } else { left.what.take() };
                drop(left);
                let back = what.and_then(&take_over);
                if is_closed {
                    return;
                }
                if back.is_some() {
                    let mut left = lock(&self.left);
                    left.what = back;
                    left.is_watched = self.look_after(LOOK);
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::sync::mpsc::channel;

        use super::*;

        #[test]
        fn what_is_left_long_is_taken_over() {
            let (taken, over) = channel();
            let relief = Relief::start(move |what: u32| {
                taken.send(what).unwrap();
                None
            })
            .unwrap();
            assert!(relief.leave(1).is_none());
            assert_eq!(over.recv_timeout(Duration::from_secs(60)), Ok(1));
            assert_eq!(relief.take_back(), None);
            relief.close();
            // Its thread is gone, and what it would have called.
            assert!(over.recv_timeout(Duration::from_secs(60)).is_err());
            assert_eq!(relief.leave(2), Some(2));
        }

        #[test]
        fn what_nobody_takes_is_offered_again() {
            let (taken, over) = channel();
            let relief = Relief::start(move |what: u32| {
                taken.send(what).unwrap();
                (what < 5).then_some(what + 1)
            });
            let relief = relief.unwrap();
            assert!(relief.leave(1).is_none());
            for what in 1..=5 {
                assert_eq!(over.recv_timeout(Duration::from_secs(60)), Ok(what));
            }
            relief.close();
            assert!(over.recv_timeout(Duration::from_secs(60)).is_err());
        }

        #[test]
        fn what_is_taken_back_is_taken_over_by_nobody() {
            let (taken, over) = channel();
            let relief = Relief::start(move |what: u32| {
                taken.send(what).unwrap();
                None
            })
            .unwrap();
            let mut back = 0;
            for what in 0..1000 {
                assert!(relief.leave(what).is_none());
                back += u32::from(relief.take_back() == Some(what));
            }
            relief.close();
            assert_eq!(back + u32::try_from(over.iter().count()).unwrap(), 1000);
        }
    }
}
