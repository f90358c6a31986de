use super::{
    AnyControl, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnyPosition, AnySearchResult, Playable,
};
use crate::{
    Control, ForMover, Game, GameHistory, Info, Limits, Player, PlayerError, Pv, Recording,
    SearchResult, SearchTree, TreeSteps,
};

/// Wraps a player of game `G` as a player of [`AnyPosition`]s. Mirrors the caller's history in the game's
/// own type.
///
/// ```
/// use tablero_core::{AnyControl, AnyGame, AnyGameHistory, AnyPlayer, ErasedPlayer, Limits};
/// # use tablero_core::{Control, Game, GameHistory, Info, Player, PlayerError, SearchResult};
/// use tablero_tictactoe::TicTacToe;
/// # struct FirstMove;
/// # impl<G: Game> Player<G> for FirstMove {
/// #     fn choose(
/// #         &mut self,
/// #         game: &GameHistory<G>,
/// #         _: &Limits,
/// #         _: &mut Control<'_, G>,
/// #     ) -> Result<SearchResult<G>, PlayerError> {
/// #         let m = *game.moves().first().ok_or(PlayerError::GameOver)?;
/// #         Ok(SearchResult { m, info: Info::default() })
/// #     }
/// #     fn new_game(&mut self, _: u64) {}
/// # }
///
/// // `FirstMove` implements `Player<TicTacToe>`.
/// let mut player: Box<AnyPlayer> = Box::new(ErasedPlayer::<TicTacToe>::new(Box::new(FirstMove)));
/// let game = AnyGameHistory::new(AnyGame::of::<TicTacToe>().start());
/// let (stop, mut report) = (false.into(), |_: &_| {});
/// let mut control = AnyControl::new(&stop, &mut report);
/// let found = player.choose(&game, &Limits::default(), &mut control)?;
/// assert_eq!(game.position().move_text(found.m), "a1");
/// # Ok::<(), PlayerError>(())
/// ```
pub struct ErasedPlayer<G: Playable> {
    player: Box<dyn Player<G>>,
    game: Option<GameHistory<G>>,
}

impl<G: Playable> ErasedPlayer<G> {
    /// Wraps `player`.
    pub const fn new(player: Box<dyn Player<G>>) -> Self {
        Self { player, game: None }
    }

    /// Updates the typed history to `target`, replaying only the difference.
    fn sync(&mut self, target: &AnyGameHistory) -> Option<&GameHistory<G>> {
        let start = target.start().downcast_ref::<G>()?;
        let known = self.game.take().filter(|known| known.start() == start);
        let mut game = known.unwrap_or_else(|| GameHistory::new(start.clone()));
        let same = shared_plies(&game, target);
        while game.plies() > same {
            game.undo();
        }
        for m in target.played().skip(same) {
            // A history has only legal moves.
            game.play_on(m.resolve(game.position())?).ok()?;
        }
        Some(self.game.insert(game))
    }
}

/// The number of plies that two histories from the same start share.
fn shared_plies<G: Playable>(typed: &GameHistory<G>, target: &AnyGameHistory) -> usize {
    let positions = typed.positions().zip(target.positions()).skip(1);
    positions.take_while(|(typed, target)| target.downcast_ref::<G>() == Some(*typed)).count()
}

impl<G: Playable> Player<AnyPosition> for ErasedPlayer<G> {
    fn choose(
        &mut self,
        game: &AnyGameHistory,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, PlayerError> {
        if self.sync(game).is_none() {
            let what = format!("cannot play {}", game.position().game());
            return Err(PlayerError::Failed { player: format!("a player of {}", G::NAME), what });
        }
        let Self { player, game: Some(typed) } = self else { return Err(PlayerError::GameOver) };
        let position = typed.position();
        let searchmoves: Option<Vec<G::Move>> = control
            .searchmoves()
            .map(|moves| moves.iter().filter_map(|m| m.resolve(position)).collect());
        let stop = control.stop_flag();
        let mut recording = control.max_tree_nodes().map(Recording::new);
        let mut report = |info: &Info<G>| control.report(&erase_info(position, info));
        let mut typed_control = Control::new(stop, &mut report);
        if let Some(recording) = &mut recording {
            typed_control = typed_control.with_recording(recording);
        }
        if let Some(searchmoves) = &searchmoves {
            typed_control = typed_control.with_searchmoves(searchmoves);
        }
        let SearchResult { m, info } = player.choose(typed, limits, &mut typed_control)?;
        if let Some(tree) = recording.and_then(|recording| recording.tree) {
            control.record(erase_tree(position, &tree));
        }
        Ok(SearchResult { m: AnyMove::new(position, m), info: erase_info(position, &info) })
    }

    fn root_q_values(&self) -> Vec<(AnyMove, ForMover<f64>)> {
        let Some(game) = &self.game else { return Vec::new() };
        let erase = |(m, value)| (AnyMove::new(game.position(), m), value);
        self.player.root_q_values().into_iter().map(erase).collect()
    }

    fn reply_q_values(&self) -> Vec<([AnyMove; 2], ForMover<f64>)> {
        let Some(game) = &self.game else { return Vec::new() };
        let position = game.position();
        let erase = |([m, reply], value): ([G::Move; 2], _)| {
            let after = position.after(m);
            ([AnyMove::new(position, m), AnyMove::new(&after, reply)], value)
        };
        self.player.reply_q_values().into_iter().map(erase).collect()
    }

    fn records_tree(&self) -> bool {
        self.player.records_tree()
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

/// Wraps a player of [`AnyPosition`]s as a player of one game: the reverse of [`ErasedPlayer`].
pub struct TypedPlayer {
    player: Box<AnyPlayer>,
    game: Option<AnyGameHistory>,
}

impl TypedPlayer {
    /// Wraps `player`.
    pub const fn new(player: Box<AnyPlayer>) -> Self {
        Self { player, game: None }
    }

    /// Updates the erased history to `target`, replaying only the difference.
    fn sync<G: Playable>(&mut self, target: &GameHistory<G>) -> &AnyGameHistory {
        let known =
            self.game.take().filter(|known| known.start().downcast_ref() == Some(target.start()));
        let mut game =
            known.unwrap_or_else(|| GameHistory::new(AnyPosition::new(target.start().clone())));
        let same = shared_plies(target, &game);
        while game.plies() > same {
            game.undo();
        }
        for (position, m) in target.positions().zip(target.played()).skip(same) {
            // A history has only legal moves.
            let _ = game.play_on(AnyMove::new(position, m));
        }
        self.game.insert(game)
    }
}

impl<G: Playable> Player<G> for TypedPlayer {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        self.sync(game);
        let Self { player, game: Some(erased) } = self else { return Err(PlayerError::GameOver) };
        let position = game.position();
        let searchmoves: Option<Vec<AnyMove>> = control
            .searchmoves()
            .map(|moves| moves.iter().map(|&m| AnyMove::new(position, m)).collect());
        let stop = control.stop_flag();
        let mut report = |info: &AnyInfo| control.report(&type_info(position, info));
        let mut erased_control = Control::new(stop, &mut report);
        if let Some(searchmoves) = &searchmoves {
            erased_control = erased_control.with_searchmoves(searchmoves);
        }
        let SearchResult { m, info } = player.choose(erased, limits, &mut erased_control)?;
        let illegal = || PlayerError::Failed {
            player: "the player".into(),
            what: "chose an illegal move".into(),
        };
        Ok(SearchResult {
            m: m.resolve(position).ok_or_else(illegal)?,
            info: type_info(position, &info),
        })
    }

    fn root_q_values(&self) -> Vec<(G::Move, ForMover<f64>)> {
        let Some(position) = self.position::<G>() else { return Vec::new() };
        let typed = |(m, value): (AnyMove, _)| Some((m.resolve(position)?, value));
        self.player.root_q_values().into_iter().filter_map(typed).collect()
    }

    fn reply_q_values(&self) -> Vec<([G::Move; 2], ForMover<f64>)> {
        let Some(position) = self.position::<G>() else { return Vec::new() };
        let typed = |([m, reply], value): ([AnyMove; 2], _)| {
            let m = m.resolve(position)?;
            Some(([m, reply.resolve(&position.after(m))?], value))
        };
        self.player.reply_q_values().into_iter().filter_map(typed).collect()
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
    /// The position of the last search.
    fn position<G: Playable>(&self) -> Option<&G> {
        self.game.as_ref()?.position().downcast_ref()
    }
}

fn type_info<G: Playable>(position: &G, info: &AnyInfo) -> Info<G> {
    let typed =
        |line: &Pv<AnyPosition>| Pv { value: line.value, moves: type_line(position, &line.moves) };
    Info {
        depth: info.depth,
        seldepth: info.seldepth,
        nodes: info.nodes,
        time: info.time,
        hashfull: info.hashfull,
        exact: info.exact,
        lines: info.lines.iter().map(typed).collect(),
    }
}

/// A line of moves from `position`, truncated before the first illegal one.
fn type_line<G: Game>(position: &G, moves: &[AnyMove]) -> Vec<G::Move> {
    let mut position = position.clone();
    let mut line = Vec::with_capacity(moves.len());
    for m in moves {
        let Some(m) = m.resolve(&position) else { break };
        line.push(m);
        position.play(m);
    }
    line
}

fn erase_info<G: Playable>(position: &G, info: &Info<G>) -> AnyInfo {
    let erase = |line: &Pv<G>| Pv { value: line.value, moves: erase_line(position, &line.moves) };
    Info {
        depth: info.depth,
        seldepth: info.seldepth,
        nodes: info.nodes,
        time: info.time,
        hashfull: info.hashfull,
        exact: info.exact,
        lines: info.lines.iter().map(erase).collect(),
    }
}

/// A line of moves from `position`, truncated before the first illegal one.
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

fn erase_tree<G: Playable>(position: &G, tree: &SearchTree<G::Move>) -> SearchTree<AnyMove> {
    let steps = TreeSteps {
        clone: G::clone,
        after: |position, m| position.after(m),
        null_move: |position| position.null_move().unwrap_or_else(|| position.clone()),
    };
    tree.map_moves(position.clone(), steps, |position, m| AnyMove::new(position, m))
}
