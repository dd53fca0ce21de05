//! Where seeds lie in a hollow: as if thrown there, but the same for the same
//! house and count every time, and one more seed hardly stirs the others.

/// Seeds that lie side by side in a house before they heap up.
const LAYERS: [(u16, f32); 3] = [(19, 1.0), (11, 0.66), (6, 0.34)];
/// Degrees between one seed and the next: the golden angle, so that any number of
/// them is spread evenly.
const TURN: f32 = 137.508;

/// A seed on the board, from the middle of its hollow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seed {
    pub(super) x: f32,
    pub(super) y: f32,
    /// In degrees.
    pub(super) turn: f32,
    /// Whether it shows its back.
    pub(super) turned: bool,
}

/// The seeds of a hollow of these radii, the lowest first; no more than can be
/// told apart. `place` tells one hollow from another.
pub(super) fn lie(count: u16, place: u32, rx: f32, ry: f32) -> Vec<Seed> {
    // A store is several hollows long and holds as many times more.
    let room = (rx * ry / rx.min(ry).powi(2)).max(1.0);
    let mut left = count;
    let mut seeds = Vec::new();
    for (number, (most, width)) in LAYERS.into_iter().enumerate() {
        let layer = left.min((f32::from(most) * room) as u16);
        left -= layer;
        let salt = place * 977 + number as u32 * 131;
        for i in 0..layer {
            let chance = |what: u32| noise(salt + u32::from(i) * 7 + what);
            let spread = (f32::from(i) + 0.5) / f32::from(layer.max(5));
            let angle = (f32::from(i) * TURN + noise(salt) * 360.0).to_radians();
            let reach = spread.sqrt() * width;
            seeds.push(Seed {
                x: rx * reach * angle.cos() + (chance(1) - 0.5) * 5.0,
                y: ry * reach * angle.sin() + (chance(2) - 0.5) * 5.0,
                turn: chance(3) * 360.0,
                turned: chance(4) < 0.25,
            });
        }
    }
    seeds
}

/// A number in 0..1 that looks drawn by lot and is always the same.
pub(super) fn noise(of: u32) -> f32 {
    let mut bits = of.wrapping_mul(0x9E37_79B9) ^ 0x85EB_CA6B;
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x7FEB_352D);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x846C_A68B);
    bits ^= bits >> 16;
    (bits >> 8) as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_lie_within_their_hollow() {
        for count in 0..=450 {
            for (rx, ry) in [(30.0, 30.0), (33.0, 74.0)] {
                let seeds = lie(count, 7, rx, ry);
                assert_eq!(seeds, lie(count, 7, rx, ry));
                for seed in &seeds {
                    // Thrown at most 2.5 either way.
                    assert!(
                        seed.x.abs() <= rx + 2.5 && seed.y.abs() <= ry + 2.5,
                        "{seed:?}"
                    );
                }
            }
            // As many as can be told apart in a house.
            assert_eq!(lie(count, 7, 30.0, 30.0).len(), usize::from(count.min(36)));
        }
        assert_ne!(lie(5, 1, 30.0, 30.0), lie(5, 2, 30.0, 30.0));
    }
}
