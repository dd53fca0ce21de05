//! Files taken apart: lines, texts, and what is too long.

use std::io::{BufReader, Cursor};

use super::{Format, Pieces};

/// Line and content of every piece; the content of one that is too long is `…`.
fn pieces(file: &str, most: usize) -> (Option<Format>, Vec<(u64, String)>) {
    // Parts of three bytes: nothing depends on where a part ends.
    let mut pieces = Pieces::new(BufReader::with_capacity(3, Cursor::new(file)), most);
    let mut found = Vec::new();
    while let Some(piece) = pieces.next_piece().expect("a file") {
        let bytes = piece
            .bytes
            .map(|bytes| String::from_utf8(bytes).expect("text"));
        found.push((piece.line, bytes.unwrap_or_else(|| "…".into())));
    }
    (pieces.format, found)
}

fn expect(file: &str, most: usize, format: Format, expected: &[(u64, &str)]) {
    let (found_format, found) = pieces(file, most);
    let found: Vec<_> = found
        .iter()
        .map(|(line, text)| (*line, text.as_str()))
        .collect();
    assert_eq!(
        (found_format, &found[..]),
        (Some(format), expected),
        "{file:?}"
    );
}

#[test]
fn lines_of_json() {
    let json = Format::Ndjson;
    expect("{a}\n{b}\n", 99, json, &[(1, "{a}"), (2, "{b}")]);
    expect("\n\n{a}\r\n\r\n{b}", 99, json, &[(3, "{a}"), (5, "{b}")]);
    expect(
        "{a}\nx\n[Game \"",
        99,
        json,
        &[(1, "{a}"), (2, "x"), (3, "[Game \"")],
    );
    expect("{1234567}\n{b}\n", 5, json, &[(1, "…"), (2, "{b}")]);
    expect("{1234567}", 5, json, &[(1, "…")]);
}

#[test]
fn texts() {
    let text = Format::Text;
    let one = "[Game \"1\"]\n\n1. S1\n";
    expect(one, 99, text, &[(1, one)]);
    expect(&one[..one.len() - 1], 99, text, &[(1, one)]);
    let two = "[Game \"2\"]\n\n1. S2\n";
    expect(&format!("{one}\n{two}\n"), 99, text, &[(1, one), (5, two)]);
    expect(&format!("{one}{two}"), 99, text, &[(1, one), (4, two)]);
    let windows = format!("\n{one}\n\n{two}\n\n").replace('\n', "\r\n");
    expect(&windows, 99, text, &[(2, one), (7, two)]);
    // Whatever stands before the first one.
    expect(
        &format!("x\ny\n\n{one}"),
        99,
        text,
        &[(1, "x\ny\n"), (4, one)],
    );
    let long = format!("[Game \"1\"]\n\n1. S1 {}\n2. N1\n\n{two}", "S1 ".repeat(9));
    expect(&long, 25, text, &[(1, "…"), (6, two)]);
    let long = format!("[Game \"1\"]\n\n1. S1\n2. N1\n3. S2\n\n{two}");
    expect(&long, 25, text, &[(1, "…"), (7, two)]);
}

#[test]
fn nothing() {
    assert_eq!(pieces("", 99), (None, Vec::new()));
    assert_eq!(pieces("\n\r\n\n", 99), (None, Vec::new()));
}
