//! A second, deliberately naive board that follows a trace step by step and
//! checks every number on the way: it knows the sowing order from the rules in
//! words, not from the engine.

use mancala_rules::{BurntRule, Counts, Family, Position, Rules, Seat, Sides, Spot, Step};

pub(crate) struct Naive {
    n: u8,
    skips: bool,
    congkak: bool,
    houses: Sides<Vec<u16>>,
    burnt: Sides<Vec<u8>>,
    store: Sides<u16>,
    hand: Sides<Option<(u16, Spot)>>,
    tick: u32,
    confiscated: Sides<Vec<Spot>>,
    /// What the steps say, to hold against a ply's counts.
    pub(crate) counts: Sides<Counts>,
}

impl Naive {
    pub(crate) fn new(rules: Rules, position: &Position) -> Naive {
        Naive {
            n: rules.houses(),
            skips: matches!(rules, Rules::Congkak(rules) if rules.burnt == BurntRule::Skip),
            congkak: rules.family() == Family::Congkak,
            houses: Sides::from_fn(|seat| position.board[seat].houses.clone()),
            burnt: Sides::from_fn(|seat| position.board[seat].burnt.clone()),
            store: Sides::from_fn(|seat| position.board[seat].store),
            hand: Sides::from_fn(|seat| {
                position.board[seat]
                    .hand
                    .map(|hand| (hand.seeds, hand.over))
            }),
            tick: position.opening.map_or(0, |opening| opening.tick),
            confiscated: Sides::default(),
            counts: Sides::default(),
        }
    }

    fn house(&mut self, spot: Spot) -> &mut u16 {
        match spot {
            Spot::House(seat, house) => &mut self.houses[seat][usize::from(house) - 1],
            Spot::Store => panic!("a store is no house"),
        }
    }

    fn is_burnt(&self, spot: Spot) -> bool {
        matches!(spot, Spot::House(seat, house) if self.burnt[seat].contains(&house))
    }

    fn next(&self, seat: Seat, spot: Spot) -> Spot {
        if !self.congkak {
            // Anticlockwise: to the right, then the other row from its left.
            return match spot {
                Spot::House(row, house) if house < self.n => Spot::House(row, house + 1),
                Spot::House(row, _) => Spot::House(row.other(), 1),
                Spot::Store => panic!("al-manqala has no store"),
            };
        }
        // Clockwise: to the left, the own store after the own house 1.
        let next = match spot {
            Spot::Store => Spot::House(seat.other(), self.n),
            Spot::House(row, 1) if row == seat => Spot::Store,
            Spot::House(row, 1) => Spot::House(row.other(), self.n),
            Spot::House(row, house) => Spot::House(row, house - 1),
        };
        if self.skips && self.is_burnt(next) {
            self.next(seat, next)
        } else {
            next
        }
    }

    fn drop_seed(&mut self, seat: Seat, spot: Spot) {
        self.counts[seat].seeds_sown += 1;
        if spot == Spot::Store {
            self.store[seat] += 1;
        } else if self.is_burnt(spot) {
            self.store[seat.other()] += 1;
            self.confiscated[seat].push(spot);
        } else {
            *self.house(spot) += 1;
        }
    }

    /// Both hands drop a seed a tick.
    fn advance(&mut self, tick: u32) {
        while self.tick < tick {
            self.tick += 1;
            for seat in Seat::ALL {
                if let Some((seeds, over)) = self.hand[seat]
                    && seeds > 0
                {
                    let to = self.next(seat, over);
                    self.drop_seed(seat, to);
                    self.hand[seat] = Some((seeds - 1, to));
                }
            }
        }
    }

    fn lift(&mut self, from: Spot, seeds: u16) {
        assert_eq!(std::mem::take(self.house(from)), seeds);
    }

    pub(crate) fn follow(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
        assert_eq!(self.confiscated, Sides::default());
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Lap {
                seat,
                from,
                seeds,
                to,
            } => {
                self.lift(*from, *seeds);
                self.counts[*seat].lap_count += 1;
                let mut at = *from;
                for _ in 0..*seeds {
                    at = self.next(*seat, at);
                    self.drop_seed(*seat, at);
                }
                assert_eq!(at, *to);
            }
            Step::Lift {
                seat,
                tick,
                from,
                seeds,
            } => {
                self.advance(*tick);
                self.lift(*from, *seeds);
                self.counts[*seat].lap_count += 1;
                assert_eq!(self.hand[*seat], None);
                self.hand[*seat] = Some((*seeds, *from));
            }
            Step::Land { seat, tick, to } => {
                self.advance(*tick);
                assert_eq!(self.hand[*seat].take(), Some((0, *to)));
            }
            Step::Hold {
                seat,
                tick,
                over,
                seeds,
            } => {
                self.advance(*tick);
                assert_eq!(self.hand[*seat], Some((*seeds, *over)));
            }
            Step::Confiscate {
                seat,
                tick,
                at,
                seeds,
            } => {
                self.advance(tick.unwrap_or(0));
                assert_eq!(std::mem::take(&mut self.confiscated[*seat]), *at);
                assert_eq!(at.len(), usize::from(*seeds));
            }
            Step::Capture {
                seat, from, seeds, ..
            } => {
                let taken: u16 = from
                    .iter()
                    .map(|&spot| std::mem::take(self.house(spot)))
                    .sum();
                assert_eq!(taken, *seeds);
                self.store[*seat] += taken;
                self.counts[*seat].captured += u32::from(taken);
                self.counts[*seat].banked += u32::from(taken);
            }
            Step::Bank { seat, at, .. } => {
                self.lift(*at, 1);
                self.store[*seat] += 1;
                self.counts[*seat].banked += 1;
            }
            Step::Sweep { seat, seeds } => {
                assert_eq!(self.clear(), *seeds);
                self.store[*seat] += seeds;
            }
            Step::Halve { each } => {
                assert_eq!(self.clear(), 2 * each);
                self.store.south += each;
                self.store.north += each;
            }
            Step::RoundEnd { south, north, .. } => {
                assert_eq!(self.clear(), 0);
                assert_eq!((self.store.south, self.store.north), (*south, *north));
            }
            Step::Refill {
                seat,
                houses,
                burnt,
                store,
            } => {
                assert_eq!(houses.iter().sum::<u16>() + store, self.store[*seat]);
                self.houses[*seat].clone_from(houses);
                self.burnt[*seat].clone_from(burnt);
                self.store[*seat] = *store;
            }
            Step::OpeningEnd { tick, .. } => assert_eq!(*tick, self.tick),
            Step::Mati { .. }
            | Step::ExtraTurn { .. }
            | Step::Pass { .. }
            | Step::RoundStart { .. }
            | Step::GameEnd { .. } => {}
        }
    }

    fn clear(&mut self) -> u16 {
        Seat::ALL
            .into_iter()
            .map(|seat| {
                let total = self.houses[seat].iter().sum::<u16>();
                self.houses[seat].fill(0);
                total
            })
            .sum()
    }

    /// After a whole trace the board is the state's.
    pub(crate) fn agrees(&self, position: &Position) {
        for seat in Seat::ALL {
            let row = &position.board[seat];
            assert_eq!(self.houses[seat], row.houses);
            assert_eq!(self.burnt[seat], row.burnt);
            assert_eq!(self.store[seat], row.store);
            assert_eq!(
                self.hand[seat],
                row.hand.map(|hand| (hand.seeds, hand.over))
            );
        }
    }
}
