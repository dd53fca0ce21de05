//! The OpenAPI document's `webhooks`: what a delivery of each type of event looks
//! like. Prepared, for those who write receivers; nothing sends any yet.

use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths,
    PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::Object;
use utoipa::openapi::{ContentBuilder, Ref, Required, ResponseBuilder, Type};

use crate::db::events::Kind;

const PREPARED: &str = "Prepared: this version sends no deliveries and has no subscriptions; \
the form is settled, so that a receiver can be written. Until then read `GET /v1/events`, which \
tells the same. A delivery follows Standard Webhooks.";

/// The headers of a delivery, as Standard Webhooks has them.
const HEADERS: [(&str, Type, &str); 3] = [
    (
        "webhook-id",
        Type::String,
        "Names the delivery; the same when it is sent again",
    ),
    (
        "webhook-timestamp",
        Type::Integer,
        "When this attempt was made, in seconds since 1970",
    ),
    (
        "webhook-signature",
        Type::String,
        "`v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, \
         under the subscription's secret `whsec_…`; several are separated by spaces",
    ),
];

/// One for each type of event.
pub(super) fn prepared() -> Paths {
    let add = |paths: PathsBuilder, &kind: &Kind| paths.path(kind.as_str(), delivery(kind));
    Kind::ALL.iter().fold(PathsBuilder::new(), add).build()
}

fn delivery(kind: Kind) -> PathItem {
    let event = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("EventState")))
        .build();
    let body = RequestBodyBuilder::new()
        .description(Some("The event, as `GET /v1/events` has it"))
        .content("application/json", event)
        .required(Some(Required::True))
        .build();
    let taken = ResponseBuilder::new().description("Taken; any other answer: send it again later");
    let operation = OperationBuilder::new()
        .tag("events")
        .summary(Some(meaning(kind)))
        .description(Some(PREPARED))
        .parameters(Some(HEADERS.map(header)))
        .request_body(Some(body))
        .response("2XX", taken.build());
    PathItem::new(HttpMethod::Post, operation)
}

fn header((name, kind, description): (&str, Type, &str)) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(Object::with_type(kind)))
        .build()
}

fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::GameCreated => "A game was made",
        Kind::GameStarted => "Both seats are taken",
        Kind::TurnStarted => "A turn, or an opening choice, is owed",
        Kind::MovePlayed => "A choice became a row of the log",
        Kind::OfferMade => "A seat made an offer",
        Kind::OfferAnswered => "An offer was accepted or declined",
        Kind::DeadlineNear => "A quarter of a seat's time is left",
        Kind::DeadlineMoved => "The servers were away, and a deadline was moved",
        Kind::GameFinished => "A game ended with a result",
        Kind::GameAborted => "A game ended without a result",
    }
}
