\echo '(a) a row a position and a covering index'
create table a_positions (
    key bigint not null, record_no integer not null, ended_at integer not null,
    plies smallint not null, choice "char" not null, winner "char" not null
);
create index a_covering on a_positions (key, record_no, choice) include (winner, plies, ended_at);
call fill($step$
    insert into a_positions
    select distinct on (k.key, s.record_no, 5) k.key, s.record_no,
           extract(epoch from s.ended_at)::integer, s.plies, substr(s.line, k.i::integer, 1)::"char", s.winner
    from source s cross join lateral unnest(s.keys) with ordinality k (key, i)
    where s.record_no > $1 and s.record_no <= $2
$step$);
vacuum analyze a_positions;
select sizes('a');
\set question 'with found as materialized (select * from a_positions where key = $1), reached as (select k, count(distinct p.record_no) n, count(distinct p.record_no) filter (where winner = ''s'') s from unnest($2) k join a_positions p on p.key = k group by k), played as (select choice, count(*) n, count(*) filter (where winner = ''s'') s, sum(plies) plies, max(ended_at) last, max(record_no) from found group by choice) select (select count(*) from reached) + (select count(s) from played), (select count(distinct record_no) from found)'
