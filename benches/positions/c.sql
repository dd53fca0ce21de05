\echo '(c) an index of keys, and aggregates for frequent positions alone'
create table c_records (
    record_no bigint not null, plies integer not null, winner "char" not null,
    ended_at timestamptz not null, game_id uuid not null, line text collate "C" not null, keys bigint[] not null
);
create index c_keys on c_records using gin (keys) with (fastupdate = off);
create table c_frequent (
    key bigint not null, choice text collate "C" not null, games integer not null, south integer not null,
    north integer not null, plies bigint not null, last timestamptz not null, samples uuid[] not null,
    primary key (key, choice)
) with (fillfactor = 80);

create function c_tally(wanted bigint[]) returns table
    (key bigint, choice text, games bigint, south bigint, north bigint, plies bigint,
     last timestamptz, samples uuid[]) language sql as $$
    select w.key, coalesce(c.choice, ''), count(*), count(*) filter (where winner = 's'),
           count(*) filter (where winner = 'n'), sum(plies), max(ended_at),
           (array_agg(game_id order by game_id desc))[:3]
    from unnest(wanted) w (key)
         cross join lateral (select * from c_records r where r.keys @> array[w.key] offset 0) r
         cross join lateral (
             select '' union
             select substr(r.line, i, 1) from unnest(array_positions(r.keys, w.key)) i) c (choice)
    group by 1, 2
$$;

-- As src/play/frequent.rs: what is frequent already is counted on; of the rest one in
-- so many is looked up, and what occurs in :hot games is frequent from now on.
create function c_step(after bigint, until bigint, hot bigint, one_in bigint) returns void
language plpgsql as $$
begin
    insert into c_records
    select record_no, plies, winner, ended_at, game_id, line, keys
    from source where record_no > after and record_no <= until;

    create temp table batch on commit drop as
    select distinct key, choice, record_no, plies, winner, ended_at, game_id
    from source s cross join lateral unnest(s.keys) with ordinality k (key, i)
         cross join lateral (values (''), (substr(s.line, k.i::integer, 1))) c (choice)
    where record_no > after and record_no <= until;

    create temp table known on commit drop as
    select key from c_frequent
    where choice = '' and key = any(array(select distinct b.key from batch b where b.choice = ''));

    insert into c_frequent as p
    select key, choice, count(*), count(*) filter (where winner = 's'),
           count(*) filter (where winner = 'n'), sum(plies), max(ended_at),
           (array_agg(game_id order by game_id desc))[:3]
    from batch where key in (select key from known)
    group by key, choice order by key, choice
    on conflict (key, choice) do update
        set games = p.games + excluded.games, south = p.south + excluded.south,
            north = p.north + excluded.north, plies = p.plies + excluded.plies,
            last = greatest(p.last, excluded.last), samples = excluded.samples;

    insert into c_frequent
    select t.* from c_tally(array(
        select w.key
        from (select distinct b.key from batch b
              where choice = '' and (b.key # b.record_no) % one_in = 0
                and b.key not in (select key from known)) w
        where hot <= (select count(*) from (
            select from c_records r where r.keys @> array[w.key] limit hot) found))) t;
end $$;
select format('select c_step($1, $2, %s, %s)', :'hot', :'each') as step \gset
call fill(:'step');
vacuum analyze c_records;
vacuum analyze c_frequent;
select sizes('c');
select '             ' || count(*) || ' frequent positions, ' || sum(games) || ' of their games'
from c_frequent where choice = '';
\set question 'with wanted as (select unnest($1 || $2) as key), known as materialized (select f.* from c_frequent f where f.key = any($1 || $2)), cold as materialized (select t.* from c_tally(array(select key from wanted except select key from known)) t), found as (select * from known union all select * from cold) select count(games), max(games) filter (where key = $1 and choice = '''') from found'
