-- The spectrum of two columns of labels, for chanceless; see large-data.md for its use.
-- BigQuery: sums of INT64 would overflow, those of BIGNUMERIC are exact.
with labels as (
    select truth as a, predicted as b -- your two columns
    from clusterings -- your table
    -- where truth is not null and predicted is not null
),
cells as (
    select a, b, cast(count(*) as bignumeric) as n from labels group by a, b
),
sized as (
    select
        n + 0 * sum(n) over (partition by a) as n, -- as wide as a sum, for products
        sum(n) over (partition by a) as row_size,
        sum(n) over (partition by b) as column_size,
        max(n) over (partition by a) as row_largest,
        max(n) over (partition by b) as column_largest
    from cells
)
select
    case when grouping(n) = 0 then 'cell' when grouping(row_size) = 0 then 'row' else 'column' end as kind,
    coalesce(n, row_size, column_size) as key,
    count(*) as cells,
    sum(n) as samples,
    sum(row_size + column_size) as size_sum,
    sum(row_size * column_size) as size_product,
    sum(n * n) as squares,
    case when grouping(row_size) = 0 then sum(n * row_largest) else sum(n * column_largest) end as largest_product,
    sum(case when n = row_size and n = column_size then 1 else 0 end) as same
from sized
group by grouping sets ((n), (row_size), (column_size))
order by kind, key
