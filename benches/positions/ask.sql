-- How long a question takes: its choices with their results, and the totals of the
-- positions they lead to.
\echo '      median'
select medians(:'question');
drop table if exists a_positions, b_aggregates, c_frequent, c_records cascade;
