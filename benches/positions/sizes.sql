-- Bytes a finished game, each part named; parts below a byte are left out.
\echo
\echo 'bytes a game    part'
select lpad(round(sum(bytes) / :games, 1)::text, 12) || '    ' || part
from (select pg_relation_size(c.oid) as bytes,
             case c.relkind when 'i' then t.relname || ': index ' || c.relname
                            when 't' then 'toast ' || c.relname
                            else c.relname end as part
      from pg_class c
           left join pg_index i on i.indexrelid = c.oid
           left join pg_class t on t.oid = i.indrelid
      where c.relkind in ('r', 'i', 't')
        and c.relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace)) parts
group by part having sum(bytes) / :games >= 1 and sum(bytes) > 65536
order by part;
select lpad(round(sum(pg_relation_size(oid)) / :games, 1)::text, 12) || '    all'
from pg_class
where relkind in ('r', 'i', 't')
  and relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace);
select lpad(round(avg(octet_length(packed_log)), 1)::text, 12) || '    of these in packed logs'
from games;
select lpad(round(avg(plies), 1)::text, 12) || '    plies a game' from records;
