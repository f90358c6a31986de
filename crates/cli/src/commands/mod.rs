//! The subcommands, one file each.

mod archive;
mod bench;
mod bench_nets;
mod bench_nnue;
mod bench_selfplay;
mod best;
mod cluster;
mod compare;
mod convert;
mod data;
mod engine;
mod evolve;
mod experiment;
mod explain;
mod games;
mod generate;
mod jobs;
mod learn;
mod matches;
mod perft;
mod play;
mod players;
mod reference;
mod review;
mod selfplay;
mod serve;
mod show;
mod solve;
mod tournament;
mod train;
mod tune;
mod weights;
mod worker;

use clap::Subcommand;

/// A subcommand; its summary is the first line of its arguments' documentation.
#[derive(Subcommand)]
pub(crate) enum Command {
    Serve(serve::Serve),
    Play(play::Play),
    Show(show::Show),
    Convert(convert::Convert),
    Best(best::Best),
    Explain(explain::Explain),
    Compare(compare::Compare),
    Review(review::ReviewGame),
    Match(matches::Match),
    Tournament(tournament::Tournament),
    Perft(perft::Perft),
    Solve(solve::Solve),
    Archive(archive::ArchiveCommand),
    Bench(bench::Bench),
    Experiment(experiment::Experiment),
    Learn(Box<learn::Learn>),
    Selfplay(selfplay::SelfPlay),
    Train(train::Train),
    Tune(tune::Tune),
    Data(data::Data),
    Evolve(evolve::Evolve),
    Engine(engine::Engine),
    Jobs(jobs::Jobs),
    Worker(worker::Worker),
    Cluster(cluster::Cluster),
    Games(games::Games),
    Players(players::Players),
    Weights(weights::Weights),
    #[command(hide = true)]
    Generate(generate::Generate),
    #[command(hide = true)]
    Reference(reference::Reference),
}

impl Command {
    /// The command to run when none is given: `serve --open`.
    pub(crate) fn default_command() -> Self {
        Self::Serve(serve::Serve::open_browser())
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Serve(command) => command.run(),
            Self::Archive(command) => command.run(),
            Self::Play(command) => command.run(),
            Self::Match(command) => command.run(),
            Self::Tournament(command) => command.run(),
            Self::Engine(command) => command.run(),
            Self::Evolve(command) => command.run(),
            Self::Weights(command) => command.run(),
            Self::Generate(command) => command.run(),
            Self::Reference(command) => command.run(),
            Self::Experiment(command) => command.run(),
            Self::Learn(command) => command.run(),
            Self::Selfplay(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Tune(command) => command.run(),
            Self::Data(command) => command.run(),
            Self::Jobs(command) => command.run(),
            Self::Worker(command) => command.run(),
            Self::Cluster(command) => command.run(),
            Self::Best(command) => command.run(),
            Self::Explain(command) => command.run(),
            Self::Compare(command) => command.run(),
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
