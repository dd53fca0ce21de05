//! Unpacking what came compressed.

use std::io::Read;

pub(crate) fn unpack(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut packed = flate2::read::GzDecoder::new(bytes);
    packed.read_to_end(&mut plain).unwrap();
    plain
}
