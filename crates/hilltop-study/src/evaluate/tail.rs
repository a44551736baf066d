//! The end of a stream: read to its end by a thread, of which only the last part is kept.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a stream said last.
pub(super) struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Tail {
    /// Starts to read a stream, of which the last `limit` bytes are kept.
    pub(super) fn of(stream: impl Read + Send + 'static, limit: usize) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (ending, ended) = channel();
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            follow(stream, &shared, limit);
            // Nobody listens when the evaluation was given up; there is nobody left to tell.
            let _ = ending.send(());
        });
        Self { kept, ended }
    }

    /// Whether the stream has ended by then.
    pub(super) fn ends_by(&self, deadline: Instant) -> bool {
        let wait = deadline
            .saturating_duration_since(Instant::now())
            .max(Duration::from_millis(1));
        !matches!(self.ended.recv_timeout(wait), Err(RecvTimeoutError::Timeout))
    }

    /// Whether anything has been read.
    pub(super) fn has_begun(&self) -> bool {
        !self.kept.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// What was kept, as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

fn follow(mut stream: impl Read, kept: &Mutex<Vec<u8>>, limit: usize) {
    let mut buffer = [0_u8; 8192];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => keep(
                &mut kept.lock().unwrap_or_else(PoisonError::into_inner),
                &buffer[..count],
                limit,
            ),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Cuts only when twice the limit is held, so that a long stream is copied once and not at every read.
fn keep(kept: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    kept.extend_from_slice(bytes);
    if kept.len() > 2 * limit {
        kept.drain(..kept.len() - limit);
    }
}

/// The last line that is not blank.
pub(super) fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_stream_is_kept_at_its_end_only() {
        let stream = std::io::Cursor::new([vec![b'a'; 1_000_000], b"\nend\n\n".to_vec()].concat());
        let tail = Tail::of(stream, 1000);
        assert!(tail.ends_by(Instant::now() + Duration::from_secs(10)));
        let text = tail.text();
        assert!(text.len() <= 2000);
        assert_eq!(last_line(&text), Some("end"));
    }
}
