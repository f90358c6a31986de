use super::prelude::*;
use crate::api::{ErrorBody, HumanResults, HumanResultsQuery};
use crate::error::ApiResult;
use crate::results;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(human_results))
}

/// The results of people against engines, from the finished games of the library.
#[utoipa::path(
    get, path = "/api/human-results", tag = "library",
    params(HumanResultsQuery),
    responses((status = 200, body = HumanResults), (status = "4XX", body = ErrorBody))
)]
async fn human_results(
    State(app): State<App>,
    Query(query): Query<HumanResultsQuery>,
) -> ApiResult<Json<HumanResults>> {
    respond(move || Ok(results::human_results(app.library.finished(query.game.as_deref())))).await
}
