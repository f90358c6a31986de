use super::{AnyChoice, AnyControl, AnyInfo, AnyMatch, AnyMove, AnyPlayer, AnyPosition, Playable};
use crate::{Choice, Control, ForMover, Game, Info, Limits, Line, Match, Player, PlayerError};

/// A player of one game as a player of any: it keeps the match in the game's own type in step with the
/// one that it is asked about.
pub struct ErasedPlayer<G: Playable> {
    player: Box<dyn Player<G>>,
    game: Option<Match<G>>,
}

impl<G: Playable> ErasedPlayer<G> {
    /// That player.
    pub const fn new(player: Box<dyn Player<G>>) -> Self {
        Self { player, game: None }
    }

    /// The match in the game's own type; only what has changed since the last call is played.
    fn follow(&mut self, asked: &AnyMatch) -> Option<&Match<G>> {
        let start = asked.start().downcast_ref::<G>()?;
        let known = self.game.take().filter(|known| known.start() == start);
        let mut game = known.unwrap_or_else(|| Match::new(start.clone()));
        let same = shared_plies(&game, asked);
        while game.plies() > same {
            game.undo();
        }
        for m in asked.played().skip(same) {
            // A match has only legal moves.
            game.play_on(m.of(game.position())?).ok()?;
        }
        Some(self.game.insert(game))
    }
}

/// How many plies two matches from the same start have in common.
fn shared_plies<G: Playable>(typed: &Match<G>, asked: &AnyMatch) -> usize {
    let positions = typed.positions().zip(asked.positions()).skip(1);
    positions.take_while(|(typed, asked)| asked.downcast_ref::<G>() == Some(*typed)).count()
}

impl<G: Playable> Player<AnyPosition> for ErasedPlayer<G> {
    fn choose(
        &mut self,
        game: &AnyMatch,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, PlayerError> {
        if self.follow(game).is_none() {
            let what = format!("cannot play {}", game.position().game());
            return Err(PlayerError::Failed { player: format!("a player of {}", G::NAME), what });
        }
        let Self { player, game: Some(typed) } = self else { return Err(PlayerError::GameOver) };
        let position = typed.position();
        let only: Option<Vec<G::Move>> =
            control.only().map(|moves| moves.iter().filter_map(|m| m.of(position)).collect());
        let stop = control.stop_flag();
        let mut report = |info: &Info<G>| control.report(&erase_info(position, info));
        let mut typed_control = Control::new(stop, &mut report);
        if let Some(only) = &only {
            typed_control = typed_control.with_only(only);
        }
        let Choice { m, info } = player.choose(typed, limits, &mut typed_control)?;
        Ok(Choice { m: AnyMove::new(position, m), info: erase_info(position, &info) })
    }

    fn expected(&self) -> Vec<(AnyMove, ForMover<f64>)> {
        let Some(game) = &self.game else { return Vec::new() };
        let erase = |(m, value)| (AnyMove::new(game.position(), m), value);
        self.player.expected().into_iter().map(erase).collect()
    }

    fn expected_replies(&self) -> Vec<([AnyMove; 2], ForMover<f64>)> {
        let Some(game) = &self.game else { return Vec::new() };
        let position = game.position();
        let erase = |([m, reply], value): ([G::Move; 2], _)| {
            let after = position.after(m);
            ([AnyMove::new(position, m), AnyMove::new(&after, reply)], value)
        };
        self.player.expected_replies().into_iter().map(erase).collect()
    }

    fn new_game(&mut self, seed: u64) {
        self.game = None;
        self.player.new_game(seed);
    }

    fn memory(&self) -> usize {
        self.player.memory()
    }

    fn release_memory(&mut self) {
        self.player.release_memory();
    }
}

/// A player of any game as a player of one: the reverse of [`ErasedPlayer`].
pub struct TypedPlayer {
    player: Box<AnyPlayer>,
    game: Option<AnyMatch>,
}

impl TypedPlayer {
    /// That player.
    pub const fn new(player: Box<AnyPlayer>) -> Self {
        Self { player, game: None }
    }

    /// The match behind [`AnyPosition`]s; only what has changed since the last call is played.
    fn follow<G: Playable>(&mut self, asked: &Match<G>) -> &AnyMatch {
        let known =
            self.game.take().filter(|known| known.start().downcast_ref() == Some(asked.start()));
        let mut game = known.unwrap_or_else(|| Match::new(AnyPosition::new(asked.start().clone())));
        let same = shared_plies(asked, &game);
        while game.plies() > same {
            game.undo();
        }
        for (position, m) in asked.positions().zip(asked.played()).skip(same) {
            // A match has only legal moves.
            let _ = game.play_on(AnyMove::new(position, m));
        }
        self.game.insert(game)
    }
}

impl<G: Playable> Player<G> for TypedPlayer {
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        self.follow(game);
        let Self { player, game: Some(erased) } = self else { return Err(PlayerError::GameOver) };
        let position = game.position();
        let only: Option<Vec<AnyMove>> =
            control.only().map(|moves| moves.iter().map(|&m| AnyMove::new(position, m)).collect());
        let stop = control.stop_flag();
        let mut report = |info: &AnyInfo| control.report(&type_info(position, info));
        let mut erased_control = Control::new(stop, &mut report);
        if let Some(only) = &only {
            erased_control = erased_control.with_only(only);
        }
        let Choice { m, info } = player.choose(erased, limits, &mut erased_control)?;
        let illegal = || PlayerError::Failed {
            player: "the player".into(),
            what: "chose an illegal move".into(),
        };
        Ok(Choice { m: m.of(position).ok_or_else(illegal)?, info: type_info(position, &info) })
    }

    fn expected(&self) -> Vec<(G::Move, ForMover<f64>)> {
        let Some(position) = self.position::<G>() else { return Vec::new() };
        let typed = |(m, value): (AnyMove, _)| Some((m.of(position)?, value));
        self.player.expected().into_iter().filter_map(typed).collect()
    }

    fn expected_replies(&self) -> Vec<([G::Move; 2], ForMover<f64>)> {
        let Some(position) = self.position::<G>() else { return Vec::new() };
        let typed = |([m, reply], value): ([AnyMove; 2], _)| {
            let m = m.of(position)?;
            Some(([m, reply.of(&position.after(m))?], value))
        };
        self.player.expected_replies().into_iter().filter_map(typed).collect()
    }

    fn new_game(&mut self, seed: u64) {
        self.game = None;
        self.player.new_game(seed);
    }

    fn memory(&self) -> usize {
        self.player.memory()
    }

    fn release_memory(&mut self) {
        self.player.release_memory();
    }
}

impl TypedPlayer {
    /// The position that was asked about last.
    fn position<G: Playable>(&self) -> Option<&G> {
        self.game.as_ref()?.position().downcast_ref()
    }
}

fn type_info<G: Playable>(position: &G, info: &AnyInfo) -> Info<G> {
    let typed = |line: &Line<AnyPosition>| Line {
        value: line.value,
        moves: type_line(position, &line.moves),
    };
    Info {
        depth: info.depth,
        deepest: info.deepest,
        nodes: info.nodes,
        time: info.time,
        table_full: info.table_full,
        exact: info.exact,
        lines: info.lines.iter().map(typed).collect(),
    }
}

/// A line of play from `position`, cut off before a move that is not legal.
fn type_line<G: Game>(position: &G, moves: &[AnyMove]) -> Vec<G::Move> {
    let mut position = position.clone();
    let mut line = Vec::with_capacity(moves.len());
    for m in moves {
        let Some(m) = m.of(&position) else { break };
        line.push(m);
        position.play(m);
    }
    line
}

fn erase_info<G: Playable>(position: &G, info: &Info<G>) -> AnyInfo {
    let erase =
        |line: &Line<G>| Line { value: line.value, moves: erase_line(position, &line.moves) };
    Info {
        depth: info.depth,
        deepest: info.deepest,
        nodes: info.nodes,
        time: info.time,
        table_full: info.table_full,
        exact: info.exact,
        lines: info.lines.iter().map(erase).collect(),
    }
}

/// A line of play from `position`, cut off before a move that is not legal.
fn erase_line<G: Game>(position: &G, moves: &[G::Move]) -> Vec<AnyMove> {
    let mut position = position.clone();
    let mut line = Vec::with_capacity(moves.len());
    for &m in moves {
        let erased = AnyMove::new(&position, m);
        if erased == AnyMove::ILLEGAL {
            break;
        }
        line.push(erased);
        position.play(m);
    }
    line
}
