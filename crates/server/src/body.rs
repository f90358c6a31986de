//! Receives the whole body of a request before its handler runs: within a limit of size and of time, also where
//! the handler ignores it, so that the connection can be used again.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::api::Problem;
use crate::connections::{Busy, Connection};
use crate::error::ApiError;
use crate::http::max_body_bytes;

/// How fast the rest of a body must arrive after the timeout, in bytes per second.
const SLOWEST: f64 = 16e3;
/// The largest body that is received although it is too large: clients read the error only after sending.
const MAX_DISCARDED: u64 = 64 << 20;

/// The middleware. The connection is busy from here until the response is sent.
pub(crate) async fn receive(
    State(timeout): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = match read(body, max_body_bytes(parts.uri.path()), timeout).await {
        Ok(body) => body,
        Err(problem) => return ApiError::from(problem).into_response(),
    };
    let busy = parts.extensions.get().map(Connection::busy);
    let response = next.run(Request::from_parts(parts, body.into())).await;
    response.map(|body| Body::new(Sending { body, _busy: busy }))
}

async fn read(body: Body, max: usize, timeout: Duration) -> Result<Bytes, Problem> {
    let too_large = Problem::BodyTooLarge { max };
    let max_discarded = MAX_DISCARDED.max(max as u64);
    if body.size_hint().lower() > max_discarded {
        return Err(too_large);
    }
    let (start, mut chunks) = (Instant::now(), body.into_data_stream());
    let (mut bytes, mut received) = (Vec::new(), 0);
    loop {
        let deadline = start + timeout + Duration::from_secs_f64(received as f64 / SLOWEST);
        match timeout_at(deadline, chunks.next()).await.map_err(|_| Problem::BodyTimeout)? {
            None if received > max as u64 => return Err(too_large),
            None => return Ok(bytes.into()),
            Some(Err(error)) => {
                return Err(Problem::InvalidRequest { reason: error.to_string() });
            }
            Some(Ok(chunk)) => {
                received += chunk.len() as u64;
                if received > max_discarded {
                    return Err(too_large);
                }
                if received <= max as u64 {
                    bytes.extend_from_slice(&chunk);
                }
            }
        }
    }
}

/// The body of a response, which keeps its connection busy.
struct Sending {
    body: Body,
    _busy: Option<Busy>,
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
