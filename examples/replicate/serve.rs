//! A server of commits: each connection on a thread of its own, with limits of time.
//!
//! A client that sends no request, sends it byte by byte, or does not read the answer costs one of
//! [`ServeOptions::connections`] for a while, and does not delay the remaining clients.

use std::io;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use thalweg::follow::{Ask, Feed, FollowError, Reader};

/// Interval at which the server looks for new work.
const PAUSE: Duration = Duration::from_millis(2);

/// Limits of the server.
#[derive(Debug, Clone, Copy)]
pub struct ServeOptions {
    /// Connections at a time: further ones are closed.
    pub connections: usize,
    /// Time that a client may take to send its request.
    pub ask: Duration,
    /// Time that it may take to read a frame: a feed that is not read keeps the commit that it
    /// sends, and so the writer's file from using that space again.
    pub frame: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        let (ask, frame) = (Duration::from_secs(5), Duration::from_secs(20));
        Self { connections: 64, ask, frame }
    }
}

/// State of the world's run, which ends connections and the server.
#[derive(Debug, Default)]
pub struct ServerState {
    /// True if no newer commit follows: connections end once they have sent the last one.
    pub is_last: AtomicBool,
    /// True if no more connections are taken.
    pub is_over: AtomicBool,
}

/// Result of a connection.
#[derive(Debug)]
pub struct Served {
    /// Frames that were sent.
    pub frames: u64,
    /// Bytes of the frames, sent and before lz4.
    pub bytes: (u64, u64),
    /// The last commit that was sent, whole or in part.
    pub generation: u64,
    /// Reason why the connection was given up; `None` if everything was sent.
    pub error: Option<FollowError>,
}

/// Stream with a deadline for all its reads or writes, even if each moves few bytes.
struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        { self.stream }.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        { self.stream }.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        { self.stream }.flush()
    }
}

/// Takes connections until its course is over, and returns once they have ended. `note` is called
/// with the outcome of each.
///
/// # Errors
///
/// Errors of the listener. An error of a connection ends only that connection.
pub fn serve(
    listener: &TcpListener,
    reader: &Reader,
    options: ServeOptions,
    course: &ServerState,
    note: &(dyn Fn(Served) + Sync),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let count = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        while !course.is_over.load(Ordering::Acquire) {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                // A connection that was closed before it was taken is no reason to stop.
                Err(_) => {
                    std::thread::sleep(PAUSE);
                    continue;
                }
            };
            if count.load(Ordering::Relaxed) >= options.connections {
                continue;
            }
            count.fetch_add(1, Ordering::Relaxed);
            let (reader, counted) = (reader.clone(), CountedConnection(&count));
            scope.spawn(move || {
                let _counted = counted;
                note(send(&stream, reader, options, course));
            });
        }
        Ok(())
    })
}

/// True if a client that has received every commit is gone. The client has nothing more to send:
/// any byte from it counts as the end, too.
fn has_hung_up(stream: &TcpStream) -> bool {
    let is_quiet = stream.set_nonblocking(true).is_ok()
        && matches!(stream.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
    !(is_quiet && stream.set_nonblocking(false).is_ok())
}

/// Counts a connection during its life, however it ends.
struct CountedConnection<'a>(&'a AtomicUsize);

impl Drop for CountedConnection<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sends the commits that a client requests, until all are sent or it takes too long.
fn send(stream: &TcpStream, reader: Reader, options: ServeOptions, course: &ServerState) -> Served {
    let generation = reader.generation();
    let timed = |span| Timed { stream, until: Instant::now() + span };
    let begun = stream.set_nonblocking(false).map_err(|source| {
        let doing = "take a connection";
        FollowError::Io { doing, source }
    });
    let ask = begun.and_then(|()| Ask::read_from(&mut timed(options.ask)));
    let mut feed = match ask {
        Ok(ask) => Feed::new(reader, &ask),
        Err(error) => return Served { frames: 0, bytes: (0, 0), generation, error: Some(error) },
    };
    let error = loop {
        let is_last = course.is_last.load(Ordering::Acquire);
        match feed.write_next(&mut timed(options.frame)) {
            Ok(true) => {}
            Ok(false) if is_last => break None,
            Ok(false) if has_hung_up(stream) => {
                let source = ErrorKind::ConnectionAborted.into();
                break Some(FollowError::Io { doing: "wait for a client", source });
            }
            Ok(false) => std::thread::sleep(PAUSE),
            Err(error) => break Some(error),
        }
    };
    let (frames, bytes) = (feed.frames(), feed.bytes());
    Served { frames, bytes, generation: feed.generation(), error }
}
