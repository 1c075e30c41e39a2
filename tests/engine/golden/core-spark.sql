WITH `source` AS (
  SELECT
    `source`.`c10`,
    `source`.`low`,
    `source`.`high`,
    `source`.`n`,
    CAST(`source`.`c10` AS DOUBLE) AS `number`
  FROM (
    SELECT
      `source`.`c10`,
      MIN(`source`.`c11`) AS `low`,
      MAX(`source`.`c11`) AS `high`,
      COUNT(*) AS `n`
    FROM (
      SELECT
        *
      FROM (
        SELECT
          CAST(`area` AS BIGINT) AS c0,
          CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
          CAST(`zip` AS BIGINT) AS c2,
          CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
          CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
          `married` AS c5,
          `exemption` AS c6,
          CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
          CASE
            WHEN ISNAN(`rate`)
            THEN NULL
            WHEN `rate` = 0
            THEN CAST(0 AS DOUBLE)
            ELSE CAST(`rate` AS DOUBLE)
          END AS c8,
          CAST(`salary` AS BIGINT) AS c9,
          CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
          CASE
            WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
            THEN -9223372036854775807
            ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
              EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
            ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
          END AS c11
        FROM (
          SELECT
            *
          FROM `source`
        )
      ) AS `source`
      WHERE
        NOT `source`.`c10` IS NULL AND NOT `source`.`c11` IS NULL
    ) AS `source`
    GROUP BY
      1
  ) AS `source`
), `source` AS (
  SELECT
    `source`.`c10`,
    `source`.`low`,
    `source`.`high`,
    `source`.`n`,
    `source`.`number`,
    `source`.`least`,
    `source`.`most`,
    `source`.`bucket`,
    MAX(`source`.`high`) OVER (
      PARTITION BY `source`.`bucket`
      ORDER BY `source`.`c10` ASC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS `before`,
    MIN(`source`.`low`) OVER (
      PARTITION BY `source`.`bucket`
      ORDER BY `source`.`c10` DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS `after`,
    FALSE AS `tied`
  FROM (
    SELECT
      `source`.`c10`,
      `source`.`low`,
      `source`.`high`,
      `source`.`n`,
      `source`.`number`,
      `source`.`least`,
      `source`.`most`,
      COALESCE(
        CAST(FLOOR(
          IF(
            (
              (
                `source`.`number` / 2
              ) - (
                `source`.`least` / 2
              )
            ) <= (
              NULLIF((
                `source`.`most` / 2
              ) - (
                `source`.`least` / 2
              ), 0.0) * 1e-09
            ),
            0.0,
            (
              (
                `source`.`number` / 2
              ) - (
                `source`.`least` / 2
              )
            ) / NULLIF((
              `source`.`most` / 2
            ) - (
              `source`.`least` / 2
            ), 0.0)
          ) * 128
        ) AS BIGINT),
        0
      ) AS `bucket`
    FROM (
      SELECT
        `source`.`c10`,
        `source`.`low`,
        `source`.`high`,
        `source`.`n`,
        `source`.`number`,
        `source`.`least`,
        `source`.`most`
      FROM `source` AS `source`
      CROSS JOIN (
        SELECT
          MIN(`source`.`number`) AS `least`,
          MAX(`source`.`number`) AS `most`
        FROM `source` AS `source`
      ) AS `source`
    ) AS `source`
  ) AS `source`
), `source` AS (
  SELECT
    `source`.`bucket`,
    MIN(`source`.`low`) AS `low`,
    MAX(`source`.`high`) AS `high`
  FROM `source` AS `source`
  GROUP BY
    1
)
SELECT
  `source`.`c0`,
  `source`.`c1`,
  `source`.`c2`,
  `source`.`c3`,
  `source`.`c4`,
  `source`.`c5`,
  `source`.`c6`,
  `source`.`c7`,
  `source`.`c8`,
  `source`.`c9`,
  `source`.`c10`,
  `source`.`c11`,
  COUNT(*) AS `n`
FROM (
  SELECT
    IF(
      `source`.`r0` OR `source`.`r6`,
      `source`.`c0`,
      CAST(NULL AS BIGINT)
    ) AS `c0`,
    IF(`source`.`r0`, `source`.`c1`, CAST(NULL AS STRING)) AS `c1`,
    IF(
      `source`.`r1` OR (
        `source`.`r2` OR `source`.`r6`
      ),
      `source`.`c2`,
      CAST(NULL AS BIGINT)
    ) AS `c2`,
    IF(`source`.`r1`, `source`.`c3`, CAST(NULL AS STRING)) AS `c3`,
    IF(
      `source`.`r2` OR (
        `source`.`r3` OR `source`.`r4`
      ),
      `source`.`c4`,
      CAST(NULL AS STRING)
    ) AS `c4`,
    IF(`source`.`r3`, `source`.`c5`, CAST(NULL AS BOOLEAN)) AS `c5`,
    IF(`source`.`r3`, `source`.`c6`, CAST(NULL AS DECIMAL(10, 2))) AS `c6`,
    IF(`source`.`r3`, `source`.`c7`, CAST(NULL AS STRING)) AS `c7`,
    IF(
      `source`.`r4` OR (
        `source`.`r6` OR `source`.`r7`
      ),
      `source`.`c8`,
      CAST(NULL AS DOUBLE)
    ) AS `c8`,
    IF(
      `source`.`r4` OR `source`.`r6`,
      `source`.`c9`,
      CAST(NULL AS BIGINT)
    ) AS `c9`,
    IF(`source`.`r5`, `source`.`c10`, CAST(NULL AS BIGINT)) AS `c10`,
    IF(`source`.`r5`, `source`.`c11`, CAST(NULL AS BIGINT)) AS `c11`
  FROM (
    SELECT
      `source`.`c0`,
      `source`.`c1`,
      `source`.`c2`,
      `source`.`c3`,
      `source`.`c4`,
      `source`.`c5`,
      `source`.`c6`,
      `source`.`c7`,
      `source`.`c8`,
      `source`.`c9`,
      `source`.`c10`,
      `source`.`c11`,
      `source`.`broken0` AND TRUE AS `r0`,
      `source`.`broken1` AND (
        NOT `source`.`c3` IS NULL
      ) AS `r1`,
      `source`.`broken2` AND (
        NOT `source`.`c4` IS NULL
      ) AS `r2`,
      `source`.`broken3`
      AND (
        (
          NOT `source`.`c6` IS NULL
        ) AND (
          `source`.`c7` = 'US'
        )
      ) AS `r3`,
      (
        `source`.`tied4`
        OR (
          `source`.`c9` > `source`.`after4`
        )
        OR (
          `source`.`before4` > `source`.`c9`
        )
      )
      AND TRUE AS `r4`,
      (
        `source`.`tied5`
        OR (
          `source`.`c11` > `source`.`after5`
        )
        OR (
          `source`.`before5` > `source`.`c11`
        )
      )
      AND TRUE AS `r5`,
      (
        (
          NOT `source`.`c0` IS NULL
        )
        AND (
          NOT `source`.`c8` IS NULL AND NOT ISNAN(`source`.`c8`)
        )
        AND (
          `source`.`n6_1` > 0
        )
      )
      OR (
        (
          NOT `source`.`c2` IS NULL
        )
        AND (
          NOT `source`.`c9` IS NULL
        )
        AND (
          `source`.`n6_2` > 0
        )
      ) AS `r6`,
      NOT `source`.`c8` IS NULL
      AND NOT ISNAN(`source`.`c8`)
      AND (
        `source`.`c8` > 100
      ) AS `r7`
    FROM (
      SELECT
        CAST(`area` AS BIGINT) AS c0,
        CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
        CAST(`zip` AS BIGINT) AS c2,
        CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
        CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
        `married` AS c5,
        `exemption` AS c6,
        CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
        CASE
          WHEN ISNAN(`rate`)
          THEN NULL
          WHEN `rate` = 0
          THEN CAST(0 AS DOUBLE)
          ELSE CAST(`rate` AS DOUBLE)
        END AS c8,
        CAST(`salary` AS BIGINT) AS c9,
        CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
        CASE
          WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
          THEN -9223372036854775807
          ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
            EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
          ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
        END AS c11
      FROM (
        SELECT
          *
        FROM `source`
      )
    ) AS `source`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c4` AS `k0_c4`,
        `source`.`c8` AS `k0_c8`,
        `source`.`before` AS `before4`,
        `source`.`after` AS `after4`,
        `source`.`tied` AS `tied4`
      FROM (
        SELECT
          `source`.`c4`,
          `source`.`c8`,
          `source`.`low`,
          `source`.`high`,
          `source`.`n`,
          MAX(`source`.`high`) OVER (
            PARTITION BY `t14`.`c4`
            ORDER BY `t14`.`c8` ASC NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `before`,
          MIN(`source`.`low`) OVER (
            PARTITION BY `t14`.`c4`
            ORDER BY `t14`.`c8` DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `after`,
          FALSE AS `tied`
        FROM (
          SELECT
            `source`.`c4`,
            `source`.`c8`,
            MIN(`source`.`c9`) AS `low`,
            MAX(`source`.`c9`) AS `high`,
            COUNT(*) AS `n`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `source`
            WHERE
              NOT `source`.`c4` IS NULL
              AND (
                NOT `source`.`c8` IS NULL AND NOT ISNAN(`source`.`c8`)
              )
              AND NOT `source`.`c9` IS NULL
          ) AS `source`
          GROUP BY
            1,
            2
        ) AS `source`
      ) AS `source`
      WHERE
        `source`.`tied`
        OR (
          `source`.`low` > `source`.`after`
        )
        OR (
          `source`.`before` > `source`.`low`
        )
        OR (
          `source`.`tied`
          OR (
            `source`.`high` > `source`.`after`
          )
          OR (
            `source`.`before` > `source`.`high`
          )
        )
    ) AS `source`
      ON `source`.`c4` = `source`.`k0_c4`
      AND `source`.`c8` = `source`.`k0_c8`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c10` AS `k1_c10`,
        `source`.`before` AS `before5`,
        `source`.`after` AS `after5`,
        `source`.`tied` AS `tied5`
      FROM (
        SELECT
          `source`.`c10`,
          `source`.`low`,
          `source`.`high`,
          `source`.`n`,
          `source`.`number`,
          `source`.`least`,
          `source`.`most`,
          `source`.`bucket`,
          GREATEST(
            COALESCE(`source`.`before`, `source`.`earlier`),
            COALESCE(`source`.`earlier`, `source`.`before`)
          ) AS `before`,
          LEAST(
            COALESCE(`source`.`after`, `source`.`later`),
            COALESCE(`source`.`later`, `source`.`after`)
          ) AS `after`,
          `source`.`tied`,
          `source`.`near`,
          `source`.`earlier`,
          `source`.`later`
        FROM (
          SELECT
            `source`.`c10`,
            `source`.`low`,
            `source`.`high`,
            `source`.`n`,
            `source`.`number`,
            `source`.`least`,
            `source`.`most`,
            `source`.`bucket`,
            `source`.`before`,
            `source`.`after`,
            `source`.`tied`,
            `source`.`near`,
            `source`.`earlier`,
            `source`.`later`
          FROM `source` AS `source`
          INNER JOIN (
            SELECT
              `source`.`near`,
              MAX(IF(`source`.`bucket` < `source`.`near`, `source`.`high`, NULL)) AS `earlier`,
              MIN(IF(`source`.`bucket` > `source`.`near`, `source`.`low`, NULL)) AS `later`
            FROM (
              SELECT
                `source`.`near`,
                `source`.`bucket`,
                `source`.`low`,
                `source`.`high`
              FROM (
                SELECT
                  `source`.`bucket` AS `near`
                FROM `source` AS `source`
              ) AS `source`
              CROSS JOIN `source` AS `source`
            ) AS `source`
            GROUP BY
              1
          ) AS `source`
            ON `source`.`bucket` = `source`.`near`
        ) AS `source`
      ) AS `source`
      WHERE
        `source`.`tied`
        OR (
          `source`.`low` > `source`.`after`
        )
        OR (
          `source`.`before` > `source`.`low`
        )
        OR (
          `source`.`tied`
          OR (
            `source`.`high` > `source`.`after`
          )
          OR (
            `source`.`before` > `source`.`high`
          )
        )
    ) AS `source`
      ON `source`.`c10` = `source`.`k1_c10`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c2` AS `k2_c2`,
        `source`.`n6_1`
      FROM (
        SELECT
          `source`.`c2`,
          COUNT(*) AS `n6_1`
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS c0,
              CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
              CAST(`zip` AS BIGINT) AS c2,
              CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
              CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
              `married` AS c5,
              `exemption` AS c6,
              CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
              CASE
                WHEN ISNAN(`rate`)
                THEN NULL
                WHEN `rate` = 0
                THEN CAST(0 AS DOUBLE)
                ELSE CAST(`rate` AS DOUBLE)
              END AS c8,
              CAST(`salary` AS BIGINT) AS c9,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
              CASE
                WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                THEN -9223372036854775807
                ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                  EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
              END AS c11
            FROM (
              SELECT
                *
              FROM `source`
            )
          ) AS `source`
          WHERE
            NOT `source`.`c2` IS NULL AND NOT `source`.`c9` IS NULL
        ) AS `source`
        GROUP BY
          1
      ) AS `source`
    ) AS `source`
      ON `source`.`c0` = `source`.`k2_c2`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c0` AS `k3_c0`,
        `source`.`n6_2`
      FROM (
        SELECT
          `source`.`c0`,
          COUNT(*) AS `n6_2`
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS c0,
              CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
              CAST(`zip` AS BIGINT) AS c2,
              CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
              CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
              `married` AS c5,
              `exemption` AS c6,
              CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
              CASE
                WHEN ISNAN(`rate`)
                THEN NULL
                WHEN `rate` = 0
                THEN CAST(0 AS DOUBLE)
                ELSE CAST(`rate` AS DOUBLE)
              END AS c8,
              CAST(`salary` AS BIGINT) AS c9,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
              CASE
                WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                THEN -9223372036854775807
                ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                  EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
              END AS c11
            FROM (
              SELECT
                *
              FROM `source`
            )
          ) AS `source`
          WHERE
            NOT `source`.`c0` IS NULL
            AND (
              NOT `source`.`c8` IS NULL AND NOT ISNAN(`source`.`c8`)
            )
        ) AS `source`
        GROUP BY
          1
      ) AS `source`
    ) AS `source`
      ON `source`.`c2` = `source`.`k3_c0`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c0` AS `k5_c0`,
        `source`.`c1` AS `k5_c1`,
        `source`.`broken0`
      FROM (
        SELECT
          `source`.`c0`,
          `source`.`c1`,
          SUM(`source`.`times`) > 1 AS `broken0`
        FROM (
          SELECT
            `source`.`c0`,
            `source`.`c1`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `source`
            WHERE
              NOT `source`.`c0` IS NULL AND NOT `source`.`c1` IS NULL
          ) AS `source`
          GROUP BY
            1,
            2
        ) AS `source`
        GROUP BY
          1,
          2
      ) AS `source`
      WHERE
        `source`.`broken0`
    ) AS `source`
      ON `source`.`c0` = `source`.`k5_c0`
      AND `source`.`c1` = `source`.`k5_c1`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c2` AS `k6_c2`,
        `source`.`broken1`,
        `source`.`broken2`
      FROM (
        SELECT
          `source`.`c2`,
          (
            MIN(`source`.`c3`) <> MAX(`source`.`c3`)
          )
          AND (
            SUM(`source`.`times`) > 1
          ) AS `broken1`,
          (
            MIN(`source`.`c4`) <> MAX(`source`.`c4`)
          )
          AND (
            SUM(`source`.`times`) > 1
          ) AS `broken2`
        FROM (
          SELECT
            `source`.`c2`,
            `source`.`c3`,
            `source`.`c4`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `source`
            WHERE
              NOT `source`.`c2` IS NULL
          ) AS `source`
          GROUP BY
            1,
            2,
            3
        ) AS `source`
        GROUP BY
          1
      ) AS `source`
      WHERE
        `source`.`broken1` OR `source`.`broken2`
    ) AS `source`
      ON `source`.`c2` = `source`.`k6_c2`
    LEFT OUTER JOIN (
      SELECT
        `source`.`c4` AS `k7_c4`,
        `source`.`c5` AS `k7_c5`,
        `source`.`broken3`
      FROM (
        SELECT
          `source`.`c4`,
          `source`.`c5`,
          (
            MIN(IF(`source`.`c7` = 'US', `source`.`c6`, NULL)) <> MAX(IF(`source`.`c7` = 'US', `source`.`c6`, NULL))
          )
          AND (
            SUM(IF(`source`.`c7` = 'US', `source`.`times`, NULL)) > 1
          ) AS `broken3`
        FROM (
          SELECT
            `source`.`c4`,
            `source`.`c5`,
            `source`.`c6`,
            `source`.`c7`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS c3,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `source`
            WHERE
              NOT `source`.`c4` IS NULL AND NOT `source`.`c5` IS NULL
          ) AS `source`
          GROUP BY
            1,
            2,
            3,
            4
        ) AS `source`
        GROUP BY
          1,
          2
      ) AS `source`
      WHERE
        `source`.`broken3`
    ) AS `source`
      ON `source`.`c4` = `source`.`k7_c4`
      AND `source`.`c5` = `source`.`k7_c5`
  ) AS `source`
) AS `source`
GROUP BY
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
  12
