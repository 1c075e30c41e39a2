CREATE TABLE `shop.sales` (
  sale_id INT64 NOT NULL,
  store STRING(10) NOT NULL,
  sold DATE,
  tags ARRAY<STRING>,
  PRIMARY KEY (sale_id) NOT ENFORCED
)
PARTITION BY sold;
