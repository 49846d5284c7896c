//! Bytes of a table as text.
//!
//! Guarantees: every byte order mark is obeyed and removed; UTF-16 without one is recognised by its
//!             zero bytes; bytes that are not UTF-8 are Windows-1252, which contains Latin-1. Line
//!             ends become `\n`.
//! Limits:     further encodings have to be saved anew as UTF-8.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Text of a file, and the encoding if it was assumed.
pub(super) struct Decoded {
    /// Text without byte order mark, lines end with `\n`.
    pub text: String,
    /// Name of an encoding that no mark names.
    pub assumed: Option<&'static str>,
}

/// Decodes the bytes of a table; `None` if they are not text.
pub(super) fn decode(bytes: &[u8]) -> Option<Decoded> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let (text, assumed) = match (marked.or_else(|| utf_16(bytes)), std::str::from_utf8(bytes)) {
        (Some(encoding), _) => {
            let (text, _, is_broken) = encoding.decode(bytes);
            if is_broken {
                return None;
            }
            (text.into_owned(), marked.is_none().then(|| encoding.name()))
        }
        (None, Ok(text)) => (text.to_owned(), None),
        (None, Err(_)) => (WINDOWS_1252.decode(bytes).0.into_owned(), Some(WINDOWS_1252.name())),
    };
    let is_binary = text.contains('\0') || bytes.starts_with(b"PK\x03\x04");
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    (!is_binary).then_some(Decoded { text, assumed })
}

/// Returns the byte order of UTF-16 without a mark: most of its high bytes are 0.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let pairs = bytes.chunks_exact(2);
    let count = pairs.len();
    let zeros = |at: usize| pairs.clone().filter(|pair| pair[at] == 0).count();
    let is_most = |zeros: usize| count > 1 && zeros * 2 > count;
    match (is_most(zeros(0)), is_most(zeros(1))) {
        (true, false) => Some(UTF_16BE),
        (false, true) => Some(UTF_16LE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_recognised() {
        let expected = "Fluß [m³/s]\n1\n";
        let wide = |bytes: fn(u16) -> [u8; 2]| expected.encode_utf16().flat_map(bytes).collect();
        let (little, big): (Vec<u8>, Vec<u8>) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
        let latin = expected.replace('\n', "\r\n").chars().map(|c| c as u8).collect::<Vec<u8>>();
        for (bytes, assumed) in [
            (expected.as_bytes().to_vec(), None),
            ([b"\xef\xbb\xbf", expected.as_bytes()].concat(), None),
            ([b"\xff\xfe", &*little].concat(), None),
            ([b"\xfe\xff", &*big].concat(), None),
            (little, Some("UTF-16LE")),
            (big, Some("UTF-16BE")),
            (latin, Some("windows-1252")),
        ] {
            let decoded = decode(&bytes).expect("text");
            assert_eq!((&*decoded.text, decoded.assumed), (expected, assumed), "{bytes:?}");
        }
        for bytes in [&b"PK\x03\x04\x14"[..], b"\0\x01\x02\x03\x04\0\0\0"] {
            assert!(decode(bytes).is_none(), "{bytes:?}");
        }
    }
}
