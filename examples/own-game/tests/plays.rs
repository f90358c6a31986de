//! The program knows its own game and the built-in ones.

use std::process::Command;

fn run(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_own-game")).args(args).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn plays_a_match_of_its_own_game() {
    let data = std::env::temp_dir().join(format!("own-game-{}", std::process::id()));
    let folder = data.to_str().expect("UTF-8");
    let result = run(&[
        "match", "hexapawn", "random", "greedy", "--games", "2", "--seed", "1", "--json", "--data",
        folder,
    ]);
    assert!(result.contains("\"games\":2"), "{result}");
    let games = run(&["games"]);
    assert!(games.contains("hexapawn") && games.contains("othello"), "{games}");
    std::fs::remove_dir_all(data).expect("the match made it");
}
