//! Where a command writes what it was asked for: a file or standard output.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

/// A file, or standard output.
pub(super) struct Output {
    into: BufWriter<Box<dyn Write + Send>>,
    name: String,
}

impl Output {
    /// Opens the file, which is made anew; without one standard output.
    pub(super) fn open(file: Option<&Path>) -> Result<Output, String> {
        let (into, name): (Box<dyn Write + Send>, _) = match file {
            Some(path) if path != Path::new("-") => {
                let name = path.display().to_string();
                let file = File::create(path).map_err(|cause| format!("{name}: {cause}"))?;
                (Box::new(file), name)
            }
            _ => (Box::new(std::io::stdout()), "standard output".into()),
        };
        Ok(Output {
            into: BufWriter::with_capacity(1 << 16, into),
            name,
        })
    }

    /// Writes; false: whoever reads has stopped, so there is nothing left to do.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<bool, String> {
        let written = self.into.write_all(bytes);
        self.went(written)
    }

    /// Writes what is still held back.
    pub(super) fn finish(mut self) -> Result<bool, String> {
        let written = self.into.flush();
        self.went(written)
    }

    fn went(&self, written: std::io::Result<()>) -> Result<bool, String> {
        match written {
            Ok(()) => Ok(true),
            Err(cause) if cause.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(cause) => Err(format!("{}: {cause}", self.name)),
        }
    }
}
