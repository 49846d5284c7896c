//! Eight readers follow a writer over loopback, and are cut off again and again.
//!
//! Goal: each ends equal to the writer's commit, whatever was cut where.
//! Method: a writer that commits without pause; a server that cuts each connection after some
//!         bytes, in a frame or between two; clients that hang up themselves now and then.

use crate::follow::{check_equal, memory};
use crate::script::{Content, Script};
use std::io;
use std::io::{BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use thalweg_engine::store::Reader;
use thalweg_engine::store::follow::{Applied, Area, Ask, Feed, Follow, FollowError, Mirror};
use thalweg_engine::units::hash::scramble;

const READERS: u64 = 8;
const SCRIPT: Script =
    Script { seed: 8, commits: 400, changes: 30, keys: 300, bytes: 2000, keeps: false };

/// A stream that is cut after so many bytes.
struct Cut {
    stream: TcpStream,
    left: usize,
}

impl Write for Cut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let written = self.stream.write(&bytes[..bytes.len().min(self.left)])?;
        self.left -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// State that all threads share.
#[derive(Default)]
struct Shared {
    is_done: AtomicBool,
    /// Clients that have all.
    at_end: AtomicU64,
    cuts: AtomicU64,
}

/// Sends to one client until all is sent or the connection is cut.
fn send(mut stream: TcpStream, reader: Reader, number: u64, shared: &Shared) {
    let Ok(ask) = Ask::read_from(&mut stream) else { return };
    let mut feed = Feed::new(reader, &ask);
    let left = usize::try_from(1 + scramble(number) % 100_000).expect("few bytes");
    let mut out = Cut { stream, left };
    loop {
        let is_last = shared.is_done.load(Ordering::Acquire);
        match feed.write_next(&mut out) {
            Ok(true) => {}
            Ok(false) if is_last => return,
            Ok(false) => std::thread::sleep(Duration::from_micros(200)),
            Err(FollowError::Io { .. }) => {
                shared.cuts.fetch_add(1, Ordering::Relaxed);
                return;
            }
            Err(error) => panic!("connection {number}: {error}"),
        }
    }
}

/// Takes connections until all clients have all.
fn serve(listener: &TcpListener, reader: &Reader, shared: &Shared) {
    listener.set_nonblocking(true).expect("a listener");
    std::thread::scope(|scope| {
        for number in 0.. {
            let stream = loop {
                match listener.accept() {
                    Ok((stream, _)) => break stream,
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
                }
                if shared.at_end.load(Ordering::Acquire) == READERS {
                    return;
                }
                std::thread::sleep(Duration::from_micros(500));
            };
            stream.set_nonblocking(false).expect("a stream");
            let reader = reader.clone();
            scope.spawn(move || send(stream, reader, number, shared));
        }
    });
}

/// Follows until it has the last commit of the writer.
fn receive(address: SocketAddr, follow: &Follow, client: u64, shared: &Shared) -> Mirror {
    let mut mirror = Mirror::new(memory(), follow.clone()).expect("empty");
    for connection in 0.. {
        let mut stream = TcpStream::connect(address).expect("a server");
        mirror.ask().write_to(&mut stream).expect("a server");
        let mut stream = BufReader::new(stream);
        // A client that requests what comes after the last commit, and gets nothing newer, has it.
        let is_done = shared.is_done.load(Ordering::Acquire);
        let patience = scramble(client << 32 | connection) % 60;
        for frame in 0.. {
            match mirror.read_next(&mut stream) {
                Ok(Applied::End) if is_done && frame == 0 => {
                    shared.at_end.fetch_add(1, Ordering::Release);
                    return mirror;
                }
                Ok(Applied::End) => break,
                Ok(_) if frame == patience => break,
                Ok(_) => {}
                Err(FollowError::Missed { .. } | FollowError::Io { .. }) => break,
                Err(error) => panic!("client {client}: {error}"),
            }
        }
    }
    unreachable!("the last connection returns")
}

#[test]
fn eight_readers_end_equal_to_the_writer() {
    let mut store = memory();
    let reader = store.reader();
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let shared = Shared::default();
    let follow = |client: u64| match client % 2 {
        0 => Follow::default(),
        _ => Follow { area: Some(Area { columns: 0..900, rows: 64..300 }), ..Follow::default() },
    };
    let mirrors: Vec<Mirror> = std::thread::scope(|scope| {
        scope.spawn(|| serve(&listener, &reader, &shared));
        let clients: Vec<_> = (0..READERS)
            .map(|client| {
                let shared = &shared;
                scope.spawn(move || receive(address, &follow(client), client, shared))
            })
            .collect();
        let mut content = Content::new();
        for commit in 0..SCRIPT.commits {
            SCRIPT.run(commit, &mut store, &mut content).expect("memory");
            std::thread::sleep(Duration::from_millis(2));
        }
        shared.is_done.store(true, Ordering::Release);
        clients.into_iter().map(|client| client.join().expect("all came")).collect()
    });
    for (client, mirror) in (0..).zip(&mirrors) {
        check_equal(mirror, &store.reader(), &follow(client));
    }
    assert!(shared.cuts.into_inner() > READERS, "too few were cut off");
}
