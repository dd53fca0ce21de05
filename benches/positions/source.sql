-- The games as all variants get them, and the positions that are asked for.
create table source as
    select record_no, game_id, keys, line, plies, ended_at, winner from records order by record_no;
create unique index source_no on source (record_no);
drop table records cascade;
truncate games cascade;

-- From each kind of position a few, with the positions that its choices lead to.
create table questions (kind text, number integer, key bigint, results bigint[]);
insert into questions
select kind, row_number() over (partition by kind), key,
       (select array_agg(distinct next) from (
           select s.keys[array_position(s.keys, key) + 1] as next from source s
           where record_no <= 20000 and keys @> array[key]) all_next where next is not null)
from (select distinct on (kind, key) kind, s.keys[place] as key
      from (values ('1 start', 1), ('2 third choice', 3), ('3 fifth choice', 5),
                   ('4 seventh choice', 7), ('5 fifteenth choice', 15)) kinds (kind, place),
           source s
      where record_no % (:games / 9) = 1) places
union all
select '6 last position', row_number() over (), key, array[]::bigint[]
from (select distinct s.keys[cardinality(s.keys)] as key from source s
      where record_no % (:games / 9) = 1) places;
analyze source;

-- The sizes of a variant's tables and indexes.
create function sizes(variant text) returns setof text language sql as $$
    select lpad(round(pg_relation_size(c.oid)::numeric / (select count(*) from source), 1)::text, 12)
           || ' bytes a game in ' || c.relname
    from pg_class c
    where c.relkind in ('r', 'i', 't') and pg_relation_size(c.oid) > 8192
      and (c.relname like variant || '\_%')
    order by c.relname
$$;

-- Runs `step` for each thousand games; says the speed, of the last tenth as well.
create procedure fill(step text) language plpgsql as $$
declare
    last bigint := (select max(record_no) from source);
    n bigint := 0;
    began timestamptz := clock_timestamp();
    tenth timestamptz;
begin
    while n < last loop
        if tenth is null and n >= last * 9 / 10 then tenth := clock_timestamp(); end if;
        execute step using n, n + 1000;
        commit;
        n := n + 1000;
    end loop;
    raise info '% games a second, % in the last tenth',
        round(last / extract(epoch from clock_timestamp() - began)),
        round(last / 10.0 / extract(epoch from clock_timestamp() - tenth));
end $$;

-- The median time of `question` over all positions of a kind, in milliseconds.
create function medians(question text) returns setof text language plpgsql as $$
declare
    q record;
    at timestamptz;
    rows bigint;
    games bigint;
begin
    create temp table if not exists times (kind text, ms numeric, games bigint);
    truncate times;
    for i in 1..5 loop
        for q in select * from questions order by number, kind loop
            at := clock_timestamp();
            execute question into rows, games using q.key, q.results;
            insert into times
            values (q.kind, extract(epoch from clock_timestamp() - at) * 1000, games);
        end loop;
    end loop;
    return query
        select lpad(round((percentile_cont(0.5) within group (order by ms))::numeric, 3)::text, 12)
               || ' ms  ' || kind || ' (' || round(avg(t.games)) || ' games)'
        from times t group by kind order by kind;
end $$;
