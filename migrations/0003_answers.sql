-- The first answer to a request that creates, by its Idempotency-Key, kept for a
-- day: written in the transaction of the effect. The key itself is not here;
-- the answer, which may hold new tokens, is sealed with a key derived from it.
create table answers (
    key_hash     bytea       primary key check (octet_length(key_hash) = 32),  -- of caller and key
    request_hash bytea       not null check (octet_length(request_hash) = 32), -- of method, path and body
    sealed       bytea       not null,
    answered_at  timestamptz not null
);
-- For the sweep of those that are more than a day old.
create index answers_age on answers (answered_at);
