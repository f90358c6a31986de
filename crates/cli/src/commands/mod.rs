//! The subcommands, one file each.

mod bench;
mod bench_nets;
mod best;
mod cluster;
mod convert;
mod data;
mod engine;
mod evolve;
mod experiment;
mod games;
mod jobs;
mod learn;
mod matches;
mod perft;
mod play;
mod players;
mod review;
mod selfplay;
mod serve;
mod show;
mod solve;
mod tournament;
mod train;
mod weights;
mod worker;

use clap::Subcommand;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play, analyse and learn from your games in the browser.
    Serve(serve::Serve),
    /// Play a game in the terminal.
    Play(play::Play),
    /// Draw a file, a position or a list of moves, whatever its notation.
    Show(show::Show),
    /// Turn files of one format into another.
    Convert(convert::Convert),
    /// The best moves of one position.
    Best(best::Best),
    /// Review a whole game: mistakes, accuracy, a graph.
    Review(review::ReviewGame),
    /// Play two players against each other.
    Match(matches::Match),
    /// Let several players play everyone against everyone.
    Tournament(tournament::Tournament),
    /// Count the leaves of the game tree.
    Perft(perft::Perft),
    /// Solve Othello endgames exactly.
    Solve(solve::Solve),
    /// Measure speed.
    Bench(bench::Bench),
    /// Measure again what earlier works found out.
    Experiment(experiment::Experiment),
    /// Learn by playing against itself.
    Learn(Box<learn::Learn>),
    /// Record games of a player against itself, to learn from.
    Selfplay(selfplay::SelfPlay),
    /// Train a network on recorded games.
    Train(train::Train),
    /// Check recorded games and export them as a table.
    Data(data::Data),
    /// Evolve an evaluation of a game.
    Evolve(evolve::Evolve),
    /// Be an engine for other programs: UCI, NBoard, GTP.
    Engine(engine::Engine),
    /// List, resume and delete long work.
    Jobs(jobs::Jobs),
    /// Do tasks for others: join a cluster.
    Worker(worker::Worker),
    /// Show what goes on in a cluster.
    Cluster(cluster::Cluster),
    /// List the games with their rules and file formats.
    Games(games::Games),
    /// List the kinds of players and the levels.
    Players(players::Players),
    /// List the evolved evaluations that come with the program.
    Weights(weights::Weights),
}

impl Command {
    /// What is done if nothing is asked for: the page.
    pub(crate) fn usual() -> Self {
        Self::Serve(serve::Serve::usual())
    }

    /// Does it.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Serve(command) => command.run(),
            Self::Play(command) => command.run(),
            Self::Match(command) => command.run(),
            Self::Tournament(command) => command.run(),
            Self::Engine(command) => command.run(),
            Self::Evolve(command) => command.run(),
            Self::Weights(command) => command.run(),
            Self::Experiment(command) => command.run(),
            Self::Learn(command) => command.run(),
            Self::Selfplay(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Data(command) => command.run(),
            Self::Jobs(command) => command.run(),
            Self::Worker(command) => command.run(),
            Self::Cluster(command) => command.run(),
            Self::Best(command) => command.run(),
            Self::Review(command) => command.run(),
            Self::Players(command) => command.run(),
            Self::Show(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Perft(command) => command.run(),
            Self::Solve(command) => command.run(),
            Self::Bench(command) => command.run(),
            Self::Games(command) => command.run(),
        }
    }
}
