//! Distributions, all made from the same generator.

use crate::Rng;

impl Rng {
    /// A normally distributed number with mean 0 and deviation 1 (Box and Muller).
    ///
    /// Logarithm and cosine may differ in the last bit between machines; see
    /// [`irwin_hall`](Self::irwin_hall).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit_above_0().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A number from a distribution that is nearly normal, with mean 0 and deviation 1: the sum of twelve
    /// even ones (Irwin and Hall). Unlike [`normal`](Self::normal) it is the same to the last bit on every
    /// machine, and never beyond 6.
    pub fn irwin_hall(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// A number of the gamma distribution with that shape and scale 1 (Marsaglia and Tsang).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * self.unit_above_0().powf(1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.unit_above_0().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// Numbers above 0 that add up to 1, by a Dirichlet distribution with all parameters `alpha`.
    pub fn dirichlet(&mut self, alpha: f64, count: usize) -> Vec<f64> {
        let mut parts: Vec<f64> = (0..count).map(|_| self.gamma(alpha)).collect();
        let sum: f64 = parts.iter().sum();
        if !(sum.is_finite() && sum > 0.0) {
            // So small an `alpha` that all parts vanish: one of them is all.
            parts.fill(0.0);
            if let Some(all) = parts.get_mut(self.below(count.max(1) as u64) as usize) {
                *all = 1.0;
            }
            return parts;
        }
        parts.iter_mut().for_each(|part| *part /= sum);
        parts
    }

    /// A number of the Gumbel distribution: the largest of `ln p + gumbel` falls on each with probability
    /// `p`.
    pub fn gumbel(&mut self) -> f64 {
        -(-self.unit_above_0().ln()).ln()
    }

    /// An index, each as likely as its weight says; none if no weight is above 0.
    pub fn weighted_index(&mut self, weights: &[f64]) -> Option<usize> {
        let sum: f64 = weights.iter().sum();
        if !(sum.is_finite() && sum > 0.0) {
            return None;
        }
        let mut left = self.unit() * sum;
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return Some(index);
            }
        }
        weights.iter().rposition(|&weight| weight > 0.0)
    }

    fn unit_above_0(&mut self) -> f64 {
        1.0 - self.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_and_variance(numbers: &[f64]) -> (f64, f64) {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        (mean, numbers.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / count)
    }

    #[test]
    fn normal_numbers_are_normal() {
        for sample in [Rng::normal, Rng::irwin_hall] {
            let mut rng = Rng::seeded(1);
            let numbers: Vec<f64> = (0..20_000).map(|_| sample(&mut rng)).collect();
            let (mean, variance) = mean_and_variance(&numbers);
            assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
            let beyond_two = numbers.iter().filter(|x| x.abs() > 2.0).count();
            assert!((800..1000).contains(&beyond_two), "{beyond_two}");
        }
    }

    /// Evolutions and weights of networks are named by their seeds.
    #[test]
    fn a_seed_names_the_same_numbers_for_ever() {
        assert_eq!(Rng::seeded(7).irwin_hall(), -0.802_812_205_008_409_7);
        assert!((Rng::seeded(7).normal() - 0.158_643_983_642_300_53).abs() < 1e-12);
    }

    #[test]
    fn gamma_has_its_mean_and_variance() {
        let mut rng = Rng::seeded(1);
        for shape in [0.3, 1.0, 4.5] {
            let numbers: Vec<f64> = (0..40_000).map(|_| rng.gamma(shape)).collect();
            let (mean, variance) = mean_and_variance(&numbers);
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape} {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape} {variance}");
        }
    }

    #[test]
    fn dirichlet_adds_up() {
        let mut rng = Rng::seeded(2);
        for alpha in [1e-300, 0.03, 0.3, 10.0] {
            for count in [1, 2, 30] {
                let parts = rng.dirichlet(alpha, count);
                assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{alpha} {parts:?}");
                assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)));
            }
        }
        assert!(rng.dirichlet(1.0, 0).is_empty());
    }

    #[test]
    fn gumbel_chooses_by_probability() {
        let mut rng = Rng::seeded(3);
        let mut seen = [0; 3];
        for _ in 0..30_000 {
            let scores = [0.6f64, 0.3, 0.1].map(|p| p.ln() + rng.gumbel());
            let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            seen[best.expect("three")] += 1;
        }
        assert!(
            (17_500..18_500).contains(&seen[0]) && (2_700..3_300).contains(&seen[2]),
            "{seen:?}"
        );
    }

    #[test]
    fn weights_that_make_no_sense_choose_nothing() {
        let mut rng = Rng::seeded(4);
        for weights in [vec![], vec![0.0, 0.0], vec![f64::NAN, 1.0], vec![f64::INFINITY]] {
            assert_eq!(rng.weighted_index(&weights), None);
        }
        assert_eq!(rng.weighted_index(&[0.0, 2.0, 0.0]), Some(1));
    }
}
