//! What a board is put together from: gradients, the hollows, the shells.

use super::theme::Palette;

/// The radius of a house's hollow.
pub(super) const HOLLOW: f32 = 44.0;

/// All of them, to be referred to by their ids.
pub(super) fn defs(palette: &Palette) -> String {
    let Palette {
        wood,
        edge,
        hollow,
        lip,
        last,
        ..
    } = palette;
    let r = HOLLOW;
    format!(
        r##"<defs>
<linearGradient id="wood" x1="0" y1="0" x2="0.15" y2="1"><stop offset="0" stop-color="{w0}"/><stop offset="0.5" stop-color="{w1}"/><stop offset="1" stop-color="{w2}"/></linearGradient>
<linearGradient id="edge" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{e0}"/><stop offset="1" stop-color="{e1}"/></linearGradient>
<linearGradient id="lip" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{h0}"/><stop offset="0.55" stop-color="{h2}"/><stop offset="1" stop-color="{lip}"/></linearGradient>
<radialGradient id="bowl" cx="0.5" cy="0.62" r="0.62" fx="0.5" fy="0.72"><stop offset="0" stop-color="{h2}"/><stop offset="0.6" stop-color="{h1}"/><stop offset="1" stop-color="{h0}"/></radialGradient>
<radialGradient id="soot"><stop offset="0.55" stop-color="#0b0605" stop-opacity="0.85"/><stop offset="0.8" stop-color="#0b0605" stop-opacity="0.45"/><stop offset="1" stop-color="#0b0605" stop-opacity="0"/></radialGradient>
<radialGradient id="char" cx="0.5" cy="0.6" r="0.6"><stop offset="0" stop-color="#3a2c26"/><stop offset="0.7" stop-color="#1d1512"/><stop offset="1" stop-color="#0a0605"/></radialGradient>
<radialGradient id="shell" cx="0.4" cy="0.3" r="0.8"><stop offset="0" stop-color="#fffdf5"/><stop offset="0.5" stop-color="#f6e6c8"/><stop offset="1" stop-color="#c9a678"/></radialGradient>
<radialGradient id="tan" cx="0.4" cy="0.3" r="0.8"><stop offset="0" stop-color="#fbeacb"/><stop offset="0.5" stop-color="#deb581"/><stop offset="1" stop-color="#96663a"/></radialGradient>
<g id="hollow"><circle r="{rim}" fill="url(#lip)"/><circle r="{r}" fill="url(#bowl)"/></g>
<g id="burnt"><circle r="62" fill="url(#soot)"/><circle r="{r}" fill="url(#char)"/><path d="M-34 -8 L-20 -3 L-12 -13 L-2 -2 L9 -7 L16 4 L33 0 M-12 -13 L-15 -29 M-2 -2 L-9 13 L-3 33 M16 4 L21 20 L32 27 M-9 13 L-25 23" fill="none" stroke="#e2601f" stroke-width="2.6" stroke-linejoin="round" stroke-linecap="round" opacity="0.9"/><path d="M-12 -13 L-2 -2 L9 -7 M-2 -2 L-9 13" fill="none" stroke="#ffc46b" stroke-width="1.6" stroke-linejoin="round"/></g>
<g id="last"><circle r="{ring}" fill="none" stroke="{last}" stroke-width="7"/></g>
<g id="shadow"><ellipse rx="13.2" ry="9.6" fill="#1a0c04" opacity="0.45"/></g>
<g id="front"><use href="#shadow"/><path d="{BODY}" fill="url(#shell)" stroke="#8d6a43" stroke-width="0.8"/><path d="M-9 1 Q0 -2.6 9.5 0.6" fill="none" stroke="#a97f52" stroke-width="4.6" stroke-dasharray="1.1 1.7" opacity="0.75"/><path d="M-9.6 1 Q0 -2.6 10 0.6" fill="none" stroke="#5d3b1d" stroke-width="1.5" stroke-linecap="round"/></g>
<g id="back"><use href="#shadow"/><path d="{BODY}" fill="url(#tan)" stroke="#7c5631" stroke-width="0.8"/><path d="M-8 1.5 Q0 5 8.5 1" fill="none" stroke="#fff3da" stroke-width="1.6" stroke-linecap="round" opacity="0.55"/><g fill="#7a4a22" opacity="0.55"><circle cx="-4.5" cy="-2.6" r="1.2"/><circle cx="0.6" cy="-3.6" r="1"/><circle cx="4.8" cy="-1.6" r="1.3"/><circle cx="-1.4" cy="0.4" r="0.9"/></g></g>
</defs>
"##,
        w0 = wood[0],
        w1 = wood[1],
        w2 = wood[2],
        e0 = edge[0],
        e1 = edge[1],
        h0 = hollow[0],
        h1 = hollow[1],
        h2 = hollow[2],
        rim = r + 3.0,
        ring = r + 1.0,
    )
}

/// The outline of a shell, seen from above.
const BODY: &str = "M-12 0.6 C-12 -5.6 -6 -8.6 1 -8.2 C8 -7.8 12 -4.2 12 0.4 C12 5 8 8 1 8.2 C-6 8.4 -12 5.8 -12 0.6Z";
