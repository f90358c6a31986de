//! Experiments over HTTP: list, start, watch, stop, resume, report.

mod common;

use common::{Site, wait_for};
use serde_json::{Value, json};

fn job(site: &Site, id: &str) -> Value {
    site.get(&format!("/api/jobs/{id}")).ok()
}

fn start(site: &Site, request: &Value) -> String {
    site.post("/api/experiments", request)["id"].as_str().expect("an id").into()
}

fn wait_until(site: &Site, id: &str, status: &str) -> Value {
    wait_for(status, || {
        let job = job(site, id);
        assert!(status == "failed" || job["summary"]["status"] != "failed", "{job}");
        (job["summary"]["status"] == status).then_some(job)
    })
}

#[test]
fn experiments_are_listed_in_both_languages() {
    let site = Site::new("experiments-list");
    let list = site.get("/api/experiments").ok();
    let list = list.as_array().expect("a list");
    assert!(list.len() >= 5);
    for experiment in list {
        for text in ["title", "description", "expected_result"] {
            for language in ["en", "es"] {
                assert!(!experiment[text][language].as_str().unwrap().is_empty(), "{experiment}");
            }
        }
    }
    let unknown = site.send("POST", "/api/experiments", &json!({"name": "x"})).error(400);
    assert!(unknown.contains("unicen"), "{unknown}");
}

#[test]
fn plans_of_users_run_without_access_to_files() {
    let site = Site::new("experiments-plan");
    let templates = site.get("/api/experiment-templates").ok();
    assert!(templates.as_array().expect("a list").len() >= 4, "{templates}");
    let plan = site.get("/api/experiment-templates/evaluations?game=connectfour").ok();
    let plan = plan["plan"].as_str().expect("a plan");
    let id = start(&site, &json!({"name": "mine", "plan": plan, "quick": true}));
    let view = wait_until(&site, &id, "finished");
    assert_eq!(view["summary"]["detail"], "mine, quick");
    let page = view["experiment"]["report"]["page"].as_str().expect("a report");
    assert!(page.contains("threats") && page.contains("| p |"), "{page}");
    for (from, to, part) in [
        ("alphabeta depth=2", "uci /bin/sh depth=2", "invalid plan"),
        ("eval={eval}", "eval=/etc/passwd", "files are not read here"),
        ("hash=1", "hash=60000", ""),
        ("id = \"evaluations\"", "id = \"../x\"", "letters"),
        ("game = \"connectfour\"", "game = \"ludo\"", "ludo"),
        ("title", "titel", "titel"),
    ] {
        let body = json!({"name": "bad", "plan": plan.replacen(from, to, 1), "quick": true});
        let error = site.send("POST", "/api/experiments", &body).error(400);
        assert!(error.contains(part), "{to}: {error}");
    }
    site.get("/api/experiment-templates/x?game=chess").error(404);
}

#[test]
fn an_experiment_is_stopped_resumed_and_reported() {
    let mut site = Site::new("experiments");
    let id = start(&site, &json!({"name": "unicen", "quick": true, "seed": 3}));
    let view = wait_until(&site, &id, "finished");
    let summary = &view["summary"];
    assert_eq!((&summary["kind"], &summary["game"]), (&json!("experiment"), &json!("othello")));
    assert_eq!(summary["detail"], "unicen, quick");
    assert_eq!(summary["progress"]["done"], summary["progress"]["total"]);
    let report = &view["experiment"]["report"];
    let page = report["page"].as_str().expect("a page");
    assert!(page.contains("| depth | minimax |") && page.contains("--seed 3"), "{page}");
    for plot in report["plots"].as_array().expect("plots") {
        assert!(page.contains(&format!("({})", plot["file"].as_str().unwrap())));
        assert!(plot["svg"].as_str().unwrap().starts_with("<svg"), "{plot}");
    }

    // The full one takes minutes: stopped, restarted, resumed, stopped, deleted.
    let id = start(&site, &json!({"name": "unicen"}));
    wait_for("some progress", || {
        (job(&site, &id)["summary"]["progress"]["done"].as_u64() > Some(0)).then_some(())
    });
    let running = job(&site, &id);
    assert!(!running["summary"]["progress"]["message"].as_str().unwrap().is_empty(), "{running}");
    assert!(running["experiment"]["report"].is_null());
    site.post(&format!("/api/jobs/{id}/stop"), &json!({}));
    let done = wait_until(&site, &id, "stopped")["summary"]["progress"]["done"].as_u64();
    site.restart();
    site.post(&format!("/api/jobs/{id}/resume"), &json!({}));
    wait_for("more progress", || {
        (job(&site, &id)["summary"]["progress"]["done"].as_u64() > done).then_some(())
    });
    site.post(&format!("/api/jobs/{id}/stop"), &json!({}));
    wait_until(&site, &id, "stopped");
    assert_eq!(site.request("DELETE", &format!("/api/jobs/{id}"), "", b"").status, 204);
}
