//! Authentication, cross-site requests, limits.

mod common;

use std::net::IpAddr;

use common::{Site, raw, request};
use serde_json::json;

#[test]
fn only_local_host_names_are_accepted() {
    let site = Site::new("host");
    let about = |host: &str| site.raw(&format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\n"), b"");
    let port = site.port;
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        assert_eq!(about(&format!("{host}:{port}")).status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", ""]
    {
        assert_eq!(about(&format!("{host}:{port}")).status, 421, "{host}");
    }
    assert_eq!(site.raw("GET /api/about HTTP/1.0\r\n", b"").status, 421, "no host at all");
}

#[test]
fn cross_site_requests_are_rejected() {
    let site = Site::new("origin");
    let body = json!({"game": "tictactoe"}).to_string();
    let create = |headers: &str| {
        let headers = format!("Content-Type: application/json\r\n{headers}");
        site.request("POST", "/api/games", &headers, body.as_bytes()).status
    };
    let own = format!("Origin: http://127.0.0.1:{}\r\n", site.port);
    assert_eq!(create(""), 200, "not a browser");
    assert_eq!(create(&own), 200);
    assert_eq!(create(&format!("{own}Sec-Fetch-Site: same-origin\r\n")), 200);
    for origin in ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1"] {
        assert_eq!(create(&format!("Origin: {origin}\r\n")), 403, "{origin}");
    }
    assert_eq!(create("Sec-Fetch-Site: cross-site\r\n"), 403);
    assert_eq!(create("Sec-Fetch-Site: same-site\r\n"), 403);
    // A form cannot send JSON.
    let form = site.request("POST", "/api/games", "Content-Type: text/plain\r\n", body.as_bytes());
    assert!(form.error(415).contains("application/json"), "{}", form.text());

    let socket = |headers: &str| {
        let headers = format!(
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}"
        );
        site.request("GET", "/api/ws", &headers, b"").status
    };
    assert_eq!(socket("Origin: https://evil.example\r\n"), 403);
    assert_ne!(socket(&own), 403);
}

#[test]
fn every_response_has_the_security_headers() {
    let site = Site::new("headers");
    for path in ["/", "/api/about", "/api/games/nothing", "/nothing"] {
        let head = site.get(path).head;
        for header in [
            "content-security-policy: default-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
            "cross-origin-opener-policy: same-origin",
        ] {
            assert!(head.contains(header), "{path} lacks {header}: {head}");
        }
    }
    let page = site.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"), "{}", page.head);
    assert!(page.text().contains("Tablero"), "{}", page.text());
}

#[test]
fn large_bodies_and_messages_are_rejected() {
    let site = Site::new("large");
    let big = vec![b' '; 300 << 10];
    let answer = site.request("POST", "/api/games", "Content-Type: application/json\r\n", &big);
    assert_eq!(answer.status, 413);
    // The limit of imports is larger.
    assert_eq!(site.request("POST", "/api/import", "", &big).status, 400);
    let huge = vec![b' '; (32 << 20) + 1];
    assert_eq!(site.request("POST", "/api/import", "", &huge).status, 413);

    let mut socket = site.socket();
    let long = "x".repeat(70 << 10);
    socket.send(&json!({"type": "watch", "game": long}));
    let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| socket.next()));
    assert!(end.is_err(), "the socket is closed");
}

#[test]
fn beyond_loopback_a_token_is_required() {
    let everywhere = IpAddr::from([0, 0, 0, 0]);
    let site = Site::with("token", |config| config.host = everywhere);
    let url = site.url();
    let token = url.split("token=").nth(1).expect("a token");
    assert!(token.len() >= 32, "{url}");
    assert!(site.get("/api/about").error(401).contains("token"));
    assert_eq!(site.get("/").status, 401);
    assert_eq!(site.get("/?token=guess").status, 401);
    let shorter = &token[..token.len() - 1];
    assert_eq!(site.get(&format!("/?token={shorter}")).status, 401);

    let entry = site.get(&format!("/?token={token}"));
    assert_eq!(entry.status, 303);
    let cookie = entry.head.split("set-cookie: ").nth(1).and_then(|rest| rest.lines().next());
    let cookie = cookie.expect("a cookie");
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let pair = cookie.split(';').next().expect("a pair");
    let with = |headers: &str| site.request("GET", "/api/about", headers, b"").status;
    assert_eq!(with(&format!("Cookie: other=1; {pair}\r\n")), 200);
    assert_eq!(with("Cookie: tablero=guess\r\n"), 401);
    assert_eq!(with(&format!("Authorization: Bearer {token}\r\n")), 200);

    // Addresses are accepted as hosts, other names are not.
    let host = |host: &str| {
        let head =
            format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n");
        raw(site.port, &head, b"").status
    };
    assert_eq!(host("192.168.1.5:7117"), 200);
    assert_eq!(host("evil.example"), 421);
}

#[test]
fn player_lines_start_no_programs_and_read_no_files() {
    let site = Site::new("engines");
    let check = |player: &str| {
        let answer = site.post("/api/catalog/othello/check-player", &json!({ "player": player }));
        answer["problem"]["message"].as_str().map(str::to_owned)
    };
    assert_eq!(check("level easy"), None);
    for line in ["uci /bin/sh", "nboard /bin/sh", "gtp /bin/sh"] {
        assert!(check(line).expect(line).contains("not allowed"), "{line}");
    }
    assert!(check("alphabeta eval=/etc/passwd").is_some());
    assert!(check("alphabeta hash=60000").expect("too much").contains("hash="));
    assert!(check("alphabeta threads=1000").expect("too much").contains("threads="));
    assert!(check("alphabeta time=30m").expect("too much").contains("time="));
    let seats = json!([{"player": "human"}, {"player": "uci /bin/sh"}]);
    let game = json!({"game": "chess", "players": seats});
    assert!(site.send("POST", "/api/games", &game).error(400).contains("not allowed"));
}

#[test]
fn ids_cannot_traverse_paths() {
    let site = Site::new("ids");
    for id in ["..%2Fsecret", "%2Fetc%2Fpasswd", "..", ".", "a%00b", "x.json"] {
        for path in [format!("/api/games/{id}"), format!("/api/jobs/{id}")] {
            let status = request(site.port, "GET", &path, "", b"").status;
            assert!((400..500).contains(&status), "{path}: {status}");
        }
    }
    assert_eq!(site.get("/../Cargo.toml").status, 404);
    assert_eq!(site.get("/%2e%2e/Cargo.toml").status, 404);
}
