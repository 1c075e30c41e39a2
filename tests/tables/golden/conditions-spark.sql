-- n is not null
coalesce((b0 is null), false)

-- n between 0 and 10
coalesce(((b0 < 0) or (b0 > 10)), false)

-- s in ('ab', 'it''s')
coalesce((not (b0 in ('ab', cast(X'69742773' as string)))), false)

-- g in (0.1, 2)
coalesce((not (b0 in (cast('0.10000000149011612' as double), cast('2.0' as double)))), false)

-- s matches '^\d{5}(-\d{4})?$'
coalesce((not (b0 rlike cast(X'5c415b302d395d7b357d283f3a5c2d5b302d395d7b347d293f5c7a' as string))), false)

-- s like 'a%'
coalesce((not (b0 rlike cast(X'5c4161' as string))), false)

-- length(s) = 5
coalesce((cast(length(b0) as bigint) <> 5), false)

-- n * 2 > d
coalesce((cast(b0 as decimal(22, 2)) >= cast(cast((cast(b1 as decimal(19, 0)) * cast(2 as decimal(1, 0))) as decimal(20, 0)) as decimal(22, 2))), false)

-- n / d > 1
coalesce(((cast(b0 as double) / nullif(cast(b1 as double), 0)) <= cast('1.0' as double)), false)

-- f * 2 > n
coalesce((cast(b0 as double) >= (case when b1 = 0 or abs(b1) between 1e-75 and 1e75 then b1 end * cast('2.0' as double))), false)

-- n % 2 = 1
coalesce((cast(cast((cast(b0 as decimal(38, 0)) % nullif(cast(2 as decimal(38, 0)), 0)) as decimal(38, 0)) as decimal(38, 0)) <> cast(1 as decimal(38, 0))), false)

-- day + 30 > at
coalesce((case when b0 >= 9223372036854775807 then cast(10000000000000000000000000000000000000 as decimal(38, 0)) when b0 <= -9223372036854775807 then cast(-10000000000000000000000000000000000000 as decimal(38, 0)) else cast(cast(b0 as decimal(19, 0)) * cast(1000 as decimal(15, 0)) as decimal(38, 0)) end >= cast(cast(cast((cast(case when abs(b1) < 2147483647 then b1 end as decimal(11, 0)) + cast(30 as decimal(11, 0))) as decimal(11, 0)) as decimal(19, 0)) * cast(86400000000000 as decimal(15, 0)) as decimal(38, 0))), false)

-- at - day < 2
coalesce(((cast(cast((case when b0 >= 9223372036854775807 then cast(null as decimal(38, 0)) when b0 <= -9223372036854775807 then cast(null as decimal(38, 0)) else cast(cast(b0 as decimal(19, 0)) * cast(1000 as decimal(15, 0)) as decimal(38, 0)) end) - (case when b1 >= 2147483647 then cast(null as decimal(38, 0)) when b1 <= -2147483647 then cast(null as decimal(38, 0)) else cast(cast(b1 as decimal(19, 0)) * cast(86400000000000 as decimal(15, 0)) as decimal(38, 0)) end) as string) as double) / cast('86400000000000.0' as double)) >= cast('2.0' as double)), false)

-- check (n > 3 or s is null)
coalesce((not (b1 is null)), false)
