//! Lines of exports in the document: the records' own schemas with the number in
//! front.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{KnownFormat, RefOr, Schema, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

use crate::record::json::Game;
use crate::record::rows::{EndRow, SowRow, TakebackRow};

type Property = (&'static str, ObjectBuilder);

/// Bytes of a Parquet file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[allow(dead_code)]
pub struct ParquetFile(Vec<u8>);

/// A line of exported games.
pub struct ExportedGame;

/// A line of exported rows.
pub struct ExportedRow;

fn record_no(description: &str) -> Property {
    let number = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(1))
        .description(Some(description));
    ("record_no", number)
}

/// The object with further properties that are always there. The records' own
/// schemas are closed, so `allOf` would not do.
fn with(schema: RefOr<Schema>, more: Vec<Property>) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = schema else {
        return schema;
    };
    for (name, property) in more {
        object.properties.insert(name.into(), property.into());
        object.required.push(name.into());
    }
    RefOr::T(Schema::Object(object))
}

impl PartialSchema for ExportedGame {
    fn schema() -> RefOr<Schema> {
        let number = record_no(
            "The game's place among the finished public games: a cut-off below which nothing is \
             ever added",
        );
        with(Game::schema(), vec![number])
    }
}

impl ToSchema for ExportedGame {
    fn name() -> Cow<'static, str> {
        "ExportedGame".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Game::schemas(schemas);
    }
}

impl PartialSchema for ExportedRow {
    fn schema() -> RefOr<Schema> {
        let row = |kind: &str, schema| {
            let game_id = ObjectBuilder::new()
                .schema_type(Type::String)
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
                .description(Some("The game"));
            let kind = ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some([kind]));
            let number = record_no("Of the game");
            with(schema, vec![number, ("game_id", game_id), ("kind", kind)])
        };
        let rows = OneOfBuilder::new()
            .description(Some("A row of a game's log as a line of an export"))
            .item(row("sow", SowRow::schema()))
            .item(row("takeback", TakebackRow::schema()))
            .item(row("end", EndRow::schema()));
        rows.into()
    }
}

impl ToSchema for ExportedRow {
    fn name() -> Cow<'static, str> {
        "ExportedRow".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        SowRow::schemas(schemas);
        TakebackRow::schemas(schemas);
        EndRow::schemas(schemas);
    }
}
