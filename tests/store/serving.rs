//! The server of `examples/replicate`, and clients that do it harm.
//!
//! Goal: a client that says nothing, that sends its request byte by byte, that reads nothing or
//!       that sends noise holds up nobody, and is given up in time; so is what comes beside too
//!       many.
//! Method: that server over loopback, with limits of time that a test can wait for; a mirror that
//!         follows a writer meanwhile.

#[path = "../../examples/replicate/serve.rs"]
mod serve;

use crate::follow::{check_equal, memory, mirror_of};
use crate::script::{Content, Script};
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::follow::{Applied, Follow};
use thalweg_engine::store::{EXTENT_MAX, Key, Layer, Store};
use thalweg_engine::units::hash::scramble;

const SCRIPT: Script =
    Script { seed: 4, commits: 12, changes: 9, keys: 60, bytes: 900, keeps: false };

/// A world of some mebibytes that lz4 makes no smaller: more than buffers of sockets hold.
fn large() -> Store {
    let mut store = memory();
    for x in 0..24 {
        let words = (0..EXTENT_MAX as u64 / 8).map(|i| scramble(u64::from(x) << 32 | i));
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        let key = Key::of_tile(Layer::of(200), TileKey { level: 0, x, y: 0 });
        store.put(key, &bytes).expect("memory");
    }
    store.commit().expect("memory");
    store
}

/// The bytes of a question for all.
fn question() -> Vec<u8> {
    let mut bytes = Vec::new();
    mirror_of(&Follow::default()).ask().write_to(&mut bytes).expect("memory");
    bytes
}

fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).expect("a server")
}

/// Waits until the server has closed a connection, and reads what it sent.
fn closed(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a stream");
    // A connection that is reset is closed, too.
    let read = stream.read_to_end(&mut bytes);
    let is_late = read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!is_late, "it is still open");
    bytes
}

#[test]
fn idle_and_slow_connections_hold_up_nobody() {
    let mut store = large();
    let reader = store.reader();
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let (course, served) = (serve::ServerState::default(), Mutex::new(Vec::new()));
    let (ask, frame) = (Duration::from_secs(2), Duration::from_secs(5));
    let options = serve::ServeOptions { connections: 5, ask, frame };
    let note = |end: serve::Served| served.lock().expect("no panic").push(end);
    let whole = Follow::default();
    let mirror = std::thread::scope(|scope| {
        let _over = Over(&course);
        let server = scope.spawn(|| serve::serve(&listener, &reader, options, &course, &note));
        let begun = Instant::now();
        let (silent, mut noisy) = (connect(address), connect(address));
        noisy.write_all(&[0x89; 200]).expect("a server");
        // The client requests all, and reads nothing.
        let mut deaf = connect(address);
        deaf.write_all(&question()).expect("a server");
        let slow = scope.spawn(move || {
            let mut stream = connect(address);
            for byte in question() {
                // It is given up before the last byte.
                if stream.write_all(&[byte]).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            begun.elapsed()
        });
        let mut mirror = mirror_of(&whole);
        let mut stream = connect(address);
        mirror.ask().write_to(&mut stream).expect("a server");
        let mut stream = BufReader::new(stream);
        let mut content = Content::new();
        for commit in 0..SCRIPT.commits {
            SCRIPT.run(commit, &mut store, &mut content).expect("memory");
            while mirror.generation() < store.generation() {
                assert_ne!(mirror.read_next(&mut stream).expect("frames"), Applied::End);
            }
        }
        course.is_last.store(true, Ordering::Release);
        assert_eq!(mirror.read_next(&mut stream).expect("the end"), Applied::End);
        assert!(closed(silent).is_empty() && closed(noisy).is_empty());
        assert!(slow.join().expect("no panic") < Duration::from_secs(30));
        // Nobody reads until it is given up: what is in buffers is less than the world.
        let is_given_up = (0..3000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            served.lock().expect("no panic").len() == 5
        });
        assert!(is_given_up, "{served:?}");
        assert!(closed(deaf).len() < 24 << 20);
        course.is_over.store(true, Ordering::Release);
        server.join().expect("no panic").expect("a listener");
        mirror
    });
    check_equal(&mirror, &store.reader(), &whole);
    let served = served.into_inner().expect("no panic");
    let given_up = served.iter().filter(|end| end.error.is_some()).count();
    assert_eq!((served.len(), given_up), (5, 4), "{served:?}");
    let whole = served.iter().find(|end| end.error.is_none()).expect("one");
    assert_eq!(whole.generation, store.generation());
    assert!(whole.frames > SCRIPT.commits && whole.bytes.0 > 24 << 20, "{whole:?}");
}

/// Goal: connections beside those that are allowed are closed, and taken again once others end.
#[test]
fn too_many_connections_are_closed() {
    let mut store = memory();
    store.put(Key::head(1), b"a valley").expect("memory");
    store.commit().expect("memory");
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let course = serve::ServerState::default();
    let (ask, frame) = (Duration::from_secs(60), Duration::from_secs(2));
    let options = serve::ServeOptions { connections: 2, ask, frame };
    std::thread::scope(|scope| {
        let _over = Over(&course);
        let reader = store.reader();
        scope.spawn({
            let course = &course;
            move || serve::serve(&listener, &reader, options, course, &|_| ())
        });
        let held = [connect(address), connect(address)];
        assert!(closed(connect(address)).is_empty());
        drop(held);
        course.is_last.store(true, Ordering::Release);
        let is_answered = (0..5000).any(|_| {
            let mut stream = connect(address);
            let is_asked = stream.write_all(&question()).is_ok();
            is_asked && !closed(stream).is_empty()
        });
        assert!(is_answered);
    });
}

/// Goal: clients that have all there is and hang up leave their places, though no commit follows.
#[test]
fn clients_that_have_gone_leave_their_places() {
    let mut store = memory();
    store.put(Key::head(1), b"a valley").expect("memory");
    store.commit().expect("memory");
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let course = serve::ServerState::default();
    let (ask, frame) = (Duration::from_secs(60), Duration::from_secs(60));
    let options = serve::ServeOptions { connections: 1, ask, frame };
    std::thread::scope(|scope| {
        let _over = Over(&course);
        let reader = store.reader();
        let course = &course;
        scope.spawn(move || serve::serve(&listener, &reader, options, course, &|_| ()));
        for client in 0..3 {
            let mut mirror = mirror_of(&Follow::default());
            let has_all = (0..5000).any(|_| {
                std::thread::sleep(Duration::from_millis(2));
                let mut stream = connect(address);
                let is_asked = mirror.ask().write_to(&mut stream).is_ok();
                let came = |applied| matches!(applied, Ok(Applied::Commit(_)));
                is_asked && came(mirror.read_next(&mut BufReader::new(stream)))
            });
            assert!(has_all, "client {client}: its place is not free");
        }
    });
}

/// Ends the server, also where a test fails.
struct Over<'a>(&'a serve::ServerState);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_last.store(true, Ordering::Release);
        self.0.is_over.store(true, Ordering::Release);
    }
}
