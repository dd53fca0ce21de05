-- How long a question takes: its choices with their results, and the totals of the
-- positions they lead to.
\echo '      median'
select medians(:'question');
