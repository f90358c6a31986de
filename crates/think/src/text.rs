//! A node in words.

use crate::model::{Cut, Leaf, Node, Outcome, Proven, Search, Step, Tree};

impl Tree {
    /// What the search was and did, in a few lines.
    pub(crate) fn headline(&self) -> Vec<String> {
        let unit = match self.growth {
            Some(_) => "iterations",
            None => "nodes",
        };
        let mut lines = vec![format!(
            "{} plays {} for {}: {}",
            self.search,
            self.choice.m,
            self.sides[self.turn],
            self.reason()
        )];
        let mut numbers = format!("{} {unit}", grouped(self.searched));
        if let Some(full) = self.full_width {
            let about = if full.is_estimate { "about " } else { "" };
            numbers += &format!(
                "; plain minimax to depth {}: {about}{} nodes",
                full.depth,
                grouped(full.nodes)
            );
        }
        lines.push(numbers);
        let cutoffs: u64 = self.cutoff_ranks.iter().sum();
        if cutoffs > 0 {
            let first = 100.0 * self.cutoff_ranks[0] as f64 / cutoffs as f64;
            lines.push(format!(
                "{} beta cutoffs, {first:.0} % by the first move tried",
                grouped(cutoffs)
            ));
        }
        if !self.is_complete {
            let (recorded, all) = (grouped(self.nodes.len() as u64), grouped(self.tree_nodes));
            lines.push(format!("{recorded} of {all} nodes recorded"));
        }
        lines
    }

    fn reason(&self) -> &'static str {
        use crate::model::ChoiceReason as Reason;
        match self.choice.reason {
            Reason::OnlyMove => "the only move",
            Reason::LargestValue => "the largest value",
            Reason::RandomOfLargest => "a random one of those with the largest value",
            Reason::SampledByValue => "sampled among the best by value",
            Reason::MostVisits => "the most visits",
            Reason::LargestBound => "the largest upper confidence bound",
            Reason::SampledByVisits => "sampled by visits",
            Reason::SequentialHalving => "left over by sequential halving",
            Reason::ProvenWin => "a proven win",
            Reason::LongestLoss => "all moves lose, this one last",
        }
    }

    /// The two lines of a node's box.
    pub(crate) fn label(&self, node: &Node) -> [String; 2] {
        let is_centi = node.visits.is_none();
        let value = node.value.map(|value| value_text(value, is_centi)).unwrap_or_default();
        let first = format!("{}  {value}", node.name());
        let parts = if is_centi { node.depth_first_text() } else { node.best_first_text() };
        [first.trim_end().into(), parts.join(" · ")]
    }
}

impl Node {
    fn name(&self) -> String {
        match (self.step, self.search, &self.m) {
            (Step::Move, _, Some(m)) => m.clone(),
            (Step::NullMove, ..) => "null move".into(),
            (_, Some(Search::Iteration), _) => format!("depth {}", self.depth.unwrap_or(0)),
            (_, Some(Search::SingularTest), _) => "singular test".into(),
            (_, Some(Search::RazoringTest), _) => "razoring test".into(),
            (_, Some(Search::Verification), _) => "verification".into(),
            _ => "root".into(),
        }
    }

    fn depth_first_text(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if let Some([alpha, beta]) = self.window {
            let bound = |bound: Option<f64>, sign: &str| {
                bound.map_or_else(|| format!("{sign}∞"), |value| value_text(value, true))
            };
            parts.push(format!("({}, {})", bound(alpha, "−"), bound(beta, "+")));
        }
        if let Some(text) = self.search.and_then(search_text) {
            parts.push(text.into());
        }
        if let Some(reduction) = self.reduction {
            parts.push(format!("−{reduction}"));
        }
        match (self.cut, self.leaf) {
            (Some(Cut::Beta), _) => {
                let rank = self.best_rank.map(|rank| format!(" at move {rank}"));
                parts.push(format!("β cut{}", rank.unwrap_or_default()));
            }
            (Some(cut), _) => parts.push(cut_text(cut).into()),
            (None, Some(leaf)) => parts.push(leaf_text(leaf).into()),
            (None, None) => {}
        }
        if let Some(nodes) = self.nodes.filter(|&nodes| nodes > 1) {
            parts.push(format!("{} n", grouped(nodes)));
        }
        parts
    }

    fn best_first_text(&self) -> Vec<String> {
        let mut parts = vec![format!("N {}", grouped(self.visits.unwrap_or(0)))];
        if let Some(prior) = self.prior {
            parts.push(format!("P {:.1} %", 100.0 * prior));
        }
        if let Some([exploitation, exploration]) = self.bound {
            parts.push(format!("{exploitation:+.2} + {exploration:.2}"));
        }
        if let Some(proven) = self.proven {
            parts.push(proven_text(proven));
        }
        if let Some(other) = self.transposes_to {
            parts.push(format!("see node {other}"));
        }
        parts
    }
}

/// `+1.25`, `#3` for a win in three moves, `#-3` for a loss; Q values have no mates.
pub(crate) fn value_text(value: f64, is_centi: bool) -> String {
    const MATE: f64 = 9_000.0;
    if is_centi && value > MATE {
        return format!("#{}", 10_000.0 - value);
    }
    if is_centi && value < -MATE {
        return format!("#-{}", 10_000.0 + value);
    }
    format!("{value:+.2}")
}

const fn search_text(search: Search) -> Option<&'static str> {
    match search {
        Search::Root | Search::Iteration | Search::Full | Search::Pruned => None,
        Search::NullMove | Search::Verification => None,
        Search::SingularTest | Search::RazoringTest => None,
        Search::Scout => Some("scout"),
        Search::DepthResearch => Some("re-search to full depth"),
        Search::WindowResearch => Some("re-search with full window"),
        Search::ProbCutTest => Some("ProbCut test"),
        Search::Quiescence => Some("quiescence"),
    }
}

const fn cut_text(cut: Cut) -> &'static str {
    match cut {
        Cut::Beta => "β cut",
        Cut::TranspositionTable => "table",
        Cut::MateDistance => "mate distance",
        Cut::Razoring => "razoring",
        Cut::ReverseFutility => "reverse futility",
        Cut::NullMove => "null move cut",
        Cut::ProbCut => "ProbCut",
        Cut::MultiCut => "multi-cut",
        Cut::StandPat => "stand pat",
        Cut::LateMove => "pruned: late move",
        Cut::Futility => "pruned: futility",
        Cut::Exchange => "pruned: exchange",
        Cut::Delta => "pruned: delta",
        Cut::Dropout => "dropped",
    }
}

const fn leaf_text(leaf: Leaf) -> &'static str {
    match leaf {
        Leaf::GameOver => "game over",
        Leaf::Draw => "draw",
        Leaf::Horizon => "leaf",
    }
}

fn proven_text(proven: Proven) -> String {
    match proven.outcome {
        Outcome::Win if proven.plies == 0 => "won".into(),
        Outcome::Loss if proven.plies == 0 => "lost".into(),
        Outcome::Win => format!("proven win in {}", proven.plies),
        Outcome::Loss => format!("proven loss in {}", proven.plies),
        Outcome::Draw => "drawn".into(),
    }
}

/// `12 345`, with thin spaces.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_values_are_readable() {
        assert_eq!(grouped(1_234_567).replace('\u{202f}', " "), "1 234 567");
        assert_eq!([value_text(9997.0, true), value_text(-9998.0, true)], ["#3", "#-2"]);
        assert_eq!([value_text(0.5, true), value_text(-0.25, false)], ["+0.50", "-0.25"]);
    }
}
