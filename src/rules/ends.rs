//! Ends that no choice of a house brings about. Each says, in steps, what it
//! did to the board.

use crate::al_manqala;
use crate::illegal::{AlreadyOver, CannotSplit};
use crate::outcome::{Reason, Winner};
use crate::parameters::Rules;
use crate::seat::Seat;
use crate::state::{Stage, State};
use crate::trace::Step;

impl State {
    fn running(&self) -> Result<(), AlreadyOver> {
        match self.stage {
            Stage::Finished(_) => Err(AlreadyOver),
            _ => Ok(()),
        }
    }

    fn end(
        &mut self,
        winner: Winner,
        reason: Reason,
        by: Option<Seat>,
    ) -> Result<Vec<Step>, AlreadyOver> {
        self.running()?;
        let mut steps = Vec::new();
        self.finish(winner, reason, by, &mut steps);
        Ok(steps)
    }

    /// A seat gives up, in its turn or not; in rounds it loses the series.
    ///
    /// # Errors
    /// [`AlreadyOver`] when the game has ended before.
    pub fn resign(&mut self, seat: Seat) -> Result<Vec<Step>, AlreadyOver> {
        self.end(seat.other().into(), Reason::Resignation, Some(seat))
    }

    /// A seat's time ran out: the other one wins.
    ///
    /// # Errors
    /// [`AlreadyOver`] when the game has ended before.
    pub fn time_out(&mut self, late: Seat) -> Result<Vec<Step>, AlreadyOver> {
        self.end(late.other().into(), Reason::Timeout, Some(late))
    }

    /// Both seats agreed on a draw.
    ///
    /// # Errors
    /// [`AlreadyOver`] when the game has ended before.
    pub fn agree_draw(&mut self) -> Result<Vec<Step>, AlreadyOver> {
        self.end(Winner::Draw, Reason::Agreement, None)
    }

    /// The game is given up without a result.
    ///
    /// # Errors
    /// [`AlreadyOver`] when the game has ended before.
    pub fn abort(&mut self) -> Result<(), AlreadyOver> {
        self.running()?;
        self.stop();
        Ok(())
    }

    /// Both seats of an al-manqala game agreed that the rest only circles: the
    /// pearls on the board are halved, and more pearls win.
    ///
    /// # Errors
    /// [`CannotSplit`] in another game, or when it has ended before.
    pub fn split(&mut self) -> Result<Vec<Step>, CannotSplit> {
        if !matches!(self.rules, Rules::AlManqala(_)) {
            return Err(CannotSplit::NotAlManqala);
        }
        self.running().map_err(|AlreadyOver| CannotSplit::Over)?;
        let mut steps = Vec::new();
        al_manqala::halve(self, &mut steps);
        Ok(steps)
    }
}
