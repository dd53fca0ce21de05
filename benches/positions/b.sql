\echo '(b) aggregates for every position'
create table b_aggregates (
    key bigint not null, choice "char" not null, games integer not null, south integer not null,
    north integer not null, plies bigint not null, last integer not null, latest integer not null,
    primary key (key, choice)
) with (fillfactor = 90);
call fill($step$
    insert into b_aggregates as p
    select key, choice, count(*), count(*) filter (where winner = 's'),
           count(*) filter (where winner = 'n'), sum(plies),
           max(extract(epoch from ended_at)::integer), max(record_no)
    from (select distinct k.key, s.record_no, substr(s.line, k.i::integer, 1)::"char" as choice,
                 s.winner, s.plies, s.ended_at
          from source s cross join lateral unnest(s.keys) with ordinality k (key, i)
          where s.record_no > $1 and s.record_no <= $2) each
    group by key, choice order by key, choice
    on conflict (key, choice) do update
        set games = p.games + excluded.games, south = p.south + excluded.south,
            north = p.north + excluded.north, plies = p.plies + excluded.plies,
            last = greatest(p.last, excluded.last), latest = greatest(p.latest, excluded.latest)
$step$);
vacuum analyze b_aggregates;
select sizes('b');
\set question 'with played as materialized (select * from b_aggregates where key = $1), reached as (select k, sum(games) n, sum(south) s from unnest($2) k join b_aggregates p on p.key = k group by k) select (select count(n) from reached) + (select count(*) from played), (select sum(games) from played)'
