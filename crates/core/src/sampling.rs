//! Random distributions.

use crate::Rng;

impl Rng {
    /// A standard normal variate (Box-Muller).
    ///
    /// Logarithm and cosine may differ in the last bit between platforms; see
    /// [`irwin_hall`](Self::irwin_hall).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit_above_0().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// An approximately standard normal variate: the sum of twelve uniform ones minus 6 (Irwin-Hall).
    /// Unlike [`normal`](Self::normal) it is bit-identical on every platform, and within [-6, 6].
    pub fn irwin_hall(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// A gamma variate with this shape and scale 1 (Marsaglia and Tsang, 2000).
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

    /// A symmetric Dirichlet variate: `count` positive numbers that sum to 1.
    pub fn dirichlet(&mut self, alpha: f64, count: usize) -> Vec<f64> {
        let mut parts: Vec<f64> = (0..count).map(|_| self.gamma(alpha)).collect();
        let sum: f64 = parts.iter().sum();
        if !(sum.is_finite() && sum > 0.0) {
            // All gamma variates underflowed: in the limit of small `alpha`, one component is 1.
            parts.fill(0.0);
            if let Some(all) = parts.get_mut(self.below(count.max(1) as u64) as usize) {
                *all = 1.0;
            }
            return parts;
        }
        parts.iter_mut().for_each(|part| *part /= sum);
        parts
    }

    /// A standard Gumbel variate: the argmax of `ln p + gumbel` is a sample from `p` (Gumbel-max trick).
    pub fn gumbel(&mut self) -> f64 {
        -(-self.unit_above_0().ln()).ln()
    }

    /// A random index with probability proportional to its weight; `None` if no weight is positive.
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
    fn normal_variates_have_their_moments() {
        for sample in [Rng::normal, Rng::irwin_hall] {
            let mut rng = Rng::seeded(1);
            let numbers: Vec<f64> = (0..20_000).map(|_| sample(&mut rng)).collect();
            let (mean, variance) = mean_and_variance(&numbers);
            assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
            let beyond_two = numbers.iter().filter(|x| x.abs() > 2.0).count();
            assert!((800..1000).contains(&beyond_two), "{beyond_two}");
        }
    }

    /// Evolutions and initial network weights are reproduced from their seeds.
    #[test]
    fn seeded_variates_never_change() {
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
    fn dirichlet_components_sum_to_one() {
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
    fn gumbel_max_samples_by_probability() {
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
    fn invalid_weights_give_no_index() {
        let mut rng = Rng::seeded(4);
        for weights in [vec![], vec![0.0, 0.0], vec![f64::NAN, 1.0], vec![f64::INFINITY]] {
            assert_eq!(rng.weighted_index(&weights), None);
        }
        assert_eq!(rng.weighted_index(&[0.0, 2.0, 0.0]), Some(1));
    }
}
