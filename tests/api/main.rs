//! The server as its clients see it: real HTTP, a real PostgreSQL, a database per
//! test, one file per capability. Expected values are written down here or stand in
//! `tests/vectors/`; every answer is held against the served OpenAPI document.
//!
//! `cargo test --test api` (or nextest) needs PostgreSQL's programs, or a
//! `DATABASE_URL` whose role may create databases.

// A test says what it expects by unwrapping it.
#![allow(clippy::unwrap_used)]

mod support;

mod aborted_events;
mod aborts;
mod acting;
mod authorisation;
mod boards;
mod boards_in_words;
mod browsers;
mod buttons;
mod caching;
mod clocks;
mod command_line;
mod conditional_chains;
mod conditional_ends;
mod conditional_play;
mod conditional_races;
mod conditional_refusals;
mod conditional_rows;
mod conditional_secrets;
mod conditionals;
mod custom_starts;
mod distribution;
mod downtime;
mod draw_refusals;
mod draws;
mod entering;
mod event_log;
mod event_readers;
mod event_streams;
mod expiry;
mod explorer;
mod explorer_counts;
mod explorer_openings;
mod export_columns;
mod export_memory;
mod export_streams;
mod exports;
mod generation;
mod hidden_log;
mod hidden_opening;
mod idempotency;
mod imports;
mod invitations;
mod killed_creations;
mod languages;
mod leaving;
mod limits;
mod lists;
mod log;
mod malformed;
mod managed_players;
mod migration_rules;
mod migrations;
mod notation;
mod offer_races;
mod offers_with_moves;
mod operation;
mod overrides;
mod packing;
mod past_states;
mod pause_offers;
mod pauses;
mod pictures;
mod players;
mod private_games;
mod problems;
mod problems_in_words;
mod races;
mod refusals;
mod rematch_tokens;
mod rematches;
mod replays;
mod replica;
mod resignations;
mod restarts;
mod rows_in_words;
mod search;
mod seats;
mod secrets;
mod sequencer;
mod shutdown;
mod slow_clients;
mod snapshot_files;
mod snapshots;
mod splits;
mod surface;
mod takeback_clocks;
mod takeback_refusals;
mod takebacks;
mod tampering;
mod timeouts;
mod tokens;
mod tokens_of_players;
mod vacation_budget;
mod vacation_games;
mod vacation_races;
mod vacation_times;
mod vacations;
mod vector_games;
mod vector_simulations;
mod webhook_addresses;
mod webhook_channels;
mod webhook_deliveries;
mod webhook_failures;
mod webhook_servers;
mod webhooks;
mod words;
