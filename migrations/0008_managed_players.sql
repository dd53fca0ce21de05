-- Players whom a bot plays for: the people of a chat, under a reference of the
-- bot's own that nobody else sees.
alter table players
    add column owner_id     uuid references players,   -- the bot; null: a player with tokens of their own
    add column external_ref text check (external_ref ~ '^[!-~]{1,100}$'),
    add constraint players_managed check (
        (external_ref is not null) = (owner_id is not null and deleted_at is null)
    );
-- Two bots may use the same reference without meeting.
create unique index players_external_ref on players (owner_id, external_ref) where external_ref is not null;

-- A bot reads the events of those whom it plays for; its own it reads also
-- with a token that may not act for them.
alter table event_readers
    add column own boolean not null default true;   -- a seat of the reader's own, not only of a managed player
