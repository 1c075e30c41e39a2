WITH candling_part_9 AS (
  SELECT
    `c10` AS `c10`,
    `low` AS `low`,
    `high` AS `high`,
    `n` AS `n`,
    CAST(`c10` AS DOUBLE) AS `number`
  FROM (
    SELECT
      `c10` AS `c10`,
      MIN(`c11`) AS `low`,
      MAX(`c11`) AS `high`,
      COUNT(*) AS `n`
    FROM (
      SELECT
        `c0` AS `c0`,
        `c1` AS `c1`,
        `c2` AS `c2`,
        `c3` AS `c3`,
        `c4` AS `c4`,
        `c5` AS `c5`,
        `c6` AS `c6`,
        `c7` AS `c7`,
        `c8` AS `c8`,
        `c9` AS `c9`,
        `c10` AS `c10`,
        `c11` AS `c11`
      FROM (
        SELECT
          CAST(`area` AS BIGINT) AS c0,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
              THEN CAST(`phone` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c1,
          CAST(`zip` AS BIGINT) AS c2,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
              THEN CAST(`city` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c3,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
              THEN CAST(`state` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c4,
          `married` AS c5,
          `exemption` AS c6,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
              THEN CAST(`country` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c7,
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
      ) AS candling_part_0
      WHERE
        (
          (
            NOT `c10` IS NULL
          ) AND (
            NOT `c11` IS NULL
          )
        )
    ) AS candling_part_7
    GROUP BY
      `c10`
  ) AS candling_part_8
), candling_part_12 AS (
  SELECT
    `c10` AS `c10`,
    `low` AS `low`,
    `high` AS `high`,
    `n` AS `n`,
    `number` AS `number`,
    `least` AS `least`,
    `most` AS `most`,
    `bucket` AS `bucket`,
    MAX(`high`) OVER (
      PARTITION BY `bucket`
      ORDER BY `c10`
      rows BETWEEN UNBOUNDED preceding AND 1 preceding
    ) AS `before`,
    MIN(`low`) OVER (
      PARTITION BY `bucket`
      ORDER BY `c10` DESC
      rows BETWEEN UNBOUNDED preceding AND 1 preceding
    ) AS `after`,
    FALSE AS `tied`
  FROM (
    SELECT
      `c10` AS `c10`,
      `low` AS `low`,
      `high` AS `high`,
      `n` AS `n`,
      `number` AS `number`,
      `least` AS `least`,
      `most` AS `most`,
      COALESCE(
        CAST(FLOOR(
          (
            CASE
              WHEN (
                (
                  (
                    `number` / 2
                  ) - (
                    `least` / 2
                  )
                ) <= (
                  NULLIF((
                    (
                      `most` / 2
                    ) - (
                      `least` / 2
                    )
                  ), CAST('0.0' AS DOUBLE)) * CAST('1e-09' AS DOUBLE)
                )
              )
              THEN CAST('0.0' AS DOUBLE)
              ELSE (
                (
                  (
                    `number` / 2
                  ) - (
                    `least` / 2
                  )
                ) / NULLIF((
                  (
                    `most` / 2
                  ) - (
                    `least` / 2
                  )
                ), CAST('0.0' AS DOUBLE))
              )
            END * 128
          )
        ) AS BIGINT),
        0
      ) AS `bucket`
    FROM candling_part_9
    CROSS JOIN (
      SELECT
        MIN(`number`) AS `least`,
        MAX(`number`) AS `most`
      FROM candling_part_9
    ) AS candling_part_10
  ) AS candling_part_11
), candling_part_13 AS (
  SELECT
    `bucket` AS `bucket`,
    MIN(`low`) AS `low`,
    MAX(`high`) AS `high`
  FROM candling_part_12
  GROUP BY
    `bucket`
)
SELECT
  `c0` AS `c0`,
  `c1` AS `c1`,
  `c2` AS `c2`,
  `c3` AS `c3`,
  `c4` AS `c4`,
  `c5` AS `c5`,
  `c6` AS `c6`,
  `c7` AS `c7`,
  `c8` AS `c8`,
  `c9` AS `c9`,
  `c10` AS `c10`,
  `c11` AS `c11`,
  COUNT(*) AS `n`
FROM (
  SELECT
    CASE WHEN (
      `r0` OR `r6`
    ) THEN `c0` END AS `c0`,
    CASE WHEN `r0` THEN `c1` END AS `c1`,
    CASE WHEN (
      `r1` OR (
        `r2` OR `r6`
      )
    ) THEN `c2` END AS `c2`,
    CASE WHEN `r1` THEN `c3` END AS `c3`,
    CASE WHEN (
      `r2` OR (
        `r3` OR `r4`
      )
    ) THEN `c4` END AS `c4`,
    CASE WHEN `r3` THEN `c5` END AS `c5`,
    CASE WHEN `r3` THEN `c6` END AS `c6`,
    CASE WHEN `r3` THEN `c7` END AS `c7`,
    CASE WHEN (
      `r4` OR (
        `r6` OR `r7`
      )
    ) THEN `c8` END AS `c8`,
    CASE WHEN (
      `r4` OR `r6`
    ) THEN `c9` END AS `c9`,
    CASE WHEN `r5` THEN `c10` END AS `c10`,
    CASE WHEN `r5` THEN `c11` END AS `c11`
  FROM (
    SELECT
      `c0` AS `c0`,
      `c1` AS `c1`,
      `c2` AS `c2`,
      `c3` AS `c3`,
      `c4` AS `c4`,
      `c5` AS `c5`,
      `c6` AS `c6`,
      `c7` AS `c7`,
      `c8` AS `c8`,
      `c9` AS `c9`,
      `c10` AS `c10`,
      `c11` AS `c11`,
      (
        `broken0` AND TRUE
      ) AS `r0`,
      (
        `broken1` AND (
          NOT `c3` IS NULL
        )
      ) AS `r1`,
      (
        `broken2` AND (
          NOT `c4` IS NULL
        )
      ) AS `r2`,
      (
        `broken3` AND (
          (
            NOT `c6` IS NULL
          ) AND (
            `c7` = 'US'
          )
        )
      ) AS `r3`,
      (
        (
          (
            `tied4` OR (
              `c9` > `after4`
            )
          ) OR (
            `before4` > `c9`
          )
        )
        AND TRUE
      ) AS `r4`,
      (
        (
          (
            `tied5` OR (
              `c11` > `after5`
            )
          ) OR (
            `before5` > `c11`
          )
        )
        AND TRUE
      ) AS `r5`,
      (
        (
          (
            (
              NOT `c0` IS NULL
            ) AND (
              NOT `c8` IS NULL
            )
          )
          AND (
            `n6_1` > 0
          )
        )
        OR (
          (
            (
              NOT `c2` IS NULL
            ) AND (
              NOT `c9` IS NULL
            )
          )
          AND (
            `n6_2` > 0
          )
        )
      ) AS `r6`,
      (
        (
          NOT `c8` IS NULL
        ) AND (
          `c8` > 100
        )
      ) AS `r7`
    FROM (
      SELECT
        CAST(`area` AS BIGINT) AS c0,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
            THEN CAST(`phone` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c1,
        CAST(`zip` AS BIGINT) AS c2,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
            THEN CAST(`city` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c3,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
            THEN CAST(`state` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c4,
        `married` AS c5,
        `exemption` AS c6,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
            THEN CAST(`country` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c7,
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
    ) AS candling_part_0
    LEFT JOIN (
      SELECT
        `c4` AS `k0_c4`,
        `c8` AS `k0_c8`,
        `before4` AS `before4`,
        `after4` AS `after4`,
        `tied4` AS `tied4`
      FROM (
        SELECT
          `c4` AS `c4`,
          `c8` AS `c8`,
          `before` AS `before4`,
          `after` AS `after4`,
          `tied` AS `tied4`
        FROM (
          SELECT
            `c4` AS `c4`,
            `c8` AS `c8`,
            `low` AS `low`,
            `high` AS `high`,
            `n` AS `n`,
            `before` AS `before`,
            `after` AS `after`,
            `tied` AS `tied`
          FROM (
            SELECT
              `c4` AS `c4`,
              `c8` AS `c8`,
              `low` AS `low`,
              `high` AS `high`,
              `n` AS `n`,
              MAX(`high`) OVER (PARTITION BY `c4` ORDER BY `c8` rows BETWEEN UNBOUNDED preceding AND 1 preceding) AS `before`,
              MIN(`low`) OVER (
                PARTITION BY `c4`
                ORDER BY `c8` DESC
                rows BETWEEN UNBOUNDED preceding AND 1 preceding
              ) AS `after`,
              FALSE AS `tied`
            FROM (
              SELECT
                `c4` AS `c4`,
                `c8` AS `c8`,
                MIN(`c9`) AS `low`,
                MAX(`c9`) AS `high`,
                COUNT(*) AS `n`
              FROM (
                SELECT
                  `c0` AS `c0`,
                  `c1` AS `c1`,
                  `c2` AS `c2`,
                  `c3` AS `c3`,
                  `c4` AS `c4`,
                  `c5` AS `c5`,
                  `c6` AS `c6`,
                  `c7` AS `c7`,
                  `c8` AS `c8`,
                  `c9` AS `c9`,
                  `c10` AS `c10`,
                  `c11` AS `c11`
                FROM (
                  SELECT
                    CAST(`area` AS BIGINT) AS c0,
                    (
                      CASE
                        WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                        THEN CAST(`phone` AS STRING)
                        ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                      END
                    ) COLLATE UTF8_BINARY AS c1,
                    CAST(`zip` AS BIGINT) AS c2,
                    (
                      CASE
                        WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                        THEN CAST(`city` AS STRING)
                        ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                      END
                    ) COLLATE UTF8_BINARY AS c3,
                    (
                      CASE
                        WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                        THEN CAST(`state` AS STRING)
                        ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                      END
                    ) COLLATE UTF8_BINARY AS c4,
                    `married` AS c5,
                    `exemption` AS c6,
                    (
                      CASE
                        WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                        THEN CAST(`country` AS STRING)
                        ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                      END
                    ) COLLATE UTF8_BINARY AS c7,
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
                ) AS candling_part_0
                WHERE
                  (
                    (
                      NOT `c4` IS NULL
                    )
                    AND (
                      (
                        NOT `c8` IS NULL
                      ) AND (
                        NOT `c9` IS NULL
                      )
                    )
                  )
              ) AS candling_part_1
              GROUP BY
                `c4`,
                `c8`
            ) AS candling_part_2
          ) AS candling_part_3
          WHERE
            (
              (
                (
                  `tied` OR (
                    `low` > `after`
                  )
                ) OR (
                  `before` > `low`
                )
              )
              OR (
                (
                  `tied` OR (
                    `high` > `after`
                  )
                ) OR (
                  `before` > `high`
                )
              )
            )
        ) AS candling_part_4
      ) AS candling_part_5
    ) AS candling_part_6
      ON (
        `c4` = `k0_c4`
      ) AND (
        `c8` = `k0_c8`
      )
    LEFT JOIN (
      SELECT
        `c10` AS `k1_c10`,
        `before5` AS `before5`,
        `after5` AS `after5`,
        `tied5` AS `tied5`
      FROM (
        SELECT
          `c10` AS `c10`,
          `before` AS `before5`,
          `after` AS `after5`,
          `tied` AS `tied5`
        FROM (
          SELECT
            `c10` AS `c10`,
            `low` AS `low`,
            `high` AS `high`,
            `n` AS `n`,
            `number` AS `number`,
            `least` AS `least`,
            `most` AS `most`,
            `bucket` AS `bucket`,
            `before` AS `before`,
            `after` AS `after`,
            `tied` AS `tied`,
            `near` AS `near`,
            `earlier` AS `earlier`,
            `later` AS `later`
          FROM (
            SELECT
              `c10` AS `c10`,
              `low` AS `low`,
              `high` AS `high`,
              `n` AS `n`,
              `number` AS `number`,
              `least` AS `least`,
              `most` AS `most`,
              `bucket` AS `bucket`,
              GREATEST(COALESCE(`before`, `earlier`), COALESCE(`earlier`, `before`)) AS `before`,
              LEAST(COALESCE(`after`, `later`), COALESCE(`later`, `after`)) AS `after`,
              `tied` AS `tied`,
              `near` AS `near`,
              `earlier` AS `earlier`,
              `later` AS `later`
            FROM candling_part_12
            JOIN (
              SELECT
                `near` AS `near`,
                MAX(`high`) FILTER(WHERE
                  (
                    `bucket` < `near`
                  )) AS `earlier`,
                MIN(`low`) FILTER(WHERE
                  (
                    `bucket` > `near`
                  )) AS `later`
              FROM (
                SELECT
                  `bucket` AS `near`
                FROM candling_part_13
              ) AS candling_part_14
              CROSS JOIN candling_part_13
              GROUP BY
                `near`
            ) AS candling_part_15
              ON (
                `bucket` = `near`
              )
          ) AS candling_part_16
          WHERE
            (
              (
                (
                  `tied` OR (
                    `low` > `after`
                  )
                ) OR (
                  `before` > `low`
                )
              )
              OR (
                (
                  `tied` OR (
                    `high` > `after`
                  )
                ) OR (
                  `before` > `high`
                )
              )
            )
        ) AS candling_part_17
      ) AS candling_part_18
    ) AS candling_part_19
      ON (
        `c10` = `k1_c10`
      )
    LEFT JOIN (
      SELECT
        `c2` AS `k2_c2`,
        `n6_1` AS `n6_1`
      FROM (
        SELECT
          `c2` AS `c2`,
          COUNT(*) AS `n6_1`
        FROM (
          SELECT
            `c0` AS `c0`,
            `c1` AS `c1`,
            `c2` AS `c2`,
            `c3` AS `c3`,
            `c4` AS `c4`,
            `c5` AS `c5`,
            `c6` AS `c6`,
            `c7` AS `c7`,
            `c8` AS `c8`,
            `c9` AS `c9`,
            `c10` AS `c10`,
            `c11` AS `c11`
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS c0,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                  THEN CAST(`phone` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c1,
              CAST(`zip` AS BIGINT) AS c2,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                  THEN CAST(`city` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c3,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                  THEN CAST(`state` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c4,
              `married` AS c5,
              `exemption` AS c6,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                  THEN CAST(`country` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c7,
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
          ) AS candling_part_0
          WHERE
            (
              (
                NOT `c2` IS NULL
              ) AND (
                NOT `c9` IS NULL
              )
            )
        ) AS candling_part_20
        GROUP BY
          `c2`
      ) AS candling_part_21
    ) AS candling_part_22
      ON (
        `c0` = `k2_c2`
      )
    LEFT JOIN (
      SELECT
        `c0` AS `k3_c0`,
        `n6_2` AS `n6_2`
      FROM (
        SELECT
          `c0` AS `c0`,
          COUNT(*) AS `n6_2`
        FROM (
          SELECT
            `c0` AS `c0`,
            `c1` AS `c1`,
            `c2` AS `c2`,
            `c3` AS `c3`,
            `c4` AS `c4`,
            `c5` AS `c5`,
            `c6` AS `c6`,
            `c7` AS `c7`,
            `c8` AS `c8`,
            `c9` AS `c9`,
            `c10` AS `c10`,
            `c11` AS `c11`
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS c0,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                  THEN CAST(`phone` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c1,
              CAST(`zip` AS BIGINT) AS c2,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                  THEN CAST(`city` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c3,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                  THEN CAST(`state` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c4,
              `married` AS c5,
              `exemption` AS c6,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                  THEN CAST(`country` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c7,
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
          ) AS candling_part_0
          WHERE
            (
              (
                NOT `c0` IS NULL
              ) AND (
                NOT `c8` IS NULL
              )
            )
        ) AS candling_part_23
        GROUP BY
          `c0`
      ) AS candling_part_24
    ) AS candling_part_25
      ON (
        `c2` = `k3_c0`
      )
    LEFT JOIN (
      SELECT
        `c0` AS `k5_c0`,
        `c1` AS `k5_c1`,
        `broken0` AS `broken0`
      FROM (
        SELECT
          `c0` AS `c0`,
          `c1` AS `c1`,
          `broken0` AS `broken0`
        FROM (
          SELECT
            `c0` AS `c0`,
            `c1` AS `c1`,
            (
              SUM(`times`) > 1
            ) AS `broken0`
          FROM (
            SELECT
              `c0` AS `c0`,
              `c1` AS `c1`,
              COUNT(*) AS `times`
            FROM (
              SELECT
                `c0` AS `c0`,
                `c1` AS `c1`,
                `c2` AS `c2`,
                `c3` AS `c3`,
                `c4` AS `c4`,
                `c5` AS `c5`,
                `c6` AS `c6`,
                `c7` AS `c7`,
                `c8` AS `c8`,
                `c9` AS `c9`,
                `c10` AS `c10`,
                `c11` AS `c11`
              FROM (
                SELECT
                  CAST(`area` AS BIGINT) AS c0,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                      THEN CAST(`phone` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c1,
                  CAST(`zip` AS BIGINT) AS c2,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                      THEN CAST(`city` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c3,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                      THEN CAST(`state` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c4,
                  `married` AS c5,
                  `exemption` AS c6,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                      THEN CAST(`country` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c7,
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
              ) AS candling_part_0
              WHERE
                (
                  (
                    NOT `c0` IS NULL
                  ) AND (
                    NOT `c1` IS NULL
                  )
                )
            ) AS candling_part_26
            GROUP BY
              `c0`,
              `c1`
          ) AS candling_part_27
          GROUP BY
            `c0`,
            `c1`
        ) AS candling_part_28
        WHERE
          `broken0`
      ) AS candling_part_29
    ) AS candling_part_30
      ON (
        `c0` = `k5_c0`
      ) AND (
        `c1` = `k5_c1`
      )
    LEFT JOIN (
      SELECT
        `c2` AS `k6_c2`,
        `broken1` AS `broken1`,
        `broken2` AS `broken2`
      FROM (
        SELECT
          `c2` AS `c2`,
          `broken1` AS `broken1`,
          `broken2` AS `broken2`
        FROM (
          SELECT
            `c2` AS `c2`,
            (
              (
                MIN(`c3`) <> MAX(`c3`)
              ) AND (
                SUM(`times`) > 1
              )
            ) AS `broken1`,
            (
              (
                MIN(`c4`) <> MAX(`c4`)
              ) AND (
                SUM(`times`) > 1
              )
            ) AS `broken2`
          FROM (
            SELECT
              `c2` AS `c2`,
              `c3` AS `c3`,
              `c4` AS `c4`,
              COUNT(*) AS `times`
            FROM (
              SELECT
                `c0` AS `c0`,
                `c1` AS `c1`,
                `c2` AS `c2`,
                `c3` AS `c3`,
                `c4` AS `c4`,
                `c5` AS `c5`,
                `c6` AS `c6`,
                `c7` AS `c7`,
                `c8` AS `c8`,
                `c9` AS `c9`,
                `c10` AS `c10`,
                `c11` AS `c11`
              FROM (
                SELECT
                  CAST(`area` AS BIGINT) AS c0,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                      THEN CAST(`phone` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c1,
                  CAST(`zip` AS BIGINT) AS c2,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                      THEN CAST(`city` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c3,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                      THEN CAST(`state` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c4,
                  `married` AS c5,
                  `exemption` AS c6,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                      THEN CAST(`country` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c7,
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
              ) AS candling_part_0
              WHERE
                (
                  NOT `c2` IS NULL
                )
            ) AS candling_part_31
            GROUP BY
              `c2`,
              `c3`,
              `c4`
          ) AS candling_part_32
          GROUP BY
            `c2`
        ) AS candling_part_33
        WHERE
          (
            `broken1` OR `broken2`
          )
      ) AS candling_part_34
    ) AS candling_part_35
      ON (
        `c2` = `k6_c2`
      )
    LEFT JOIN (
      SELECT
        `c4` AS `k7_c4`,
        `c5` AS `k7_c5`,
        `broken3` AS `broken3`
      FROM (
        SELECT
          `c4` AS `c4`,
          `c5` AS `c5`,
          `broken3` AS `broken3`
        FROM (
          SELECT
            `c4` AS `c4`,
            `c5` AS `c5`,
            (
              (
                MIN(`c6`) FILTER(WHERE
                  (
                    `c7` = 'US'
                  )) <> MAX(`c6`) FILTER(WHERE
                  (
                    `c7` = 'US'
                  ))
              )
              AND (
                SUM(`times`) FILTER(WHERE
                  (
                    `c7` = 'US'
                  )) > 1
              )
            ) AS `broken3`
          FROM (
            SELECT
              `c4` AS `c4`,
              `c5` AS `c5`,
              `c6` AS `c6`,
              `c7` AS `c7`,
              COUNT(*) AS `times`
            FROM (
              SELECT
                `c0` AS `c0`,
                `c1` AS `c1`,
                `c2` AS `c2`,
                `c3` AS `c3`,
                `c4` AS `c4`,
                `c5` AS `c5`,
                `c6` AS `c6`,
                `c7` AS `c7`,
                `c8` AS `c8`,
                `c9` AS `c9`,
                `c10` AS `c10`,
                `c11` AS `c11`
              FROM (
                SELECT
                  CAST(`area` AS BIGINT) AS c0,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                      THEN CAST(`phone` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c1,
                  CAST(`zip` AS BIGINT) AS c2,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                      THEN CAST(`city` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c3,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                      THEN CAST(`state` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c4,
                  `married` AS c5,
                  `exemption` AS c6,
                  (
                    CASE
                      WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                      THEN CAST(`country` AS STRING)
                      ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                    END
                  ) COLLATE UTF8_BINARY AS c7,
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
              ) AS candling_part_0
              WHERE
                (
                  (
                    NOT `c4` IS NULL
                  ) AND (
                    NOT `c5` IS NULL
                  )
                )
            ) AS candling_part_36
            GROUP BY
              `c4`,
              `c5`,
              `c6`,
              `c7`
          ) AS candling_part_37
          GROUP BY
            `c4`,
            `c5`
        ) AS candling_part_38
        WHERE
          `broken3`
      ) AS candling_part_39
    ) AS candling_part_40
      ON (
        `c4` = `k7_c4`
      ) AND (
        `c5` = `k7_c5`
      )
  ) AS candling_part_41
) AS candling_part_42
GROUP BY
  `c0`,
  `c1`,
  `c2`,
  `c3`,
  `c4`,
  `c5`,
  `c6`,
  `c7`,
  `c8`,
  `c9`,
  `c10`,
  `c11`
