//! A board as PNG: the SVG, drawn with the embedded font and nothing from the
//! machine's.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

/// Nunito, cut down to the letters of Western Europe (ASCII and Latin-1) and a few
/// signs; its licence lies beside it.
const FONTS: [&[u8]; 2] = [
    include_bytes!("fonts/nunito-semibold.ttf"),
    include_bytes!("fonts/nunito-extrabold.ttf"),
];

/// Why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum BadPicture {
    /// The document is none.
    #[error("not an SVG that can be drawn: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// Too large, or empty.
    #[error("a picture of {0} by {1} pixels cannot be drawn")]
    Size(u32, u32),
    /// It could not be written.
    #[error("not written as PNG: {0}")]
    Png(String),
}

/// The picture of an SVG document, as wide and high as the document says. Takes
/// its time: not for a thread that answers requests.
pub fn png(svg: &str) -> Result<Vec<u8>, BadPicture> {
    static FOUND: OnceLock<Arc<Database>> = OnceLock::new();
    let fonts = FOUND.get_or_init(|| {
        let mut fonts = Database::new();
        for font in FONTS {
            fonts.load_font_data(font.to_vec());
        }
        Arc::new(fonts)
    });
    let options = Options {
        fontdb: fonts.clone(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let mut picture = Pixmap::new(width, height).ok_or(BadPicture::Size(width, height))?;
    resvg::render(&tree, Transform::identity(), &mut picture.as_mut());
    picture
        .encode_png()
        .map_err(|cause| BadPicture::Png(cause.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn document(width: u32, inside: &str) -> String {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="40">{inside}</svg>"#
        )
    }

    /// How many pixels are not transparent.
    fn painted(svg: &str) -> usize {
        let picture = Pixmap::decode_png(&png(svg).expect("a picture")).expect("a PNG");
        picture
            .pixels()
            .iter()
            .filter(|pixel| pixel.alpha() > 0)
            .count()
    }

    #[test]
    fn text_is_drawn_with_the_embedded_font() {
        let eight = |attributes: &str| {
            document(40, &format!(r#"<text x="5" y="35" {attributes}>8</text>"#))
        };
        let bold = painted(&eight(
            r#"font-family="Nunito, sans-serif" font-size="40" font-weight="800""#,
        ));
        let plain = painted(&eight(
            r#"font-family="Nunito" font-size="40" font-weight="600""#,
        ));
        assert!(bold > plain && plain > 100, "{bold} {plain}");
        // Of what the machine has nothing is used.
        assert_eq!(
            painted(&eight(r#"font-family="DejaVu Sans" font-size="40""#)),
            0
        );
    }

    /// The embedded font has every letter of every language's words.
    #[test]
    fn the_font_has_every_letter() {
        let drawn = |letter: char| {
            let text = format!(
                r#"<text x="5" y="30" font-family="Nunito" font-size="30">{letter}</text>"#
            );
            png(&document(40, &text)).expect("a picture")
        };
        let missing = drawn('\u{4e2d}');
        let words = super::super::words::sources();
        let letters: BTreeSet<char> = words.flat_map(str::chars).collect();
        let foreign = letters
            .into_iter()
            .filter(|letter| letter.is_alphabetic() && !letter.is_ascii());
        let foreign: Vec<char> = foreign.collect();
        assert!(foreign.contains(&'ñ'), "{foreign:?}");
        for letter in foreign {
            assert!(drawn(letter) != missing, "no {letter} in the font");
        }
    }

    #[test]
    fn what_cannot_be_drawn() {
        assert!(matches!(png("<svg"), Err(BadPicture::Svg(_))));
        assert!(png(&document(0, "")).is_err());
    }
}
