//! An errand: work that runs on another thread while the one that wants it done listens.
//!
//! A fit may take minutes and knows nothing of signals. Whoever waits for it looks up twenty times a second and may
//! leave; the work then ends by itself, unheard. Threads are kept for the next errand, because one errand of many takes
//! a few microseconds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often the waiting one looks up.
pub const LOOK: Duration = Duration::from_millis(50);

type Delivery = Box<dyn FnOnce() + Send>;
type Job = Box<dyn FnOnce() -> Delivery + Send>;

/// The threads that have nothing to do. A forked process has none of its parent's.
struct Idle {
    process: u32,
    threads: Vec<Sender<Job>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle {
    process: 0,
    threads: Vec::new(),
});

/// What `work` gives, or the message of its panic; `listen` is asked every [`LOOK`] and ends the wait by an error.
pub fn run<T: Send + 'static, E>(
    work: impl FnOnce() -> T + Send + 'static,
    mut listen: impl FnMut() -> Result<(), E>,
) -> Result<Result<T, String>, E> {
    let (sender, receiver) = mpsc::sync_channel(1);
    send(Box::new(move || {
        let result = guarded(work);
        // Nobody receives what was given up.
        Box::new(move || drop(sender.send(result)))
    }));
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => listen()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(Err("the thread ended without a word".to_owned())),
        }
    }
}

/// What `work` gives, or the message of its panic.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("without a message")
            .to_owned()
    })
}

/// Hands a job to an idle thread, or to a new one.
fn send(mut job: Job) {
    let waiting = idle().threads.pop();
    if let Some(thread) = waiting {
        match thread.send(job) {
            Ok(()) => return,
            Err(returned) => job = returned.0,
        }
    }
    let (sender, receiver) = mpsc::channel::<Job>();
    let worker = move || {
        let mut next = Some(job);
        while let Some(job) = next {
            let deliver = job();
            idle().threads.push(sender.clone());
            deliver();
            next = receiver.recv().ok();
        }
    };
    // Where no thread can be had the job is dropped, and its errand says so.
    drop(thread::Builder::new().name("hilltop".to_owned()).spawn(worker));
}

fn idle() -> MutexGuard<'static, Idle> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if idle.process != process {
        idle.process = process;
        std::mem::forget(std::mem::take(&mut idle.threads));
    }
    idle
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_errand_gives_what_its_work_gives() {
        for number in 0..100 {
            assert_eq!(run(move || number * 2, || Ok::<_, Infallible>(())), Ok(Ok(number * 2)));
        }
    }

    #[test]
    fn a_panic_comes_back_as_its_message_and_the_next_errand_works() {
        assert_eq!(
            run(|| -> u8 { panic!("no {}", "pivot") }, || Ok::<_, Infallible>(())),
            Ok(Err("no pivot".into()))
        );
        assert_eq!(run(|| 1, || Ok::<_, Infallible>(())), Ok(Ok(1)));
    }

    #[test]
    fn whoever_waits_can_leave_before_the_work_is_done() {
        let start = Instant::now();
        let result = run(|| thread::sleep(Duration::from_secs(2)), || Err("enough"));
        assert_eq!(result, Err("enough"));
        assert!(start.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn errands_of_many_threads_do_not_wait_for_each_other() {
        let start = Instant::now();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| run(|| thread::sleep(Duration::from_millis(300)), || Ok::<_, Infallible>(())));
            }
        });
        assert!(start.elapsed() < Duration::from_millis(1500));
    }
}
