//! Some houses of one row: what a seat may choose.

/// A set of houses, without their order or how many seeds they hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Houses(
    /// Bit 0 is house 1.
    u16,
);

impl Houses {
    /// How many they are.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a house is among them.
    #[must_use]
    pub fn contains(self, house: u8) -> bool {
        (1..=16).contains(&house) && self.0 >> (house - 1) & 1 == 1
    }

    /// The house that so many others of them come before.
    #[must_use]
    pub fn nth(self, others: usize) -> Option<u8> {
        self.iter().nth(others)
    }

    /// From house 1 on.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let house = left.trailing_zeros() as u8 + 1;
            let more = left != 0;
            left &= left.wrapping_sub(1);
            more.then_some(house)
        })
    }

    /// The same with one more, if it is `wanted`.
    pub(crate) fn with(self, house: u8, wanted: bool) -> Houses {
        Houses(self.0 | u16::from(wanted) << (house - 1))
    }
}

impl FromIterator<u8> for Houses {
    fn from_iter<I: IntoIterator<Item = u8>>(houses: I) -> Houses {
        let houses = houses.into_iter();
        houses.fold(Houses::default(), |all, house| all.with(house, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_in_order() {
        let houses: Houses = [7, 1, 15, 3, 7].into_iter().collect();
        assert_eq!(houses.iter().collect::<Vec<_>>(), [1, 3, 7, 15]);
        assert_eq!(houses.len(), 4);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|n| houses.nth(n)),
            [Some(1), Some(3), Some(7), Some(15), None]
        );
        assert_eq!(
            [0, 1, 2, 15, 16, 17].map(|h| houses.contains(h)),
            [false, true, false, true, false, false]
        );
        assert!(Houses::default().is_empty());
        assert_eq!(Houses::default().iter().next(), None);
    }
}
