use tablero_core::Rng;

/// A number from a distribution that is nearly normal, with mean 0 and deviation 1: the sum of twelve
/// even ones. Unlike the exact formula it is the same to the last bit on every machine.
pub fn gauss(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_nearly_normal() {
        let mut rng = Rng::seeded(1);
        let numbers: Vec<f64> = (0..20_000).map(|_| gauss(&mut rng)).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        let beyond_two = numbers.iter().filter(|x| x.abs() > 2.0).count();
        assert!((800..1000).contains(&beyond_two), "{beyond_two}");
    }
}
